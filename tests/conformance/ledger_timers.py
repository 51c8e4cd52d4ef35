"""Conformance of ledgers: durable timers."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from backbone.ledger.port import Append, DueTimer, Ledger
from contracts import registry
from contracts.shape import Event
from tests.conformance.facts import CONSUMER, PRODUCER, known, timer


def built(due: DueTimer) -> Event:
    """The event that a due timer was set with."""
    return registry.parse(due.type, 1, due.data)


class TimerConformance:
    """A timer fires once, when it is due, unless it was cancelled."""

    async def test_a_due_timer_fires_once_into_its_stream(self, ledger: Ledger) -> None:
        session, run = uuid4(), uuid4()
        due = timer(run_id=run)
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(due,))])
        now = datetime.now(UTC)
        fired = await asyncio.gather(*(ledger.fire_due(now, 10, built) for _ in range(5)))
        assert sum(fired) == 1
        (message,) = await ledger.read(session, after=1)
        assert (message.event, message.event_id, message.run_id) == (due.event, due.timer_id, run)
        assert message.producer == "timers"

    async def test_a_timer_waits_until_it_is_due(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(timer(60),))])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0
        assert await ledger.fire_due(datetime.now(UTC) + timedelta(seconds=61), 10, built) == 1

    async def test_a_cancelled_timer_does_not_fire(self, ledger: Ledger) -> None:
        session, due = uuid4(), timer()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(due,))])
        await ledger.append(
            PRODUCER, CONSUMER, [Append(session, await known(ledger, session), cancel_timers=(due.timer_id,))]
        )
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0

    async def test_a_redelivered_append_does_not_set_a_fired_timer_again(self, ledger: Ledger) -> None:
        session = uuid4()
        once = Append(session, await known(ledger, session), timers=(timer(),))
        await ledger.append(PRODUCER, CONSUMER, [once])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1
        await ledger.append(PRODUCER, CONSUMER, [once])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 0
        assert await ledger.head(session) == 2

    async def test_a_redelivered_cancellation_leaves_a_timer_that_was_set_since(self, ledger: Ledger) -> None:
        session, due = uuid4(), timer()
        cancels = Append(session, await known(ledger, session), cancel_timers=(due.timer_id,))
        await ledger.append(PRODUCER, CONSUMER, [cancels])
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(due,))])
        await ledger.append(PRODUCER, CONSUMER, [cancels])
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1

    async def test_one_transaction_for_many_messages_sets_and_cancels_as_many_would(self, ledger: Ledger) -> None:
        session, moved, dropped = uuid4(), timer(60), timer()
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(moved,))])
        sooner = timer(timer_id=moved.timer_id)
        await ledger.append(
            PRODUCER,
            CONSUMER,
            [
                Append(session, await known(ledger, session), timers=(sooner,), cancel_timers=(moved.timer_id,)),
                Append(session, await known(ledger, session), timers=(dropped,)),
                Append(session, await known(ledger, session), cancel_timers=(dropped.timer_id,)),
            ],
        )
        assert await ledger.fire_due(datetime.now(UTC), 10, built) == 1
        assert [m.event_id for m in await ledger.find(session, frozenset({"TimerFired"}))] == [moved.timer_id]

    async def test_a_timer_that_cannot_fire_is_a_dead_letter_and_the_others_fire(self, ledger: Ledger) -> None:
        session = uuid4()
        bad, good = timer(-3), timer(-1)
        await ledger.append(PRODUCER, CONSUMER, [Append(session, await known(ledger, session), timers=(bad, good))])

        def build(due: DueTimer) -> Event:
            if due.timer_id == bad.timer_id:
                raise ArithmeticError("nobody foresaw this")
            return good.event

        now = datetime.now(UTC)
        assert await ledger.fire_due(now, 100, build) == 1
        assert await ledger.fire_due(now, 100, build) == 0
        assert [m.event_id for m in await ledger.find(session, frozenset({"TimerFired"}))] == [good.timer_id]
        kept = await ledger.dead_letter(bad.timer_id)
        assert kept is not None
        assert b"test" in kept.letter.body
