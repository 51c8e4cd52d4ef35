"""Conformance of ledgers: decisions under the lock of their streams."""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Ledger, Tail
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_begins

NOTES = frozenset({"FeedbackGiven"})


class DecisionConformance:
    """Deciders see everything that was recorded before them, and one another."""

    async def test_twenty_concurrent_deciders_see_each_others_events(self, ledger: Ledger) -> None:
        session = uuid4()

        async def count_up() -> None:
            cause = uuid4()

            def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
                assert not handled
                assert tails[session].head == len(tails[session].messages)
                return [append(session, fact(note(str(tails[session].head))), cause=cause)]

            await ledger.decide(PRODUCER, CONSUMER, {session: 0}, NOTES, [cause], decision)

        await asyncio.gather(*(count_up() for _ in range(20)))
        comments = [m.event.model_dump()["comment"] for m in await ledger.read(session)]
        assert comments == [str(n) for n in range(20)]

    async def test_a_decider_reads_the_tail_after_its_version_and_its_types_only(self, ledger: Ledger) -> None:
        session, run = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session), run_begins(session, run), append(session)])
        seen: list[Tail] = []

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            seen.append(tails[session])
            return []

        assert await ledger.decide(PRODUCER, CONSUMER, {session: 1}, NOTES, [], decision) == []
        assert seen[0].head == 3
        assert [m.version for m in seen[0].messages] == [3]

    async def test_a_decider_is_told_what_was_handled_and_when_its_events_are_recorded(self, ledger: Ledger) -> None:
        session, done, new = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, cause=done)])
        seen: list[tuple[Tail, set[UUID]]] = []

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            seen.append((tails[session], set(handled)))
            return [append(session, cause=new)]

        await ledger.decide(PRODUCER, CONSUMER, {session: 0}, NOTES, [done, new], decision)
        ((tail, handled),) = seen
        assert handled == {done}
        assert (await ledger.read(session))[-1].recorded_at == tail.at

    async def test_a_decision_that_fails_changes_nothing_and_frees_its_streams(self, ledger: Ledger) -> None:
        session = uuid4()

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await ledger.decide(PRODUCER, CONSUMER, {session: 0}, NOTES, [], decision)
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        assert await ledger.head(session) == 1
