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
FILLING = 0.8
"""Share of the stream's bytes at which what is settled is dropped: nobody should meet a full one."""
_FAILED = (TimeoutError, nats.errors.Error, nats.js.errors.Error, OSError)


class Keeper:
    """With a connection that lasts. What is there it leaves as it is: the next version's admin may have been here."""

    def __init__(self, bus: Administration) -> None:
        self._bus = bus
        self._seen = ""
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
            self._seen = ""
            return
        try:
            info = await self._bus.js.stream_info(subjects.STREAM)
        except nats.js.errors.NotFoundError:
            await self._bus.declare(mend=False)
            return
        if (seen := f"{info.created} {info.state.consumer_count}") != self._seen:
            found = await self._bus.declare(mend=False)
            made = any(one.there is None and (one.consumer or one.what == "stream") for one in found)
            # while some were made others may have gone, and left the number as it was: look again
            self._seen = "" if made else seen
        most = info.config.max_bytes or 0
        if most <= 0 or info.state.bytes < FILLING * most:
            self._full = False
        elif not await self._bus.make_room() and not self._full:
            self._full = True
            log.error("the stream fills up and a consumer has settled nothing: see which one lags (nats consumer ls)")
