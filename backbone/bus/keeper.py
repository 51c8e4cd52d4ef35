"""Keeps stream and consumers there, and the stream from filling up, for as long as it runs.

`dream up` runs it beside the services; in a cluster `dream admin bus keep` does, or `make-room` now and then."""

import asyncio
import logging

import nats.errors
import nats.js.errors

from backbone.bus.administration import Administration
from backbone.bus.port import BusUnavailable
from contracts import subjects

log = logging.getLogger(__name__)

LOOK = 0.25
"""Seconds between two looks at a stream that may be gone, or be filling up."""
ANYWAY = 10.0
"""Seconds after which consumers are looked at one by one although their number is the same."""
FILLING = 0.8
"""Share of the stream's bytes at which what is settled is dropped: nobody should meet a full one."""
_FAILED = (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError)


class Keeper:
    """With a connection that lasts. What is there it leaves as it is: the next version's admin may have been here."""

    def __init__(self, bus: Administration) -> None:
        self._bus = bus
        self._whole = ""
        """Which stream had all its consumers, and how many there were; empty when one was missing."""
        self._until = 0.0
        self._full = False

    async def run(self) -> None:
        """Until cancelled. Raises BusUnavailable when NATS has closed the connection for good."""
        while not self._bus.client.is_closed:
            try:
                await self._look()
            except _FAILED as error:
                log.debug("the keeper of the stream waits: %r", error)
            await asyncio.sleep(LOOK)
        raise BusUnavailable("NATS has closed the connection of its admin")

    async def _look(self) -> None:
        if not self._bus.client.is_connected:
            self._whole = ""
            return
        try:
            info = await self._bus.js.stream_info(subjects.STREAM)
        except nats.js.errors.NotFoundError:
            await self._bus.declare(mend=False)
            return
        seen, now = f"{info.created} {info.state.consumer_count}", asyncio.get_running_loop().time()
        if seen != self._whole or now > self._until:
            missing = [one for one in await self._bus.declare(mend=False) if one.there is None]
            # While we made some others may have been deleted, and the number be what it was: whole is what was found so
            self._whole, self._until = "" if missing else seen, now + ANYWAY
        most = info.config.max_bytes or 0
        if most <= 0 or info.state.bytes < FILLING * most:
            self._full = False
        elif not await self._bus.make_room() and not self._full:
            self._full = True
            log.error("the stream fills up and a consumer has settled nothing: see which one lags (nats consumer ls)")
