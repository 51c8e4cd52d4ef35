"""POST /agent/run and /agent/run-async: the two ways to say something."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body
from starlette.requests import Request
from starlette.responses import Response

from backbone.telemetry import tracing
from contracts.access import Principal
from services.gateway.commands.runs import Start
from services.gateway.commands.sessions import RunRequest
from services.gateway.composition import Composition
from services.gateway.domain.access import user_of
from services.gateway.http.authentication import own
from services.gateway.http.endpoint import Endpoint, TooLarge
from services.gateway.http.parameters import Gateway, Key, Trace, Who
from services.gateway.http.problems import problems, text_too_long
from services.gateway.http.requests import traceparent_of
from services.gateway.http.responses import Receipt, trace_headers, websocket_url
from services.gateway.views.protocol import RunAccepted, RunResult

router = APIRouter(route_class=Endpoint)
Said = Annotated[RunRequest, Body(), TooLarge(text_too_long)]
_BEGIN = (1000, 1001, 1002, 1003, 1009, 1010, 1012, 3000, 9006)


@router.post("/agent/run", response_model=RunResult, responses=problems(*_BEGIN, (4008, 504), (4008, 503)))
async def run(
    body: Said, request: Request, gateway: Gateway, who: Who, idempotency_key: Key = None, traceparent: Trace = None
) -> Response:
    """Says something and waits for the answer, or for the decision that a person has to make first."""
    start = await _start(gateway, who, body, gateway.keys.cause_of(idempotency_key, "run"), traceparent)
    timeout = gateway.backbone.settings.run_timeout_seconds
    result, begun = await gateway.runs.run(start, timeout, request.is_disconnected)
    await gateway.files.show(who, result)
    traced = result.model_copy(update={"trace_id": tracing.trace_id(begun.traceparent)})
    return Receipt(traced.model_dump_json().encode(), headers=trace_headers(begun.traceparent))


@router.post("/agent/run-async", status_code=202, response_model=RunAccepted, responses=problems(*_BEGIN))
async def run_async(
    body: Said, request: Request, gateway: Gateway, who: Who, idempotency_key: Key = None, traceparent: Trace = None
) -> Response:
    """Says something; the events come over the WebSocket."""
    key = gateway.keys.cause_of(idempotency_key, "run-async")
    begun = await gateway.runs.begin(await _start(gateway, who, body, key, traceparent))
    accepted = RunAccepted(
        session_id=begun.session_id,
        run_id=begun.run_id,
        websocket_url=websocket_url(request, gateway.backbone.settings.public_url, begun.session_id),
        version=begun.version,
        trace_id=tracing.trace_id(begun.traceparent),
    )
    return Receipt(accepted.model_dump_json().encode(), 202, trace_headers(begun.traceparent))


async def _start(
    gateway: Composition, who: Principal, said: RunRequest, key: UUID | None, traceparent: str | None
) -> Start:
    """In a session of one's own, or in a new one that will be. Raises Refused."""
    if said.session_id is not None:
        await own(gateway.history, who, said.session_id)
    said = said.of(user_of(who, said.user))
    return await gateway.runs.prepare(who, said, said.session_id, key, traceparent_of(traceparent))
