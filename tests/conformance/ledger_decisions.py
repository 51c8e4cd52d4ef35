"""Conformance of ledgers: decisions under the lock of their streams."""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Appended, Belief, Ledger, NotInLedger, Tail
from backbone.witness import evidence_of
from contracts.envelope import Message
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

    async def test_with_evidence_an_append_is_refused_unless_its_cause_is_there_just_so(self, ledger: Ledger) -> None:
        session, run, cause = uuid4(), uuid4(), uuid4()
        said = note('가격은 "1\\2" \x1f\n 그리고 {}')
        facts = (
            fact(note("first")),
            fact(said, run_id=run, cause=cause)._replace(traceparent="00-ab-cd-01", route="r"),
        )
        await ledger.append(PRODUCER, CONSUMER, [append(session, *facts)])
        first, second = await ledger.read(session)
        for number, changed in enumerate((
            replace(second, version=1), replace(second, version=3), replace(second, event_id=uuid4()),
            replace(second, type="RunCompleted"), replace(second, schema_version=2), replace(second, producer="planning"),
            replace(second, route=""), replace(second, run_id=None), replace(second, correlation_id=uuid4()),
            replace(second, causation_id=None), replace(second, traceparent=None),
            replace(second, recorded_at=second.recorded_at + timedelta(microseconds=1)),
            replace(second, data=second.data.replace(b"1", b"2")),
        )):  # fmt: skip
            forged = append(session, cause=uuid4())._replace(evidence=evidence_of(changed))
            with pytest.raises(NotInLedger):
                await ledger.append(PRODUCER, CONSUMER, [append(session, cause=uuid4()), forged])
            assert await ledger.head(session) == 2, number
        other = append(uuid4(), cause=uuid4())._replace(evidence=evidence_of(second))
        with pytest.raises(NotInLedger):
            await ledger.append(PRODUCER, CONSUMER, [other])
        true = [append(session, cause=one.event_id)._replace(evidence=evidence_of(one)) for one in (first, second)]
        assert [one.fresh for one in await ledger.append(PRODUCER, CONSUMER, [*true, append(session)])] == [True] * 3

    async def test_a_decision_with_evidence_that_is_none_changes_nothing(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        (true,) = await ledger.read(session)
        for message, fresh in ((replace(true, event_id=uuid4()), False), (true, True)):
            decided = append(session, cause=message.event_id)._replace(evidence=evidence_of(message))
            decide = ledger.decide(
                PRODUCER, CONSUMER, {session: 0}, NOTES, [message.event_id], lambda *_, d=decided: [d]
            )
            if fresh:
                assert [one.fresh for one in await decide] == [True]
            else:
                with pytest.raises(NotInLedger):
                    await decide
        assert await ledger.head(session) == 2

    async def test_what_was_decided_in_advance_is_recorded_at_the_time_that_it_was_decided_with(
        self, ledger: Ledger
    ) -> None:
        session, run, cause = uuid4(), uuid4(), uuid4()
        published: list[Message] = []
        ledger.on_append(lambda producer, xid, messages: published.extend(messages))
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run)])  # nothing that is folded
        at = ledger.time()
        assert at is not None
        at -= timedelta(milliseconds=5)
        belief = Belief({session: 1}, NOTES, at)
        answers = [append(session, fact(note("a")), fact(note("b")), cause=cause)]
        assert await ledger.append_believed(PRODUCER, CONSUMER, answers, belief) == [
            Appended(fresh=True, last_version=4)
        ]
        told = await ledger.read(session)
        assert [one.recorded_at for one in told[2:]] == [at, at]
        assert [one.recorded_at for one in published[-2:]] == [at, at]
        assert await ledger.handled(CONSUMER, [cause]) == {cause}
        assert await ledger.verify(session) == {}

    @pytest.mark.parametrize("wrong", ["version", "handled", "time"])
    async def test_what_was_decided_with_something_else_changes_nothing(self, ledger: Ledger, wrong: str) -> None:
        session, cause = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session), append(session)])
        if wrong == "handled":
            await ledger.append(PRODUCER, CONSUMER, [Append(session, cause, (fact(note("by somebody else")),))])
        before, at = await ledger.read(session), ledger.time()
        assert at is not None
        belief = Belief(
            {session: 1 if wrong == "version" else len(before)}, NOTES, at - timedelta(seconds=5 * (wrong == "time"))
        )
        answers = [append(session, cause=uuid4()), append(session, cause=cause)]
        assert await ledger.append_believed(PRODUCER, CONSUMER, answers, belief) is None
        assert await ledger.read(session) == before
        assert await ledger.handled(CONSUMER, [one.cause for one in answers]) == (
            {cause} if wrong == "handled" else set()
        )

    async def test_of_two_that_believe_the_same_one_is_right(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        at = ledger.time()
        assert at is not None
        both = await asyncio.gather(
            *(
                ledger.append_believed(PRODUCER, CONSUMER, [append(session)], Belief({session: 1}, NOTES, at))
                for _ in range(2)
            )
        )
        assert both.count(None) == 1
        assert await ledger.head(session) == 2
