"""POST /sessions; a session, its events and decisions; answers to decisions; reminders that were seen."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query
from starlette.requests import Request
from starlette.responses import Response

from services.gateway.commands.sessions import SessionAccepted, SessionRequest
from services.gateway.domain.access import user_of
from services.gateway.http.endpoint import Endpoint, TooLarge
from services.gateway.http.parameters import LARGEST_PAGE, Gateway, Key, Position, Trace, Who
from services.gateway.http.problems import problems
from services.gateway.http.requests import too_large, traceparent_of, whole_number
from services.gateway.http.responses import json_answer, websocket_url
from services.gateway.views.protocol import (
    Answered,
    AnswerRequest,
    EventPage,
    OpenDecisions,
    SessionView,
    open_decisions,
    page,
    session_view,
)
from services.gateway.views.reminders import Seen, SeenRequest

router = APIRouter(route_class=Endpoint)
FIRST = 1
"""Version of the event that opens a session."""
SHORT = TooLarge(lambda: too_large(instead=""))
LONG_ANSWER = TooLarge(lambda: too_large("the answer", ": put files into POST /artifacts"))


@router.post("/sessions", status_code=201, responses=problems(1000, (1000, 413), 1003, 1012, 9006))
async def open_session(
    body: Annotated[SessionRequest, Body(), SHORT],
    request: Request,
    gateway: Gateway,
    who: Who,
    idempotency_key: Key = None,
    traceparent: Trace = None,
) -> SessionAccepted:
    """Opens a session for somebody, before their first message."""
    body = body.of(user_of(who, body.user if "user" in body.model_fields_set else None))
    key = gateway.keys.cause_of(idempotency_key, "sessions")
    session_id = await gateway.opening.open(body, key, traceparent_of(traceparent))
    address = websocket_url(request, gateway.backbone.settings.public_url, session_id)
    return SessionAccepted(session_id=session_id, websocket_url=address, version=FIRST)


@router.get("/sessions/{session_id}", responses=problems(1009, 3000, 9006))
async def session(session_id: UUID, gateway: Gateway, who: Who) -> SessionView:
    """A session as it stands."""
    view = session_view(session_id, await gateway.history.fold(session_id))
    await gateway.files.show(who, view)
    return view


@router.get("/sessions/{session_id}/events", response_model=EventPage, responses=problems(1009, 1011, 3000, 9006))
async def events(
    session_id: UUID,
    gateway: Gateway,
    who: Who,
    after: Position = 0,
    limit: Annotated[int, Query(ge=0, le=LARGEST_PAGE)] = 500,
) -> Response:
    """Events with a version over `after`, in order."""
    head = await gateway.history.head(session_id)
    position = whole_number(str(after), "after", head)
    messages = await gateway.history.page(session_id, position, limit) if limit else []
    await gateway.files.shown_events(who, messages)
    # events may have come between the two reads
    return json_answer(page(session_id, max(head, messages[-1].version if messages else 0), messages))


@router.get("/sessions/{session_id}/decisions", responses=problems(1009, 3000, 9006))
async def decisions(session_id: UUID, gateway: Gateway) -> OpenDecisions:
    """The decisions that wait for a person."""
    return OpenDecisions(open_decisions=open_decisions(await gateway.history.fold(session_id)))


@router.post(
    "/sessions/{session_id}/decisions/{decision_id}",
    responses=problems(1000, (1000, 413), 1009, 1010, 1012, 3000, 5000, 5001, 5002, 9006),
)
async def answer(
    session_id: UUID,
    decision_id: UUID,
    body: Annotated[AnswerRequest, Body(), LONG_ANSWER],
    gateway: Gateway,
    who: Who,
    idempotency_key: Key = None,
) -> Answered:
    """Answers a decision, once."""
    key = gateway.keys.cause_of(idempotency_key, f"decisions/{session_id}/{decision_id}")
    version = await gateway.decisions.answer(session_id, decision_id, body.answer, key, who=who)
    return Answered(decision_id=decision_id, version=version)


@router.post("/sessions/{session_id}/reminders/{reminder_id}/seen", responses=problems(1000, 1009, 3000, 3004, 9006))
async def seen(
    session_id: UUID,
    reminder_id: UUID,
    gateway: Gateway,
    body: Annotated[SeenRequest | None, Body(), SHORT] = None,
    idempotency_key: Key = None,
) -> Seen:
    """The person has seen a reminder: it waits no more."""
    key = gateway.keys.cause_of(idempotency_key, f"reminders/{session_id}/{reminder_id}")
    version = await gateway.reminders.seen(session_id, reminder_id, body or SeenRequest(), key)
    return Seen(reminder_id=reminder_id, version=version)
