-- Sessions that are not here any more, archived or erased (docs/adr/0033): where each ended, and by whom it was taken away.
-- Services read it and nothing else; sessions are taken away and brought back by the owner alone, through these functions.
create table ledger.removed (
  stream_id  uuid primary key,
  version    int not null,
  hash       bytea not null,
  kind       text not null check (kind in ('archived', 'erased')),
  archive    text,  -- digest of the archived history in the object store
  files      text[] not null default '{}',  -- digests that the archived history names: others must not let go of them
  user_id    text,  -- whose it is, as long as somebody may ask for it to be erased
  removed_at timestamptz not null default now(),
  removed_by text not null,
  check ((kind = 'archived') = (archive is not null)),
  check (kind = 'archived' or user_id is null and files = '{}')
);
create index removed_of_user on ledger.removed (user_id);
grant select on ledger.removed to dream_service;

-- As before, but for a session that ledger.remove_session is taking away, and nobody else's rows meanwhile.
create or replace function ledger.refuse() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.stream_id::text = current_setting('dream.removing', true) then
    return old;
  end if;
  raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name using errcode = 'DR403';
end $$;

-- Takes a session away that ends exactly where it was read, in one transaction with the record of it. Refuses one with an
-- open run or a timer that is still to fire: somebody has something to do there.
create function ledger.remove_session(
  p_stream uuid, p_version int, p_hash bytea, p_kind text, p_archive text, p_user text, p_by text
) returns int language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  taken int;
  named text[] := '{}';
begin
  perform ledger.lock(array[p_stream]);
  if not exists (select from ledger.streams where stream_id = p_stream and version = p_version and hash = p_hash) then
    raise exception 'session % has gone on since it was read', p_stream using errcode = 'DR409';
  end if;
  if exists (select from ledger.open_runs where stream_id = p_stream)
     or p_kind = 'archived' and exists (select from ledger.timers where stream_id = p_stream) then
    raise exception 'session % has something open', p_stream using errcode = 'DR409';
  end if;
  if p_kind = 'archived' then
    select coalesce(array_agg(distinct d #>> '{}'), '{}') into named from ledger.events,
           jsonb_path_query(data, 'strict $.** ? (@.type() == "string" && @ like_regex "^[0-9a-f]{64}$")') d
     where stream_id = p_stream;
  end if;
  perform set_config('dream.removing', p_stream::text, true);
  delete from ledger.events where stream_id = p_stream;
  get diagnostics taken = row_count;
  perform set_config('dream.removing', '', true);
  delete from ledger.streams where stream_id = p_stream;
  delete from ledger.timers where stream_id = p_stream;
  delete from ledger.dead_letters where p_kind = 'erased' and subject like 'evt.%.' || p_stream || '.%';
  insert into ledger.removed (stream_id, version, hash, kind, archive, files, user_id, removed_by)
  values (p_stream, p_version, p_hash, p_kind, p_archive, named, p_user, p_by);
  return taken;
end $$;

-- Brings an archived session back, row by row as it was: its chain has to lead to the hash that was recorded when it went.
-- Its events are older than everything that relays still look at.
create function ledger.readmit_session(p_stream uuid, p_events jsonb) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone ledger.removed;
  base bytea := decode(repeat('00', 32), 'hex');
begin
  perform ledger.lock(array[p_stream]);
  select * into gone from ledger.removed where stream_id = p_stream and kind = 'archived';
  if not found or exists (select from ledger.streams where stream_id = p_stream) then
    raise exception 'session % is not archived', p_stream using errcode = 'DR409';
  end if;
  insert into ledger.events (stream_id, version, xid, event_id, type, schema_version, producer, route, run_id,
                             correlation_id, causation_id, traceparent, recorded_at, data, meta, hash)
  select p_stream, e.version, '3', e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id, e.correlation_id,
         e.causation_id, e.traceparent, e.recorded_at, e.data, e.meta,
         ledger.chain(base, ledger.content(e.version, e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id,
                      e.correlation_id, e.causation_id, e.traceparent, e.recorded_at, e.data, e.meta)) over (order by e.version)
    from jsonb_to_recordset(p_events) e(version int, event_id uuid, type text, schema_version smallint, producer text,
         route text, run_id uuid, correlation_id uuid, causation_id uuid, traceparent text, recorded_at timestamptz,
         data jsonb, meta jsonb)
   order by e.version;  -- beginnings of runs before their ends, which the triggers keep the list of open runs by
  if not exists (select from ledger.events where stream_id = p_stream and version = gone.version and hash = gone.hash)
     or (select count(*) from ledger.events where stream_id = p_stream) <> gone.version then
    raise exception 'what was archived of session % is not what was taken away', p_stream using errcode = 'DR422';
  end if;
  delete from ledger.removed where stream_id = p_stream;
  insert into ledger.streams (stream_id, version, hash) values (p_stream, gone.version, gone.hash);
  return gone.version;
end $$;

-- A session that is away does not begin anew: a gateway may have known it, and so may a client. Only the first appends of a
-- stream pay for the look.
create function ledger.stay_away() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from ledger.removed where stream_id = new.stream_id) then
    raise exception 'session % was taken away, and takes nothing', new.stream_id using errcode = 'DR404';
  end if;
  return new;
end $$;
create trigger stay_away before insert on ledger.streams for each row when (new.version <= 64)
  execute function ledger.stay_away();

revoke execute on function ledger.remove_session(uuid, int, bytea, text, text, text, text) from public;
revoke execute on function ledger.readmit_session(uuid, jsonb) from public;
