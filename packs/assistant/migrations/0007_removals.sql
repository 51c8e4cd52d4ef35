-- What a person had taken out, as it was: "no, leave it in" puts it back. Kept by the key of the call, so that a repeated call
-- is one removal; what has come back comes back once.
create table removals (
  user_id text not null,
  key text not null,
  kind text not null constraint removal_kind check (kind in ('appointment', 'chore', 'reminder', 'note')),
  item text not null,
  was jsonb not null,
  at timestamptz not null default clock_timestamp(),
  back_by text,
  primary key (user_id, key)
);
create index removals_newest on removals (user_id, at);

grant select, insert, delete on removals to dream_pack_assistant;
grant update (back_by) on removals to dream_pack_assistant;
