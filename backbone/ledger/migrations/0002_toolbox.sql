-- The toolbox: leases on groups of tools, and the lines before them (docs/adr/0008).
--
-- Why nothing deadlocks. A want gets all of its groups in one transaction or none, so nobody holds one and waits for
-- another. Within a transaction the locks are taken in one order: the holder; toolbox.families (shared, or exclusive to
-- join families); the families in the order of their names; rows of leases in the order of their ids. The streams of
-- the ledger come before all of them, in a fenced append.
--
-- A family are groups that wants have ever named together, directly or by others. A grant in one group may let
-- somebody further down the line of another go ahead, but never in another family: so the family is what is locked.
create schema toolbox;

create table toolbox.groups (
  group_key text primary key,
  family    text not null,  -- its smallest member
  capacity  int not null
);

create sequence toolbox.fencing_tokens cache 1;
create sequence toolbox.places cache 1;

create table toolbox.leases (
  lease_id      uuid primary key default gen_random_uuid(),
  session_id    uuid not null,
  run_id        uuid not null,
  todo_id       text not null,
  tool          text not null,
  groups        text[] not null,
  family        text not null,
  fencing_token bigint not null default nextval('toolbox.fencing_tokens'),
  expires_at    timestamptz not null,
  told          boolean not null,
  unique (run_id, todo_id, session_id)
);
create index leases_family on toolbox.leases (family);
create index leases_expiry on toolbox.leases (expires_at);
create index leases_untold on toolbox.leases (fencing_token) where not told;

create table toolbox.waiters (
  place       bigint primary key default nextval('toolbox.places'),
  session_id  uuid not null,
  run_id      uuid not null,
  todo_id     text not null,
  tool        text not null,
  groups      text[] not null,
  family      text not null,
  ttl_seconds float8 not null,
  unique (run_id, todo_id, session_id)
);
create index waiters_line on toolbox.waiters (family, place);

create function toolbox.until(p_ttl float8) returns timestamptz language sql volatile
  return clock_timestamp() + make_interval(secs => p_ttl);

create function toolbox.lock_families(p_families text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('toolbox.family:' || f, 0))
    from (select distinct f from unnest(p_families) f order by 1) families;
end $$;

-- While this lock is shared no group changes its family.
create function toolbox.keep_families() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('toolbox.families', 0));
end $$;

-- Makes groups that are new, and one family of all of them. Happens once for each new combination.
create function toolbox.join_families(p_groups text[], p_capacity int) returns void language plpgsql as $$
declare
  old text[];
  one text;
begin
  perform pg_advisory_xact_lock(hashtextextended('toolbox.families', 0));
  insert into toolbox.groups (group_key, family, capacity) select g, g, p_capacity from unnest(p_groups) g
    on conflict do nothing;
  select array_agg(distinct family), min(family) into old, one from toolbox.groups where group_key = any(p_groups);
  perform from toolbox.leases where family = any(old) order by lease_id for update;
  update toolbox.groups set family = one where family = any(old) and family <> one;
  update toolbox.leases set family = one where family = any(old) and family <> one;
  update toolbox.waiters set family = one where family = any(old) and family <> one;
end $$;

-- The groups of a family with room for one more.
create function toolbox.with_room(p_family text) returns text[] language plpgsql stable as $$
begin
  return array(
    select g.group_key from toolbox.groups g where g.family = p_family and g.capacity > (
      select count(*) from toolbox.leases l where l.family = p_family and g.group_key = any(l.groups)));
end $$;

-- Goes down the line of a family, under its lock. Whoever cannot have all of his groups keeps those behind him from them.
create function toolbox.grant_next(p_family text) returns void language plpgsql as $$
declare
  free text[];
  w toolbox.waiters;
begin
  if not exists (select from toolbox.waiters where family = p_family) then
    return;
  end if;
  free := toolbox.with_room(p_family);
  for w in select * from toolbox.waiters where family = p_family order by place loop
    exit when free = '{}';
    if w.groups <@ free then
      delete from toolbox.waiters where place = w.place;
      insert into toolbox.leases (session_id, run_id, todo_id, tool, groups, family, expires_at, told)
      values (w.session_id, w.run_id, w.todo_id, w.tool, w.groups, p_family, toolbox.until(w.ttl_seconds), false);
      free := array(select unnest(free) intersect select unnest(toolbox.with_room(p_family)));
    else
      free := array(select unnest(free) except select unnest(w.groups));
    end if;
  end loop;
end $$;

create function toolbox.grant_all(p_families text[]) returns void language plpgsql as $$
begin
  perform toolbox.grant_next(f) from (select distinct f from unnest(p_families) f order by 1) families;
