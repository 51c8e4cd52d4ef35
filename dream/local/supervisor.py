"""Starts again what has ended, a little later each time it ends soon: servers, processes, services in this process."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from dream.local.restarts import End, Restart

log = logging.getLogger(__name__)

POLL = 0.1
FIRST_DELAY, LONGEST_DELAY = 0.2, 30.0
LONGEST_DELAY_OF_READY = 2.0
"""What came up is started again soon, however often it ends: somebody waits for it, and it costs no more than a start.
What does not come up is left alone for longer."""
STEADY_SECONDS = 5.0
"""Who was ready for so long has recovered: the next end starts the back-off anew."""

Tell = Callable[[Restart], None]


class Supervised(Protocol):
    """What is looked after."""

    @property
    def name(self) -> str: ...

    async def ended(self) -> End:
        """Waits until it has ended; how it did."""

    async def start(self) -> None:
        """Starts it again, and returns when it is ready; raises when it is not, and then nothing of it is left. May be
        cancelled, and then what had begun is for whoever stops the part."""


async def polled(look: Callable[[], End | None]) -> End:
    """Waits until `look` tells of an end."""
    while (end := look()) is None:  # noqa: ASYNC110  # the kernel tells of an end; asking is simple and cheap
        await asyncio.sleep(POLL)
    return end


class Supervisor:
    """Looks after parts that have been started, from `watch` until `stop`."""

    def __init__(self, *tell: Tell) -> None:
        self._tell = tell
        self._watchers: list[asyncio.Task[None]] = []

    def watch(self, *parts: Supervised) -> None:
        """From now on, whenever one of the parts has ended, it is started again."""
        self._watchers += [asyncio.create_task(self._watch(part), name=f"watch:{part.name}") for part in parts]

    async def _watch(self, part: Supervised) -> None:
        clock = asyncio.get_running_loop().time
        delay = FIRST_DELAY
        while True:
            since = clock()
            end: End | None = await part.ended()
            if clock() - since > STEADY_SECONDS:
                delay = FIRST_DELAY
            while end is not None:
                end = await self._again(part, end, delay)
                delay = min(delay * 2, LONGEST_DELAY_OF_READY if end is None else LONGEST_DELAY)

    async def _again(self, part: Supervised, end: End, delay: float) -> End | None:
        """Starts a part after the delay; how that failed, None when it is ready."""
        restart = Restart(part.name, end, delay)
        log.warning("%s; starting it again in %.1f s", restart, delay)
        for tell in self._tell:
            tell(restart)
        await asyncio.sleep(delay)
        try:
            await part.start()
        except Exception as error:  # noqa: BLE001  # whatever kept it from starting may be over the next time
            return End("failed", str(error) or repr(error))
        log.info("%s is back", part.name)
        return None

    async def stop(self) -> None:
        """Nothing is started any more when this returns."""
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        self._watchers.clear()
