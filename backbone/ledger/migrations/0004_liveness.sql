-- Which runs are open: to look at them must cost what is open, not what has ever been. An index cannot say "without an
-- end", so the two events that open and end a run keep this list, in their own transaction.
create table ledger.open_runs (
  run_id      uuid primary key,
  stream_id   uuid not null,
  version     int not null,
  xid         xid8 not null,
  seq         bigint not null,
  recorded_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);  -- every run comes and goes
create index open_runs_newest on ledger.open_runs (recorded_at, run_id);

create function ledger.run_begins() returns trigger language plpgsql as $$
begin
  insert into ledger.open_runs values (new.run_id, new.stream_id, new.version, new.xid, new.seq, new.recorded_at)
  on conflict do nothing;
  return null;
end $$;
create function ledger.run_ends() returns trigger language plpgsql as $$
begin
  delete from ledger.open_runs where run_id = new.run_id;
  return null;
end $$;
create trigger run_begins after insert on ledger.events for each row
  when (new.type = 'MessageReceived' and new.run_id is not null) execute function ledger.run_begins();
create trigger run_ends after insert on ledger.events for each row
  when (new.type in ('RunCompleted', 'RunFailed', 'RunCancelled')) execute function ledger.run_ends();
grant select, insert, delete on ledger.open_runs to dream_service;

insert into ledger.open_runs
  select e.run_id, e.stream_id, e.version, e.xid, e.seq, e.recorded_at from ledger.events e
   where e.type = 'MessageReceived' and e.run_id is not null and not exists (
     select from ledger.events t
      where t.run_id = e.run_id and t.type in ('RunCompleted', 'RunFailed', 'RunCancelled'))
  on conflict do nothing;

-- Letters are listed newest first, those that nobody has settled above all.
create index dead_letters_newest on ledger.dead_letters (recorded_at);
create index dead_letters_dead on ledger.dead_letters (recorded_at) where state = 'dead';
