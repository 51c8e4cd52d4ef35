"""The OpenAPI document: every address as a typed signature. Signatures are read, never called; routes/ has the code."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Header, Path, Query
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import Field

from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.shape import Contract, Digest
from services.gateway import anywhere
from services.gateway.controls import Controlled, ControlRequest, EditRequest, PlanRevised
from services.gateway.feedback import FeedbackRecorded, FeedbackRequest
from services.gateway.opening import RunRequest, SessionAccepted, SessionRequest
from services.gateway.operations import SIGNATURES as OPERATIONS
from services.gateway.problems import MEDIA_TYPE, STATUS, Problem
from services.gateway.protocol import (
    Answered,
    AnswerRequest,
    EventPage,
    OpenDecisions,
    RunAccepted,
    RunResult,
    SessionView,
)
from services.gateway.reminders import Seen, SeenRequest

Key = Annotated[
    str | None,
    Header(alias="Idempotency-Key", max_length=255, description="a repetition with the same key changes nothing"),
]
Trace = Annotated[str | None, Header(description="W3C trace context; a new one is made when it is absent or malformed")]


class Health(Contract):
    """Whether the gateway can serve, and why not."""

    healthy: bool
    problems: tuple[str, ...] = Field(description="empty when healthy")


class ProbeProblem(Contract):
    """One thing that is missing or over."""

    check: str = Field(description="who says so: ledger, bus, consumer:<name>, artifacts, loop, start, stop …")
    code: int = Field(ge=1000, le=9999)
    message: str


class Live(Contract):
    """Whether the process lives; what is missing outside of it plays no part."""

    service: str
    live: bool
    problems: tuple[ProbeProblem, ...] = Field(description="empty when it lives")


class Ready(Contract):
    """Whether the process may be given work."""

    service: str
    ready: bool
    problems: tuple[ProbeProblem, ...] = Field(description="empty when ready")


def run(body: RunRequest, idempotency_key: Key = None, traceparent: Trace = None) -> RunResult:
    """Says something and waits for the answer, or for the decision that a person has to make first."""
    raise AssertionError


def run_async(body: RunRequest, idempotency_key: Key = None, traceparent: Trace = None) -> RunAccepted:
    """Says something; the events come over the WebSocket."""
    raise AssertionError


def upload(
    name: Annotated[str, Query(description="file name; its extension says what it is")],
    session_id: Annotated[UUID | None, Query(description="record the file in this session")] = None,
    idempotency_key: Key = None,
) -> Attachment:
    """Stores the file that is the body: .csv .tsv .json .jsonl .ndjson .xlsx .pdf .docx .hwp .hwpx .md .txt"""
    raise AssertionError


def download(
    artifact_id: Annotated[Digest, Path()], name: Annotated[str | None, Query(description="name to save it as")] = None
) -> None:
    """The file. Answers range requests."""


def open_session(body: SessionRequest, idempotency_key: Key = None, traceparent: Trace = None) -> SessionAccepted:
    """Opens a session for somebody, before their first message."""
    raise AssertionError


def session(session_id: UUID) -> SessionView:
    """A session as it stands."""
    raise AssertionError


def events(
    session_id: UUID, after: Annotated[int, Query(ge=0)] = 0, limit: Annotated[int, Query(ge=0, le=1000)] = 500
) -> EventPage:
    """Events with a version over `after`, in order."""
    raise AssertionError


def stream(
    session_id: UUID,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str | None, Header(description="the version after which to go on")] = None,
) -> None:
    """The session as server-sent events: AGENT_START, AGENT_DONE, TASK_PROGRESS, DONE, REMINDER."""


def decisions(session_id: UUID) -> OpenDecisions:
    """The decisions that wait for a person."""
    raise AssertionError


def answer(session_id: UUID, decision_id: UUID, body: AnswerRequest, idempotency_key: Key = None) -> Answered:
    """Answers a decision, once."""
    raise AssertionError


def seen(session_id: UUID, reminder_id: UUID, body: SeenRequest | None = None, idempotency_key: Key = None) -> Seen:
    """The person has seen a reminder: it waits no more."""
    raise AssertionError


def feedback(session_id: UUID, body: FeedbackRequest, idempotency_key: Key = None) -> FeedbackRecorded:
    """Rates the answer of a run, or says what would have been right."""
    raise AssertionError


def control(session_id: UUID, run_id: UUID, body: ControlRequest, idempotency_key: Key = None) -> Controlled:
    """Pauses, resumes, interrupts or cancels a run that goes on."""
    raise AssertionError


def edit(session_id: UUID, run_id: UUID, body: EditRequest, idempotency_key: Key = None) -> PlanRevised:
    """Edits the plan of a paused run, and waits for the new version of it."""
    raise AssertionError


def health() -> Health:
    """Ledger, bus and the gateway's own loops."""
    raise AssertionError


def live() -> Live:
    """For liveness probes: the event loop turns, and no loop of the gateway has ended. Never looks outside."""
    raise AssertionError


def ready() -> Ready:
    """For readiness probes: connected, migrated, bound; ledger, bus and artifact store answer; not stopping."""
    raise AssertionError


def metrics() -> None:
    """Prometheus metrics."""


def document() -> dict[str, Any]:
    """A document in JSON."""
    raise AssertionError


