"""POST /sessions/{id}/runs/{run_id}/control and PATCH /sessions/{id}/runs/{run_id}/plan."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from contracts.errors import Code
from services.gateway.controls import ControlRequest, EditRequest
from services.gateway.domain.refusal import Refused
from services.gateway.idempotency import IdempotencyKeys
from services.gateway.intake import BODY_LIMIT, read, uuid_of
from services.gateway.routes.answers import Receipt
from services.gateway.steering import SteeringDesk


@dataclass(frozen=True, slots=True)
class ControlRoutes:
    """A run that goes on, controlled."""

    desk: SteeringDesk
    keys: IdempotencyKeys

    async def control(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        run_id = uuid_of(request.path_params["run_id"], "run_id")
        key = self.keys.cause_of(request, f"control/{session_id}/{run_id}")
        controlled = await self.desk.control(session_id, run_id, await read(request, ControlRequest, _too_large()), key)
        return Receipt(controlled.model_dump_json().encode(), 202)

    async def edit(self, request: Request) -> Response:
        session_id = uuid_of(request.path_params["session_id"], "session_id")
        run_id = uuid_of(request.path_params["run_id"], "run_id")
        key = self.keys.cause_of(request, f"plan/{session_id}/{run_id}")
        edit = await read(request, EditRequest, _too_large())
        revised = await self.desk.revise(session_id, run_id, edit, key, request.is_disconnected)
        return Receipt(revised.model_dump_json().encode())


def _too_large() -> Refused:
    return Refused(Code.INVALID_REQUEST, f"the body is larger than {BODY_LIMIT:,} bytes: send less", status=413)
