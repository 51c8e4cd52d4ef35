"""GET /runs and /runs/{run_id}: whose turn it is (invariant I7)."""

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
from services.gateway.intake import uuid_of, whole_number
from services.gateway.operations import LARGEST_PAGE, RunsPage, run_view
from services.gateway.routes.answers import model_answer

PAGE = 100
LOOKED_AT = 2000
"""Open runs looked at for one answer, at most: of many that wait, few are stuck."""


@dataclass(frozen=True, slots=True)
class RunRoutes:
    """Runs as operators look at them."""

    ledger: Ledger

    async def show(self, request: Request) -> Response:
        place = await self._require(uuid_of(request.path_params["run_id"], "run_id"))
        (seen,) = await self._seen([place])
        return model_answer(run_view(seen))

    async def index(self, request: Request) -> Response:
        only_stuck = flag(request, "stuck")
        limit = whole_number(request, "limit", PAGE, LARGEST_PAGE)
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
        page = RunsPage(runs=tuple(map(run_view, found)), next=before.run_id if before and limit else None)
        return model_answer(page)

    async def _require(self, run_id: UUID) -> RunPlace:
        place = await self.ledger.run(run_id)
        if place is None:
            raise Refused(Code.RUN_UNKNOWN, f"no run {run_id}: GET /runs lists those that are open")
        return place

    async def _seen(self, places: list[RunPlace]) -> list[Liveness]:
        now = datetime.now(UTC)
        runs = await Folded(self.ledger).of(places)
        return [liveness(place, run, now) for place, run in zip(places, runs, strict=True)]


def flag(request: Request, name: str) -> bool:
    """A query parameter that is true or false; absent is false."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise Refused(Code.INVALID_REQUEST, f"{name} is {short(text)}: it must be true or false")
    return text in ("true", "1")
