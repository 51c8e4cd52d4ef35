"""Plans are made once in the life of a connection, over tables that are empty then: they must hold when those are full."""

import asyncio
from collections.abc import Mapping
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.ledger import statements
from backbone.ledger.port import REMINDERS, START, Append, Tail
from backbone.ledger.postgres import PostgresLedger
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conftest import as_owner

_READ_WHOLE = """select relname, seq_scan from pg_stat_user_tables
    where schemaname = 'ledger' and relname ~ '^(streams|inbox|timers|open_runs|events_[0-9])$' order by relname"""


@pytest.mark.parametrize(
    ("types", "sql", "values"),
    [
        ("uuid[], int[]", statements.AT, "'{}', '{}'"),
        ("uuid[], int[], int, text[]", statements.LATEST_NEAR.many, "'{}', '{}', 40, '{}'"),
        ("uuid[], uuid[], text[]", statements.FIND_OF_RUN.many, "'{}', '{}', '{}'"),
        ("uuid, int, int, text[]", statements.LATEST_NEAR.one, "gen_random_uuid(), 7, 40, '{}'"),
        ("uuid, uuid, text[]", statements.FIND_OF_RUN.one, "gen_random_uuid(), gen_random_uuid(), '{}'"),
    ],
)
async def test_a_read_goes_by_its_key_although_the_plan_was_made_over_nothing(
    postgres_url: str, types: str, sql: str, values: str
) -> None:
    plan = await _plan(postgres_url, types, sql, values)
    assert not [line for line in plan if "Seq Scan" in line], "\n".join(plan)
    assert [line for line in plan if "Index Scan" in line], "\n".join(plan)


@pytest.mark.parametrize(
    ("types", "sql", "values", "index"),
    [
        ("uuid", statements.find(REMINDERS), "gen_random_uuid()", "_reminders"),
        ("uuid, uuid, text[]", statements.FIND_OF_RUN.one, "gen_random_uuid(), gen_random_uuid(), '{}'", "_type_idx"),
    ],
)
async def test_what_a_long_session_is_asked_for_all_the_time_has_an_index_of_its_own(
    postgres_url: str, types: str, sql: str, values: str, index: str
) -> None:
    """That of streams would go through all that the session has ever been."""
    plan = await _plan(postgres_url, types, sql, values)
    assert [line for line in plan if index in line], "\n".join(plan)


async def _plan(url: str, types: str, sql: str, values: str) -> list[str]:
    connection = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
    try:
        await connection.execute(f"prepare look ({types}) as {sql}")
        return [row[0] for row in await connection.fetch(f"explain execute look ({values})")]
    finally:
        await connection.close()


async def test_what_appends_decides_and_relays_reads_no_table_whole_although_all_of_them_are_small(
    postgres_url: str,
) -> None:
    """Over a page of rows the planner prefers to read it whole, and would go on doing so over a million."""
    owner = await asyncpg.connect(as_owner(postgres_url))
    ledger = await PostgresLedger.connect(postgres_url, max_size=2)
    sessions = [uuid4() for _ in range(5)]

    def decision(tails: Mapping[UUID, Tail], handled: object) -> list[Append]:
        return [append(session, fact(note("decided"))) for session in tails]

    async def a_round() -> None:
        for session in sessions:
            await ledger.append(PRODUCER, "test", [append(session, fact(note("one")), fact(note("two")))])
        many = [append(session, fact(note("together"))) for session in (*sessions, sessions[0])]
        await ledger.append(PRODUCER, "test", many)
        await ledger.append(PRODUCER, "test", many)  # a repetition is looked up, too
        after = dict.fromkeys(sessions, 1)
        await ledger.decide(PRODUCER, "test", after, frozenset({"FeedbackGiven"}), [many[0].cause], decision)
        await ledger.handled("test", [many[0].cause])
        await ledger.head(sessions[0])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert await tail.read(START, 5)

    try:
        await a_round()
        await owner.execute("vacuum analyze ledger.streams, ledger.inbox, ledger.events")
        await a_round()
        before = await _told(owner)
        await a_round()
        assert await _told(owner) == before
    finally:
        await ledger.close()
        await owner.close()


async def _told(owner: "asyncpg.Connection[asyncpg.Record]") -> dict[str, int]:
    await asyncio.sleep(1.2)  # backends tell what they did once a second
    await owner.execute("select pg_stat_clear_snapshot()")
    return {row["relname"]: row["seq_scan"] for row in await owner.fetch(_READ_WHOLE)}
