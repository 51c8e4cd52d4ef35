-- What a decider has folded of a long session, so that a process that has just started need not fold it all again
-- (docs/adr/0058). A cache: any row may go at any time, and does when its session is archived or erased.
create table ledger.snapshots (
  stream_id uuid not null references ledger.streams on delete cascade,
  consumer  text not null,
  version   int not null,
  made_by   text not null,  -- a hash of the code that folded it: other code folds from the beginning
  state     jsonb not null,
  primary key (stream_id, consumer)
);
