-- Appending costs what is appended, however much there is (docs/adr/0049). Streams, inbox and the tails of streams are looked
-- up by their keys whatever statistics say: plans are made once in the life of a connection, mostly over tables that are
-- nearly empty then, and a join that reads those whole would go on reading them whole.
--
-- The hash of each event is worked out in a loop of plain expressions: a call of a function in SQL for every event, and one
-- for every link of the chain, cost more than all else together. What is hashed is what ledger.content says, byte for byte:
-- ledger.verify reads old and new rows alike.
create function ledger.append(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[],
  p_bodies boolean  -- whether whoever appends wants the data of its events as they are read from here on
) returns table (message int, fresh boolean, last_version int, xid xid8, recorded_at timestamptz, bodies text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  zero constant bytea := decode(repeat('00', 32), 'hex');
  moment constant text := (extract(epoch from now()) * 1000000)::bigint::text;
  locked boolean;
  messages constant int := cardinality(p_causes);
  taken uuid[];
  fresh_rows int[];  -- null: all of them
  silent int;
  streams uuid[];
  before int[];
  heads int[];
  hashes bytea[];
  places int[];  -- of each message its stream in `streams`
  lasts int[];
  said text[];
  e_streams uuid[];
  e_versions int[];
  e_hashes bytea[];
  e_data jsonb[];
  e_ids uuid[];
  e_from int[];
  r int;
  k int;
  n int := 0;
  v int;
  link bytea;
  body text;
begin
  if cardinality(p_streams) = 1 then
    locked := pg_advisory_xact_lock(hashtextextended(p_streams[1]::text, 0)) is null;
  else
    perform pg_advisory_xact_lock(q.key)
      from (select distinct hashtextextended(s::text, 0) as key from unnest(p_streams) s order by 1) q;
  end if;

  if messages = 1 then
    insert into ledger.inbox (consumer, cause) values (p_consumer, p_causes[1]) on conflict do nothing;
    if not found then
      fresh_rows := '{}';
    end if;
  else
    with inserted as (
      insert into ledger.inbox (consumer, cause) select p_consumer, c from unnest(p_causes) c
      on conflict do nothing returning cause
    ) select array_agg(cause) into taken from inserted;
    if taken is null or cardinality(taken) < messages then  -- a cause that stands twice in one call is fresh once
      select coalesce(array_agg(f.o), '{}') into fresh_rows from (
        select min(m.o)::int as o from unnest(p_causes) with ordinality m(c, o) where m.c = any(taken) group by m.c
      ) f;
    end if;
  end if;

  -- An event shows why its message was handled; a message that brings none is known, or it could be one still to come that
  -- somebody wants nobody to handle. The keys of requests, which are the gateway's causes, are no events.
  if p_consumer <> 'gateway' and (p_rows is null
       or not coalesce(fresh_rows, array(select generate_series(1, messages))) <@ p_rows) then
    select m.o into silent from unnest(p_streams, p_causes) with ordinality m(s, c, o)
     where (fresh_rows is null or m.o = any(fresh_rows)) and (p_rows is null or m.o <> all(p_rows))
       and (select true from ledger.events e where e.stream_id = m.s and e.event_id = m.c order by e.version desc limit 1) is null
     limit 1;
    if found then
      raise exception 'message % is not in stream %, and brings no event', p_causes[silent], p_streams[silent]
        using errcode = 'DR404';
    end if;
  end if;

  select array_agg(w.s), array_agg(coalesce(h.version, 0)), array_agg(coalesce(h.hash, zero)) into streams, heads, hashes
    from (select distinct s from unnest(p_streams) s) w
    left join lateral (select st.version, st.hash from ledger.streams st where st.stream_id = w.s limit 1) h on true;
  before := heads;
  for i in 1 .. messages loop
    places[i] := array_position(streams, p_streams[i]);
    -- After the inbox: a repetition of an append that went through is no conflict.
    if p_expected[i] <> before[places[i]] and (fresh_rows is null or i = any(fresh_rows)) then
      raise exception 'stream % is at version %, expected %', p_streams[i], before[places[i]], p_expected[i]
        using errcode = 'DR409';
    end if;
  end loop;

  for i in 1 .. coalesce(cardinality(p_rows), 0) loop
    r := p_rows[i];
    continue when not (fresh_rows is null or r = any(fresh_rows));
    k := places[r];
    v := heads[k] + 1;
    n := n + 1;
    e_data[n] := p_data[i]::jsonb;
    body := e_data[n]::text;
    link := sha256(hashes[k] || convert_to(concat_ws(E'\x1f',
      v, p_ids[i], p_types[i], p_schema_versions[i], p_producer, coalesce(p_routes[i], ''), coalesce(p_runs[i]::text, ''),
      p_correlations[i], coalesce(p_causations[i]::text, ''), coalesce(p_traceparents[i], ''), moment, body, '{}'), 'UTF8'));
    heads[k] := v;
    hashes[k] := link;
    lasts[r] := v;
    e_streams[n] := streams[k];
    e_versions[n] := v;
    e_hashes[n] := link;
    e_ids[n] := p_ids[i];
    e_from[n] := i;
    if p_bodies then
      said[i] := body;
    end if;
  end loop;

  if n > 0 then
    insert into ledger.events (stream_id, version, event_id, type, schema_version, producer, route, run_id,
                               correlation_id, causation_id, traceparent, data, hash)
    select u.s, u.v, u.id, p_types[u.i], p_schema_versions[u.i], p_producer, p_routes[u.i], p_runs[u.i],
           p_correlations[u.i], p_causations[u.i], p_traceparents[u.i], u.j, u.h
      from unnest(e_streams, e_versions, e_ids, e_from, e_data, e_hashes) u(s, v, id, i, j, h);
    for i in 1 .. cardinality(streams) loop
      continue when heads[i] = before[i];
      if before[i] > 0 then
        update ledger.streams st set version = heads[i], hash = hashes[i] where st.stream_id = streams[i];
      else
        insert into ledger.streams (stream_id, version, hash) values (streams[i], heads[i], hashes[i]);
      end if;
    end loop;
  end if;

  -- As if one message were handled after the other, its cancellations before its timers: a timer that is set again
  -- lives, one that a later message cancels does not.
  if p_cancel_timers is not null then
    delete from ledger.timers where timer_id in (
      select c.t from unnest(p_cancel_timers, p_cancel_rows) c(t, r) where fresh_rows is null or c.r = any(fresh_rows));
  end if;
  if p_timers is not null then
    insert into ledger.timers (timer_id, stream_id, run_id, due_at, type, data, traceparent)
    select t.timer_id, t.stream_id, t.run_id, t.due_at, t.type, t.data, t.traceparent
      from jsonb_to_recordset(p_timers) t("row" int, timer_id uuid, stream_id uuid, run_id uuid, due_at timestamptz,
                                          type text, data jsonb, traceparent text)
     where (fresh_rows is null or t."row" = any(fresh_rows))
       and not exists (select from unnest(p_cancel_timers, p_cancel_rows) c(id, r)
                        where c.id = t.timer_id and c.r > t."row" and (fresh_rows is null or c.r = any(fresh_rows)))
    on conflict do nothing;
  end if;

  xid := pg_current_xact_id();
  recorded_at := now();
  bodies := said;
  for i in 1 .. messages loop
    message := i;
    fresh := fresh_rows is null or i = any(fresh_rows);
    last_version := lasts[i];
    return next;
    bodies := null;  -- with the first row: one entry for each event that came
  end loop;
end $$;

-- As earlier versions call it.
create or replace function ledger.append(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[]
) returns table (message int, fresh boolean, last_version int, xid xid8)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select a.message, a.fresh, a.last_version, a.xid from ledger.append(
    p_producer, p_consumer, p_streams, p_causes, p_expected, p_rows, p_ids, p_types, p_schema_versions, p_routes, p_runs,
    p_correlations, p_causations, p_traceparents, p_data, p_timers, p_cancel_timers, p_cancel_rows, false) a;
end $$;

revoke execute on function ledger.append(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], boolean) from public;

