-- What was put in, in its order: so that a person can take back what they just asked for, by no other name. Kept by the key
-- of the call, so that a repeated call is one addition.
create table additions (
  user_id text not null,
  key text not null,
  kind text not null constraint addition_kind check (kind in ('appointment', 'chore', 'reminder', 'note')),
  item text not null,
  title text not null constraint addition_title check (length(title) between 1 and 4000),
  added_at timestamptz not null default clock_timestamp(),
  gone_at timestamptz,
  primary key (user_id, key)
);
create index additions_newest on additions (user_id, added_at) where gone_at is null;

grant select, insert on additions to dream_pack_assistant;
grant update (gone_at) on additions to dream_pack_assistant;
