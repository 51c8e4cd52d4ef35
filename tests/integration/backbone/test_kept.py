"""The promises of a store of kept results, kept in memory and by Postgres; and what goes with a person and with a file."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from backbone.kept.port import KeptResults
from backbone.kept.postgres import PostgresKept
from backbone.ledger.pool import Pool, open_pool
from backbone.ledger.retention import retention
from tests.conformance.kept_conformance import BYTES, ROWS, KeptConformance, digest, kept
from tests.fakes.kept import MemoryKept


class TestMemoryKept(KeptConformance):
    @pytest.fixture
    def results(self) -> KeptResults:
        return MemoryKept(most_rows=ROWS, most_bytes=BYTES)


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[Pool]:
    pool = await open_pool(postgres_url, min_size=1)
    try:
        yield pool
    finally:
        await pool.close()


class TestPostgresKept(KeptConformance):
    @pytest.fixture
    def results(self, pool: Pool) -> KeptResults:
        return PostgresKept(pool, most_rows=ROWS, most_bytes=BYTES)


async def test_a_store_that_is_away_finds_nothing_and_fails_nobody(pool: Pool) -> None:
    results = PostgresKept(pool)
    await pool.close()
    await results.keep(kept("a"))
    assert await results.find(["a"]) == {} and await results.of_file(digest("f")) == []


async def test_with_a_person_goes_what_was_made_for_them_and_of_their_files_for_anybody(
    pool: Pool, postgres_url: str
) -> None:
    results = PostgresKept(pool)
    for one in (kept("hers", size=5), kept("of her file", "", size=5), kept("of another", "bob", file="g", size=5)):
        await results.keep(one)
    async with retention(postgres_url) as ledger:
        made = await ledger.kept_only_of("ada", [digest("f")])
        assert set(made) == {digest("hers"), digest("of her file")}
        assert await ledger.forget_kept("ada", [digest("f")]) == 2
    assert set(await results.find(["hers", "of her file", "of another"])) == {"of another"}


async def test_what_nobody_has_used_for_long_goes(pool: Pool, postgres_url: str) -> None:
    results = PostgresKept(pool)
    await results.keep(kept("old", "eve"))
    await results.keep(kept("new", "eve"))
    owner: asyncpg.Connection[asyncpg.Record] = await asyncpg.connect(postgres_url)
    try:
        await owner.execute("update kept.results set used_at = now() - interval '9 days' where key = 'old'")
        async with retention(postgres_url) as ledger:
            await ledger.prune_kept(await owner.fetchval("select now() - interval '8 days'"))
    finally:
        await owner.close()
    assert set(await results.find(["old", "new"])) == {"new"}
