-- Who may ask (docs/adr/0091): keys of people and of operators by what they hash to, and browsers that came with one.
-- Random secrets of 160 bits and more: a plain hash gives nobody a way back, and costs nothing at each request.
create schema access;
create table access.keys (
  key_id     text primary key check (key_id ~ '^[0-9a-f]{12}$'),
  digest     bytea not null check (length(digest) = 32),
  user_id    text not null check (user_id ~ '^\S(.*\S)?$' and length(user_id) <= 200),
  role       text not null check (role in ('person', 'operator')),
  label      text not null default '',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index keys_user on access.keys (user_id);
create table access.logins (
  digest     bytea primary key check (length(digest) = 32),
  key_id     text not null references access.keys on delete cascade,
  expires_at timestamptz not null
);
create index logins_key on access.logins (key_id);
create index logins_expires on access.logins (expires_at);
