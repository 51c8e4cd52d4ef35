"""Conformance of buses: what becomes of a delivery that is settled, and of one that is not."""

import asyncio
import time
from contextlib import suppress

from backbone.bus.port import Bus, ConsumerSpec, Subscription
from tests.conformance.deliveries import SPEC, drained, nothing_within, text
from tests.conformance.facts import message


class SettlingConformance:
    """At-least-once delivery: a message comes again until it is settled, and when it was asked to."""

    async def test_what_is_not_settled_comes_again_after_the_ack_wait(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message("again")])
        await drained(subscription, 1)
        since = time.monotonic()
        (again,) = await drained(subscription, 1)
        assert 0.4 < time.monotonic() - since < 3
        assert (text(again), again.attempt) == ("again", 2)
        await again.ack()
        await nothing_within(subscription, 0.9)

    async def test_the_backlog_is_what_is_not_settled_delivered_or_not(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 4)
        await bus.publish([message(str(number)) for number in range(9)])
        for delivery in await drained(subscription, 3):
            await delivery.ack()
        await _backlog_is(subscription, 6)
        await drained(subscription, 1)
        await _backlog_is(subscription, 6)

    async def test_a_retry_comes_after_its_delay(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message("later"), message("soon")])
        later, soon = await drained(subscription, 2)
        since = time.monotonic()
        await later.retry(0.6)
        await soon.retry(0.01)
        assert [text(d) for d in await drained(subscription, 1)] == ["soon"]
        assert time.monotonic() - since < 0.5
        (delivery,) = await drained(subscription, 1)
        assert (text(delivery), delivery.attempt) == ("later", 2)
        assert time.monotonic() - since >= 0.55

    async def test_extending_keeps_a_message_beyond_the_ack_wait(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message("long work")])
        (delivery,) = await drained(subscription, 1)
        for _ in range(5):
            await nothing_within(subscription, 0.25)
            await delivery.extend()
        await delivery.ack()
        await nothing_within(subscription, 0.8)

    async def test_messages_that_wait_for_a_busy_runner_are_not_delivered_twice(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message(str(n)) for n in range(4)])
        await drained(subscription, 1)
        await asyncio.sleep(1.3)
        found: list[tuple[str, int]] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(0.8):
                while True:
                    for delivery in await subscription.drain(8):
                        await delivery.ack()
                        found.append((text(delivery), delivery.attempt))
        assert [one for one in sorted(found) if one[0] != "0"] == [("1", 1), ("2", 1), ("3", 1)]

    async def test_closing_gives_back_at_once_what_was_not_drained(self, bus: Bus) -> None:
        first = await bus.subscribe(ConsumerSpec(SPEC.name, SPEC.subjects, ack_wait=30), 16)
        await bus.publish([message(str(n)) for n in range(5)])
        (mine,) = await drained(first, 1)
        await asyncio.sleep(0.2)
        await first.close()
        second = await bus.subscribe(ConsumerSpec(SPEC.name, SPEC.subjects, ack_wait=30), 16)
        assert sorted(text(d) for d in await drained(second, 4, timeout=3)) == ["1", "2", "3", "4"]
        await mine.ack()


async def _backlog_is(subscription: Subscription, number: int) -> None:
    """An acknowledgement takes its time; how much of the rest is delivered is the adapter's own."""
    async with asyncio.timeout(10):
        while (found := await subscription.backlog()) is None or found.pending + found.unsettled != number:
            await asyncio.sleep(0.02)
