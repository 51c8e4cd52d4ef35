-- What a person was last shown as a list, in its order: "move the second one" is about that. The rows of one call are one list.
create table shown (
  user_id text not null,
  key text not null,
  place integer not null constraint shown_place check (place between 1 and 30),
  kind text not null constraint shown_kind check (kind in ('appointment', 'chore', 'reminder', 'note')),
  item text not null,
  title text not null constraint shown_title check (length(title) between 1 and 4000),
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, key, place)
);
create index shown_newest on shown (user_id, at);

grant select, insert, delete on shown to dream_pack_assistant;
