"""The bus's promises, kept in memory and by a real nats-server."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress

import nats
import nats.js.errors
import pytest

from backbone.bus import declare
from backbone.bus.administration import Login, administer
from backbone.bus.jetstream import JetStreamBus
from backbone.bus.port import Bus, BusUnavailable, ConsumerSpec
from contracts import subjects
from dream.local.embedded import EmbeddedNats
from tests.conformance.bus_conformance import BusConformance
from tests.conformance.facts import message
from tests.fakes.bus import MemoryBus


class TestMemoryBus(BusConformance):
    @pytest.fixture
    def bus(self) -> Bus:
        return MemoryBus()

    async def stop(self, bus: Bus) -> None:
        assert isinstance(bus, MemoryBus)
        bus.up = False

    async def start(self, bus: Bus) -> None:
        assert isinstance(bus, MemoryBus)
        bus.reconnect()

    async def wipe(self, bus: Bus) -> None:
        assert isinstance(bus, MemoryBus)
        bus.wipe()

    async def make_anew(self, bus: Bus) -> None:
        await self.wipe(bus)

    async def delete_consumer(self, bus: Bus, name: str) -> None:
        assert isinstance(bus, MemoryBus)
        bus.forget(name)


class TestJetStreamBus(BusConformance):
    @pytest.fixture
    async def bus(self, nats_server: EmbeddedNats) -> AsyncIterator[Bus]:
        self.server = nats_server
        errors: list[Exception] = []

        async def disconnected() -> None:
            bus.disconnected()

        async def reconnected() -> None:
            await bus.reconnected()

        async def error(problem: Exception) -> None:
            errors.append(problem)

        client = await nats.connect(
            nats_server.url,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,
            disconnected_cb=disconnected,
            reconnected_cb=reconnected,
            error_cb=error,
        )
        bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600)
        try:
            await bus.epoch()
            yield bus
        finally:
            await bus.close()
            with suppress(OSError):
                await client.close()

    async def stop(self, bus: Bus) -> None:
        await asyncio.to_thread(self.server.stop)

    async def start(self, bus: Bus) -> None:
        await asyncio.to_thread(self.server.start)

    async def wipe(self, bus: Bus) -> None:
        await self.stop(bus)
        shutil.rmtree(self.server.store)
        await self.start(bus)

    async def make_anew(self, bus: Bus) -> None:
        assert isinstance(bus, JetStreamBus)
        await bus._js.delete_stream(subjects.STREAM)
        await declare.stream(bus._js, declare.stream_config(64 * 1024**2, 3600), may_create=True)

    async def delete_consumer(self, bus: Bus, name: str) -> None:
        assert isinstance(bus, JetStreamBus)
        await bus._js.delete_consumer(subjects.STREAM, name)


async def test_a_full_stream_says_so_and_goes_on_when_the_admin_drops_what_everybody_has_settled(
    nats_server: EmbeddedNats,
) -> None:
    client = await nats.connect(nats_server.url)
    bus = JetStreamBus(client, may_create=True, max_bytes=256 * 1024, max_age_seconds=3600)
    refused = received = 0
    try:
        await bus.epoch()
        async with administer(Login(nats_server.url), (), declare.stream_config(256 * 1024, 3600)) as admin:
            busy = await bus.subscribe(ConsumerSpec("busy", (subjects.EVENTS,)), 64)
            idle = await bus.subscribe(ConsumerSpec("idle", (subjects.pattern("gateway", "PlanEdited"),)), 64)
            for number in range(200):
                sent = [message(f"{number}:{one}" + "x" * 4000) for one in range(4)]
                for _ in range(3):  # a relay repeats what was refused
                    try:
                        await bus.publish(sent)
                        break
                    except BusUnavailable as error:
                        refused += "is full and takes nothing" in str(error)
                        assert await admin.make_room() > 0
                else:
                    pytest.fail(f"the stream stays full after {number} batches")
                for delivery in await busy.drain(64):
                    await delivery.ack()
                    received += 1
            await busy.close()
            await idle.close()
        assert received > 200
        assert refused > 1, "nobody but the admin makes room"
    finally:
        await bus.close()
        await client.close()


async def test_who_may_not_declare_takes_a_consumer_that_lets_its_filters_through(nats_server: EmbeddedNats) -> None:
    wide = ConsumerSpec("wide", ("evt.*.*.gateway.*", subjects.pattern("planning", "PlanApproved")), 30.0)
    client = await nats.connect(nats_server.url)
    js = client.jetstream()

    async def binds(*filters: str, ack_wait: float = 30.0) -> bool:
        spec = ConsumerSpec("wide", filters, ack_wait)
        return (await declare.consumer(js, spec, may_create=False)).name == "wide"

    try:
        with pytest.raises(BusUnavailable, match="'EVT' is missing"):
            await declare.stream(js, declare.stream_config(1 << 24, 3600), may_create=False)
        async with administer(Login(nats_server.url), (wide,), declare.stream_config(1 << 24, 3600)) as admin:
            await admin.declare()
        assert await binds(*wide.subjects)
        assert await binds(subjects.pattern("gateway", "PlanEdited"))
        assert await binds(subjects.pattern("planning", "PlanApproved"), ack_wait=7.0), "a warning, and no refusal"
        lacking = subjects.pattern("planning", "PlanRejected")
        with pytest.raises(BusUnavailable, match="PlanRejected through"):
            await binds(subjects.pattern("gateway", "PlanEdited"), lacking)
        with pytest.raises(BusUnavailable, match="'narrow' is missing"):
            await declare.consumer(js, ConsumerSpec("narrow", (lacking,)), may_create=False)
        assert (await js.consumer_info(subjects.STREAM, "wide")).config.ack_wait == 30.0
    finally:
        await client.close()


async def test_a_stream_for_three_servers_is_not_made_on_one(nats_server: EmbeddedNats) -> None:
    client = await nats.connect(nats_server.url)
    bus = JetStreamBus(client, may_create=True, max_bytes=64 * 1024**2, max_age_seconds=3600, replicas=3)
    try:
        with suppress(nats.js.errors.NotFoundError):
            await bus._js.delete_stream(subjects.STREAM)
        with pytest.raises(BusUnavailable, match="replicas > 1 not supported"):
            await bus.epoch()
    finally:
        await bus.close()
        await client.close()