end $$;

-- A lease (lease_id is set), or how many stand in the longest line before the holder (lease_id is null).
create function toolbox.acquire(
  p_session uuid, p_run uuid, p_todo text, p_tool text, p_groups text[], p_capacity int, p_ttl float8, p_enqueue boolean
) returns table (lease_id uuid, fencing_token bigint, expires_at timestamptz, ahead int) language plpgsql as $$
#variable_conflict use_column
declare
  families text[];
  mine text;  -- the family of the groups
  had toolbox.leases;
  stood toolbox.waiters;
begin
  -- two attempts of one todo may ask at the same time
  perform pg_advisory_xact_lock(hashtextextended('toolbox.holder:' || p_session || p_run || p_todo, 0));
  if (select count(*) < cardinality(p_groups) or count(distinct g.family) > 1
        from toolbox.groups g where g.group_key = any(p_groups)) then
    perform toolbox.join_families(p_groups, p_capacity);
  else
    perform toolbox.keep_families();
  end if;
  select g.family into mine from toolbox.groups g where g.group_key = p_groups[1];
  families := array[mine] || array(
    select l.family from toolbox.leases l where l.run_id = p_run and l.todo_id = p_todo and l.session_id = p_session
    union all
    select w.family from toolbox.waiters w where w.run_id = p_run and w.todo_id = p_todo and w.session_id = p_session);
  perform toolbox.lock_families(families);

  update toolbox.groups g set capacity = p_capacity where g.group_key = any(p_groups) and g.capacity <> p_capacity;
  if found then
    perform toolbox.grant_next(mine);
  end if;

  select * into had from toolbox.leases l
   where l.run_id = p_run and l.todo_id = p_todo and l.session_id = p_session for update;
  if had.lease_id is not null then
    if had.tool = p_tool and had.groups = p_groups and had.expires_at > clock_timestamp() then
      return query update toolbox.leases l set expires_at = toolbox.until(p_ttl), told = true
                    where l.lease_id = had.lease_id returning l.lease_id, l.fencing_token, l.expires_at, 0;
      return;
    end if;
    delete from toolbox.leases l where l.lease_id = had.lease_id;
    perform toolbox.grant_next(had.family);
  end if;

  select * into stood from toolbox.waiters w
   where w.run_id = p_run and w.todo_id = p_todo and w.session_id = p_session;
  if stood.place is not null then
    if stood.tool = p_tool and stood.groups = p_groups then
      update toolbox.waiters w set ttl_seconds = p_ttl where w.place = stood.place;
      return query select null::uuid, null::bigint, null::timestamptz, toolbox.ahead(mine, p_groups, stood.place);
      return;
    end if;
    delete from toolbox.waiters w where w.place = stood.place;
    perform toolbox.grant_next(stood.family);
  end if;

  if p_groups <@ toolbox.with_room(mine)
     and not exists (select from toolbox.waiters w where w.family = mine and w.groups && p_groups) then
    return query insert into toolbox.leases as l (session_id, run_id, todo_id, tool, groups, family, expires_at, told)
                 values (p_session, p_run, p_todo, p_tool, p_groups, mine, toolbox.until(p_ttl), true)
                 returning l.lease_id, l.fencing_token, l.expires_at, 0;
    return;
  end if;
  return query select null::uuid, null::bigint, null::timestamptz, toolbox.ahead(mine, p_groups, null);
  if p_enqueue then
    insert into toolbox.waiters (session_id, run_id, todo_id, tool, groups, family, ttl_seconds)
    values (p_session, p_run, p_todo, p_tool, p_groups, mine, p_ttl);
  end if;
end $$;

-- How many stand before a place (null: the end) in the longest of the groups' lines.
create function toolbox.ahead(p_family text, p_groups text[], p_place bigint) returns int language plpgsql stable as $$
begin
  return coalesce((select max(c) from (
    select count(*)::int as c from toolbox.waiters w, unnest(w.groups) g
     where w.family = p_family and (p_place is null or w.place < p_place) and g = any(p_groups) group by g) lines), 0);
end $$;

-- The families of leases, locked; those that are gone have none.
create function toolbox.lock_leases(p_leases uuid[]) returns text[] language plpgsql as $$
declare
  families text[];
begin
  perform toolbox.keep_families();
  families := array(select family from toolbox.leases where lease_id = any(p_leases));
  perform toolbox.lock_families(families);
  return families;
end $$;

