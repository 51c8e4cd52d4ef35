"""The bus's promises, kept in memory and by a real nats-server."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress

import nats
import pytest

from backbone.bus.jetstream import JetStreamBus
from backbone.bus.memory import MemoryBus
from backbone.bus.port import Bus
from backbone.testing.bus_conformance import BusConformance
from contracts import subjects
from dream.embedded import EmbeddedNats


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

    async def delete_consumer(self, bus: Bus, name: str) -> None:
        assert isinstance(bus, JetStreamBus)
        await bus._js.delete_consumer(subjects.STREAM, name)
