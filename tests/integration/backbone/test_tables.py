"""A pack's statements stay in its schema and in its role, whatever they say."""

from collections.abc import AsyncIterator

import pytest

from backbone.ledger.pool import open_pool
from backbone.ledger.tables import PostgresTables
from contracts.tables import RowRefused


@pytest.fixture
async def tables(postgres_url: str) -> AsyncIterator[PostgresTables]:
    pool = await open_pool(postgres_url, min_size=1, max_size=1)
    try:
        yield PostgresTables(pool, "transfer")
    finally:
        await pool.close()


OUTSIDE = (
    "select 1 from ledger.events",
    "select 1; reset role",
    "reset role",
    "/* /* */ select */ set role none",
    "-- select\nset local role dream_service",
    "commit",
    "select set_config('role', 'none', true)",
    "select \"set_config\"('role', 'none', true)",
    "select u&\"set\\005fconfig\"('role', 'none', true)",
    "with a as (update pg_settings set setting = 'none' where name = 'role' returning 1) select 1",
    "do $$ begin perform set_config('role', 'none', true); end $$",
    "select query_to_xml('select set_' || 'config(''role'', ''none'', true)', true, true, '')",
    "copy accounts to program 'true'",
    "create table loot (a int)",
)


async def test_no_statement_of_a_pack_leaves_its_role_or_its_schema(tables: PostgresTables) -> None:
    for sql in OUTSIDE:
        for way in ("execute", "fetch", "fetchrow"):
            with pytest.raises(RowRefused):
                await _said(tables, way, sql)
    async with tables.transaction() as rows:  # on the same connection, which was given back clean
        found = await rows.fetchrow("select current_user as role")
    assert found is not None
    assert found["role"] == "dream_pack_transfer"


async def _said(tables: PostgresTables, way: str, sql: str) -> None:
    async with tables.transaction() as rows:
        await getattr(rows, way)(sql)
        pytest.fail(f"{sql} was taken by {way}")


async def test_what_is_refused_is_told_without_the_row_it_was_refused_for(tables: PostgresTables) -> None:
    with pytest.raises(RowRefused) as refused:
        async with tables.transaction() as rows:
            await rows.execute(
                "insert into accounts (account_id, kind, owner) values (gen_random_uuid(), 'thief', $1)", "secret name"
            )
    assert refused.value.constraint == "accounts_kind_check"
    assert "secret name" not in str(refused.value)
    assert refused.value.__suppress_context__  # a traceback in a log would show it