_BEGIN = (1000, 1001, 1002, 1003, 1009, 1010, 1012, 3000, 9006)
_FILE = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
_SIGNATURES: Mapping[tuple[Literal["GET", "POST", "PATCH"], str], tuple[Callable[..., Any], int, tuple[int, ...]]] = {
    ("POST", "/agent/run"): (run, 200, (*_BEGIN, 4008)),
    ("POST", "/agent/run-async"): (run_async, 202, _BEGIN),
    ("POST", "/artifacts"): (upload, 201, (1000, 1004, 1005, 1006, 1009, 3000, 9006, 9008)),
    ("GET", "/artifacts/{artifact_id}"): (download, 200, (1009, 1010)),
    ("POST", "/sessions"): (open_session, 201, (1000, 1003, 1012, 9006)),
    ("GET", "/sessions/{session_id}"): (session, 200, (1009, 3000, 9006)),
    ("GET", "/sessions/{session_id}/events"): (events, 200, (1009, 1011, 3000, 9006)),
    ("GET", "/sessions/{session_id}/stream"): (stream, 200, (1009, 1011, 3000, 9006)),
    ("GET", "/sessions/{session_id}/decisions"): (decisions, 200, (1009, 3000, 9006)),
    ("POST", "/sessions/{session_id}/decisions/{decision_id}"): (
        answer, 200, (1000, 1009, 1010, 1012, 3000, 5000, 5001, 5002, 9006)
    ),
    ("POST", "/sessions/{session_id}/reminders/{reminder_id}/seen"): (seen, 200, (1000, 1009, 3000, 3004, 9006)),
    ("POST", "/sessions/{session_id}/feedback"): (feedback, 201, (1000, 1009, 1012, 3000, 3001, 9006)),
    ("POST", "/sessions/{session_id}/runs/{run_id}/control"): (
        control, 202, (1000, 1009, 1012, 3000, 3001, 3002, 4014, 9006)
    ),
    ("PATCH", "/sessions/{session_id}/runs/{run_id}/plan"): (
        edit, 200,
        (1000, 1009, 1012, 3000, 3001, 3002, 3003, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4012, 4014, 9006),
    ),
    **OPERATIONS,
    ("GET", "/health"): (health, 200, ()),
    ("GET", "/health/live"): (live, 200, ()),
    ("GET", "/health/ready"): (ready, 200, ()),
    ("GET", "/metrics"): (metrics, 200, ()),
    ("GET", "/openapi.json"): (document, 200, ()),
    ("GET", "/asyncapi.json"): (document, 200, (9000,)),
}  # fmt: skip


_UNAVAILABLE: Mapping[Callable[..., Any], type[Contract]] = {health: Health, live: Live, ready: Ready}
"""They say why in the same shape."""
_ELSEWHERE: Mapping[tuple[str, int], tuple[int, ...]] = {
    ("/agent/run", 4008): (504, 503),
    ("/artifacts", 1000): (400, 415),
    ("/sessions", 1000): (400, 413),
    ("/artifacts/{artifact_id}", 1010): (404,),
    ("/sessions/{session_id}/decisions/{decision_id}", 1000): (400, 413),
    ("/sessions/{session_id}/runs/{run_id}/control", 1000): (400, 413),
    ("/sessions/{session_id}/runs/{run_id}/plan", 1000): (400, 413),
    ("/sessions/{session_id}/runs/{run_id}/plan", 4006): (422, 409),
    ("/sessions/{session_id}/runs/{run_id}/plan", 4008): (504, 503),
    ("/asyncapi.json", 9000): (503,),
}
"""Where a code has other statuses than usual."""


@cache
def openapi() -> dict[str, Any]:
    """OpenAPI 3.1."""
    routes = [_route(method, path, *described) for (method, path), described in _SIGNATURES.items()]
    made = get_openapi(
        title="Dream Agent gateway",
        version="1",
        description="The public protocol; WebSocket frames are in /asyncapi.json and docs/protocol.md.",
        routes=routes,
    )
    # FastAPI promises its own 422 wherever there are parameters; our handlers answer problem documents
    for operations in made["paths"].values():
        for operation in operations.values():
            if "Problem" not in str(operation["responses"].get("422", "")):
                operation["responses"].pop("422", None)
            for response in operation["responses"].values():
                # and it writes its own media type beside the one that is described
                if len(response.get("content", {})) > 1:
                    response["content"].pop("application/json")
    for name in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(name, None)
    anywhere.refer(made)
    return made


def _route(method: str, path: str, shape: Callable[..., Any], status: int, codes: tuple[int, ...]) -> APIRoute:
    responses: dict[int | str, dict[str, Any]] = {}
    for number in codes:
        for answered in _ELSEWHERE.get((path, number)) or (STATUS[Code(number)],):
            known = responses.get(answered, {}).get("description", "")
            line = f"{number} {Code(number).name}"
            responses[answered] = {"model": Problem, "description": f"{known}, {line}" if known else line}
    extra: dict[str, Any] = {}
    if shape is upload:
        extra["requestBody"] = {"required": True, **_FILE}
    if shape is download:
        responses[200] = {"description": "the file", **_FILE}
    if shape is metrics:
        responses[200] = {"description": "text format", "content": {"text/plain": {"schema": {"type": "string"}}}}
    if shape is stream:
        responses[200] = {"description": "events", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    if answer_of := _UNAVAILABLE.get(shape):
        responses[503] = {"model": answer_of, "description": "it cannot serve"}
    route = APIRoute(path, shape, methods=[method], status_code=status, responses=responses, openapi_extra=extra)
    return _as_problems(route)


def _as_problems(route: APIRoute) -> APIRoute:
    """FastAPI writes the media type of the route's own answer under every status; ours for errors is another."""
    for described in route.responses.values():
        if described.get("model") is Problem:
            described["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return route
