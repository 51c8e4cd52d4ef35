"""What every bus adapter promises. Inherit, give the fixture `bus`, and the accidents that befall a store."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from uuid import uuid4

import pytest

from backbone.bus.port import Bus, BusUnavailable, ConsumerSpec, Delivery, Subscription
from backbone.testing.facts import PRODUCER, message
from contracts import registry, subjects
from contracts.envelope import Message, from_headers

NOTES = (subjects.pattern(PRODUCER, "FeedbackGiven"),)
SPEC = ConsumerSpec("conformance", NOTES, ack_wait=0.6)
SOON = 8.0
"""Seconds within which a subscription is expected to be well again after an accident."""


async def drained(subscription: Subscription, number: int, timeout: float = SOON) -> list[Delivery]:
    """That many deliveries, in order, not settled."""
    found: list[Delivery] = []
    async with asyncio.timeout(timeout):
        while len(found) < number:
            found += await subscription.drain(number - len(found))
    return found


async def nothing_within(subscription: Subscription, seconds: float) -> None:
    """Fails when something is delivered."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(seconds):
            found = await subscription.drain(1)
            raise AssertionError(f"delivered: {text(found[0])!r}, attempt {found[0].attempt}")


def text(delivery: Delivery) -> str:
    """The comment of a delivered note."""
    return str(registry.parse("FeedbackGiven", 1, delivery.body).model_dump()["comment"])


async def published(bus: Bus, *messages: Message) -> None:
    """Publishes, again and again while the bus is away."""
    async with asyncio.timeout(SOON):
        while True:
            try:
                await bus.publish(messages)
                return
            except BusUnavailable:
                await asyncio.sleep(0.05)


