-- Sessions in which nothing has happened for long: the events of each as one compressed value, in the place of their rows
-- (docs/adr/0085). Heads stay where they are. Whoever wants more of such a session than its head has its events put back
-- first, by ledger.unseal, which takes nothing but what leads to the head's hash.
alter table ledger.streams
  add column sealed      boolean not null default false,
  add column unsealed_at timestamptz;  -- when somebody last wanted to see it

create table ledger.sealed (
  stream_id uuid primary key references ledger.streams on delete cascade,
  last_at   timestamptz not null,
  user_id   text,               -- as its SessionOpened says
  runs      uuid[] not null,    -- those that began in it
  traces    text[] not null,    -- of callers, where they are not the runs' own
  files     text[] not null,    -- digests that its events name
  history   bytea not null      -- backbone.ledger.sealed
);
alter table ledger.sealed alter column history set storage external;
create index sealed_last on ledger.sealed (last_at);
create index sealed_user on ledger.sealed (user_id);
create index sealed_runs on ledger.sealed using gin (runs) with (fastupdate = off);
create index sealed_traces on ledger.sealed using gin (traces) with (fastupdate = off) where traces <> '{}';

create function ledger.is_sealed(p_stream uuid) returns int language plpgsql as $$
begin
  raise exception 'session % is sealed', p_stream using errcode = 'DR423', detail = p_stream::text;
end $$;
create function ledger.stay_sealed() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger.is_sealed(old.stream_id);
  return null;
end $$;
create trigger stay_sealed before update on ledger.streams for each row when (old.sealed and new.sealed)
  execute function ledger.stay_sealed();