-- As ledger.append, for those whose right to answer is a lease: see 0002.
create function ledger.append_fenced(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[],
  p_bodies boolean, p_fence_rows int[], p_leases uuid[], p_tokens bigint[]
) returns table (message int, fresh boolean, last_version int, xid xid8, recorded_at timestamptz, bodies text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  families text[];
  lost uuid;
begin
  -- before anything is written, so that no relay waits for whoever waits here (docs/adr/0002)
  perform ledger.lock(p_streams);
  families := toolbox.lock_leases(p_leases);
  perform from toolbox.leases where lease_id = any(p_leases) order by lease_id for update;

  select f.lease into lost
    from unnest(p_fence_rows, p_leases, p_tokens) f(r, lease, token)
   where not exists (select from ledger.inbox i where i.consumer = p_consumer and i.cause = p_causes[f.r])
     and array_position(p_causes, p_causes[f.r]) = f.r  -- a cause that stands twice in one call is fresh once
     and not exists (select from toolbox.leases l where l.lease_id = f.lease and l.fencing_token = f.token
                                                    and l.expires_at > clock_timestamp())
   limit 1;
  if found then
    raise exception 'lease % is no longer held', lost using errcode = 'DR410';
  end if;

  return query select * from ledger.append(
    p_producer, p_consumer, p_streams, p_causes, p_expected, p_rows, p_ids, p_types, p_schema_versions, p_routes, p_runs,
    p_correlations, p_causations, p_traceparents, p_data, p_timers, p_cancel_timers, p_cancel_rows, p_bodies);

  delete from toolbox.leases l using unnest(p_leases, p_tokens) f(lease, token)
   where l.lease_id = f.lease and l.fencing_token = f.token and l.expires_at > clock_timestamp();
  if found then
    perform toolbox.grant_all(families);
  end if;
end $$;
revoke execute on function ledger.append_fenced(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], boolean, int[], uuid[], bigint[]) from public;

-- As in 0001, by keys alone. It runs with the rights of who calls it.
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
      left join lateral (select st.version from ledger.streams st where st.stream_id = w.s limit 1) h on true;
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
