"""Conformance of buses: servers that go away, stores that are wiped, consumers that are deleted."""

import asyncio
import time

import pytest

from backbone.bus.port import Bus, BusUnavailable
from tests.conformance.deliveries import SOON, SPEC, drained, published, text
from tests.conformance.facts import message


class AccidentConformance:
    """Publishers are told, and subscriptions go on by themselves."""

    async def stop(self, bus: Bus) -> None:
        """The server goes away."""
        raise NotImplementedError

    async def start(self, bus: Bus) -> None:
        """The server comes back, with its store as it was."""
        raise NotImplementedError

    async def wipe(self, bus: Bus) -> None:
        """The server goes away and comes back with an empty store."""
        raise NotImplementedError

    async def make_anew(self, bus: Bus) -> None:
        """Somebody deletes the store and makes it again, under connections that hold."""
        raise NotImplementedError

    async def delete_consumer(self, bus: Bus, name: str) -> None:
        """Somebody deletes a durable consumer."""
        raise NotImplementedError

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
        found: set[str] = set()
        while len(found) < len(("before", "after")):  # what was delivered and not settled comes again
            found |= {text(d) for d in await drained(subscription, 1)}
        assert found == {"before", "after"}

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

    async def test_a_store_that_is_made_anew_while_nobody_publishes_is_noticed(self, bus: Bus) -> None:
        told = asyncio.Event()
        bus.on_reconnect(told.set)
        before = await bus.epoch()
        subscription = await bus.subscribe(SPEC, 16)
        await published(bus, message("one"))
        await drained(subscription, 1)
        await self.make_anew(bus)
        async with asyncio.timeout(SOON):
            while await bus.epoch() == before:  # as an idle relay does
                await asyncio.sleep(0.05)
            await told.wait()
        await published(bus, message("two"))
        assert [text(d) for d in await drained(subscription, 1)] == ["two"]

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
