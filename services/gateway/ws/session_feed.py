"""The events of one session, for one socket: each once, in version order, without a gap, in bounded memory.

History comes from the ledger; live events are buffered by version, because those of different producers arrive out of
order. Whenever the buffer cannot be trusted (a gap, an overflow, a broken connection) the ledger is read instead."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from uuid import UUID

from backbone.ledger.port import LedgerUnavailable
from services.gateway.views.history import History
from services.gateway.views.protocol import frame
from services.gateway.ws.fanout import LiveMessage

log = logging.getLogger(__name__)

GAP = 0.05
"""Seconds a missing version may take to arrive by itself."""
IDLE = 5.0
"""Seconds of silence after which the ledger is asked: the last message of a session may have been lost."""
RETRY = 0.5
ROWS = 64
FRAMES = 256
CHARACTERS = 256 * 1024
"""Rows read at once; frames and their characters buffered at most."""


class SessionFeed:
    """A Watcher that sends what comes after version `after`."""

    def __init__(self, session_id: UUID, after: int, history: History, send: Callable[[str], Awaitable[None]]) -> None:
        self._session_id = session_id
        self._shown = after
        self._history = history
        self._send = send
        self._buffer: dict[int, str] = {}
        self._characters = 0
        self._wake = asyncio.Event()
        self._behind = True
        self._closed = False

    def wants(self, type_: str) -> bool:
        """All of them: versions are shown without a gap."""
        return True

    def offer(self, live: LiveMessage) -> None:
        version = live.message.version
        if version <= self._shown or version in self._buffer:
            return
        if len(self._buffer) >= FRAMES or self._characters > CHARACTERS:
            self.behind()  # the socket is slow: what is buffered is in the ledger too
            return
        self._buffer[version] = live.frame
        self._characters += len(live.frame)
        self._wake.set()

    def recorded(self, version: int) -> None:
        if version > self._shown:
            self.behind()

    def behind(self) -> None:
        self._forget()
        self._behind = True
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def run(self) -> None:
        """Sends until the gateway stops (then it returns) or sending fails."""
        while not self._closed:
            await self._send_buffered()
            if self._behind:
                await self._catch_up()
            elif self._buffer:
                await self._bridge()
            else:
                await self._listen()

    async def _send_buffered(self) -> None:
        while (text := self._buffer.pop(self._shown + 1, None)) is not None:
            self._characters -= len(text)
            self._shown += 1
            await self._send(text)

    async def _bridge(self) -> None:
        """Waits for the version that is missing, then gives up on its coming by itself."""
        deadline = asyncio.get_running_loop().time() + GAP
        while self._shown + 1 not in self._buffer and not self._behind and not self._closed:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                self._behind = True
                return
            await self._woken(left)

    async def _listen(self) -> None:
        """Until there is something to do; after a silence it is asked whether there should have been."""
        if not await self._woken(IDLE * random.uniform(0.8, 1.2)):  # noqa: S311  # jitter, not a secret
            self._history.heads.ask(self._session_id, self._told)

    def _told(self, head: int) -> None:
        if head > self._shown:
            self.behind()

    async def _woken(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        finally:
            self._wake.clear()
        return True

    async def _catch_up(self) -> None:
        # everything buffered was published, so it is committed and this read will find it
        self._forget()
        self._behind = False
        try:
            messages = await self._history.page(self._session_id, self._shown, ROWS)
        except LedgerUnavailable as error:
            log.warning("socket of session %s: %s", self._session_id, error)
            await asyncio.sleep(RETRY)
            self._behind = True
            return
        frames = [(message.version, frame(message).decode()) for message in messages]
        del messages  # a slow socket holds its page for long: the text alone is enough
        self._behind = self._behind or len(frames) == ROWS
        for self._shown, text in frames:
            await self._send(text)

    def _forget(self) -> None:
        self._buffer.clear()
        self._characters = 0
