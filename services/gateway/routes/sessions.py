"""GET /sessions/{id}, its events and decisions, and POST of an answer."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.intake import BODY_LIMIT, read, traceparent_of, uuid_of, whole_number
from services.gateway.opening import SessionAccepted, SessionRequest
from services.gateway.parts import Parts
from services.gateway.protocol import (
    Answered,
    AnswerRequest,
    OpenDecisions,
    open_decisions,
    page,
    session_view,
)
from services.gateway.reminders import Seen, SeenRequest
from services.gateway.routes.answers import Receipt, json_answer, model_answer, websocket_url

PAGE, LARGEST_PAGE = 500, 1000
FIRST = 1
"""Version of the event that opens a session."""


@dataclass(frozen=True, slots=True)
class SessionRoutes:
    """A session, looked at and answered."""

    parts: Parts

    async def open(self, request: Request) -> Response:
        key = self.parts.keys.cause_of(request, "sessions")
        too_large = Refused(Code.INVALID_REQUEST, f"the body is larger than {BODY_LIMIT:,} bytes", status=413)
        wanted = await read(request, SessionRequest, too_large)
        session_id = await self.parts.opening.open(wanted, key, traceparent_of(request))
        address = websocket_url(request, self.parts.backbone.settings.public_url, session_id)
        accepted = SessionAccepted(session_id=session_id, websocket_url=address, version=FIRST)
        return model_answer(accepted, 201)

    async def show(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        return model_answer(session_view(session_id, await self.parts.history.fold(session_id)))

    async def events(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        limit = whole_number(request, "limit", PAGE, LARGEST_PAGE)
        head = await self.parts.history.head(session_id)
        after = whole_number(request, "after", 0, head)
        messages = await self.parts.history.page(session_id, after, limit) if limit else []
        # events may have come between the two reads
        return json_answer(page(session_id, max(head, messages[-1].version if messages else 0), messages))

    async def decisions(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        session = await self.parts.history.fold(session_id)
        return model_answer(OpenDecisions(open_decisions=open_decisions(session)))

    async def answer(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        decision_id = uuid_of(request.path_params["decision_id"], "decision_id")
        key = self.parts.keys.cause_of(request, f"decisions/{session_id}/{decision_id}")
        too_large = Refused(
            Code.INVALID_REQUEST,
            f"the answer is larger than {BODY_LIMIT:,} bytes: put files into POST /artifacts",
            status=413,
        )
        answer = (await read(request, AnswerRequest, too_large)).answer
        version = await self.parts.desk.answer(session_id, decision_id, answer, key)
        return Receipt(Answered(decision_id=decision_id, version=version).model_dump_json().encode())

    async def seen(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        reminder_id = uuid_of(request.path_params["reminder_id"], "reminder_id")
        key = self.parts.keys.cause_of(request, f"reminders/{session_id}/{reminder_id}")
        too_large = Refused(Code.INVALID_REQUEST, f"the body is larger than {BODY_LIMIT:,} bytes", status=413)
        empty = request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers
        asked = SeenRequest() if empty else await read(request, SeenRequest, too_large)
        version = await self.parts.reminders.seen(session_id, reminder_id, asked, key)
        return Receipt(Seen(reminder_id=reminder_id, version=version).model_dump_json().encode())
