"""What a session looks like from outside: its runs, the decisions put to people, its version. A fold of its events."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import assert_never, get_args
from uuid import UUID

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived, ReminderSeen, RunControlRequested
from contracts.pause import PAUSING
from contracts.registry import RUN_ENDS
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import JsonObject
from contracts.timers import ReminderDue
from services.gateway.domain.reminders import Reminders

Told = (
    MessageReceived
    | RunControlRequested
    | DecisionRequested
    | DecisionAnswered
    | DecisionExpired
    | ResponseOutput
    | RunCompleted
    | RunFailed
    | RunCancelled
    | ReminderDue
    | ReminderSeen
)
ASKING = RUN_ENDS | {"DecisionRequested", "DecisionAnswered", "DecisionExpired"}
"""Enough to know which decisions are open."""
FOLDS = frozenset(event.__name__ for event in get_args(Told))


class RunStatus(StrEnum):
    """`waiting` for a person's answer, `paused` by a person; everything after them is an end."""

    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class DecisionState(StrEnum):
    """Where a decision stands."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    RUN_ENDED = "run ended"


@dataclass(slots=True)
class Run:
    """One message and what became of it. `version` is that of the last event that moved it."""

    run_id: UUID
    text: str
    version: int
    status: RunStatus = RunStatus.RUNNING
    paused: bool = False
    response: ResponseOutput | None = None
    error: ErrorInfo | None = None

    @property
    def ended(self) -> bool:
        return self.status not in (RunStatus.RUNNING, RunStatus.WAITING, RunStatus.PAUSED)


@dataclass(slots=True)
class AskedDecision:
    """A question put to a person. `event_id`, `at` and `traceparent` are those of its DecisionRequested."""

    request: DecisionRequested
    event_id: UUID
    run_id: UUID | None
    version: int
    at: datetime
    traceparent: str | None
    standing: DecisionState = DecisionState.OPEN
    answer: JsonObject | None = None
    answer_id: UUID | None = None
    answer_version: int = 0


@dataclass(slots=True)
class Session:
    """`version` is that of the last event folded; `open` are those of the `asked` that wait, oldest first."""

    version: int = 0
    runs: dict[UUID, Run] = field(default_factory=dict)
    asked: dict[UUID, AskedDecision] = field(default_factory=dict)
    open: dict[UUID, AskedDecision] = field(default_factory=dict)
    ended: set[UUID] = field(default_factory=set)
    told: int = 0
    """The version of the last answer to any message."""
    asks: int = 0
    """The version of the last answer of a dialogue that asks for a word; 0 once the dialogue has ended."""
    said: int = 0
    """The version of the last message."""
    reminders: Reminders = field(default_factory=Reminders)

    def open_for(self, run_id: UUID) -> AskedDecision | None:
        """The oldest open decision of a run."""
        return next((asked for asked in self.open.values() if asked.run_id == run_id), None)


def evolve(session: Session, message: Message) -> Session:
    """Takes the next event in, in place. Raises what reading its contract raises; the version has moved on then."""
    session.version = max(session.version, message.version)
    if message.type in FOLDS:
        event = message.event
        if isinstance(event, Told):
            _take(session, message, event)
    return session


def _take(session: Session, message: Message, event: Told) -> None:
    match event:
        case MessageReceived():
            session.said = message.version
            run_id = message.run_id or message.event_id
            session.runs.setdefault(run_id, Run(run_id, event.text, message.version))
        case RunControlRequested():
            if message.run_id in session.runs:
                session.runs[message.run_id].paused = event.control in PAUSING
                _refresh(session, message.run_id, message.version)
        case DecisionRequested():
            _ask(session, message, event)
        case DecisionAnswered():
            if asked := _settle(session, event.decision_id, DecisionState.ANSWERED, message.version):
                asked.answer, asked.answer_id, asked.answer_version = event.answer, message.event_id, message.version
        case DecisionExpired():
            _settle(session, event.decision_id, DecisionState.EXPIRED, message.version)
        case ResponseOutput():
            _tell(session, message, event)
        case RunCompleted() | RunFailed() | RunCancelled():
            _end(session, message, *_outcome(event))
        case ReminderDue() | ReminderSeen():
            session.reminders.fold(event, message.version)
        case _:
            assert_never(event)


def _tell(session: Session, message: Message, event: ResponseOutput) -> None:
    session.told = message.version
    if event.ui_hint.next_action is not None:  # of a dialogue
        session.asks = 0 if event.ui_hint.next_action == "DONE" else message.version
    if message.run_id in session.runs:
        session.runs[message.run_id].response = event


def _outcome(event: RunCompleted | RunFailed | RunCancelled) -> tuple[RunStatus, ErrorInfo | None]:
    match event:
        case RunCompleted():
            return (RunStatus.PARTIAL if event.partial else RunStatus.COMPLETED), None
        case RunFailed():
            return RunStatus.FAILED, event.error
        case RunCancelled(reason="expired"):
            return RunStatus.EXPIRED, ErrorInfo(code=Code.DECISION_EXPIRED, message=event.message)
        case RunCancelled():
            return (RunStatus.REJECTED if event.reason == "rejected" else RunStatus.CANCELLED), None
        case _:
            assert_never(event)


def _ask(session: Session, message: Message, event: DecisionRequested) -> None:
    if event.decision_id in session.asked:
        return
    # a question that comes after the end of its run is no question any more
    standing = DecisionState.RUN_ENDED if message.run_id in session.ended else DecisionState.OPEN
    asked = AskedDecision(
        event, message.event_id, message.run_id, message.version, message.recorded_at, message.traceparent, standing
    )
    session.asked[event.decision_id] = asked
    if standing is DecisionState.OPEN:
        session.open[event.decision_id] = asked
    _refresh(session, message.run_id, message.version)


def _settle(session: Session, decision_id: UUID, standing: DecisionState, version: int) -> AskedDecision | None:
    asked = session.open.pop(decision_id, None)
    if asked is None:
        return None
    asked.standing = standing
    _refresh(session, asked.run_id, version)
    return asked


def _refresh(session: Session, run_id: UUID | None, version: int) -> None:
    run = session.runs.get(run_id) if run_id else None
    if run is not None and not run.ended:
        asked = session.open_for(run.run_id)
        run.status = RunStatus.PAUSED if run.paused else RunStatus.WAITING if asked else RunStatus.RUNNING
        run.version = version


def _end(session: Session, message: Message, status: RunStatus, error: ErrorInfo | None) -> None:
    if message.run_id is None or message.run_id in session.ended:
        return  # the first end counts
    session.ended.add(message.run_id)
    for decision_id, asked in list(session.open.items()):
        if asked.run_id == message.run_id:
            asked.standing = DecisionState.RUN_ENDED
            del session.open[decision_id]
    if run := session.runs.get(message.run_id):
        run.status, run.error, run.version = status, error, message.version
