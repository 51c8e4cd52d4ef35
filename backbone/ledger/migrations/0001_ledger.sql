-- The ledger: streams, their events, what each consumer has handled, timers, relay cursors, dead letters.
create schema ledger;

create table ledger.streams (
  stream_id uuid primary key,
  version   int not null,
  hash      bytea not null
) with (fillfactor = 50);  -- every append updates its row in place

create sequence ledger.event_seq cache 1;

create table ledger.events (
  stream_id      uuid not null,
  version        int not null,
  xid            xid8 not null default pg_current_xact_id(),
  seq            bigint not null default nextval('ledger.event_seq'),
  event_id       uuid not null,
  type           text not null,
  schema_version smallint not null,
  producer       text not null,
  route          text,
  run_id         uuid,
  correlation_id uuid not null,
  causation_id   uuid,
  traceparent    text,
  recorded_at    timestamptz not null default now(),
  data           jsonb not null,
  meta           jsonb not null default '{}',
  hash           bytea not null,
  primary key (stream_id, version)
) partition by hash (stream_id);

do $$ begin
  for i in 0..3 loop
    execute format('create table ledger.events_%s partition of ledger.events for values with (modulus 4, remainder %s)', i, i);
  end loop;
end $$;

-- Readers across streams (the relays) go by (xid, seq), one producer each.
create index events_tail on ledger.events (producer, xid, seq);
-- Where runs begin and end: finds the open runs without reading the rest.
create index events_runs on ledger.events (run_id, type)
  where type in ('MessageReceived', 'RunCompleted', 'RunFailed', 'RunCancelled');

create table ledger.inbox (
  consumer   text not null,
  cause      uuid not null,
  handled_at timestamptz not null default now(),
  primary key (consumer, cause)
);

create table ledger.timers (
  timer_id    uuid primary key,
  stream_id   uuid not null,
  run_id      uuid,
  due_at      timestamptz not null,
  type        text not null,
  data        jsonb not null,
  traceparent text
);
create index timers_due on ledger.timers (due_at);

create table ledger.relay_cursors (
  producer text primary key,
  epoch    text not null,
  xid      xid8 not null,
  seq      bigint not null
);

create table ledger.dead_letters (
  dead_letter_id uuid primary key,
  consumer       text not null,
  subject        text not null,
  event_id       uuid,
  headers        jsonb not null,
  body           bytea not null,
  code           int not null,
  reason         text not null,
  deliveries     int not null,
  state          text not null default 'dead' check (state in ('dead', 'retried', 'discarded')),
  recorded_at    timestamptz not null default now()
);

-- The hash chain: hash(n) = sha256(hash(n-1) || content(n)), from 32 zero bytes.
create function ledger.chain_step(state bytea, base bytea, content bytea) returns bytea
  language sql immutable parallel safe return sha256(coalesce(state, base) || content);
create aggregate ledger.chain(base bytea, content bytea) (sfunc = ledger.chain_step, stype = bytea);

-- What the hash covers, every column that says something, unambiguously separated.
create function ledger.content(
  version int, event_id uuid, type text, schema_version smallint, producer text, route text, run_id uuid, correlation_id uuid,
  causation_id uuid, traceparent text, recorded_at timestamptz, data jsonb, meta jsonb
) returns bytea language sql immutable parallel safe return convert_to(
  version::text || E'\x1f' || event_id::text || E'\x1f' || type || E'\x1f' || schema_version::text || E'\x1f' || producer
  || E'\x1f' || coalesce(route, '') || E'\x1f' || coalesce(run_id::text, '') || E'\x1f' || correlation_id::text || E'\x1f' || coalesce(causation_id::text, '')
  || E'\x1f' || coalesce(traceparent, '') || E'\x1f' || (extract(epoch from recorded_at) * 1000000)::bigint::text
  || E'\x1f' || data::text || E'\x1f' || meta::text, 'UTF8');

-- The locks come first, in one order everywhere, as the first statement of the transaction: see docs/adr/0002.
create function ledger.lock(p_streams uuid[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(k)
    from (select distinct hashtextextended(s::text, 0) as k from unnest(p_streams) s order by 1) keys;
end $$;

-- Head and tail of each stream after a known version, under its lock, and which of the causes the consumer has handled.
-- A row without event_id is a head, with the time that this transaction's events will carry; one without stream_id is
-- a handled cause.
create function ledger.lock_and_tail(p_streams uuid[], p_after int[], p_types text[], p_consumer text, p_causes uuid[])
returns table (stream_id uuid, version int, event_id uuid, type text, schema_version smallint, run_id uuid,
               traceparent text, recorded_at timestamptz, data text)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(k)
    from (select distinct hashtextextended(s::text, 0) as k from unnest(p_streams) s order by 1) keys;
  return query
    select w.s, coalesce(h.version, 0), null::uuid, null::text, null::smallint, null::uuid, null::text, now(), null::text
      from unnest(p_streams) w(s) left join ledger.streams h on h.stream_id = w.s;
  return query
    select null::uuid, null::int, i.cause, null::text, null::smallint, null::uuid, null::text, null::timestamptz, null::text
      from ledger.inbox i where i.consumer = p_consumer and i.cause = any(p_causes);
  return query
    select e.stream_id, e.version, e.event_id, e.type, e.schema_version, e.run_id, e.traceparent, e.recorded_at, e.data::text
      from unnest(p_streams, p_after) w(s, a)
      cross join lateral (
        select * from ledger.events t where t.stream_id = w.s and t.version > w.a and t.type = any(p_types) order by t.version
      ) e;
end $$;

-- Appends what n handled messages made happen. Handled before: nothing happens. Answers one row per message.
-- p_streams, p_causes, p_expected have one entry per message; the rest one per event, with p_rows naming its message
-- (p_cancel_rows that of a cancellation, "row" that of a timer).
create function ledger.append(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[]
) returns table (message int, fresh boolean, last_version int, xid xid8)
language plpgsql as $$
declare
  wrong record;
  fresh_rows int[];
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

-- Streams whose stored hash is not the one their content gives, or whose end is not where their head says it is, with the
-- first version that differs.
create function ledger.verify(p_stream uuid default null)
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
       and (l.version is distinct from h.version or l.hash is distinct from h.hash)
  ) d group by d.stream_id;
$$;

-- Nobody changes history: not by grant, and not by accident of an owner either.
create function ledger.refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name using errcode = 'DR403';
end $$;
create trigger append_only before update or delete on ledger.events for each row execute function ledger.refuse();
create trigger keep_all before truncate on ledger.events for each statement execute function ledger.refuse();
-- Partitions inherit triggers for rows, not those for statements.
do $$ begin
  for i in 0..3 loop
    execute format('create trigger keep_all before truncate on ledger.events_%s for each statement execute function ledger.refuse()', i);
  end loop;
end $$;

do $$ begin
  if not exists (select from pg_roles where rolname = 'dream_service') then
    create role dream_service nologin;
  end if;
end $$;
grant usage on schema ledger to dream_service;
grant select, insert on ledger.events to dream_service;
grant select, insert, update on ledger.streams, ledger.relay_cursors to dream_service;
grant select, insert on ledger.inbox to dream_service;
grant select, insert, delete on ledger.timers to dream_service;
grant select, insert, update on ledger.dead_letters to dream_service;
grant usage on sequence ledger.event_seq to dream_service;
