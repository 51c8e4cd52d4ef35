-- Who wants an event published once more asks here: only the relay of its producer may publish it (docs/adr/0030). A row
-- goes when that is done.
create table ledger.resends (
  key       uuid primary key,
  producer  text not null,
  stream_id uuid not null,
  version   int not null,
  retry_of  uuid,
  asked_at  timestamptz not null default now()
);
create index resends_of_producer on ledger.resends (producer, asked_at);

grant select, insert, delete on ledger.resends to dream_service;
