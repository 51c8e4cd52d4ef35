"""What holds relays up: a transaction that has written, anywhere on the server; and indexes that are built without one."""

from collections.abc import AsyncIterator, Callable

import asyncpg
import pytest

from backbone.ledger import migrate as migrating
from backbone.ledger.gauges import OldestWriter
from backbone.ledger.migrate import migrate, statements
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.readable import migrations
from tests.conftest import as_owner, as_superuser


@pytest.fixture
async def elsewhere(postgres_server: Callable[[str], str]) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """Somebody else's database of the same server."""
    connection = await asyncpg.connect(as_superuser(postgres_server("postgres")))
    try:
        yield connection
    finally:
        await connection.close()


async def test_a_transaction_that_has_written_is_seen_from_every_database_and_by_a_role_that_may_see_nothing(
    postgres_url: str, elsewhere
) -> None:
    ledger = await PostgresLedger.connect(postgres_url, min_size=1, max_size=2)
    now = 100.0
    try:
        writer = OldestWriter(ledger.pool, lambda: now)
        async with elsewhere.transaction():
            await elsewhere.execute("select 1")
            await elsewhere.execute("select pg_current_xact_id()")
            await ledger.pool.execute("select pg_current_xact_id()")  # of which no relay can know yet
            assert await writer.seconds() < 7
            now += 7
            assert await writer.seconds() >= 7
            now += 5
            assert await writer.seconds() >= 12
        assert await writer.seconds() < 12
    finally:
        await ledger.close()


async def test_an_index_on_a_table_that_is_there_is_built_without_a_transaction_and_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = """-- Letters of a code are counted; and a comment; with signs.
drop index concurrently if exists ledger.dead_letters_code;
create index concurrently dead_letters_code on ledger.dead_letters (code);
"""
    own = [*migrations(), ("9001_letters.concurrently.sql", later)]
    monkeypatch.setattr(migrating, "migrations", lambda: own)
    owner = await asyncpg.connect(as_owner(postgres_url))
    try:
        # one that was cut off leaves an index that is not valid
        await owner.execute("create index dead_letters_code on ledger.dead_letters (code)")
        url = as_owner(postgres_url)
        assert await migrate(url, (), postgres_url) == ["9001_letters.concurrently.sql"]
        assert await migrate(url, (), postgres_url) == []
        valid = "select indisvalid from pg_index where indexrelid = 'ledger.dead_letters_code'::regclass"
        assert await owner.fetchval(valid)
        own[-1] = (own[-1][0], later + "-- and more\n")
        with pytest.raises(migrating.MigrationChanged):
            await migrate(url, (), postgres_url)
    finally:
        await owner.close()


def test_a_file_is_cut_at_the_ends_of_its_statements() -> None:
    assert statements("-- a;\ncreate index x\n  on y (z);\n  -- b;\nselect ';' ;\n") == [
        "create index x\n  on y (z)",
        "select ';'",
    ]
