-- What a person has last had put in, changed or shown by itself: "push it to three" is about that. One row per call, so that a
-- repeated call touches once; what is gone since is not found when it is looked for.
create table touched (
  user_id text not null,
  key text not null,
  kind text not null constraint touched_kind check (kind in ('appointment', 'chore', 'reminder', 'note')),
  item text not null,
  title text not null constraint touched_title check (length(title) between 1 and 4000),
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, key)
);
create index touched_newest on touched (user_id, at);

grant select, insert, delete on touched to dream_pack_assistant;
