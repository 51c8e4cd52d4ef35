"""Whether files can be stored and read back, looked at now and then, once for all services of a process."""

import asyncio
import logging

from backbone.artifacts.port import ArtifactStore

log = logging.getLogger(__name__)

WELL_SECONDS, ILL_SECONDS = 15.0, 3.0
"""Between two looks: one write and two reads of nothing."""
FIRST_SECONDS = 2.0


class StoreHealth:
    """`problem` says why the store is of no use, in one sentence; empty when it is."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._looking = asyncio.Lock()
        self._next = 0.0
        self.problem = "the artifact store has not been tried yet"

    async def watch(self) -> None:
        """Looks when it is time, until cancelled. Several may watch: one of them looks."""
        while True:
            await self._look()
            await asyncio.sleep(ILL_SECONDS)

    async def first(self) -> None:
        """Waits a moment for the first look: whoever starts with a store that works is well from the beginning."""
        looking = asyncio.ensure_future(self._look())
        await asyncio.wait({looking}, timeout=FIRST_SECONDS)
        looking.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _look(self) -> None:
        async with self._looking:
            now = asyncio.get_running_loop().time()
            if now < self._next:
                return
            found = await self._tried()
            if found != self.problem:
                log.warning("%s", found) if found else log.info("the artifact store takes files and gives them back")
            self.problem = found
            self._next = asyncio.get_running_loop().time() + (ILL_SECONDS if found else WELL_SECONDS)

    async def _tried(self) -> str:
        try:
            return await self._store.problem()
        except Exception as error:  # noqa: BLE001  # a look must not end the service that it is about
            return f"the artifact store fails: {type(error).__name__}"
