-- What takes a superuser, once for a data directory: run by psql at each start of the embedded server. After it, nobody
-- logs in as the superuser but tests that make databases. It ends with the role that owns everything else: where it is
-- there, all of this was done. Its password is set after it.
set client_min_messages = warning;
select not exists (select from pg_roles where rolname = 'dream') as missing \gset
\if :missing
\connect template1
-- for databases made later
begin;
create extension if not exists vector with schema public;
-- anybody may make large objects, which no schema holds
revoke execute on function lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) from public;
commit;

\connect postgres
begin;
set local client_min_messages = warning;
create extension if not exists vector with schema public;
revoke execute on function lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) from public;
create role dream login createrole;
alter database postgres owner to dream;

-- Of an earlier version, whose services were the superuser: its roles and all that it made.
do $$
declare
  one record;
  ours oid[] := array(select oid from pg_namespace
                       where nspname in ('ledger', 'toolbox', 'checkpoints', 'memory', 'kept', 'access', 'dream_meta') or nspname like 'pack\_%');
begin
  for one in select rolname as name from pg_roles where rolname = 'dream_service' or rolname like 'dream\_pack\_%' loop
    if one.name = 'dream_service' then
      grant dream_service to dream with admin option;
    else
      execute format('grant %I to dream with admin true, inherit false, set false', one.name);
      execute format('revoke %I from dream_service', one.name);
    end if;
  end loop;
  for one in select s::regnamespace as name from unnest(ours) s loop
    execute format('alter schema %s owner to dream', one.name);
  end loop;
  -- a sequence that belongs to a column goes with its table
  for one in select c.oid::regclass as name from pg_class c
              where c.relnamespace = any(ours) and c.relkind in ('r', 'p', 'v', 'm', 'S')
                and not exists (select from pg_depend d
                                 where c.relkind = 'S' and d.classid = 'pg_class'::regclass and d.objid = c.oid
                                   and d.deptype in ('a', 'i')) loop
    execute format('alter table %s owner to dream', one.name);
  end loop;
  for one in select oid::regprocedure as name from pg_proc where pronamespace = any(ours) loop
    execute format('alter routine %s owner to dream', one.name);
  end loop;
  for one in select t.oid::regtype as name from pg_type t left join pg_class c on c.oid = t.typrelid
              where t.typnamespace = any(ours) and (t.typtype in ('e', 'd', 'r') or c.relkind = 'c') loop
    execute format('alter type %s owner to dream', one.name);
  end loop;
end $$;
commit;
\endif
