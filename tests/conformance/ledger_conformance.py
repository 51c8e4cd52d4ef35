"""What every ledger adapter promises. Inherit, give the fixture `ledger`, and the two accidents that a test needs."""

import asyncio
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import START, Append, Ledger, LedgerUnavailable, Position, RelayTail
from contracts.envelope import Message
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_begins, run_ends
from tests.conformance.ledger_claims import ClaimConformance
from tests.conformance.ledger_decisions import DecisionConformance
from tests.conformance.ledger_fences import FenceConformance
from tests.conformance.ledger_places import PlacesConformance
from tests.conformance.ledger_snapshots import SnapshotsConformance
from tests.conformance.ledger_streams import StreamConformance
from tests.conformance.ledger_timers import TimerConformance


class LedgerConformance(
    StreamConformance,
    DecisionConformance,
    TimerConformance,
    FenceConformance,
    PlacesConformance,
    ClaimConformance,
    SnapshotsConformance,
):
    """Streams, decisions, timers, fences, runs and dead letters; here the hash chain, relays and their leaders."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError("the adapter under test")

    async def tamper(self, ledger: Ledger, session: UUID, version: int) -> None:
        """Changes the data of an event as somebody with every right could."""
        raise NotImplementedError

    async def cut_leader(self, ledger: Ledger, producer: str) -> None:
        """Breaks the connection of a relay leader."""
        raise NotImplementedError

    async def test_an_untouched_ledger_verifies(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact()), append(uuid4())])
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        assert await ledger.verify() == {}

    async def test_verify_names_the_first_version_that_somebody_changed(self, ledger: Ledger) -> None:
        session, other = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session) for _ in range(5)] + [append(other)])
        await self.tamper(ledger, session, 3)
        assert await ledger.verify() == {session: 3}
        assert await ledger.verify(session) == {session: 3}
        assert await ledger.verify(other) == {}

    async def test_a_tail_reads_one_producer_from_a_position_on(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session), append(session)])
        await ledger.append("another", CONSUMER, [append(session)])
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            everything = await all_of(tail)
            assert [m.version for _, m in everything] == [1, 2, 4]
            assert [m.version for _, m in await tail.read(everything[0][0], 1)] == [2]

    async def test_a_cursor_is_kept_for_the_next_leader(self, ledger: Ledger) -> None:
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert await tail.cursor() == ("", START)
            await tail.save("epoch 1", Position(7, 9))
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert await tail.cursor() == ("epoch 1", Position(7, 9))

    async def test_a_rebuilt_bus_starts_before_the_oldest_of_the_runs_that_go_on(self, ledger: Ledger) -> None:
        session, waits, goes_on = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session), run_begins(session, waits)])
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, goes_on)])
        await ledger.append(PRODUCER, CONSUMER, [append(session)])

        async def versions(tail: RelayTail, *runs: UUID) -> list[int]:
            return [message.version for _, message in await tail.read(await tail.first_of(runs), 10)]

        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert await versions(tail, goes_on) == [3, 4]
            assert await versions(tail, goes_on, waits) == [2, 3, 4]
            assert await versions(tail) == await versions(tail, uuid4()) == []
            await ledger.append("response", CONSUMER, [run_ends(session, goes_on)])
            assert await versions(tail, goes_on) == []

    async def test_there_is_one_leader_per_producer(self, ledger: Ledger) -> None:
        async with ledger.lead(PRODUCER) as first:
            assert first is not None
            async with ledger.lead(PRODUCER) as second, ledger.lead("another") as other:
                assert second is None
                assert other is not None
        async with ledger.lead(PRODUCER) as third:
            assert third is not None

    async def test_leadership_is_taken_over_when_the_leader_dies(self, ledger: Ledger) -> None:
        async with ledger.lead(PRODUCER) as first:
            assert first is not None
            await self.cut_leader(ledger, PRODUCER)
            with pytest.raises(LedgerUnavailable):
                await first.read(START, 1)
            async with asyncio.timeout(5):
                while not await self._leads(ledger):
                    await asyncio.sleep(0.02)

    async def _leads(self, ledger: Ledger) -> bool:
        async with ledger.lead(PRODUCER) as tail:
            return tail is not None

    async def test_those_who_listen_are_told_of_commits_with_events(self, ledger: Ledger) -> None:
        told: list[tuple[str, int, list[Message]]] = []
        ledger.on_append(lambda producer, xid, messages: told.append((producer, xid, list(messages))))
        session = uuid4()
        once = append(session)
        await ledger.append(PRODUCER, CONSUMER, [once])
        await ledger.append(PRODUCER, CONSUMER, [once])
        await ledger.append(PRODUCER, CONSUMER, [Append(session, once.facts[0].event_id)])
        assert [producer for producer, _, _ in told] == [PRODUCER]
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert [p.xid for p, _ in await all_of(tail)] == [told[0][1]]

    async def test_what_listeners_are_told_is_what_is_read_from_the_ledger_byte_for_byte(self, ledger: Ledger) -> None:
        told: list[Message] = []
        ledger.on_append(lambda producer, xid, messages: told.extend(messages))
        session, other = uuid4(), uuid4()
        words = ["plain", 'a "quoted" 한글 😀', " spaces  and \n lines ", "backslash \\ / tab\t"]
        once = append(session, *(fact(note(word)) for word in words))
        await ledger.append(PRODUCER, CONSUMER, [once, append(other, fact(run_id=uuid4()))])
        await ledger.append(PRODUCER, CONSUMER, [append(other), once, append(session)])
        again, new = append(other, fact(note("new")), fact()), append(session, fact(note("newer")))
        await ledger.append(PRODUCER, CONSUMER, [once, again, once, new, again])
        await ledger.append(PRODUCER, CONSUMER, [once, again])
        decided = [once, append(session, fact(note("decided")), fact()), append(other)]
        await ledger.decide(PRODUCER, CONSUMER, {session: 0, other: 0}, frozenset(), [], lambda *_: decided)
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert [message for _, message in await all_of(tail)] == told
            assert len(told) == len(words) + 9

    async def test_a_tail_leaves_out_what_others_published_and_what_may_not_be_over(self, ledger: Ledger) -> None:
        told: list[int] = []
        ledger.on_append(lambda producer, xid, messages: told.append(xid))
        for _ in range(4):
            await ledger.append(PRODUCER, CONSUMER, [append(uuid4())])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert await tail.horizon() > told[3]
            rest = await tail.read(START, 10, told[3], told[1:2])
            assert [position.xid for position, _ in rest] == [told[0], told[2]]


async def all_of(tail: RelayTail) -> list[tuple[Position, Message]]:
    """Everything a leader can see."""
    return await tail.read(START, 1000)
