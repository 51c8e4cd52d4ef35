-- The bank of the transfer pack: double entry, only ever added to. Every transfer's entries sum to 0, so all entries do;
-- a balance is the sum of an account's entries. What the code checks before, the triggers check again at commit.
create table accounts (
  account_id uuid primary key,
  kind       text not null check (kind in ('person', 'payee', 'equity')),
  owner      text not null,
  opened_at  timestamptz not null default now()
);
create unique index accounts_one_per_person on accounts (owner) where kind = 'person';

create table payees (
  payee_id   uuid primary key,
  owner      text not null,
  place      int not null,
  account_id uuid not null references accounts,
  unique (owner, place)
);

-- How a payee is called, the shown name first, and the name of their bank.
create table payee_names (
  payee_id uuid not null references payees,
  language text not null check (language in ('ko', 'en', 'ja')),
  names    text[] not null check (cardinality(names) > 0),
  bank     text not null,
  primary key (payee_id, language)
);

create table transfers (
  transfer_id uuid primary key,
  key         text not null constraint transfers_once unique,
  owner       text not null,
  payee_id    uuid references payees,  -- none: an opening balance
  amount      bigint not null check (amount > 0),
  memo        text not null default '',
  ordered_on  date not null,
  value_on    date not null,           -- when the money is the payee's; it is taken from the payer at once
  made_at     timestamptz not null default now(),
  check (value_on >= ordered_on)
);
create index transfers_of on transfers (owner, ordered_on) where payee_id is not null;

create table entries (
  transfer_id uuid not null references transfers,
  account_id  uuid not null references accounts,
  amount      bigint not null check (amount <> 0),
  primary key (account_id, transfer_id)
);
create index entries_of on entries (transfer_id);

create function check_entry() returns trigger language plpgsql set search_path = pack_transfer as $$
begin
  if (select sum(amount) from entries where transfer_id = new.transfer_id) <> 0 then
    raise exception 'the entries of transfer % do not sum to 0', new.transfer_id
      using errcode = 'check_violation', constraint = 'entries_balanced';
  end if;
  if (select sum(amount) from entries where transfer_id = new.transfer_id and amount > 0)
     <> (select amount from transfers where transfer_id = new.transfer_id) then
    raise exception 'the entries of transfer % are not of its amount', new.transfer_id
      using errcode = 'check_violation', constraint = 'entries_of_amount';
  end if;
  if new.amount < 0 and (select kind = 'person' from accounts where account_id = new.account_id)
     and (select sum(amount) from entries where account_id = new.account_id) < 0 then
    raise exception 'account % is overdrawn', new.account_id
      using errcode = 'check_violation', constraint = 'accounts_not_overdrawn';
  end if;
  return null;
end $$;
create constraint trigger entries_checked after insert on entries deferrable initially deferred
  for each row execute function check_entry();

-- A transfer without entries is none.
create function check_transfer() returns trigger language plpgsql set search_path = pack_transfer as $$
begin
  if not exists (select from entries where transfer_id = new.transfer_id) then
    raise exception 'transfer % has no entries', new.transfer_id
      using errcode = 'check_violation', constraint = 'transfers_entered';
  end if;
  return null;
end $$;
create constraint trigger transfers_checked after insert on transfers deferrable initially deferred
  for each row execute function check_transfer();

-- History is not edited: rows are added and read.
grant select, insert on accounts, payees, payee_names, transfers, entries to dream_pack_transfer;
