"""Events whose data lie in the artifact store: recorded, read, decided on, relayed and audited as all others are."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.artifacts.port import UNTYPED, ArtifactStoreUnavailable
from backbone.ledger.payloads import Payloads
from backbone.ledger.port import Append, LedgerUnavailable, Tail
from backbone.ledger.postgres import PostgresLedger
from contracts.dataref import INLINE_BYTES, MEDIA_TYPE
from contracts.decisions import DecisionAnswered
from contracts.envelope import DataElsewhere
from contracts.gateway import MessageReceived
from contracts.registry import render
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note
from tests.conftest import as_owner
from tests.fakes.artifacts import MemoryArtifacts

LONG = note("긴 이야기 " * 10_000)
FILE = {"artifact_id": "0" * 64, "name": "리뷰.csv", "media_type": "text/csv", "size": 1, "type": "marketing.reviews"}


class Artifacts(MemoryArtifacts):
    """A store that can be away, and that loses and alters what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.up = True
        self.puts = 0

    async def put(self, data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        self._check()
        self.puts += 1
        return await super().put(data, media_type)

    async def open(self, artifact_id: str) -> AsyncIterator[bytes]:
        self._check()
        return await super().open(artifact_id)

    def _check(self) -> None:
        if not self.up:
            raise ArtifactStoreUnavailable("the artifact store is away")

    @property
    def payloads(self) -> dict[str, bytes]:
        return {digest: data for digest, data in self._files.items() if self._types[digest] == MEDIA_TYPE}


@pytest.fixture
def artifacts() -> Artifacts:
    return Artifacts()


@pytest.fixture
async def ledger(postgres_url: str, artifacts: Artifacts) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.connect(postgres_url, min_size=0, artifacts=artifacts)
    try:
        yield ledger
    finally:
        await ledger.close()


def forget(ledger: PostgresLedger) -> None:
    """As another process, which has read nothing yet."""
    assert isinstance(ledger._payloads, Payloads)
    ledger._payloads._known.clear()


async def rows(url: str, session: UUID) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        found = await connection.fetch(
            "select data::text as data from ledger.events where stream_id = $1 order by version", session
        )
        return [row["data"] for row in found]
    finally:
        await connection.close()


async def recorded(ledger: PostgresLedger, *texts: str) -> UUID:
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session, *(fact(note(text)) for text in texts))])
    return session


async def test_large_data_go_to_the_store_and_come_back_everywhere(
    ledger: PostgresLedger, artifacts: Artifacts, postgres_url: str
) -> None:
    session = await recorded(ledger, "short", LONG.comment)
    short, long = await rows(as_owner(postgres_url), session)
    assert json.loads(short)["comment"] == "short"
    assert len(long) < 200
    assert list(artifacts.payloads.values()) == [render(LONG).encode()]
    forget(ledger)
    types = frozenset({"FeedbackGiven"})
    for found in (
        await ledger.read(session),
        await ledger.find(session, types),
        (await ledger.latest(session, types, 9))[::-1],
    ):
        assert [message.event for message in found] == [note("short"), LONG]
    (published,) = await ledger.at([(session, 2)])
    assert (published.data, len(published.body)) == (b"", len(long))
    with pytest.raises(DataElsewhere, match=str(session)):
        _ = published.event
    assert await ledger.whole([published]) == [(await ledger.read(session, 1))[0]]
    async with ledger.lead(PRODUCER) as tail:
        assert tail
        relayed = [message for _, message in await tail.read((await tail.cursor())[1], 10)]
    assert relayed[1] == published


async def test_data_that_are_not_too_large_ask_nothing_of_the_store(
    ledger: PostgresLedger, artifacts: Artifacts
) -> None:
    artifacts.up = False
    session = await recorded(ledger, "x" * 60_000)
    assert len((await ledger.read(session))[0].data) < INLINE_BYTES


