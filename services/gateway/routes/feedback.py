"""POST /sessions/{id}/feedback."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.feedback import FeedbackRecorded, FeedbackRequest
from services.gateway.idempotency import IdempotencyKeys
from services.gateway.intake import BODY_LIMIT, read, uuid_of
from services.gateway.rating import FeedbackDesk
from services.gateway.routes.answers import Receipt


@dataclass(frozen=True, slots=True)
class FeedbackRoutes:
    """What people think of a run."""

    desk: FeedbackDesk
    keys: IdempotencyKeys

    async def give(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        key = self.keys.cause_of(request, f"feedback/{session_id}")
        too_large = Refused(
            Code.INVALID_REQUEST, f"the body is larger than {BODY_LIMIT:,} bytes: send less", status=413
        )
        wanted = await read(request, FeedbackRequest, too_large)
        version = await self.desk.give(session_id, wanted, key)
        return Receipt(FeedbackRecorded(run_id=wanted.run_id, version=version).model_dump_json().encode(), 201)