-- Puts `p_history` in the place of a session's events, if it ends exactly where it was read. Refuses one with something
-- open, or with an event that its relay has not published.
create function ledger.seal(p_stream uuid, p_version int, p_hash bytea, p_history bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  latest timestamptz;
begin
  perform ledger.lock(array[p_stream]);
  if not exists (select from ledger.streams where stream_id = p_stream and version = p_version and hash = p_hash and not sealed) then
    raise exception 'session % has gone on since it was read', p_stream using errcode = 'DR409';
  end if;
  if exists (select from ledger.open_runs where stream_id = p_stream)
     or exists (select from ledger.timers where stream_id = p_stream)
     or exists (select from ledger.dead_letters d join ledger.events e on e.event_id = d.event_id
                 where d.state = 'dead' and e.stream_id = p_stream)
     or exists (select from ledger.events e left join ledger.relay_cursors c using (producer)
                 where e.stream_id = p_stream and (e.xid, e.seq) > (coalesce(c.xid, '0'), coalesce(c.seq, 0))
                   and e.xid <> '3') then
    raise exception 'session % has something open', p_stream using errcode = 'DR409';
  end if;
  select e.recorded_at into latest from ledger.events e where e.stream_id = p_stream and e.version = p_version;
  insert into ledger.sealed (stream_id, last_at, user_id, runs, traces, files, history)
  select p_stream, latest,
         (select data->>'user' from ledger.events where stream_id = p_stream and type = 'SessionOpened' and version = 1),
         coalesce(array_agg(run_id) filter (where type = 'MessageReceived' and run_id is not null), '{}'),
         coalesce(array_agg(distinct substr(traceparent, 4, 32)) filter (
           where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '')), '{}'),
         (select coalesce(array_agg(distinct d #>> '{}'), '{}') from ledger.events,
            jsonb_path_query(data, 'strict $.** ? (@.type() == "string" && @ like_regex "^[0-9a-f]{64}$")') d
           where stream_id = p_stream),
         p_history
    from ledger.events where stream_id = p_stream;
  perform set_config('dream.removing', p_stream::text, true);
  delete from ledger.events where stream_id = p_stream;
  perform set_config('dream.removing', '', true);
  delete from ledger.snapshots where stream_id = p_stream;
  update ledger.streams set sealed = true where stream_id = p_stream;
  -- a program that does not know this migration would find a session without events
  update dream_meta.min_reader set migration = 31 where migration < 31;
end $$;

-- Puts the events of a sealed session back, as arrays of JSON in the order of the columns below; answers whether it was
-- sealed. Whoever may append may ask for it: what does not lead to the head's hash is refused.
create function ledger.unseal(p_stream uuid, p_events text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  zero constant bytea := decode(repeat('00', 32), 'hex');
  head ledger.streams;
  ends record;
begin
  perform ledger.lock(array[p_stream]);
  select * into head from ledger.streams where stream_id = p_stream and sealed;
  if not found then
    return false;
  end if;
  insert into ledger.events (stream_id, version, xid, event_id, type, schema_version, producer, route, run_id,
                             correlation_id, causation_id, traceparent, recorded_at, data, meta, hash)
  select p_stream, e.version, '3', e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id, e.correlation_id,
         e.causation_id, e.traceparent, e.recorded_at, e.data, e.meta,
         ledger.chain(zero, ledger.content(e.version, e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id,
                      e.correlation_id, e.causation_id, e.traceparent, e.recorded_at, e.data, e.meta)) over (order by e.version)
    from (select (j->>0)::int as version, (j->>1)::uuid as event_id, j->>2 as type, (j->>3)::smallint as schema_version,
                 j->>4 as producer, j->>5 as route, (j->>6)::uuid as run_id, (j->>7)::uuid as correlation_id,
                 (j->>8)::uuid as causation_id, j->>9 as traceparent,
                 'epoch'::timestamptz + (j->>10)::bigint * interval '1 microsecond' as recorded_at,
                 (j->>11)::jsonb as data, (j->>12)::jsonb as meta
            from jsonb_array_elements(p_events::jsonb) j) e
   order by e.version;  -- beginnings of runs before their ends, which the triggers keep the list of open runs by
  select count(*) as events, max(version) as version, (array_agg(hash order by version desc))[1] as hash into ends
    from ledger.events where stream_id = p_stream;
  if (ends.events, ends.version, ends.hash) is distinct from (head.version::bigint, head.version, head.hash) then
    raise exception 'that is not the history of session %', p_stream using errcode = 'DR422';
  end if;
  delete from ledger.sealed where stream_id = p_stream;
  update ledger.streams set sealed = false, unsealed_at = now() where stream_id = p_stream;
  return true;
end $$;

do $$ declare
  one regprocedure;
begin
  for one in select oid::regprocedure from pg_proc
              where pronamespace = 'ledger'::regnamespace and proname in ('seal', 'unseal') loop
    execute format('revoke execute on function %s from public', one);
  end loop;
end $$;
grant select on ledger.sealed to dream_service;

-- As in 0021: but what comes back is in the voice of whoever said it. Only the functions that put events back say which
-- transaction they are of.
create or replace trigger own_voice before insert on ledger.events for each row
  when (new.xid <> '3' and case current_setting('role') when 'none' then session_user::text else current_setting('role') end
          in ('dream_gateway', 'dream_cognitive', 'dream_planning', 'dream_execution', 'dream_response', 'dream_admin')
        and 'dream_' || case new.producer when 'timers' then 'execution' else new.producer end
          <> case current_setting('role') when 'none' then session_user::text else current_setting('role') end)
  execute function ledger.another_voice();

-- As in 0023; the tail of a sealed session is not known.
create or replace function ledger.lock_and_tail(
  p_streams uuid[], p_after int[], p_types text[], p_consumer text, p_causes uuid[]
)
returns table (stream_id uuid, version int, event_id uuid, type text, schema_version smallint, run_id uuid,
               traceparent text, recorded_at timestamptz, data text)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform pg_advisory_xact_lock(k)
    from (select distinct hashtextextended(s::text, 0) as k from unnest(p_streams) s order by 1) keys;
  return query
    select w.s, coalesce(h.version, 0), null::uuid, null::text, null::smallint, null::uuid, null::text, now(), null::text
      from unnest(p_streams) w(s)
      left join lateral (select case when st.sealed then ledger.is_sealed(st.stream_id) else st.version end as version
                           from ledger.streams st where st.stream_id = w.s limit 1) h on true;
  return query
    select null::uuid, null::int, w.c, null::text, null::smallint, null::uuid, null::text, null::timestamptz, null::text
      from unnest(p_causes) w(c)
      cross join lateral (select from ledger.inbox i where i.consumer = p_consumer and i.cause = w.c limit 1) i;
  return query
    select e.stream_id, e.version, e.event_id, e.type, e.schema_version, e.run_id, e.traceparent, e.recorded_at, e.data::text
      from unnest(p_streams, p_after) w(s, a)
      cross join lateral (
        select * from ledger.events t where t.stream_id = w.s and t.version > w.a and t.type = any(p_types) order by t.version
      ) e;
end $$;

-- As in 0030; a sealed session may have it.
create or replace function ledger.has(p_streams uuid[], p_versions int[], p_digests bytea[]) returns boolean
language plpgsql stable set enable_seqscan = off as $$
declare
  found_digest bytea;
begin
  for i in 1 .. cardinality(p_digests) loop
    continue when p_digests[i] is null;
    select sha256(convert_to(concat_ws(E'\x1f',
        e.version, e.event_id, e.type, e.schema_version, e.producer, coalesce(e.route, ''), coalesce(e.run_id::text, ''),
        e.correlation_id, coalesce(e.causation_id::text, ''), coalesce(e.traceparent, ''),
        (extract(epoch from e.recorded_at) * 1000000)::bigint, e.data::text), 'UTF8'))
      into found_digest
      from ledger.events e where e.stream_id = p_streams[i] and e.version = p_versions[i];
    if found_digest is distinct from p_digests[i] then
      if found_digest is null and exists (select from ledger.streams s where s.stream_id = p_streams[i] and s.sealed) then
        perform ledger.is_sealed(p_streams[i]);
      end if;
      raise exception 'stream % has no such event at version %', p_streams[i], p_versions[i] using errcode = 'DR412';
    end if;
  end loop;
  return true;
end $$;

-- As in 0001; the events of a sealed session are looked at where they can be read (backbone.ledger.sealed), here only
-- whether there are any.
create or replace function ledger.verify(p_stream uuid default null)
returns table (stream_id uuid, version int) language sql stable as $$
  select d.stream_id, min(d.version) from (
    select c.stream_id, least(c.version, c.place)::int as version from (
      select e.stream_id, e.version, e.hash,
             ledger.chain(decode(repeat('00', 32), 'hex'), ledger.content(
               e.version, e.event_id, e.type, e.schema_version, e.producer, e.route, e.run_id, e.correlation_id, e.causation_id,
               e.traceparent, e.recorded_at, e.data, e.meta)) over w as expected,
             row_number() over w as place
        from ledger.events e where p_stream is null or e.stream_id = p_stream
      window w as (partition by e.stream_id order by e.version)
    ) c where c.hash <> c.expected or c.version <> c.place
    union all
    select h.stream_id, coalesce(l.version, 0) + (coalesce(l.version, 0) < h.version)::int
      from ledger.streams h
      left join lateral (select e.version, e.hash from ledger.events e where e.stream_id = h.stream_id
                          order by e.version desc limit 1) l on true
     where (p_stream is null or h.stream_id = p_stream)
       and not (h.sealed and l.version is null and exists (select from ledger.sealed s where s.stream_id = h.stream_id))
       and (l.version is distinct from h.version or l.hash is distinct from h.hash)
  ) d group by d.stream_id;
$$;
