-- The reminders that were asked for: so that they can be listed and taken back. What makes them come is a timer of the
-- ledger, set in the same transaction as the result of the call. `at` is the first time; with a rule there are more.
create table reminders (
  user_id text not null,
  reminder_id uuid not null,
  text text not null constraint reminder_text check (length(text) between 1 and 1000),
  at timestamptz not null,
  rule text not null default '' constraint reminder_rule check (length(rule) <= 500),
  timezone text not null,
  added_at timestamptz not null default now(),
  cancelled_at timestamptz,
  primary key (user_id, reminder_id)
);
create index reminders_open on reminders (user_id, at) where cancelled_at is null;

grant select, insert on reminders to dream_pack_assistant;
grant update (cancelled_at) on reminders to dream_pack_assistant;
