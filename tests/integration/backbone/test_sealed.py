"""Sealed sessions (docs/adr/0085): smaller, and otherwise as they were for whoever asks for them."""

import asyncio
import json
import random
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from backbone.ledger.logins import role_of_service
from backbone.ledger.migrate import migrate
from backbone.ledger.port import (
    DIALOGUE,
    Append,
    Decision,
    Evidence,
    LedgerUnavailable,
    NotInLedger,
    NotRecordable,
    Tail,
    VersionConflict,
)
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.retention import SessionGoesOn, retention
from backbone.ledger.sealed import SealedSessions
from backbone.witness import evidence_of
from contracts.response import RunCompleted
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_begins, timer
from tests.conftest import as_owner
from tests.integration.backbone.sealing import CALLER, DAY, published, seal, talk


async def test_whatever_is_asked_of_a_sealed_session_is_as_it_was(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, runs = await talk(ledger)
    other, _ = await talk(ledger, "lee")
    before = await ledger.read(session)
    places = {(session, 2), (session, 9), (other, 1), (session, 99)}

    async def talked() -> object:
        head = await ledger.head(session)
        newest = await ledger.latest(session, DIALOGUE, 3)
        return head, newest, await ledger.brought(session, 5), await ledger.find(session, DIALOGUE)

    async def at() -> object:
        return sorted((one.session_id, one.version) for one in await ledger.at(places))

    questions: list[Callable[[], Awaitable[object]]] = [
        lambda: ledger.read(session),
        lambda: ledger.read(session, 4, 2),
        lambda: ledger.read(session, len(before)),
        talked,
        at,
        lambda: ledger.run(runs[1]),
        lambda: ledger.run(uuid4()),
        lambda: ledger.of_trace(runs[1], 5),
        lambda: ledger.of_trace(UUID(CALLER[3:35]), 5),
        lambda: ledger.heads([session, other]),
    ]
    for question in questions:
        told = await question()
        await seal(owner, postgres_url, session)
        assert await question() == told
        assert await ledger.read(session) == before
    assert await ledger.verify() == {}


async def test_a_sealed_session_goes_on_where_it_ended(ledger: PostgresLedger, owner: Any, postgres_url: str) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    (appended,) = await ledger.append(PRODUCER, CONSUMER, [append(session, expected=len(before))])
    assert appended.last_version == len(before) + 1
    await seal(owner, postgres_url, session)
    with pytest.raises(VersionConflict):
        await ledger.append(PRODUCER, CONSUMER, [append(session, expected=3)])
    seen: list[int] = []

    def decision(tails, handled):
        seen.append(tails[session].head)
        assert [one.version for one in tails[session].messages] == [1, 4, 7]
        return [append(session)]

    types = frozenset({"SessionOpened", "MessageReceived"})
    (appended,) = await ledger.decide(PRODUCER, CONSUMER, {session: 0}, types, [], decision)
    assert (seen, appended.last_version) == ([10], 11)
    assert (await ledger.read(session))[:9] == before
    assert await ledger.verify() == {}


async def test_a_message_that_comes_late_is_known_though_its_session_is_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    late = (await ledger.read(session))[4]
    for known in (True, False):
        await seal(owner, postgres_url, session)
        evidence = evidence_of(late) if known else Evidence(late.version, bytes(32))
        follows = Append(session, late.event_id, (fact(),), evidence=evidence)
        if known:
            await ledger.append(PRODUCER, "late", [follows])
        else:
            with pytest.raises(NotInLedger):
                await ledger.append(PRODUCER, "later", [follows])


async def test_what_a_service_opens_again_is_in_the_voices_of_those_who_said_it(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    role = role_of_service("gateway")
    login = f"postgresql://{role}:{secrets.token_hex(32)}@{postgres_url.partition('@')[2]}"
    await migrate(as_owner(postgres_url), services_url=postgres_url, logins=[login])
    gateway = await PostgresLedger.connect(login, roles=[role], min_size=1, max_size=2)
    try:
        assert await gateway.read(session) == before
        assert {one.producer for one in before} == {"gateway", "response"}
        history = json.dumps(
            [[1, str(uuid4()), "RunCompleted", 1, "response", *[None] * 2, str(uuid4()), None, None, 0, "{}", "{}"]]
        )
        await seal(owner, postgres_url, session)
        for forged in (history, "[]", "null", "[[1]]"):
            with pytest.raises((asyncpg.PostgresError, NotRecordable)):
                await gateway.pool.execute("select ledger.unseal($1, $2)", session, forged)
        assert await gateway.pool.fetchval("select ledger.unseal($1, '[]')", uuid4()) is False
        with pytest.raises(asyncpg.PostgresError):
            await gateway.pool.execute("select ledger.seal($1, 1, '', '')", session)
        with pytest.raises(LedgerUnavailable, match="does not speak"):
            await gateway.append("response", CONSUMER, [append(session, fact(RunCompleted()))])
    finally:
        await gateway.close()
    assert await ledger.read(session) == before


async def test_two_who_ask_at_once_open_it_once(ledger: PostgresLedger, owner: Any, postgres_url: str) -> None:
    session, _ = await talk(ledger)
    before = await ledger.read(session)
    await seal(owner, postgres_url, session)
    written = [ledger.append(PRODUCER, CONSUMER, [append(session)]) for _ in range(4)]
    asked, _ = await asyncio.gather(asyncio.gather(*(ledger.read(session) for _ in range(8))), asyncio.gather(*written))
    assert all(told[: len(before)] == before for told in asked)
    assert await ledger.head(session) == len(before) + 4


async def test_who_reads_a_session_that_is_sealed_again_meanwhile_gets_it_all(
    ledger: PostgresLedger, owner: Any, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = await talk(ledger, runs=1)
    told = await ledger.read(session)
    await published(owner)
    opened, again = SealedSessions.opened, 2
    async with retention(as_owner(postgres_url)) as administrator:

        async def sealed() -> None:
            async for ended in administrator.idle_since(datetime.now(UTC) + DAY):
                await administrator.seal(ended)

        async def opened_and_sealed(self: SealedSessions, session_id: UUID) -> bool:
            nonlocal again
            found = await opened(self, session_id)
            if again:
                again -= 1
                await sealed()
            return found

        monkeypatch.setattr(SealedSessions, "opened", opened_and_sealed)
        await sealed()
        assert await ledger.read(session) == told
        assert again == 0
        again = 2
        await sealed()
        assert await ledger.at([(session, 2)]) == told[1:2]
    assert again == 0


async def test_whoever_seals_all_the_time_loses_nothing_and_is_noticed_by_nobody(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    sessions = [(await talk(ledger, runs=1))[0] for _ in range(3)]
    written: dict[UUID, list[UUID]] = {session: [] for session in sessions}
    sealings = 0
    over = asyncio.Event()
    types = frozenset({"SessionOpened", "FeedbackGiven"})

    async def seals() -> None:
        nonlocal sealings
        async with retention(as_owner(postgres_url)) as administrator:
            while not over.is_set():
                await published(owner)
                async for ended in administrator.idle_since(datetime.now(UTC) + DAY):
                    with suppress(SessionGoesOn):
                        await administrator.seal(ended)
                        sealings += 1

    async def works(dice: random.Random) -> None:
        for number in range(40):
            session, noted = dice.choice(sessions), fact(note(str(number)))
            one = append(session, noted)
            if dice.random() < 0.5:
                await ledger.append(PRODUCER, CONSUMER, [one])
            else:
                await ledger.decide(PRODUCER, CONSUMER, {session: 0}, types, [one.cause], _opened_and(session, one))
            written[session].append(noted.event_id)
            told = await ledger.read(session)
            assert [event.version for event in told] == list(range(1, len(told) + 1))
            assert noted.event_id in {event.event_id for event in told}
            await asyncio.sleep(dice.random() / 100)

    sealing = asyncio.create_task(seals())
    await asyncio.gather(*(works(random.Random(number)) for number in range(4)))
    over.set()
    await sealing
    assert sealings >= 5
    for session in sessions:
        there = [event.event_id for event in await ledger.read(session)]
        assert sorted(there[6:]) == sorted(written[session])
    assert await ledger.verify() == {}


def _opened_and(session: UUID, one: Append) -> Decision:
    """Appends where the session's beginning is seen, as every decision that folds it wants it."""

    def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
        assert tails[session].messages[0].type == "SessionOpened"
        assert tails[session].head >= len(tails[session].messages)
        return [one]

    return decision


async def test_what_is_open_unpublished_young_or_was_just_looked_at_is_not_sealed(
    ledger: PostgresLedger, owner: Any, postgres_url: str
) -> None:
    session, _ = await talk(ledger)
    async with retention(as_owner(postgres_url)) as administrator:

        async def idle(until: timedelta = DAY) -> list[Any]:
            return [one async for one in administrator.idle_since(datetime.now(UTC) + until)]

        (ended,) = await idle()
        assert await idle(-DAY) == []
        with pytest.raises(SessionGoesOn, match="open"):
            await administrator.seal(ended)  # no relay has published it
        await published(owner)
        letter = (await ledger.read(session))[3].event_id
        await owner.execute(
            """insert into ledger.dead_letters select gen_random_uuid(), 'x', 's', $1, '{}', '', 9005, '', 6, 'dead'""",
            letter,
        )
        with pytest.raises(SessionGoesOn, match="open"):
            await administrator.seal(ended)
        await owner.execute("update ledger.dead_letters set state = 'discarded'")
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        await published(owner)
        with pytest.raises(SessionGoesOn, match="gone on"):
            await administrator.seal(ended)
        (ended,) = await idle()
        await administrator.seal(ended)
        assert await idle() == []
        assert await ledger.head(session) == ended.version
        await owner.execute("update ledger.streams set unsealed_at = now() + interval '2 days'")
        assert await idle() == [], "somebody has looked at it since"
        await owner.execute("update ledger.streams set unsealed_at = null")
        await ledger.append(PRODUCER, CONSUMER, [append(session)._replace(timers=(timer(3600),))])
        assert await idle() == []
        await owner.execute("delete from ledger.timers")
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, uuid4())])
        assert await idle() == []
