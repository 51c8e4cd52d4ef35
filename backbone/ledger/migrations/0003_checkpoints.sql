-- LangGraph's checkpoints: a cache over the ledger, see docs/adr/0007. Emptying its tables loses nothing that happened.
create schema checkpoints;

-- Unlogged, because a cache needs no WAL: a commit that touches only these tables waits for no disk. What a crash of Postgres
-- does to it: recovery empties both tables, together and whole; after a clean stop they are there; on a replica that is
-- promoted they are empty. A checkpoint is one row with all that it needs, so one that is written after such a crash is
-- complete, whatever became of its parents. Never half a checkpoint, only none: then its graph is run again from the ledger.
--
-- Keys are compared byte by byte, on every machine: checkpoint ids are UUIDs of version 6, which sort by time as text.
create unlogged table checkpoints.checkpoints (
  thread_id     text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id text collate "C" not null,
  parent_id     text collate "C",
  type          text not null,
  checkpoint    bytea not null,
  metadata      jsonb not null,
  written_at    timestamptz not null default now(),
  primary key (thread_id, checkpoint_ns, checkpoint_id)
);

-- Results of tasks after a checkpoint, the questions of interrupt() among them. They may be written before it: no foreign key.
create unlogged table checkpoints.writes (
  thread_id     text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id text collate "C" not null,
  task_id       text collate "C" not null,
  idx           int not null,
  channel       text not null,
  type          text not null,
  blob          bytea not null,
  task_path     text collate "C" not null,
  written_at    timestamptz not null default now(),
  primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);

grant usage on schema checkpoints to dream_service;
grant select, insert, update, delete on checkpoints.checkpoints, checkpoints.writes to dream_service;
