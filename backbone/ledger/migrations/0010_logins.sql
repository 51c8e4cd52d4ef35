-- Services append, and nothing else: neither a row of history, nor a head, nor a note that something was handled can be
-- written past ledger.append, which numbers, chains and stamps (docs/adr/0025). It acts as the ledger's owner, in a search
-- path that nobody else can put anything into.
create or replace function ledger.append(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[]
) returns table (message int, fresh boolean, last_version int, xid xid8)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  wrong record;
  fresh_rows int[];
  silent int;
begin
  perform pg_advisory_xact_lock(k)
    from (select distinct hashtextextended(s::text, 0) as k from unnest(p_streams) s order by 1) keys;

  with inserted as (
    insert into ledger.inbox (consumer, cause)
    select distinct p_consumer, c from unnest(p_causes) c
    on conflict do nothing returning cause
  ) -- a cause that stands twice in one call is fresh once
  select coalesce(array_agg(f.o), '{}') into fresh_rows from (
    select min(m.o)::int as o from unnest(p_causes) with ordinality m(c, o) join inserted i on i.cause = m.c group by m.c
  ) f;

  -- An event shows why its message was handled; a message that brings none is known, or it could be one still to come that
  -- somebody wants nobody to handle. The keys of requests, which are the gateway's causes, are no events.
  if p_consumer <> 'gateway' and (p_rows is null or not fresh_rows <@ p_rows) then
    select m.o into silent from unnest(p_streams, p_causes) with ordinality m(s, c, o)
     where m.o = any(fresh_rows) and (p_rows is null or m.o <> all(p_rows))
       and (select true from ledger.events e where e.stream_id = m.s and e.event_id = m.c order by e.version desc limit 1) is null
     limit 1;
    if found then
      raise exception 'message % is not in stream %, and brings no event', p_causes[silent], p_streams[silent]
        using errcode = 'DR404';
    end if;
  end if;

  -- After the inbox: a repetition of an append that went through is no conflict.
  if p_expected is not null then
    select m.s as stream_id, m.x as expected, coalesce(h.version, 0) as actual into wrong
      from unnest(p_streams, p_expected) with ordinality m(s, x, o) left join ledger.streams h on h.stream_id = m.s
     where m.o = any(fresh_rows) and m.x <> coalesce(h.version, 0) limit 1;
    if found then
      raise exception 'stream % is at version %, expected %', wrong.stream_id, wrong.actual, wrong.expected
        using errcode = 'DR409';
    end if;
  end if;

  return query
  with handled as (
    select unnest(fresh_rows) as r
  ), new_events as (
    select u.*, p_streams[u.r] as s, d::jsonb as j
      from unnest(p_rows, p_ids, p_types, p_schema_versions, p_routes, p_runs, p_correlations, p_causations, p_traceparents, p_data)
           with ordinality u(r, id, t, sv, rt, run, corr, caus, tp, d, o)
     where u.r in (select r from handled)
  ), numbered as (
    select n.*, coalesce(h.version, 0) + (row_number() over (partition by n.s order by n.o))::int as v,
           coalesce(h.hash, decode(repeat('00', 32), 'hex')) as base
      from new_events n left join ledger.streams h on h.stream_id = n.s
  ), chained as (
    select n.*, ledger.chain(n.base, ledger.content(
        n.v, n.id, n.t, n.sv, p_producer, n.rt, n.run, n.corr, n.caus, n.tp, now(), n.j, '{}'::jsonb
      )) over (partition by n.s order by n.o) as hash
      from numbered n
  ), inserted as (
    insert into ledger.events (stream_id, version, event_id, type, schema_version, producer, route, run_id,
                               correlation_id, causation_id, traceparent, data, hash)
    select s, v, id, t, sv, p_producer, rt, run, corr, caus, tp, j, c.hash from chained c order by o
  ), heads as (
    insert into ledger.streams as st (stream_id, version, hash)
    select distinct on (s) s, v, c.hash from chained c order by s, v desc
    on conflict (stream_id) do update set version = excluded.version, hash = excluded.hash
  )
  select m.o::int, m.o in (select r from handled), max(c.v), pg_current_xact_id()
    from unnest(p_causes) with ordinality m(c, o) left join chained c on c.r = m.o
   group by m.o order by m.o;

  -- As if one message were handled after the other, its cancellations before its timers: a timer that is set again
  -- lives, one that a later message cancels does not.
  if p_cancel_timers is not null then
    delete from ledger.timers where timer_id in (
      select c.t from unnest(p_cancel_timers, p_cancel_rows) c(t, r) where c.r = any(fresh_rows));
  end if;
  if p_timers is not null then
    insert into ledger.timers (timer_id, stream_id, run_id, due_at, type, data, traceparent)
    select t.timer_id, t.stream_id, t.run_id, t.due_at, t.type, t.data, t.traceparent
      from jsonb_to_recordset(p_timers) t("row" int, timer_id uuid, stream_id uuid, run_id uuid, due_at timestamptz,
                                          type text, data jsonb, traceparent text)
     where t."row" = any(fresh_rows)
       and not exists (select from unnest(p_cancel_timers, p_cancel_rows) c(id, r)
                        where c.id = t.timer_id and c.r > t."row" and c.r = any(fresh_rows))
    on conflict do nothing;
  end if;
end $$;

alter function ledger.append_fenced(
  text, text, uuid[], uuid[], int[], int[], uuid[], text[], smallint[], text[], uuid[], uuid[], uuid[], text[], text[], jsonb,
  uuid[], int[], int[], uuid[], bigint[]
) security definer set search_path = pg_catalog, pg_temp;

do $$ declare
  one regprocedure;
begin
  for one in select oid::regprocedure from pg_proc
              where pronamespace = 'ledger'::regnamespace and proname in ('append', 'append_fenced') loop
    execute format('revoke execute on function %s from public', one);
    execute format('grant execute on function %s to dream_service', one);
  end loop;
end $$;

revoke insert on ledger.events, ledger.inbox, ledger.timers from dream_service;
revoke insert, update on ledger.streams from dream_service;
revoke insert, delete on ledger.open_runs from dream_service;
revoke usage on sequence ledger.event_seq from dream_service;

-- Of what services do write themselves, the columns they change: what a message said stays as it came.
revoke update on ledger.dead_letters from dream_service;
grant update (state, code, reason, deliveries) on ledger.dead_letters to dream_service;
revoke update on memory.items from dream_service;
grant update (encoder, vector) on memory.items to dream_service;