class BusConformance:
    """Durable consumers, at-least-once delivery, and a store that may vanish."""

    @pytest.fixture
    def bus(self) -> Bus:
        raise NotImplementedError("the adapter under test")

    async def stop(self, bus: Bus) -> None:
        """The server goes away."""
        raise NotImplementedError

    async def start(self, bus: Bus) -> None:
        """The server comes back, with its store as it was."""
        raise NotImplementedError

    async def wipe(self, bus: Bus) -> None:
        """The server goes away and comes back with an empty store."""
        raise NotImplementedError

    async def delete_consumer(self, bus: Bus, name: str) -> None:
        """Somebody deletes a durable consumer."""
        raise NotImplementedError

    # --- delivery ------------------------------------------------------------------------------------------------

    async def test_an_event_arrives_whole(self, bus: Bus) -> None:
        sent = message("안녕", run=uuid4())
        await bus.publish([sent])
        (delivery,) = await drained(await bus.subscribe(SPEC, 16), 1)
        assert from_headers(delivery.headers, delivery.subject, delivery.body) == sent
        assert delivery.subject == subjects.event(sent.session_id, PRODUCER, "FeedbackGiven")
        assert delivery.attempt == 1

    async def test_a_durable_keeps_what_nobody_was_there_for(self, bus: Bus) -> None:
        first = await bus.subscribe(SPEC, 16)
        await bus.publish([message("one"), message("two")])
        one, _ = await drained(first, 2)
        await one.ack()
        await first.close()
        await bus.publish([message("three")])
        found = await drained(await bus.subscribe(SPEC, 16), 2)
        assert {text(d) for d in found} == {"two", "three"}

    async def test_events_of_a_publisher_arrive_in_order(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 64)
        for start in range(0, 200, 40):
            await bus.publish([message(str(n)) for n in range(start, start + 40)])
        found: list[str] = []
        while len(found) < 200:
            for delivery in await drained(subscription, 1):
                found.append(text(delivery))
                await delivery.ack()
        assert found == [str(n) for n in range(200)]

    async def test_draining_returns_all_that_is_there_up_to_its_limit(self, bus: Bus) -> None:
        await bus.publish([message(str(n)) for n in range(30)])
        subscription = await bus.subscribe(SPEC, 64)
        await asyncio.sleep(0.3)
        assert len(await subscription.drain(20)) == 20
        assert len(await subscription.drain(20)) == 10

    async def test_draining_waits_for_the_first(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        waiting = asyncio.create_task(subscription.drain(8))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await bus.publish([message("late")])
        async with asyncio.timeout(1):
            assert [text(d) for d in await waiting] == ["late"]

    async def test_the_same_event_published_twice_is_one(self, bus: Bus) -> None:
        once = message("once")
        await bus.publish([once, once])
        await bus.publish([once, message("other")])
        assert [text(d) for d in await drained(await bus.subscribe(SPEC, 16), 2)] == ["once", "other"]

    async def test_publishing_nothing_is_nothing(self, bus: Bus) -> None:
        await bus.publish([])

    async def test_a_consumer_gets_what_it_filters_on(self, bus: Bus) -> None:
        other = ConsumerSpec("other", (subjects.pattern("response", "RunCompleted"), subjects.pattern("a", "B", "c")))
        subscription = await bus.subscribe(other, 16)
        await bus.publish([message("not for it")])
        await nothing_within(subscription, 0.3)

    async def test_two_subscribers_of_one_durable_share_its_messages(self, bus: Bus) -> None:
        one, two = await bus.subscribe(SPEC, 4), await bus.subscribe(SPEC, 4)
        await bus.publish([message(str(n)) for n in range(8)])
        found: list[str] = []

        async def take(subscription: Subscription) -> None:
            while True:
                for delivery in await subscription.drain(1):
                    await delivery.ack()
                    found.append(text(delivery))

        takers = [asyncio.create_task(take(one)), asyncio.create_task(take(two))]
        async with asyncio.timeout(SOON):
            while len(found) < 8:
                await asyncio.sleep(0.01)
        for taker in takers:
            taker.cancel()
        assert sorted(found) == [str(n) for n in range(8)]

    async def test_changed_filters_are_taken_over(self, bus: Bus) -> None:
        narrow = ConsumerSpec(SPEC.name, (subjects.pattern("response", "RunCompleted"),), ack_wait=SPEC.ack_wait)
        before = await bus.subscribe(narrow, 16)
        await asyncio.sleep(0.2)
        await before.close()
        after = await bus.subscribe(SPEC, 16)
        await asyncio.sleep(0.2)
        await bus.publish([message("now for it")])
        assert [text(d) for d in await drained(after, 1)] == ["now for it"]

    # --- settling ------------------------------------------------------------------------------------------------

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

    # --- core messages -------------------------------------------------------------------------------------------

    async def test_followers_see_events_as_they_are_published(self, bus: Bus) -> None:
        seen: list[str] = []

        async def follower(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            seen.append(str(from_headers(headers, subject, body).event_id))

        await bus.follow(follower)
        sent = [message(), message()]
        await bus.publish(sent)
        await asyncio.sleep(0.2)
        assert seen == [str(m.event_id) for m in sent]

    async def test_signals_reach_those_who_listen(self, bus: Bus) -> None:
        heard: list[bytes] = []

        async def listener(payload: bytes) -> None:
            heard.append(payload)

        await bus.on_signal(subjects.wake("a"), listener)
        await bus.signal(subjects.wake("a"), b"7")
        await bus.signal(subjects.wake("b"), b"8")
        await asyncio.sleep(0.2)
        assert heard == [b"7"]

    # --- accidents -----------------------------------------------------------------------------------------------

    async def test_the_epoch_stays_while_the_store_lives(self, bus: Bus) -> None:
        before = await bus.epoch()
        await self.stop(bus)
        await self.start(bus)
        await published(bus, message())
        assert await bus.epoch() == before

    async def test_publishing_fails_while_the_server_is_away_and_works_again(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await published(bus, message("before"))
        await self.stop(bus)
        since = time.monotonic()
        with pytest.raises(BusUnavailable):
            await bus.publish([message("meanwhile")])
        assert time.monotonic() - since < 5
        await self.start(bus)
        await published(bus, message("after"))
        found = await drained(subscription, 2)
        assert {text(d) for d in found} == {"before", "after"}

    async def test_a_subscription_goes_on_after_a_restart(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await published(bus, message("one"))
        (one,) = await drained(subscription, 1)
        await self.stop(bus)
        await self.start(bus)
        await published(bus, message("two"))
        found = await drained(subscription, 1)
        assert text(found[0]) in {"one", "two"}
        await one.ack()

    async def test_a_wiped_store_is_another_epoch_and_subscriptions_go_on(self, bus: Bus) -> None:
        told: list[bool] = []
        bus.on_reconnect(lambda: told.append(True))
        subscription = await bus.subscribe(SPEC, 16)
        before = await bus.epoch()
        await published(bus, message("one"))
        await drained(subscription, 1)
        await self.wipe(bus)
        await published(bus, message("two"))
        assert [text(d) for d in await drained(subscription, 1)] == ["two"]
        assert await bus.epoch() != before
        assert told

    async def test_settling_a_message_of_the_old_store_settles_none_of_the_new(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await published(bus, *[message(f"old {n}") for n in range(3)])
        old = await drained(subscription, 3)
        await self.wipe(bus)
        await published(bus, *[message(f"new {n}") for n in range(3)])
        new = await drained(subscription, 3)
        for delivery in old:
            await delivery.ack()
        again = await drained(subscription, 3)
        assert {text(d) for d in again} == {text(d) for d in new}

    async def test_a_consumer_that_somebody_deletes_is_made_again(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message("one")])
        await drained(subscription, 1)
        await self.delete_consumer(bus, SPEC.name)
        await bus.publish([message("two")])
        found = {text(d) for d in await drained(subscription, 2)}
        assert found == {"one", "two"}

    async def test_the_server_gives_signs_of_life(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        await bus.publish([message()])
        await drained(subscription, 1)
        assert asyncio.get_running_loop().time() - subscription.last_contact < 1
