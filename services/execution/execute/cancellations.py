"""Stopping attempts that run here: by cancel or interrupt of their run, or because their todo is not wanted any more.

The word arrives live on the bus, within milliseconds. What is lost there is found in the ledger within a second."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID

from backbone.bus.port import Bus
from backbone.ledger.port import Ledger, LedgerUnavailable
from contracts import subjects
from contracts.envelope import EnvelopeError, Message, from_headers
from contracts.execution import TodoSkipped
from contracts.gateway import RunControl, RunControlRequested
from contracts.registry import RUN_ENDS
from contracts.subjects import SubjectError

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks into the ledger on behalf of attempts that have lasted as long."""
REMEMBERED = 10_000
SAY_STOP = (subjects.pattern("gateway", "RunControlRequested"), subjects.pattern("execution", "TodoSkipped"))
_SAYS = frozenset({"RunControlRequested", "TodoSkipped", "ExecutionOutput"}) | RUN_ENDS


class Stoppable(Protocol):
    """An attempt in flight."""

    @property
    def message(self) -> Message: ...
    @property
    def todo_id(self) -> str: ...

    def stop(self, reason: str) -> None:
        """Cancels the attempt; `reason` is cancel, interrupt or skip. Stopping it twice is stopping it once."""


@dataclass(slots=True)
class Cancellations:
    """The attempts of this process, and the runs that somebody has stopped lately."""

    ledger: Ledger
    _attempts: dict[UUID, list[Stoppable]] = field(default_factory=dict)
    _touched: "OrderedDict[UUID, None]" = field(default_factory=OrderedDict)

    def enter(self, run_id: UUID, attempt: Stoppable) -> None:
        self._attempts.setdefault(run_id, []).append(attempt)

    def leave(self, run_id: UUID, attempt: Stoppable) -> None:
        there = self._attempts.get(run_id, [])
        if attempt in there:
            there.remove(attempt)
        if not there:
            self._attempts.pop(run_id, None)

    def is_doubtful(self, message: Message) -> bool:
        """Whether the ledger has to be asked before this dispatch is acted on: the run was stopped lately, or the
        message is old enough for something to have happened since."""
        return message.run_id in self._touched or datetime.now(UTC) - message.recorded_at > timedelta(seconds=LOOK)

    async def reason_for(self, message: Message, todo_id: str) -> str:
        """Why a dispatched todo must not run, from the ledger; empty when it may."""
        if message.run_id is None:
            return ""
        said = await self.ledger.find(message.session_id, _SAYS, message.run_id)
        return judge(said, message.version, todo_id)

    async def follow(self, bus: Bus) -> None:
        """Hears of stops as they are recorded."""
        for pattern in SAY_STOP:
            await bus.follow(self._heard, pattern)

    async def _heard(self, subject: str, headers: Mapping[str, str], body: bytes) -> None:
        """What is heard is a reason to look, and no more: the ledger says whether somebody stops a run."""
        try:
            run_id = from_headers(headers, subject, body).run_id
        except (EnvelopeError, SubjectError) as error:
            log.warning("not understood: %s", error)  # the handler of this event buries it
            return
        if run_id is not None:
            self._touched[run_id] = None
            self._touched.move_to_end(run_id)
            if len(self._touched) > REMEMBERED:
                self._touched.popitem(last=False)
            await self._look([run_id])

    async def watch(self) -> None:
        """Looks into the ledger for attempts that last: the live word may have been lost. Until cancelled."""
        while True:
            await asyncio.sleep(LOOK)
            old = datetime.now(UTC) - timedelta(seconds=LOOK)
            await self._look(
                [
                    run_id
                    for run_id, attempts in self._attempts.items()
                    if any(attempt.message.recorded_at < old for attempt in attempts)
                ]
            )

    async def _look(self, runs: Iterable[UUID]) -> None:
        """Stops the attempts of these runs that somebody has stopped."""
        try:
            for run_id in runs:
                for session_id in {attempt.message.session_id for attempt in self._attempts.get(run_id, ())}:
                    said = await self.ledger.find(session_id, _SAYS, run_id)
                    for attempt in list(self._attempts.get(run_id, ())):
                        if reason := judge(said, attempt.message.version, attempt.todo_id):
                            attempt.stop(reason)
        except LedgerUnavailable as error:
            log.warning("stops are not looked up: %s", error)


def judge(said: Iterable[Message], dispatched: int, todo_id: str) -> str:
    """What was said about a todo that was dispatched at this version of the session: cancel, interrupt, skip, or
    nothing that concerns it. The end of the run is as good as a cancel."""
    reason = ""
    for message in said:
        if message.type in RUN_ENDS or message.type == "ExecutionOutput":
            return "cancel"
        event = message.event
        later = message.version > dispatched  # what was said before was about an earlier attempt
        if isinstance(event, TodoSkipped) and event.todo_id == todo_id and later:
            return "skip"
        if isinstance(event, RunControlRequested):
            if event.control is RunControl.CANCEL:
                return "cancel"
            if event.control is RunControl.INTERRUPT and later:
                reason = "interrupt"
    return reason
