"""Live words: log lines of tools and pieces of a model's answer, to the sockets that asked for them; they are nowhere
else, and what is lost is lost. And the word that the ledger has events which are on no stream, for who shows them."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID

from pydantic import Field, TypeAdapter, ValidationError

from backbone.bus.port import Bus
from contracts import subjects
from contracts.live import Chunk, LogLine, Recorded
from services.gateway.views.protocol import live_frame
from services.gateway.ws.fanout import FanOut

log = logging.getLogger(__name__)

_WORDS: TypeAdapter[LogLine | Chunk | Recorded] = TypeAdapter(
    Annotated[LogLine | Chunk | Recorded, Field(discriminator="kind")]
)
LINES = 200
"""Lines that wait for one socket at most; a slow one misses the oldest."""


class Listener:
    """One socket's ear for live words of some kinds (`log`, `chunk`). It shares nothing with the socket's events, so it
    can displace none of them."""

    def __init__(self, send: Callable[[str], Awaitable[None]], kinds: frozenset[str] = frozenset({"log"})) -> None:
        self._send = send
        self.kinds = kinds
        self._waiting: deque[str] = deque(maxlen=LINES)
        self._wake = asyncio.Event()

    def hear(self, line: str) -> None:
        self._waiting.append(line)
        self._wake.set()

    async def run(self) -> None:
        """Sends until sending fails."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await self._send(self._waiting.popleft())


class LogStream:
    """One subscription per process; what nobody listens to costs two lookups."""

    def __init__(self, fanout: FanOut) -> None:
        self._fanout = fanout
        self._listeners: dict[str, list[Listener]] = {}

    async def start(self, bus: Bus) -> None:
        """Hears the bus, for as long as its connection lives."""
        await bus.on_signal(subjects.LIVE, self.on_signal)

    @contextmanager
    def listen(self, session_id: UUID, listener: Listener) -> Iterator[None]:
        """From entering on, `listener` hears the lines of the session."""
        key = str(session_id)
        self._listeners.setdefault(key, []).append(listener)
        try:
            yield
        finally:
            there = self._listeners[key]
            there.remove(listener)
            if not there:
                del self._listeners[key]

    async def on_signal(self, subject: str, payload: bytes) -> None:
        """Every live word of every session passes here."""
        session_id = subjects.live_session(subject)
        listeners = self._listeners.get(session_id, ())
        if not listeners and not self._fanout.is_watched(session_id):
            return
        try:
            word = _WORDS.validate_json(payload)
        except ValidationError as error:
            log.debug("no live word on %s: %s", subject, error)  # of a newer service
            return
        if isinstance(word, Recorded):
            self._fanout.on_recorded(session_id, word.version)
            return
        line = live_frame(word).decode()
        for listener in listeners:
            if word.kind in listener.kinds:
                listener.hear(line)
