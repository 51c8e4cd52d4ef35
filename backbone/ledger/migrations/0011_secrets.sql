-- Secrets that every process of a service has to agree on, after any restart: made by the first that asks, never changed.
-- Whoever can read the ledger knows all that they protect.
create table ledger.secrets (
  name    text primary key,
  value   bytea not null check (length(value) >= 32),
  made_at timestamptz not null default now()
);

grant select, insert on ledger.secrets to dream_service;
