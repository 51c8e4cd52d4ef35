"""The public protocol (docs/protocol.md): what clients send, what they are shown. Nobody else knows the shapes."""

from contextlib import suppress
from datetime import UTC
from typing import Annotated, Literal
from uuid import UUID

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from contracts import registry
from contracts.artifacts import Attachment
from contracts.cognitive import Route
from contracts.decisions import DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import TEXT_LIMIT, Budget
from contracts.live import Chunk, LogLine
from contracts.response import ResponseOutput
from contracts.shape import Contract, JsonObject, Language
from services.gateway.domain.session import AskedDecision, RunStatus, Session
from services.gateway.views.feedback import FeedbackFrame
from services.gateway.views.frame_types import FRAME_TYPES, LAYERS
from services.gateway.views.reminders import ReminderSeenFrame, ReminderView, reminder_views
from services.gateway.views.run_control import ControlFrame, EditFrame, Ref

# What clients send


class Say(Contract):
    """A sentence, with the files it is about (as POST /artifacts returned them)."""

    text: str = Field(min_length=1, max_length=TEXT_LIMIT)
    language: Language | None = Field(default=None, description="none = detect it")
    attachments: tuple[Attachment, ...] = Field(default=(), max_length=100)
    auto_approve: bool = Field(default=False, strict=True, description="approve the plan without asking")
    budget: Budget | None = Field(default=None, description="limits of the run; none = those of the settings")


class AnswerRequest(Contract):
    """Body of POST /sessions/{session_id}/decisions/{decision_id}: an answer that fits the decision's answer_schema."""

    answer: JsonObject


class MessageFrame(Say):
    """Begins a run in the socket's session."""

    type: Literal["message"]
    ref: Ref | None = None


class AnswerFrame(Contract):
    """Answers an open decision."""

    type: Literal["hitl_response"]
    decision_id: UUID
    answer: JsonObject
    ref: Ref | None = None


class PingFrame(Contract):
    """Asks for a pong."""

    type: Literal["ping"]
    ref: Ref | None = None


ClientFrame = MessageFrame | AnswerFrame | ControlFrame | EditFrame | ReminderSeenFrame | FeedbackFrame | PingFrame
CLIENT_FRAMES: TypeAdapter[ClientFrame] = TypeAdapter(Annotated[ClientFrame, Field(discriminator="type")])


# What clients are shown


class RunAccepted(Contract):
    """Answer of POST /agent/run-async. `version` is that of the MessageReceived."""

    session_id: UUID
    run_id: UUID
    websocket_url: str
    version: int
    trace_id: str | None = Field(default=None, description="of the run's trace, 32 hexadecimal digits")


class OpenDecision(DecisionRequested):
    """A question that waits for a person: DecisionRequested with its run and version."""

    run_id: UUID | None
    version: int


class RunView(Contract):
    """A run in a session. `version` is that of the last event that moved it."""

    run_id: UUID
    text: str
    status: RunStatus
    version: int
    response: ResponseOutput | None
    error: ErrorInfo | None


class RunResult(Contract):
    """Answer of POST /agent/run: how the run ended, or the decision it waits for."""

    session_id: UUID
    run_id: UUID
    status: RunStatus
    version: int
    response: ResponseOutput | None = None
    decision: OpenDecision | None = None
    error: ErrorInfo | None = None
    trace_id: str | None = Field(default=None, description="of the run's trace, 32 hexadecimal digits")


class SessionView(Contract):
    """A session, folded up to `version`."""

    session_id: UUID
    version: int
    runs: tuple[RunView, ...] = Field(
        description="of a session of more than 2,000 events the newest 100 at most, begun in its newest 1,000 "
        "events, and all after the oldest open one"
    )
    open_decisions: tuple[OpenDecision, ...]
    reminders: tuple[ReminderView, ...] = Field(default=(), description="those that were due and nobody has seen yet")


class OpenDecisions(Contract):
    """The decisions of a session that wait for a person, oldest first."""

    open_decisions: tuple[OpenDecision, ...]


class Answered(Contract):
    """The answer is recorded, at `version` of the session."""

    decision_id: UUID
    version: int


