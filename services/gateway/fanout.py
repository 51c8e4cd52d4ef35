"""Live fan-out: one core subscription per process, and the sessions that somebody watches here.

It may lose messages (a slow process, a broken connection); whoever watches reads the ledger when in doubt."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol
from uuid import UUID

import orjson
from pydantic import ValidationError

from backbone.bus.port import Bus
from contracts.envelope import EnvelopeError, Message, from_headers
from contracts.errors import Code
from contracts.registry import EVENTS
from contracts.subjects import SubjectError
from services.gateway.burial import Burials
from services.gateway.protocol import frame

log = logging.getLogger(__name__)


class Live:
    """A message just published. Envelope and frame are made once for all who watch, and only when one asks."""

    __slots__ = ("_frame", "_message", "body", "headers", "subject", "type")

    def __init__(self, subject: str, type_: str, headers: Mapping[str, str], body: bytes) -> None:
        self.subject = subject
        self.type = type_
        self.headers = headers
        self.body = body
        self._message: Message | None = None
        self._frame: str | None = None

    @property
    def message(self) -> Message:
        """Raises EnvelopeError or SubjectError."""
        if self._message is None:
            self._message = from_headers(self.headers, self.subject, self.body)
        return self._message

    @property
    def frame(self) -> str:
        """The event as clients see it. Raises what `message` raises, and JSONDecodeError for a body that is no JSON."""
        if self._frame is None:
            orjson.loads(self.body)  # frames carry the body as it is: nobody's screen may break on it
            self._frame = frame(self.message).decode()
        return self._frame


class Watcher(Protocol):
    """Somebody who watches a session. None of these may block."""

    def offer(self, live: Live) -> None:
        """A message of the session, perhaps out of order, perhaps again. May raise what reading a Live raises."""

    def behind(self) -> None:
        """Messages may have been lost: read the ledger."""

    def close(self) -> None:
        """The gateway stops."""


class FanOut:
    """Subject's third token -> those who watch that session."""

    def __init__(self, burials: Burials) -> None:
        self._burials = burials
        self._watchers: dict[str, list[Watcher]] = {}

    async def start(self, bus: Bus) -> None:
        """Follows the bus, for as long as its connection lives."""
        await bus.follow(self.on_event)
        bus.on_reconnect(self.all_behind)

    @contextmanager
    def watch(self, session_id: UUID, watcher: Watcher) -> Iterator[None]:
        """From entering on, `watcher` is offered what is published in the session."""
        key = str(session_id)
        self._watchers.setdefault(key, []).append(watcher)
        try:
            yield
        finally:
            watchers = self._watchers[key]
            watchers.remove(watcher)
            if not watchers:
                del self._watchers[key]

    @property
    def watched(self) -> int:
        """How many sessions are watched."""
        return len(self._watchers)

    async def on_event(self, subject: str, headers: Mapping[str, str], body: bytes) -> None:
        """Every event of every session passes here: what nobody watches costs a split and two lookups."""
        tokens = subject.split(".", 5)
        if len(tokens) < 5:
            reason = f"{subject!r} is not the subject of an event"
            self._burials.add(subject, headers, body, Code.MESSAGE_UNREADABLE, reason)
            return
        if tokens[4] not in EVENTS:
            reason = f"event type {tokens[4]!r} is not in the registry"
            self._burials.add(subject, headers, body, Code.MESSAGE_TYPE_UNKNOWN, reason)
            return
        watchers = self._watchers.get(tokens[2])
        if not watchers:
            return
        live = Live(subject, tokens[4], headers, body)
        try:
            for watcher in tuple(watchers):
                watcher.offer(live)
        except (EnvelopeError, SubjectError, ValidationError, ValueError) as error:
            self._burials.add(subject, headers, body, Code.MESSAGE_UNREADABLE, str(error)[:500])

    def all_behind(self) -> None:
        """The connection was away: whatever was published meanwhile is missing here."""
        for watcher in self._everybody():
            watcher.behind()

    def close(self) -> None:
        """Tells everybody that the gateway stops."""
        for watcher in self._everybody():
            watcher.close()

    def _everybody(self) -> list[Watcher]:
        return [watcher for watchers in self._watchers.values() for watcher in watchers]
