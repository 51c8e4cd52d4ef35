"""The promises of a store of memories, kept in memory and by Postgres; what only Postgres can get wrong."""

import random
from collections.abc import AsyncIterator

import pytest

from backbone.ledger.pool import Pool, open_pool
from backbone.ledger.port import NotRecordable
from backbone.memories.port import DIMENSIONS, USED, Embedding, MemoryStore, Query
from backbone.memories.postgres import _NEAREST, _OUTDATED, _SETTINGS, FEW, PostgresMemories
from contracts.memory import MemoryKind
from tests.conformance.memories_conformance import ENCODER, MemoriesConformance, item
from tests.fakes.memories import MemoryMemories


class TestMemoryMemories(MemoriesConformance):
    @pytest.fixture
    def memories(self) -> MemoryStore:
        return MemoryMemories()


@pytest.fixture
async def pool(postgres_url: str) -> AsyncIterator[Pool]:
    pool = await open_pool(postgres_url, min_size=1)
    try:
        yield pool
    finally:
        await pool.close()


class TestPostgresMemories(MemoriesConformance):
    @pytest.fixture
    def memories(self, pool: Pool) -> MemoryStore:
        return PostgresMemories(pool)


async def test_a_person_with_many_memories_finds_by_meaning_among_them_all(pool: Pool) -> None:
    memories = PostgresMemories(pool)
    dice = random.Random(5)

    def somewhere() -> Embedding:
        numbers = [dice.gauss(0, 1) for _ in range(DIMENSIONS)]
        length = sum(number * number for number in numbers) ** 0.5
        return Embedding(ENCODER, [number / length for number in numbers])

    await pool.execute(
        """insert into memory.items (owner, item_id, kind, text, language, recorded_at, letters, encoder, vector)
           select 'mina', gen_random_uuid(), 'turn', 'x', 'ko', now(), 'x', $1, null from generate_series(1, $2)""",
        ENCODER,
        FEW + 1,
    )
    wanted, other = item("치과 예약"), item("은행")
    await memories.keep([wanted, other])
    waiting = await memories.without_meaning(500)
    await memories.understand({("mina", one.item_id): somewhere() for one in waiting if one.kind is MemoryKind.TURN})
    meant = somewhere()
    await memories.understand({("mina", wanted.item_id): meant, ("mina", other.item_id): somewhere()})
    found = await memories.search(Query("mina", "歯", meaning=meant))
    assert [one.item.text for one in found] == ["치과 예약"]


async def test_an_encoder_that_nobody_names_any_more_leaves_its_place(pool: Pool) -> None:
    memories = PostgresMemories(pool)
    assert await memories.use("old", starting=True)
    assert not await memories.use("new")
    await pool.execute("update memory.encoder_in_use set seen_at = now() - make_interval(secs => $1)", USED + 1)
    assert await memories.use("new")
    assert not await memories.use("old")


async def test_vectors_of_another_encoder_are_looked_for_in_an_index(pool: Pool) -> None:
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local enable_seqscan = off")
        statement = _OUTDATED.replace("$1", "'new'").replace("$2", "16")
        plan = [row[0] for row in await connection.fetch(f"explain {statement}")]
    assert [line for line in plan if "Seq Scan" in line] == []
    assert [line for line in plan if "Index Scan using items_" in line and "encoder_idx" in line]


async def test_memories_of_a_person_with_many_are_looked_for_in_the_index_of_signs(pool: Pool) -> None:
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute(f"{_SETTINGS}; set local enable_seqscan = off; set local enable_bitmapscan = off")
        await connection.execute("set local enable_indexscan = on")
        statement = _NEAREST
        vector = "'[" + ",".join(["0.04"] * DIMENSIONS) + "]'"
        for number, value in enumerate(("'mina'", vector, f"'{ENCODER}'", "'{}'"), 1):
            statement = statement.replace(f"${number}", value)
        plan = [row[0] for row in await connection.fetch(f"explain {statement}")]
    assert [line for line in plan if "_signs" in line], plan


async def test_a_text_that_postgres_cannot_hold_is_refused_with_a_reason(pool: Pool) -> None:
    with pytest.raises(NotRecordable):
        await PostgresMemories(pool).keep([item("nul \x00")])


async def test_services_may_forget_but_not_change_the_shape(pool: Pool) -> None:
    allowed = await pool.fetchval("select has_table_privilege('dream_service', 'memory.items', 'delete')")
    assert allowed
    assert not await pool.fetchval("select has_schema_privilege('dream_service', 'memory', 'create')")
