"""What every ledger adapter promises. Inherit, give the fixture `ledger`, and the two accidents that a test needs."""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import (
    START,
    Append,
    DeadLetter,
    DueTimer,
    Ledger,
    LedgerUnavailable,
    NotRecordable,
    Position,
    RelayTail,
    Tail,
    VersionConflict,
)
from backbone.testing.facts import CONSUMER, PRODUCER, append, fact, note, run_begins, run_ends, timer
from contracts import registry
from contracts.envelope import Message
from contracts.errors import Code
from contracts.shape import Event

NOTES = frozenset({"FeedbackGiven"})


def built(due: DueTimer) -> Event:
    """The event that a due timer was set with."""
    return registry.parse(due.type, 1, due.data)


class LedgerConformance:
    """Streams, inbox, decisions, timers, leadership and dead letters."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError("the adapter under test")

    async def tamper(self, ledger: Ledger, session: UUID, version: int) -> None:
        """Changes the data of an event as somebody with every right could."""
        raise NotImplementedError

    async def cut_leader(self, ledger: Ledger, producer: str) -> None:
        """Breaks the connection of a relay leader."""
        raise NotImplementedError

    # --- streams -------------------------------------------------------------------------------------------------

    async def test_versions_are_gapless_under_fifty_concurrent_appenders(self, ledger: Ledger) -> None:
        session = uuid4()
        await asyncio.gather(
            *(ledger.append(PRODUCER, CONSUMER, [append(session, fact(note(f"{n}a")), fact(note(f"{n}b")))]) for n in range(50))
        )
        messages = await ledger.read(session)
        assert [m.version for m in messages] == list(range(1, 101))
        assert await ledger.head(session) == 100
        assert len({m.event_id for m in messages}) == 100

    async def test_an_event_reads_back_as_it_was_recorded(self, ledger: Ledger) -> None:
        session, run, cause = uuid4(), uuid4(), uuid4()
        before = datetime.now(UTC)
        sent = fact(note("안녕 'quoted' \n"), run_id=run, cause=cause)
        await ledger.append(PRODUCER, CONSUMER, [append(session, sent)])
        (message,) = await ledger.read(session)
        assert message.event == sent.event
        assert (message.event_id, message.session_id, message.version) == (sent.event_id, session, 1)
        assert (message.type, message.schema_version, message.producer) == ("FeedbackGiven", 1, PRODUCER)
        assert (message.run_id, message.correlation_id, message.causation_id) == (run, run, cause)
        assert before - timedelta(seconds=1) < message.recorded_at < datetime.now(UTC) + timedelta(seconds=1)

    async def test_reading_starts_after_a_version_and_stops_at_the_limit(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session) for _ in range(5)])
        assert [m.version for m in await ledger.read(session, after=1, limit=3)] == [2, 3, 4]
        assert await ledger.read(uuid4()) == []
        assert await ledger.head(uuid4()) == 0

    async def test_finding_keeps_to_types_and_run(self, ledger: Ledger) -> None:
        session, run, other = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run), run_begins(session, other), append(session)])
        assert [m.version for m in await ledger.find(session, frozenset({"MessageReceived"}))] == [1, 2]
        assert [m.version for m in await ledger.find(session, frozenset({"MessageReceived"}), other)] == [2]

    async def test_one_call_appends_to_many_streams_in_order(self, ledger: Ledger) -> None:
        one, two = uuid4(), uuid4()
        answers = await ledger.append(PRODUCER, CONSUMER, [append(one), append(two), append(one, fact(), fact())])
        assert [(a.fresh, a.last_version) for a in answers] == [(True, 1), (True, 1), (True, 3)]

    # --- the inbox -----------------------------------------------------------------------------------------------

    async def test_a_message_handled_twice_changes_nothing(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        await ledger.append(PRODUCER, CONSUMER, [once])
        (again,) = await ledger.append(PRODUCER, CONSUMER, [once])
        assert (again.fresh, again.last_version) == (False, None)
        assert await ledger.head(session) == 1

    async def test_a_message_that_stands_twice_in_one_call_is_handled_once(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        answers = await ledger.append(PRODUCER, CONSUMER, [once, append(session), once])
        assert [a.fresh for a in answers] == [True, True, False]
        assert await ledger.head(session) == 2

    async def test_the_same_message_is_new_to_another_consumer(self, ledger: Ledger) -> None:
        session, cause = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, cause=cause)])
        (answer,) = await ledger.append(PRODUCER, "another", [append(session, cause=cause)])
        assert answer.fresh
        assert await ledger.handled(CONSUMER, [cause, uuid4()]) == {cause}

    async def test_a_message_without_results_is_handled_too(self, ledger: Ledger) -> None:
        cause = uuid4()
        (answer,) = await ledger.append(PRODUCER, CONSUMER, [Append(uuid4(), cause)])
        assert (answer.fresh, answer.last_version) == (True, None)
        assert await ledger.handled(CONSUMER, [cause]) == {cause}

    async def test_a_race_of_two_for_one_message_has_one_winner(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        answers = await asyncio.gather(*(ledger.append(PRODUCER, CONSUMER, [once]) for _ in range(10)))
        assert sum(answer.fresh for (answer,) in answers) == 1
        assert await ledger.head(session) == 1

    # --- expected versions ---------------------------------------------------------------------------------------

    async def test_an_expected_version_that_is_off_is_refused_with_both_numbers(self, ledger: Ledger) -> None:
        session, other = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact())])
        with pytest.raises(VersionConflict, match=r"at version 2, expected 7"):
            await ledger.append(PRODUCER, CONSUMER, [append(other), append(session, expected=7)])
        assert await ledger.head(session) == 2
        assert await ledger.head(other) == 0

    async def test_expecting_no_stream_works_once(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, expected=0)])
        with pytest.raises(VersionConflict):
            await ledger.append(PRODUCER, CONSUMER, [append(session, expected=0)])

    async def test_repeating_an_append_that_went_through_is_no_conflict(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session, expected=0)
        await ledger.append(PRODUCER, CONSUMER, [once])
        (again,) = await ledger.append(PRODUCER, CONSUMER, [once])
        assert not again.fresh

    async def test_what_cannot_be_stored_is_named_and_changes_nothing(self, ledger: Ledger) -> None:
        session = uuid4()
        with pytest.raises(NotRecordable):
            await ledger.append(PRODUCER, CONSUMER, [append(session), append(session, fact(note("nul \x00")))])
        assert await ledger.head(session) == 0

    # --- decisions -----------------------------------------------------------------------------------------------

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

    # --- the hash chain ------------------------------------------------------------------------------------------

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

    # --- timers --------------------------------------------------------------------------------------------------

    async def test_a_due_timer_fires_once_into_its_stream(self, ledger: Ledger) -> None:
        session, run = uuid4(), uuid4()
        due = timer(run_id=run)
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), timers=(due,))])
        now = datetime.now(UTC)
        fired = await asyncio.gather(*(ledger.fire_due(now, 10, built) for _ in range(5)))
        assert sum(fired) == 1
        (message,) = await ledger.read(session)
        assert (message.event, message.event_id, message.run_id) == (due.event, due.timer_id, run)
        assert message.producer == "timers"

    async def test_a_timer_waits_until_it_is_due(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), timers=(timer(60),))])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0
        assert await ledger.fire_due(datetime.now(UTC) + timedelta(seconds=61), 10, built) == 1

    async def test_a_cancelled_timer_does_not_fire(self, ledger: Ledger) -> None:
        session, due = uuid4(), timer()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), timers=(due,))])
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), cancel_timers=(due.timer_id,))])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0

    async def test_a_redelivered_append_does_not_set_a_fired_timer_again(self, ledger: Ledger) -> None:
        session, once = uuid4(), Append(uuid4(), uuid4(), timers=(timer(),))
        await ledger.append(PRODUCER, CONSUMER, [once])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1
        await ledger.append(PRODUCER, CONSUMER, [once])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0
        assert await ledger.head(session) == 0

    async def test_a_redelivered_cancellation_leaves_a_timer_that_was_set_since(self, ledger: Ledger) -> None:
        session, due = uuid4(), timer()
        cancels = Append(session, uuid4(), cancel_timers=(due.timer_id,))
        await ledger.append(PRODUCER, CONSUMER, [cancels])
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), timers=(due,))])
        await ledger.append(PRODUCER, CONSUMER, [cancels])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1

    async def test_one_transaction_for_many_messages_sets_and_cancels_as_many_would(self, ledger: Ledger) -> None:
        session, moved, dropped = uuid4(), timer(60), timer()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, uuid4(), timers=(moved,))])
        sooner = timer(timer_id=moved.timer_id)
        await ledger.append(
            PRODUCER,
            CONSUMER,
            [
                Append(session, uuid4(), timers=(sooner,), cancel_timers=(moved.timer_id,)),
                Append(session, uuid4(), timers=(dropped,)),
                Append(session, uuid4(), cancel_timers=(dropped.timer_id,)),
            ],
        )
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1
        assert [m.event_id for m in await ledger.read(session)] == [moved.timer_id]

    # --- runs and relays -----------------------------------------------------------------------------------------

    async def test_a_run_is_open_until_it_ends(self, ledger: Ledger) -> None:
        session, run, ended = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run), run_begins(session, ended)])
        await ledger.append("response", CONSUMER, [run_ends(session, ended)])
        assert await ledger.open_runs() == [(session, run)]

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

    async def test_a_rebuilt_bus_starts_before_the_oldest_open_run(self, ledger: Ledger) -> None:
        session, run = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run)])
        await ledger.append(PRODUCER, CONSUMER, [append(session)])
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert [m.version for _, m in await tail.read(await tail.first_open(), 10)] == [2, 3]
            await ledger.append("response", CONSUMER, [run_ends(session, run)])
            assert await tail.read(await tail.first_open(), 10) == []

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
        told: list[tuple[str, int]] = []
        ledger.on_append(lambda producer, xid: told.append((producer, xid)))
        once = append(uuid4())
        await ledger.append(PRODUCER, CONSUMER, [once])
        await ledger.append(PRODUCER, CONSUMER, [once])
        await ledger.append(PRODUCER, CONSUMER, [Append(uuid4(), uuid4())])
        assert [producer for producer, _ in told] == [PRODUCER]
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            assert [p.xid for p, _ in await all_of(tail)] == [told[0][1]]

    # --- dead letters --------------------------------------------------------------------------------------------

    async def test_burying_a_letter_twice_keeps_one(self, ledger: Ledger) -> None:
        letter = DeadLetter(uuid4(), CONSUMER, "evt.1", uuid4(), {"a": "b"}, b"\xff{", Code.MESSAGE_UNREADABLE, "why", 1)
        await ledger.bury(letter)
        await ledger.bury(letter)
        (found,) = await ledger.dead_letters()
        assert (found["consumer"], found["code"], found["reason"]) == (CONSUMER, 9001, "why")

    async def test_a_letter_with_headers_that_are_hardly_text_is_kept(self, ledger: Ledger) -> None:
        headers = {"ce-id": "nul \x00 and half a pair \ud800"}
        await ledger.bury(DeadLetter(uuid4(), CONSUMER, "evt.1", None, headers, b"", Code.MESSAGE_UNREADABLE, "\x00", 1))
        assert len(await ledger.dead_letters()) == 1


async def all_of(tail: RelayTail) -> list[tuple[Position, Message]]:
    """Everything a leader can see."""
    return await tail.read(START, 1000)
