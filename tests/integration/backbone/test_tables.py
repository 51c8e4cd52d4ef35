"""A pack's statements stay in its schema and in its role, whatever they say."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from backbone.ledger.logins import login_url
from backbone.ledger.migrate import migrate
from backbone.ledger.tables import PackTables, PostgresTables
from backbone.telemetry import metrics
from contracts.tables import DatabaseUnavailable, RowRefused
from tests.conftest import as_owner, as_superuser

ROLE = "dream_pack_transfer"
LARGE_OBJECT = 4711


@pytest.fixture
async def packs(postgres_url: str) -> AsyncIterator[PackTables]:
    # a copy of a database has none of the rights on the database itself
    await migrate(as_owner(postgres_url), ("transfer",), postgres_url)
    packs = PackTables(postgres_url)
    try:
        yield packs
    finally:
        await packs.close()


@pytest.fixture
def tables(packs: PackTables) -> PostgresTables:
    return packs.of("transfer")


REFUSED = {
    # what is not the pack's
    "select 1 from ledger.events": "42501",
    "select ledger.lock('{}')": "42501",
    "select 1 from toolbox.leases": "42501",
    "select 1 from memory.items": "42501",
    "select 1 from dream_meta.migrations": "42501",
    "select 1 from pack_assistant.reminders": "42501",
    "select query_to_xml('select 1 from ledger.events', true, true, '')": "42501",
    "select rolpassword from pg_authid": "42501",
    f"select lo_get({LARGE_OBJECT})": "42501",
    # somebody else
    "set role dream": "42501",
    "set role dream_service": "42501",
    "set role dream_pack_assistant": "42501",
    "set session authorization postgres": "42501",
    "select set_config('role', 'dream', false)": "42501",
    "do $$ begin set local role dream_service; end $$": "42501",
    "grant dream_service to dream_pack_transfer": "42501",
    "alter role dream_pack_transfer createrole": "42501",
    "alter role dream_pack_transfer superuser": "42501",
    # the machine
    "copy accounts to program 'true'": "42501",
    "copy accounts to '/tmp/accounts'": "42501",
    "select pg_read_file('PG_VERSION')": "42501",
    "select pg_ls_dir('.')": "42501",
    "alter system set fsync = off": "42501",
    "create extension dblink": "42501",
    "select dblink_connect('host=/tmp')": "42883",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'dream'": "42501",
    # what was not granted in its own schema, and what would stand before it
    "update entries set amount = 1": "42501",
    "truncate entries": "42501",
    "drop table entries": "42501",
    "alter table entries disable trigger all": "42501",
    "set session_replication_role = replica": "42501",
    "create table loot (a int)": "42501",
    "create table public.loot (a int)": "42501",
    "create schema loot": "42501",
    "create temp table entries (amount bigint)": "42501",
    "select 1 as amount into temp entries": "42501",
    "create function pg_temp.now() returns int language sql return 1": "42501",
    "select lo_create(0)": "42501",
    "select lo_from_bytea(0, 'loot')": "42501",
}
"""With the code of the refusal."""

IN_VAIN = (
    "reset role",
    "set role none",
    "reset session authorization",
    "set session authorization default",
    "select set_config('role', 'none', false)",
    "select set_config('session_authorization', 'dream_pack_transfer', false)",
    "do $$ begin reset role; end $$",
    "reset all",
    "discard all",
)
"""Postgres takes them: they give back what the session had logged in as, which is the pack."""


WHAT_THERE_IS = """select 'class' as kind, oid::text, relowner::text as owner from pg_class
  where relnamespace not in ('pg_toast'::regnamespace) union all
  select 'schema', oid::text, nspowner::text from pg_namespace union all
  select 'function', oid::text, proowner::text from pg_proc union all
  select 'large object', oid::text, lomowner::text from pg_largeobject_metadata union all
  select 'role', rolname::text, rolsuper::text || rolcreaterole from pg_roles union all
  select 'member', roleid::text, member::text from pg_auth_members order by 1, 2, 3"""


async def test_the_login_of_a_pack_cannot_become_another_or_reach_what_is_not_its_own(
    packs: PackTables, postgres_url: str, owner: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    superuser = await asyncpg.connect(as_superuser(postgres_url))
    # without the driver's memory: that a statement may make it forget is seen below
    pack = await asyncpg.connect(
        login_url(postgres_url, ROLE), statement_cache_size=0, server_settings={"search_path": "pack_transfer"}
    )
    try:
        await superuser.execute(f"select lo_from_bytea({LARGE_OBJECT}, 'of somebody else')")
        before = await superuser.fetch(WHAT_THERE_IS)
        assert {sql: await _code(pack, sql) for sql in REFUSED} == REFUSED
        for sql in IN_VAIN:
            await pack.execute(sql)
            who = await pack.fetchval("select array[session_user::text, current_user::text]")
            assert who == [ROLE, ROLE], sql
        assert await superuser.fetch(WHAT_THERE_IS) == before
        assert await owner.fetchval("select 1") == 1, "its connection was ended"
    finally:
        for connection in (pack, superuser):
            await connection.close()


async def _code(connection: Any, sql: str) -> str:
    try:
        await connection.execute(sql)
    except asyncpg.PostgresError as error:
        return error.sqlstate or ""
    return "taken"


@pytest.mark.usefixtures("owner")  # somebody whose connection could be ended
async def test_what_a_pack_is_refused_does_not_harm_what_it_asks_next(tables: PostgresTables) -> None:
    for sql in (*REFUSED, "commit", "select 1; select 2", "/* /* */ select */ commit", "deallocate all"):
        for way in ("execute", "fetch", "fetchrow"):
            with pytest.raises(RowRefused):
                await _said(tables, way, sql)
    async with tables.transaction() as rows:
        assert await rows.fetch("select 1 from accounts") == []


async def _said(tables: PostgresTables, way: str, sql: str) -> None:
    async with tables.transaction() as rows:
        await getattr(rows, way)(sql)
        pytest.fail(f"{sql} was taken by {way}")


async def test_what_a_transaction_leaves_behind_is_gone_before_the_next(tables: PostgresTables) -> None:
    async with tables.transaction() as rows:
        await rows.execute(
            "select pg_advisory_lock(1), set_config('search_path', 'public', false), "
            "set_config('statement_timeout', '60000', false)"
        )
        first = await rows.fetchrow("select pg_backend_pid() as pid")
    async with tables.transaction() as rows:
        await rows.fetch("select 1 from accounts")
        found = await rows.fetchrow(
            "select pg_backend_pid() as pid, current_setting('statement_timeout') as patience,"
            " (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks"
        )
    assert first is not None
    assert found is not None
    assert dict(found) == {"pid": first["pid"], "patience": "0", "locks": 0}


async def test_a_pack_has_connections_of_its_own_when_it_is_used_and_none_after_the_end(
    packs: PackTables, owner: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    here = "select count(*) from pg_stat_activity where usename = $1 and datname = current_database()"
    tables = packs.of("transfer")
    assert tables is packs.of("transfer")
    assert await owner.fetchval(here, ROLE) == 0
    async with tables.transaction():
        assert await owner.fetchval(here, ROLE) == 1
    await packs.close()
    while await owner.fetchval(here, ROLE):  # the server sees it a little later
        await asyncio.sleep(0.01)


async def test_a_pack_whose_login_was_never_made_is_an_outage_that_says_what_to_do(packs: PackTables) -> None:
    before = refused_logins()
    with pytest.raises(DatabaseUnavailable, match=r"'nobody' cannot log in \(28P01 .*dream migrate"):
        async with packs.of("nobody").transaction():
            pass
    async with packs.of("transfer").transaction():
        pass
    assert packs.problem.startswith("the pack 'nobody' cannot log in"), "readiness says it, and of that one alone"
    assert refused_logins() == before + 1


def refused_logins() -> float:
    return float(metrics.LEDGER_REFUSED.labels("login")._value.get())


async def test_what_is_refused_is_told_without_the_row_it_was_refused_for(tables: PostgresTables) -> None:
    with pytest.raises(RowRefused, match="23514") as refused:
        async with tables.transaction() as rows:
            await rows.execute(
                "insert into accounts (account_id, kind, owner) values (gen_random_uuid(), 'thief', $1)", "secret name"
            )
    assert refused.value.constraint == "accounts_kind_check"
    assert "secret name" not in str(refused.value)
    assert refused.value.__suppress_context__  # a traceback in a log would show it
