"""GET /health and its probes, /metrics and the two documents."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

from backbone.health import Probes, Problem
from contracts.shape import Contract
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Probing
from services.gateway.http.responses import json_answer

router = APIRouter(route_class=Endpoint)
ASYNCAPI = Path(__file__).with_name("asyncapi.json")
"""Who publishes and takes what, as `make schemas` has written it."""


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


def _or_why_not(model: type[Contract]) -> dict[str, Any]:
    """Declared with a model that says why in the same shape."""
    return {"response_model": model, "responses": {503: {"model": model, "description": "it cannot serve"}}}


@router.get("/health", **_or_why_not(Health))
async def health(probes: Probing) -> Response:
    """Ledger, bus and the gateway's own loops."""
    found = await probes.unwell()
    return json_answer(orjson.dumps({"healthy": not found, "problems": found}), 503 if found else 200)


@router.get("/health/live", **_or_why_not(Live))
async def live(probes: Probing) -> Response:
    """For liveness probes: the event loop turns, and no loop of the gateway has ended. Never looks outside."""
    return _told(probes, "live", probes.live())


@router.get("/health/ready", **_or_why_not(Ready))
async def ready(probes: Probing) -> Response:
    """For readiness probes: connected, migrated, bound; ledger, bus and artifact store answer; not stopping."""
    return _told(probes, "ready", await probes.ready())


def _told(probes: Probes, what: str, found: Sequence[Problem]) -> Response:
    return json_answer(orjson.dumps(probes.told(what, found)), 503 if found else 200)


@router.get("/metrics", response_class=PlainTextResponse, responses={200: {"description": "text format"}})
async def metrics(accept: Annotated[str, Header(include_in_schema=False)] = "") -> Response:
    """Prometheus metrics."""
    # in OpenMetrics, for whoever asks for it, histograms have exemplars: the traces of what they count
    render, media_type = choose_encoder(accept)
    return Response(render(REGISTRY), media_type=media_type)


@router.get("/asyncapi.json", name="document", response_model=dict[str, Any])
async def asyncapi() -> Response:
    """A document in JSON."""
    return json_answer(_asyncapi())


@cache
def _asyncapi() -> bytes:
    return ASYNCAPI.read_bytes()
