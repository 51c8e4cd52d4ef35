"""GET /runs and /runs/{run_id}: whose turn it is (invariant I7)."""

import re
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.responses import Response

from backbone.ledger.port import Ledger, RunPlace
from backbone.liveness.reading import Folded
from backbone.liveness.view import Liveness, State, liveness
from contracts.errors import Code
from services.gateway.composition import Composition
from services.gateway.domain.refusal import Refused, short
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Gateway, Limit
from services.gateway.http.problems import problems
from services.gateway.http.responses import model_answer, trace_headers
from services.gateway.ops.views import RunLiveness, RunsPage, run_view

router = APIRouter(route_class=Endpoint)
LOOKED_AT = 2000
"""Open runs looked at for one answer, at most: of many that wait, few are stuck."""


@router.get("/runs", responses=problems(1000, 1009, 1011, 3001, 9006))
async def runs(
    gateway: Gateway,
    stuck: bool = False,  # noqa: FBT001, FBT002  # a query parameter
    limit: Limit = 100,
    before: Annotated[UUID | None, Query(description="`next` of the page before")] = None,
    trace_id: Annotated[
        str | None, Query(description="32 hexadecimal digits: the runs of this trace, open or not")
    ] = None,
) -> RunsPage:
    """Open runs with their next actors and deadlines, the newest first; with `stuck` only those that nobody moves."""
    ledger = gateway.backbone.ledger
    if trace_id is not None:
        of_trace = await _seen(ledger, await ledger.of_trace(trace_of(trace_id), limit))
        return RunsPage(runs=_views(gateway, of_trace), next=None)
    last = await _require(ledger, before) if before else None
    found: list[Liveness] = []
    looked_at = 0
    while len(found) < limit and looked_at < LOOKED_AT:
        places = await ledger.open_runs(limit - len(found), last)
        if not places:
            last = None
            break
        seen = await _seen(ledger, places)
        # one that has ended between the two reads is not open
        wanted = {State.STUCK} if stuck else {*State} - {State.ENDED}
        found += [run for run in seen if run.state in wanted]
        looked_at += len(places)
        last = places[-1]
    return RunsPage(runs=_views(gateway, found), next=last.run_id if last and limit else None)


@router.get("/runs/{run_id}", response_model=RunLiveness, responses=problems(1009, 3001, 9006))
async def run_state(run_id: UUID, gateway: Gateway) -> Response:
    """A run, open or ended, and whose turn it is."""
    ledger = gateway.backbone.ledger
    (seen,) = await _seen(ledger, [await _require(ledger, run_id)])
    (view,) = _views(gateway, [seen])
    return model_answer(view, headers=trace_headers(seen.traceparent))


def _views(gateway: Composition, seen: list[Liveness]) -> tuple[RunLiveness, ...]:
    return tuple(run_view(run, gateway.backbone.settings.trace_url) for run in seen)


async def _require(ledger: Ledger, run_id: UUID) -> RunPlace:
    place = await ledger.run(run_id)
    if place is None:
        raise Refused(Code.RUN_UNKNOWN, f"no run {run_id}: GET /runs lists those that are open")
    return place


async def _seen(ledger: Ledger, places: list[RunPlace]) -> list[Liveness]:
    now = datetime.now(UTC)
    runs = await Folded(ledger).of(places)
    return [liveness(place, run, now) for place, run in zip(places, runs, strict=True)]


def trace_of(text: str) -> UUID:
    """The id of a trace, which is as long as a UUID. Raises Refused."""
    if not re.fullmatch("(?!0{32})[0-9a-fA-F]{32}", text):
        raise Refused(Code.IDENTIFIER_MALFORMED, f"trace_id is {short(text)}: it must be 32 hexadecimal digits")
    return UUID(text)
