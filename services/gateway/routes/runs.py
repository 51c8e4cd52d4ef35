"""GET /runs and /runs/{run_id}: whose turn it is (invariant I7)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from backbone.ledger.port import Ledger, RunPlace
from backbone.liveness.reading import Folded
from backbone.liveness.view import Liveness, State, liveness
from contracts.errors import Code
from services.gateway.domain.refusal import Refused, short
from services.gateway.intake import JSON, uuid_of, whole_number
from services.gateway.operations import LARGEST_PAGE, RunsPage, RunView, run_view
from services.gateway.routes.answers import model_answer, trace_headers

PAGE = 100
LOOKED_AT = 2000
"""Open runs looked at for one answer, at most: of many that wait, few are stuck."""


@dataclass(frozen=True, slots=True)
class RunRoutes:
    """Runs as operators look at them."""

    ledger: Ledger
    trace_page: str | None = None
    """DREAM_TRACE_URL"""

    async def show(self, request: Request) -> Response:
        place = await self._require(uuid_of(request.path_params["run_id"], "run_id"))
        (seen,) = await self._seen([place])
        return Response(
            run_view(seen, self.trace_page).model_dump_json(), media_type=JSON, headers=trace_headers(seen.traceparent)
        )

    async def index(self, request: Request) -> Response:
        only_stuck = flag(request, "stuck")
        limit = whole_number(request, "limit", PAGE, LARGEST_PAGE)
        if (trace := request.query_params.get("trace_id")) is not None:
            return await self._of_trace(trace_of(trace), limit)
        text = request.query_params.get("before")
        before = await self._require(uuid_of(text, "before")) if text is not None else None
        found: list[Liveness] = []
        looked_at = 0
        while len(found) < limit and looked_at < LOOKED_AT:
            places = await self.ledger.open_runs(limit - len(found), before)
            if not places:
                before = None
                break
            seen = await self._seen(places)
            # one that has ended between the two reads is not open
            wanted = {State.STUCK} if only_stuck else {*State} - {State.ENDED}
            found += [one for one in seen if one.state in wanted]
            looked_at += len(places)
            before = places[-1]
        page = RunsPage(runs=self._views(found), next=before.run_id if before and limit else None)
        return model_answer(page)

    async def _of_trace(self, trace_id: UUID, limit: int) -> Response:
        seen = await self._seen(await self.ledger.of_trace(trace_id, limit))
        return model_answer(RunsPage(runs=self._views(seen), next=None))

    def _views(self, seen: list[Liveness]) -> tuple[RunView, ...]:
        return tuple(run_view(one, self.trace_page) for one in seen)

    async def _require(self, run_id: UUID) -> RunPlace:
        place = await self.ledger.run(run_id)
        if place is None:
            raise Refused(Code.RUN_UNKNOWN, f"no run {run_id}: GET /runs lists those that are open")
        return place

    async def _seen(self, places: list[RunPlace]) -> list[Liveness]:
        now = datetime.now(UTC)
        runs = await Folded(self.ledger).of(places)
        return [liveness(place, run, now) for place, run in zip(places, runs, strict=True)]


def trace_of(text: str) -> UUID:
    """The id of a trace, which is as long as a UUID."""
    if not re.fullmatch("(?!0{32})[0-9a-fA-F]{32}", text):
        raise Refused(Code.IDENTIFIER_MALFORMED, f"trace_id is {short(text)}: it must be 32 hexadecimal digits")
    return UUID(text)


def flag(request: Request, name: str) -> bool:
    """A query parameter that is true or false; absent is false."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise Refused(Code.INVALID_REQUEST, f"{name} is {short(text)}: it must be true or false")
    return text in ("true", "1")
