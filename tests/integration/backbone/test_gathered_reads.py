"""Reads of many sessions in one moment: one statement, and each gets its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest

from backbone.ledger import statements
from backbone.ledger.gathered_reads import GatheredReads, Read
from backbone.ledger.port import LedgerUnavailable
from backbone.ledger.postgres import PostgresLedger
from tests.conformance.facts import PRODUCER, append, fact, note

NOTES = frozenset({"FeedbackGiven"})
READ = Read("one", "many", 1)


@pytest.fixture
async def ledger(postgres_url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(postgres_url, max_size=2)
    yield ledger
    await ledger.close()


async def told(ledger: PostgresLedger, session: UUID, run: UUID, count: int) -> None:
    facts = [fact(note(f"{session} {number}"), run_id=run) for number in range(count)]
    await ledger.append(PRODUCER, "test", [append(session, *facts)])


async def test_each_of_many_who_ask_together_hears_of_its_own_session(ledger: PostgresLedger) -> None:
    sessions = [(uuid4(), uuid4(), count) for count in range(1, 7)]
    for session, run, count in sessions:
        await told(ledger, session, run, count)
        await told(ledger, session, uuid4(), 2)  # another run
    nobody = uuid4()
    of_runs = await asyncio.gather(
        *(ledger.find(session, NOTES, run) for session, run, _ in sessions), ledger.find(nobody, NOTES, uuid4())
    )
    newest = await asyncio.gather(*(ledger.latest(session, NOTES, 3, 6) for session, _, _ in sessions))
    for (session, run, count), found, last in zip(sessions, of_runs[:-1], newest, strict=True):
        assert [(one.session_id, one.run_id, one.version) for one in found] == [
            (session, run, version) for version in range(1, count + 1)
        ]
        assert [one.version for one in last] == list(range(min(count + 2, 5), 0, -1))[:3]
        assert [one.data for one in last] == [one.data for one in await ledger.latest(session, NOTES, 3, 6)]
    assert of_runs[-1] == []


class Rows:
    """What is fetched: the statement, and its parameters."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.error: BaseException | None = None

    async def __call__(self, sql: str, *parameters: Any) -> Sequence[Any]:
        self.calls.append((sql, *parameters))
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        if sql == "one":
            return [{"of": parameters[0]}]
        return [{"n": number, "of": one} for number, one in enumerate(parameters[0], 1)]


async def test_those_who_ask_in_one_moment_share_a_statement_if_they_ask_the_same() -> None:
    rows = Rows()
    reads = GatheredReads(rows)
    found = await asyncio.gather(
        reads.rows(READ, "a", 1), reads.rows(READ, "b", 1), reads.rows(READ, "c", 2), reads.rows(READ, "a", 1)
    )
    assert [[row["of"] for row in its] for its in found] == [["a"], ["b"], ["c"], ["a"]]
    assert rows.calls == [("many", ["a", "b", "a"], 1), ("one", "c", 2)]
    await reads.rows(READ, "d", 1)
    assert rows.calls[2:] == [("one", "d", 1)]


async def test_who_is_stopped_takes_nobody_along_and_a_fault_is_everybodys() -> None:
    rows = Rows()
    reads = GatheredReads(rows)
    stopped, stays = (asyncio.create_task(reads.rows(READ, one, 1)) for one in ("a", "b"))
    await asyncio.sleep(0)
    stopped.cancel()
    assert await stays == [{"n": 2, "of": "b"}]
    assert stopped.cancelled()
    rows.error = LedgerUnavailable("away")
    both = await asyncio.gather(reads.rows(READ, "a", 1), reads.rows(READ, "b", 1), return_exceptions=True)
    assert [type(one) for one in both] == [LedgerUnavailable, LedgerUnavailable]
    rows.error = None
    assert await reads.rows(READ, "a", 1) == [{"of": "a"}]


def test_what_is_read_together_takes_what_is_read_alone() -> None:
    for read in (statements.FIND_OF_RUN, statements.LATEST_NEAR):
        for number in range(1, 3):
            assert (f"${number}" in read.one, f"${number}::" in read.many) == (True, True)
        assert ("$3" in read.one, "$3" in read.many) == (True, True)
