-- What pure tools have made is kept (docs/adr/0056): whoever calls one again with the same arguments and files gets it from here.
-- Nothing in it is a fact of the ledger: all of it may go at any time, and is made again.
create schema kept;
create table kept.results (
  key     text primary key,          -- SHA-256 of tool, version, arguments, files and owner
  owner   text not null default '',  -- whose it is; what is made of a file when it arrives is the file's, and nobody's
  tool    text not null,
  files   text[] not null,           -- digests of what it was made of: with one of them it goes
  made    text[] not null default '{}',  -- digests of the files that it has made
  done    jsonb not null,
  bytes   bigint not null,
  made_at timestamptz not null default now(),
  used_at timestamptz not null default now()
);
create index results_of_owner on kept.results (owner, used_at);
create index results_of_files on kept.results using gin (files);
