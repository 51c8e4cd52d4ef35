-- The calendar that is kept here: one row per appointment or chore, its iCalendar text is the truth. The times are those
-- of the text, for looking up; none at the end = a series, which may go on.
create table calendar_items (
  user_id text not null,
  uid text not null,
  kind text not null constraint calendar_kind check (kind in ('appointment', 'chore')),
  ics text not null constraint calendar_ics_size check (length(ics) <= 200000),
  begins timestamptz,
  ends timestamptz,
  added_at timestamptz not null default now(),
  primary key (user_id, kind, uid)
);
create index calendar_items_begins on calendar_items (user_id, begins) where kind = 'appointment';

-- What a call chose to take out or to tick off, by its idempotency key: a repeated call must not choose again, because
-- what it had chosen is gone by then and something else may answer to the same words.
create table calendar_choices (
  user_id text not null,
  key text not null,
  choice jsonb not null,
  chosen_at timestamptz not null default now(),
  primary key (user_id, key)
);

grant select, insert, update, delete on calendar_items to dream_pack_assistant;
grant select, insert on calendar_choices to dream_pack_assistant;
