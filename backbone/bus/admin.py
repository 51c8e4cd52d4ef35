"""What only the admin of the bus does: declare stream and consumers, and make room in a stream that fills up.

`dream up` runs it beside the services; in a cluster `dream admin bus` does it (docs/adr/0030)."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo

from backbone.bus import declare
from backbone.bus.port import BusUnavailable, ConsumerSpec
from backbone.bus.rights import ADMIN, Station, inbox_of
from contracts import subjects

log = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between two looks at a stream that may be gone, or be filling up."""
FILLING = 0.8
"""Share of the stream's bytes at which what is settled is dropped: nobody should meet a full one."""
_FAILED = (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError, BusUnavailable)


def consumers(stations: Iterable[Station], ack_wait: float) -> list[ConsumerSpec]:
    """The durable consumers of these services."""
    return [
        ConsumerSpec(name, tuple(filters), ack_wait)
        for station in stations
        for name, filters in station.durables.items()
    ]


class BusAdmin:
    """The stream and its consumers, by a connection that may do everything with them."""

    def __init__(self, client: Client, specs: Sequence[ConsumerSpec], max_bytes: int, max_age_seconds: float) -> None:
        self._client = client
        self._js: JetStreamContext = client.jetstream(timeout=5)
        self._specs = specs
        self._config = declare.stream_config(max_bytes, max_age_seconds)
        self._declared = ""
        self._full = False

    @classmethod
    async def connect(
        cls,
        url: str,
        specs: Sequence[ConsumerSpec],
        max_bytes: int,
        max_age_seconds: float,
        seed: Path | None = None,
    ) -> "BusAdmin":
        """Logs in with the user of the URL, or the key in a file. Raises BusUnavailable."""

        async def error(problem: Exception) -> None:
            log.debug("the admin of the bus: %r", problem)

        try:
            client = await nats.connect(
                url, name="dream-admin", inbox_prefix=inbox_of(ADMIN), error_cb=error, max_reconnect_attempts=-1,
                nkeys_seed=str(seed) if seed else None,
                reconnect_time_wait=0.25,
                ping_interval=10,
            )  # fmt: skip
        except (nats.errors.Error, OSError) as problem:
            raise BusUnavailable(f"NATS refuses its admin: {problem}") from None
        return cls(client, specs, max_bytes, max_age_seconds)

    async def declare(self) -> None:
        """Makes what is missing, and brings filters up to date. Raises BusUnavailable."""
        try:
            info = await declare.stream(self._js, self._config, may_create=True)
            for spec in self._specs:
                await declare.consumer(self._js, spec, may_create=True)
            self._declared = str(info.created)
        except _FAILED as error:
            raise BusUnavailable(f"stream and consumers cannot be declared: {error!r}") from error

    async def make_room(self) -> int:
        """Drops what every consumer has settled: the ledger keeps it. Returns how many messages. Raises
        BusUnavailable."""
        try:
            state = (await self._js.stream_info(subjects.STREAM)).state
            there = await self._js.consumers_info(subjects.STREAM)
            settled = min((_settled(one, state.last_seq) for one in there), default=0)
            if settled < state.first_seq:
                return 0
            await self._js.purge_stream(subjects.STREAM, seq=settled + 1)
        except _FAILED as error:
            raise BusUnavailable(f"no room can be made in the stream: {error!r}") from error
        dropped = settled + 1 - state.first_seq
        log.info("everything settled, up to %d, is dropped from the stream: %d messages", settled, dropped)
        return dropped

    async def run(self) -> None:
        """Keeps stream and consumers there and the stream from filling up, until cancelled."""
        while True:
            try:
                await self._look()
            except _FAILED as error:
                log.debug("the admin of the bus waits: %r", error)
            await asyncio.sleep(LOOK)

    async def _look(self) -> None:
        if not self._client.is_connected:
            self._declared = ""
            return
        try:
            info = await self._js.stream_info(subjects.STREAM)
        except nats.js.errors.NotFoundError:
            await self.declare()
            return
        if str(info.created) != self._declared or (info.state.consumer_count or 0) < len(self._specs):
            await self.declare()
        most = info.config.max_bytes or 0
        if most <= 0 or info.state.bytes < FILLING * most:
            self._full = False
        elif not await self.make_room() and not self._full:
            self._full = True
            log.error("the stream fills up and a consumer has settled nothing: see which one lags (nats consumer ls)")

    async def close(self) -> None:
        await self._client.close()


def _settled(consumer: ConsumerInfo, last: int) -> int:
    """Up to which place of the stream a consumer needs nothing more. One that is idle has settled everything."""
    if not consumer.num_pending and not consumer.num_ack_pending:
        return last
    return consumer.ack_floor.stream_seq if consumer.ack_floor else 0
