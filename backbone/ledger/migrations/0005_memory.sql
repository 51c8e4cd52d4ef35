-- Reading a conversation back must cost what is read, not what the session has grown to: the few events that people and
-- their dialogue make are found from the end of a stream, past any number of todos. The types are backbone.ledger.port.DIALOGUE.
create index events_dialogue on ledger.events (stream_id, type, version)
  where type in ('ArtifactUploaded', 'DecisionAnswered', 'DecisionRequested', 'FlowAdvanced', 'MessageReceived',
                 'ResponseOutput', 'RunCancelled', 'RunFailed', 'SessionOpened', 'SessionSummarized');

-- Long-term memory: what people want remembered, and what was said, by person. Beside the ledger, not in it: a person can
-- have an item forgotten, and the turns of conversations can be projected again.
create extension if not exists vector with schema public;
create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;
create schema memory;

create table memory.items (
  owner       text not null,
  item_id     uuid not null,
  kind        text not null check (kind in ('note', 'turn', 'fact')),
  text        text not null,
  language    text not null,
  session_id  uuid,
  run_id      uuid,
  recorded_at timestamptz not null,
  letters     text not null,          -- the text as words of ASCII letters (backbone.memories.letters): see below
  encoder     text,                   -- who made the vector; vectors of two encoders are never compared
  vector      public.halfvec(512),    -- of length 1; made later, by the cognitive service
  primary key (owner, item_id)
) partition by hash (owner);
-- A row with its vector must be one page read, not two: the rest of a long row goes out of line, never the vector.
alter table memory.items alter column vector set storage plain;

do $$ begin
  for i in 0..3 loop
    execute format('create table memory.items_%s partition of memory.items for values with (modulus 4, remainder %s)', i, i);
  end loop;
end $$;

-- By letters. pg_trgm sees ASCII letters only where the locale of the database is C, so it is given nothing else. With the
-- owner in the same index a search costs what the owner has, not what everybody has.
create index items_letters on memory.items using gin (owner, letters public.gin_trgm_ops);
-- By meaning, for owners of many items; those with few are compared one by one.
create index items_vectors on memory.items using hnsw (vector public.halfvec_ip_ops);
-- What waits for its vector.
create index items_without_vector on memory.items (recorded_at) where vector is null;

grant usage on schema memory to dream_service;
grant select, insert, update, delete on memory.items to dream_service;