async def test_a_decision_sees_whole_tails_and_what_it_makes_is_stored_before_its_transaction(
    ledger: PostgresLedger, artifacts: Artifacts, postgres_url: str
) -> None:
    """While the store is asked, the stream is not locked: somebody else appends to it meanwhile."""
    session = await recorded(ledger, LONG.comment)
    forget(ledger)
    other = await PostgresLedger.connect(postgres_url, min_size=0)
    stored, seen = artifacts.put, []

    async def put(data: bytes | Path, media_type: str = UNTYPED) -> tuple[str, int]:
        async with asyncio.timeout(10):
            await other.append(PRODUCER, CONSUMER, [append(session)])
        return await stored(data, media_type)

    artifacts.put = put  # type: ignore[method-assign]
    cause = uuid4()

    def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
        said = [message.event.comment for message in tails[session].messages]  # type: ignore[attr-defined]
        seen.append(len(said))
        return [append(session, fact(note(said[0] + "!")), cause=cause)]

    types = frozenset({"FeedbackGiven"})
    (done,) = await ledger.decide(PRODUCER, CONSUMER, {session: 0}, types, [cause], decision)
    await other.close()
    assert (done.fresh, done.last_version) == (True, 3)
    assert seen == [1, 2]  # once before it was stored, and once after
    assert (await ledger.read(session))[-1].event == note(LONG.comment + "!")


async def test_while_the_store_is_away_nothing_is_recorded_and_nothing_lost(
    ledger: PostgresLedger, artifacts: Artifacts
) -> None:
    session, told = uuid4(), append(uuid4(), fact(LONG))
    artifacts.up = False
    with pytest.raises(LedgerUnavailable, match="the artifact store is away"):
        await ledger.append(PRODUCER, CONSUMER, [append(session), told])
    assert await ledger.heads([session, told.session_id]) == {}
    artifacts.up = True
    await ledger.append(PRODUCER, CONSUMER, [append(session), told])
    forget(ledger)
    artifacts.up = False
    with pytest.raises(LedgerUnavailable, match="the artifact store is away"):
        await ledger.read(told.session_id)


@pytest.mark.parametrize("fault", ["gone", "altered", "cut", "longer"])
async def test_the_audit_finds_data_that_are_not_what_they_were(
    ledger: PostgresLedger, artifacts: Artifacts, fault: str
) -> None:
    sound, session = await recorded(ledger, "y" * 70_000), await recorded(ledger, "first", "z" * 80_000, "last")
    assert await ledger.verify() == {}
    (digest,) = (key for key, data in artifacts.payloads.items() if b"zz" in data)
    data = artifacts._files[digest]
    if fault == "gone":
        del artifacts._files[digest], artifacts._types[digest]
    else:
        artifacts._files[digest] = {"altered": data.replace(b"zz", b"zy", 1), "cut": data[:-1], "longer": data + b" "}[
            fault
        ]
    assert await ledger.verify() == {session: 2}
    assert await ledger.verify(session) == {session: 2}
    assert await ledger.verify(sound) == {}
    forget(ledger)
    first, lost, last = await ledger.read(session)
    assert (first.event, last.event) == (note("first"), note("last"))
    with pytest.raises(DataElsewhere):
        _ = lost.event


async def test_files_that_came_with_a_large_message_are_found(ledger: PostgresLedger) -> None:
    session = uuid4()
    said = MessageReceived.model_validate({"text": "😀" * 16_384, "attachments": [FILE]})
    answered = DecisionAnswered.model_validate(
        {**DecisionAnswered.example, "answer": {"attachments": [FILE], "text": "가" * 40_000}}
    )
    without = said.model_copy(update={"attachments": ()})
    facts = [fact(event, run_id=uuid4()) for event in (said, without, answered)]
    await ledger.append(PRODUCER, CONSUMER, [append(session, *facts)])
    assert [message.event for message in await ledger.brought(session, 10)] == [answered, said]
