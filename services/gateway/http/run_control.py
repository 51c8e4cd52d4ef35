"""POST /sessions/{id}/runs/{run_id}/control and PATCH /sessions/{id}/runs/{run_id}/plan; POST of feedback on a run."""

from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request

from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Gateway, Key
from services.gateway.http.problems import problems
from services.gateway.views.feedback import FeedbackRecorded, FeedbackRequest
from services.gateway.views.run_control import Controlled, ControlRequest, EditRequest, PlanRevised

router = APIRouter(route_class=Endpoint)


@router.post(
    "/sessions/{session_id}/feedback",
    status_code=201,
    responses=problems(1000, 1009, 1012, 3000, 3001, 9006),
)
async def feedback(
    session_id: UUID, body: FeedbackRequest, gateway: Gateway, idempotency_key: Key = None
) -> FeedbackRecorded:
    """Rates the answer of a run, or says what would have been right."""
    key = gateway.keys.cause_of(idempotency_key, f"feedback/{session_id}")
    version = await gateway.feedback.give(session_id, body, key)
    return FeedbackRecorded(run_id=body.run_id, version=version)


@router.post(
    "/sessions/{session_id}/runs/{run_id}/control",
    status_code=202,
    responses=problems(1000, (1000, 413), 1009, 1012, 3000, 3001, 3002, 4014, 9006),
)
async def control(
    session_id: UUID, run_id: UUID, body: ControlRequest, gateway: Gateway, idempotency_key: Key = None
) -> Controlled:
    """Pauses, resumes, interrupts or cancels a run that goes on."""
    key = gateway.keys.cause_of(idempotency_key, f"control/{session_id}/{run_id}")
    return await gateway.run_control.control(session_id, run_id, body, key)


@router.patch(
    "/sessions/{session_id}/runs/{run_id}/plan",
    responses=problems(
        1000, (1000, 413), 1009, 1012, 3000, 3001, 3002, 3003, 4002, 4003, 4004, 4005, 4006, (4006, 409), 4007,
        (4008, 504), (4008, 503), 4012, 4014, 9006,
    ),
)  # fmt: skip
async def edit(
    session_id: UUID,
    run_id: UUID,
    body: EditRequest,
    request: Request,
    gateway: Gateway,
    idempotency_key: Key = None,
) -> PlanRevised:
    """Edits the plan of a paused run, and waits for the new version of it."""
    key = gateway.keys.cause_of(idempotency_key, f"plan/{session_id}/{run_id}")
    return await gateway.run_control.revise(session_id, run_id, body, key, request.is_disconnected)
