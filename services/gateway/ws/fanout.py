"""LiveMessage fan-out: one core subscription per process, and the sessions that somebody watches here.

It may lose messages (a slow process, a broken connection); whoever watches reads the ledger when in doubt. It shows
nothing that the ledger does not have: what this process has not read there itself is looked up, all at once."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol
from uuid import UUID

import orjson
from pydantic import ValidationError

from backbone.bus.port import Bus
from backbone.ledger.port import LedgerUnavailable
from backbone.runner.intake import stranger
from backbone.witness import Witness, subject_of
from contracts.envelope import EnvelopeError, Message, from_headers
from contracts.errors import Code
from contracts.registry import EVENTS
from contracts.subjects import SubjectError, text_of
from services.gateway.ops.dead_letter_queue import DeadLetterQueue
from services.gateway.views.protocol import frame

log = logging.getLogger(__name__)

LIMIT = 4096
BODIES = 32 * 1024 * 1024
"""Messages and bytes that may wait for the ledger; beyond it those who watch read it themselves."""


class LiveMessage:
    """A message just published. Envelope and frame are made once for all who watch, and only when one asks."""

    __slots__ = ("_frame", "_message", "body", "headers", "subject", "type")

    def __init__(
        self, subject: str, type_: str, headers: Mapping[str, str], body: bytes, message: Message | None = None
    ) -> None:
        self.subject = subject
        self.type = type_
        self.headers = headers
        self.body = body
        self._message = message
        self._frame: str | None = None

    @property
    def message(self) -> Message:
        """Raises EnvelopeError or SubjectError."""
        if self._message is None:
            self._message = from_headers(self.headers, self.subject, self.body)
        return self._message

    def complete(self, message: Message) -> None:
        """The same message, with its data."""
        self._message = message

    @property
    def frame(self) -> str:
        """The event as clients see it. Raises what `message` raises, and JSONDecodeError for a body that is no JSON."""
        if self._frame is None:
            orjson.loads(self.body)  # frames carry the body as it is: nobody's screen may break on it
            self._frame = frame(self.message).decode()
        return self._frame


class Watcher(Protocol):
    """Somebody who watches a session. None of these may block."""

    def wants(self, type_: str) -> bool:
        """A message of this type was published in the session: whether it is to be offered."""

    def offer(self, live: LiveMessage) -> None:
        """A message of the session, perhaps out of order, perhaps again. May raise what reading it raises."""

    def recorded(self, version: int) -> None:
        """The ledger has events of the session, up to a version, that nobody will be offered."""

    def behind(self) -> None:
        """Messages may have been lost: read the ledger."""

    def close(self) -> None:
        """The gateway stops."""


class FanOut:
    """Subject's third token -> those who watch that session."""

    def __init__(self, dead_letters: DeadLetterQueue, witness: Witness) -> None:
        self._dead_letters = dead_letters
        self._witness = witness
        self._watchers: dict[str, list[Watcher]] = {}
        self._closed = False
        self.leaving = 0
        """How many were told that the gateway stops."""
        self._waiting: list[LiveMessage] = []
        self._bytes = 0
        self._wake = asyncio.Event()

    async def start(self, bus: Bus) -> None:
        """Follows the bus, for as long as its connection lives."""
        await bus.follow(self.on_event)
        bus.on_reconnect(self.all_behind)

    @contextmanager
    def watch(self, session_id: UUID, watcher: Watcher) -> Iterator[None]:
        """From entering on, `watcher` is offered what is published in the session."""
        key = str(session_id)
        self._watchers.setdefault(key, []).append(watcher)
        if self._closed:
            watcher.close()  # it came between the word that we stop and the closing of the door
        try:
            yield
        finally:
            watchers = self._watchers[key]
            watchers.remove(watcher)
            if not watchers:
                del self._watchers[key]

    def is_watched(self, session_id: str) -> bool:
        """Whether anybody watches a session."""
        return session_id in self._watchers

    @property
    def watched(self) -> int:
        """How many sessions are watched."""
        return len(self._watchers)

    def on_event(self, subject: str, headers: Mapping[str, str], body: bytes) -> None:
        """Every event of every session passes here: what nobody watches costs a split and two lookups."""
        tokens = subject.split(".", 5)
        if len(tokens) < 5:
            reason = f"{subject!r} is not the subject of an event"
            self._dead_letters.add(subject, headers, body, Code.MESSAGE_UNREADABLE, reason)
            return
        if tokens[4] not in EVENTS:
            reason = f"event type {tokens[4]!r} is not in the registry"
            self._dead_letters.add(subject, headers, body, Code.MESSAGE_TYPE_UNKNOWN, reason)
            return
        watchers = [watcher for watcher in self._watchers.get(tokens[2], ()) if watcher.wants(tokens[4])]
        if not watchers:
            return
        known = self._witness.find(subject, headers, body)
        live = LiveMessage(subject, tokens[4], headers, body, known)
        if known is not None and not known.elsewhere:
            self._offer(live)
            return
        try:
            _ = live.message
        except (EnvelopeError, SubjectError) as error:
            self._dead_letters.add(subject, headers, body, Code.MESSAGE_UNREADABLE, str(error)[:500])
            return
        if len(self._waiting) >= LIMIT or self._bytes + len(body) > BODIES:
            self._leave_behind([live])
            return
        self._waiting.append(live)
        self._bytes += len(body)
        self._wake.set()

    def published(self, message: Message) -> None:
        """An event of this process that does not go by the bus: the ledger has it."""
        watchers = self._watchers.get(text_of(message.session_id))
        if not watchers or not any(watcher.wants(message.type) for watcher in watchers):
            return
        live = LiveMessage(subject_of(message), message.type, {}, message.body, message)
        if message.elsewhere:
            self._leave_behind([live])
        else:
            self._offer(live)

    def on_recorded(self, session_id: str, version: int) -> None:
        """The ledger has events of a session that are on no stream."""
        for watcher in tuple(self._watchers.get(session_id, ())):
            watcher.recorded(version)

    async def run(self) -> None:
        """Looks up what waits, and offers what the ledger has. Until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            waiting, self._waiting, self._bytes = self._waiting, [], 0
            try:
                confirmed = await self._witness.confirm([(live.subject, live.message) for live in waiting])
                await self._complete(
                    [live for live, is_recorded in zip(waiting, confirmed, strict=True) if is_recorded]
                )
            except LedgerUnavailable as error:
                log.warning("%d live messages cannot be looked up: %s", len(waiting), error)
                self._leave_behind(waiting)
                continue
            for live, is_recorded in zip(waiting, confirmed, strict=True):
                if is_recorded:
                    self._offer(live)
                else:
                    reason = stranger(live.message)
                    self._dead_letters.add(live.subject, live.headers, live.body, Code.MESSAGE_NOT_IN_LEDGER, reason)

    async def _complete(self, recorded: Sequence[LiveMessage]) -> None:
        """Data that lie elsewhere are read for what the ledger has."""
        partial = [live for live in recorded if live.message.elsewhere]
        for live, message in zip(partial, await self._witness.whole([live.message for live in partial]), strict=True):
            live.complete(message)

    def _offer(self, live: LiveMessage) -> None:
        try:
            for watcher in tuple(self._watchers.get(live.subject.split(".", 3)[2], ())):
                if watcher.wants(live.type):
                    watcher.offer(live)
        except (EnvelopeError, SubjectError, ValidationError, ValueError) as error:
            reason = str(error)[:500]
            self._dead_letters.add(live.subject, live.headers, live.body, Code.MESSAGE_UNREADABLE, reason)

    def _leave_behind(self, missed: Sequence[LiveMessage]) -> None:
        """Those who watch these sessions have missed something, and read the ledger."""
        for session in {live.subject.split(".", 3)[2] for live in missed}:
            for watcher in self._watchers.get(session, ()):
                watcher.behind()

    def all_behind(self) -> None:
        """The connection was away: whatever was published meanwhile is missing here."""
        for watcher in self._everybody():
            watcher.behind()

    def close(self) -> None:
        """Tells everybody that the gateway stops, and from now on whoever still comes."""
        self._closed = True
        everybody = self._everybody()
        self.leaving = len(everybody)
        for watcher in everybody:
            watcher.close()

    def _everybody(self) -> list[Watcher]:
        return [watcher for watchers in self._watchers.values() for watcher in watchers]
