"""What a relay tells of the events it has published: their sending, and at milestones what of their run is over.

The relay's cursor waits for the spans: it is not saved beyond what was sent to the collector, or dropped. Whoever
leads next after a kill reads on from there, and tells the same spans again. Nothing else waits for them."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from uuid import UUID

from backbone.ledger.port import START, Ledger, LedgerUnavailable, Position
from backbone.telemetry import metrics, tracing
from backbone.telemetry.facts import OUTLINE
from backbone.telemetry.run_trace import FOLDS, MILESTONES, spans_at
from contracts.envelope import Message

if TYPE_CHECKING:
    from backbone.telemetry.outbox import Outbox

log = logging.getLogger(__name__)
GATHER = 1.0
"""Seconds in which milestones gather: their runs are read with one question. The bus and people wait for none of it."""
TOGETHER = 100
MOST = 10_000
"""Milestones that wait to be folded; beyond it, with a ledger that is away, they are dropped and counted."""
LARGE = 200
"""Events that are folded within some milliseconds."""
NEAR = 200
"""A stream with so few events is read from its beginning: to ask where the run began would cost more."""


@dataclass(slots=True)
class _Mark:
    """A place whose spans are on their way: `folds` are yet to be made, the last of the others is number `until`."""

    position: Position
    folds: int
    until: int


class Traces:
    """The spans of one relay."""

    def __init__(self, ledger: Ledger, outbox: "Outbox") -> None:
        self._ledger = ledger
        self._outbox = outbox
        self._marks: deque[_Mark] = deque()
        self._milestones: deque[tuple[Message, _Mark]] = deque()
        self._wake = asyncio.Event()
        self._safe = START

    @classmethod
    def following(cls, ledger: Ledger) -> Self | None:
        """None when nobody wants spans."""
        outbox = tracing.outbox()
        return cls(ledger, outbox) if outbox else None

    def begin(self, position: Position) -> None:
        """The relay reads on from here."""
        self._marks.clear()
        self._safe = position

    def published(self, position: Position, messages: Sequence[Message]) -> None:
        """The bus has these events, the last of which is at `position`."""
        spans = tracing.sent(messages)
        milestones = [m for m in messages if m.type in MILESTONES and m.run_id and tracing.recorded(m.traceparent)]
        if not spans and not milestones:
            return
        self._outbox.put(spans)
        mark = _Mark(position, len(milestones), self._outbox.taken)
        self._marks.append(mark)
        if milestones:
            self._milestones.extend((message, mark) for message in milestones)
            self._wake.set()

    def safe(self, position: Position) -> Position:
        """The furthest place, up to `position`, of which everything has been told."""
        while self._marks and not self._marks[0].folds and self._marks[0].until <= self._outbox.settled:
            self._safe = self._marks.popleft().position
        return self._safe if self._marks else position

    async def run(self) -> None:
        """Folds runs at their milestones, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(GATHER)
            while self._milestones:
                await self._some()

    async def _some(self) -> None:
        while len(self._milestones) > MOST:
            _, mark = self._milestones.popleft()
            mark.folds -= 1
            metrics.SPANS_DROPPED.labels("behind").inc()
        some = [self._milestones[number] for number in range(min(TOGETHER, len(self._milestones)))]
        try:
            runs = await self._read([message for message, _ in some])
        except LedgerUnavailable:
            await asyncio.sleep(1)
            return
        for message, mark in some:
            self._milestones.popleft()
            try:
                known = [
                    one for one in runs.get(message.run_id or message.event_id, ()) if one.version <= message.version
                ]
                # many todos take long to fold, and the loop has others to serve
                folded = spans_at(known) if len(known) < LARGE else await asyncio.to_thread(spans_at, known)
                self._outbox.put(folded)
            except Exception:  # a run that cannot be folded must not take the traces of all others with it
                log.exception("no trace of a run", extra={"run": str(message.run_id)})
            mark.folds -= 1
            mark.until = self._outbox.taken
            await asyncio.sleep(0)  # folding takes a millisecond

    async def _read(self, milestones: Sequence[Message]) -> dict[UUID, list[Message]]:
        after: dict[UUID, tuple[UUID, int]] = {}
        for message in milestones:
            if message.run_id is not None and message.run_id not in after:
                after[message.run_id] = message.session_id, await self._before(message)
        runs: dict[UUID, list[Message]] = {run_id: [] for run_id in after}
        for one in await self._ledger.of_runs(after, FOLDS, OUTLINE):
            if one.run_id is not None:
                runs[one.run_id].append(one)
        return runs

    async def _before(self, message: Message) -> int:
        if message.version <= NEAR or message.run_id is None:
            return 0
        place = await self._ledger.run(message.run_id)
        return place.version - 1 if place else 0
