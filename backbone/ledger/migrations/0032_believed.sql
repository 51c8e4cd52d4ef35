-- Answers are recorded with what was decided about them in one statement (docs/adr/0089): whoever decides in advance says
-- at what time, and what it believes to be there.
--
-- As in 0023, but for the time.
drop function ledger.append(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], boolean);
create function ledger.append(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[],
  p_bodies boolean,  -- whether whoever appends wants the data of its events as they are read from here on
  p_at timestamptz default null  -- when its events say that they were recorded, within a second of now; otherwise it is now
) returns table (message int, fresh boolean, last_version int, xid xid8, recorded_at timestamptz, bodies text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  zero constant bytea := decode(repeat('00', 32), 'hex');
  moment constant timestamptz :=
    case when p_at between now() - interval '1 second' and now() + interval '1 second' then p_at else now() end;
  microseconds constant text := (extract(epoch from moment) * 1000000)::bigint::text;
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
  if p_bodies and p_rows is not null then
    said := array_fill(null::text, array[cardinality(p_rows)]);  -- else it would begin with the first that is fresh
  end if;
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
      p_correlations[i], coalesce(p_causations[i]::text, ''), coalesce(p_traceparents[i], ''), microseconds, body, '{}'), 'UTF8'));
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
                               correlation_id, causation_id, traceparent, data, hash, recorded_at)
    select u.s, u.v, u.id, p_types[u.i], p_schema_versions[u.i], p_producer, p_routes[u.i], p_runs[u.i],
           p_correlations[u.i], p_causations[u.i], p_traceparents[u.i], u.j, u.h, moment
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
  recorded_at := moment;
  bodies := said;
  for i in 1 .. messages loop
    message := i;
    fresh := fresh_rows is null or i = any(fresh_rows);
    last_version := lasts[i];
    return next;
    bodies := null;  -- with the first row: one entry for each event that came
  end loop;
end $$;
revoke execute on function ledger.append(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], boolean, timestamptz) from public;

-- As ledger.append, if all is as it was believed to be when that was decided: no event of p_types came after these versions
-- of the streams, nothing of it was handled before, and it is the time that it was taken to be. If not, nothing happens, and
-- there is no row.
create function ledger.append_believed(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[],
  p_bodies boolean, p_at timestamptz, p_after int[], p_folded text[]
) returns table (message int, fresh boolean, last_version int, xid xid8, recorded_at timestamptz, bodies text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if p_at not between now() - interval '1 second' and now() + interval '1 second' then
    return;
  end if;
  perform ledger.lock(p_streams);  -- and then look, as ledger.lock_and_tail does
  perform from unnest(p_streams, p_after) w(s, a) cross join lateral (
    select from ledger.events e where e.stream_id = w.s and e.version > w.a and e.type = any(p_folded) limit 1) e;
  if found then
    return;
  end if;
  perform from unnest(p_causes) w(c) cross join lateral (
    select from ledger.inbox i where i.consumer = p_consumer and i.cause = w.c limit 1) i;
  if found then
    return;
  end if;
  return query select * from ledger.append(
    p_producer, p_consumer, p_streams, p_causes, p_expected, p_rows, p_ids, p_types, p_schema_versions, p_routes, p_runs,
    p_correlations, p_causations, p_traceparents, p_data, p_timers, p_cancel_timers, p_cancel_rows, p_bodies, p_at);
end $$;
revoke execute on function ledger.append_believed(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], boolean, timestamptz, int[], text[]) from public;