class EventFrame(Contract):
    """An event as every client sees it. `data` is the contract as recorded: what equals its default is left out."""

    type: str
    version: int
    event: str
    event_id: UUID
    run_id: UUID | None
    producer: str
    layer: str | None
    recorded_at: str
    data: JsonObject


class EventPage(Contract):
    """Events after a version, in order. `version` is the session's head when the page was read."""

    session_id: UUID
    version: int
    events: tuple[EventFrame, ...]


def frame(message: Message) -> bytes:
    """The event as JSON. Works for types and versions this gateway does not know: nobody's screen may have a gap."""
    return orjson.dumps(
        {
            "type": FRAME_TYPES.get(message.type, "event"),
            "version": message.version,
            "event": message.type,
            # as text: the driver's UUIDs are of a kind of their own
            "event_id": str(message.event_id),
            "run_id": str(message.run_id) if message.run_id else None,
            "producer": message.producer,
            "layer": _layer(message),
            "recorded_at": message.recorded_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            # the bytes of the ledger, not parsed: history and live are the same to the letter
            "data": orjson.Fragment(_today(message)),
        }
    )


def _layer(message: Message) -> str | None:
    if message.type != "CognitiveOutput":
        return LAYERS.get(message.type)
    return "planning" if orjson.loads(message.data or b"{}").get("route") == Route.PLAN else "response"


def _today(message: Message) -> bytes:
    contract = registry.EVENTS.get(message.type)
    if contract is not None and contract.schema_version != message.schema_version:
        with suppress(registry.UnknownEvent, ValidationError):
            return registry.render(message.event).encode()
    # of data that are lost people see where they were
    return message.data or message.body


def live_frame(said: LogLine | Chunk) -> bytes:
    """A line of a tool, or a piece of a model's answer: no event, so it has no version."""
    members = said.model_dump(exclude={"kind", "attempt", "at"}, exclude_defaults=True)
    return orjson.dumps({"type": said.kind, **members})


def page(session_id: UUID, head: int, messages: list[Message]) -> bytes:
    """An EventPage."""
    events = [orjson.Fragment(frame(message)) for message in messages]
    return orjson.dumps({"session_id": session_id, "version": head, "events": events})


def open_decision(asked: AskedDecision) -> OpenDecision:
    """An open decision as it is shown."""
    return OpenDecision(**dict(asked.request), run_id=asked.run_id, version=asked.version)


def open_decisions(session: Session) -> tuple[OpenDecision, ...]:
    """Oldest first."""
    return tuple(open_decision(asked) for asked in session.open.values())


def session_view(session_id: UUID, session: Session) -> SessionView:
    """What GET /sessions/{id} and the first frame of a socket show."""
    return SessionView(
        session_id=session_id,
        version=session.version,
        runs=tuple(RunView.model_validate(run, from_attributes=True) for run in session.runs.values()),
        open_decisions=open_decisions(session),
        reminders=reminder_views(session),
    )


def run_result(session_id: UUID, session: Session, run_id: UUID) -> RunResult | None:
    """The result of a run that has ended or waits for a person's answer; None while it goes on, or is merely paused."""
    run = session.runs.get(run_id)
    if run is None:
        return None
    asked = session.open_for(run_id)
    if not (run.ended or asked):
        return None
    return RunResult(
        session_id=session_id,
        run_id=run_id,
        status=run.status,
        version=run.version,
        response=run.response,
        decision=open_decision(asked) if asked else None,
        error=run.error,
    )


def session_state(view: SessionView) -> bytes:
    """The first frame of every socket."""
    return b'{"type":"session_state",' + view.model_dump_json().encode()[1:]


def ack(of: str, version: int, ref: Ref | None, run_id: UUID | None = None) -> bytes:
    """A client frame was recorded, at `version`."""
    return orjson.dumps(_without_none(type="ack", of=of, version=version, run_id=run_id, ref=ref))


def pong(ref: Ref | None) -> bytes:
    """The answer to a ping."""
    return orjson.dumps(_without_none(type="pong", ref=ref))


def error_frame(code: Code, message: str, *, of: str | None = None, ref: Ref | None = None) -> bytes:
    """A client frame was refused, or the socket's address was wrong."""
    return orjson.dumps(_without_none(type="error", code=int(code), message=message, of=of, ref=ref))


def _without_none(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