-- No family is locked: a row that reclaim ends at the same time is gone or renewed, never both.
create function toolbox.renew(p_leases uuid[], p_tokens bigint[], p_ttl float8) returns setof uuid language plpgsql as $$
begin
  perform from toolbox.leases where lease_id = any(p_leases) order by lease_id for update;
  return query update toolbox.leases l set expires_at = toolbox.until(p_ttl) from unnest(p_leases, p_tokens) p(id, token)
                where l.lease_id = p.id and l.fencing_token = p.token and l.expires_at > clock_timestamp()
               returning l.lease_id;
end $$;

create function toolbox.release(p_lease uuid, p_token bigint) returns boolean language plpgsql as $$
declare
  families text[] := toolbox.lock_leases(array[p_lease]);
begin
  delete from toolbox.leases
   where lease_id = p_lease and fencing_token = p_token and expires_at > clock_timestamp();
  if found then
    perform toolbox.grant_all(families);
    return true;
  end if;
  return false;
end $$;

create function toolbox.leave(p_run uuid, p_todo text) returns int language plpgsql as $$
declare
  families text[];
  given_up int;
begin
  perform toolbox.keep_families();
  families := array(
    select family from toolbox.leases where run_id = p_run and (p_todo is null or todo_id = p_todo)
    union all
    select family from toolbox.waiters where run_id = p_run and (p_todo is null or todo_id = p_todo));
  if families = '{}' then
    return 0;
  end if;
  perform toolbox.lock_families(families);
  perform from toolbox.leases where run_id = p_run and (p_todo is null or todo_id = p_todo) order by lease_id for update;
  -- whoever came into another family since we looked, came after we left
  with l as (
    delete from toolbox.leases where run_id = p_run and (p_todo is null or todo_id = p_todo) and family = any(families)
    returning 1
  ), w as (
    delete from toolbox.waiters where run_id = p_run and (p_todo is null or todo_id = p_todo) and family = any(families)
    returning 1
  ) select (select count(*) from l) + (select count(*) from w) into given_up;
  perform toolbox.grant_all(families);
  return given_up;
end $$;

create function toolbox.reclaim(p_limit int) returns setof toolbox.leases language plpgsql as $$
declare
  late uuid[] := array(
    select lease_id from toolbox.leases where expires_at <= clock_timestamp() order by expires_at limit p_limit);
  families text[];
begin
  if late = '{}' then
    return;
  end if;
  families := toolbox.lock_leases(late);
  perform from toolbox.leases where lease_id = any(late) order by lease_id for update;
  return query delete from toolbox.leases where lease_id = any(late) and expires_at <= clock_timestamp() returning *;
  perform toolbox.grant_all(families);
end $$;

create function toolbox.told(p_leases uuid[]) returns void language plpgsql as $$
begin
  perform from toolbox.leases where lease_id = any(p_leases) and not told order by lease_id for update;
  update toolbox.leases set told = true where lease_id = any(p_leases) and not told;
end $$;

create function toolbox.usage() returns table (group_key text, capacity int, held int, waiting int) language sql stable as $$
  select g.group_key, g.capacity,
         (select count(*)::int from toolbox.leases l where l.family = g.family and g.group_key = any(l.groups)),
         (select count(*)::int from toolbox.waiters w where w.family = g.family and g.group_key = any(w.groups))
    from toolbox.groups g order by 1 $$;

-- ledger.append for those whose right to answer is a lease: one entry of p_fence_rows, p_leases, p_tokens per fence.
-- Every lease must be held, and ends; or nothing happens. What was handled before needs no lease any more.
create function ledger.append_fenced(
  p_producer text, p_consumer text, p_streams uuid[], p_causes uuid[], p_expected int[],
  p_rows int[], p_ids uuid[], p_types text[], p_schema_versions smallint[], p_routes text[], p_runs uuid[], p_correlations uuid[],
  p_causations uuid[], p_traceparents text[], p_data text[], p_timers jsonb, p_cancel_timers uuid[], p_cancel_rows int[],
  p_fence_rows int[], p_leases uuid[], p_tokens bigint[]
) returns table (message int, fresh boolean, last_version int, xid xid8)
language plpgsql as $$
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
    p_correlations, p_causations, p_traceparents, p_data, p_timers, p_cancel_timers, p_cancel_rows);

  delete from toolbox.leases l using unnest(p_leases, p_tokens) f(lease, token)
   where l.lease_id = f.lease and l.fencing_token = f.token and l.expires_at > clock_timestamp();
  if found then
    perform toolbox.grant_all(families);
  end if;
end $$;

grant usage on schema toolbox to dream_service;
grant select, insert, update on toolbox.groups to dream_service;
grant select, insert, update, delete on toolbox.leases, toolbox.waiters to dream_service;
grant usage on sequence toolbox.fencing_tokens, toolbox.places to dream_service;
