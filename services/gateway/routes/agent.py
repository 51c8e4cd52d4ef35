"""POST /agent/run and /agent/run-async."""

from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response

from backbone.telemetry import tracing
from services.gateway.intake import read, traceparent_of
from services.gateway.opening import RunRequest
from services.gateway.parts import Parts
from services.gateway.problems import text_too_long
from services.gateway.routes.answers import Receipt, trace_headers, websocket_url
from services.gateway.runs import Start


@dataclass(frozen=True, slots=True)
class AgentRoutes:
    """The two ways to say something."""

    parts: Parts

    async def run(self, request: Request) -> Response:
        start = await self._start(request, "run")
        timeout = self.parts.backbone.settings.run_timeout_seconds
        result, begun = await self.parts.runs.run(start, timeout, request.is_disconnected)
        traced = result.model_copy(update={"trace_id": tracing.trace_id(begun.traceparent)})
        return Receipt(traced.model_dump_json().encode(), headers=trace_headers(begun.traceparent))

    async def run_async(self, request: Request) -> Response:
        begun = await self.parts.runs.begin(await self._start(request, "run-async"))
        accepted = {
            "session_id": begun.session_id,
            "run_id": begun.run_id,
            "websocket_url": websocket_url(request, self.parts.backbone.settings.public_url, begun.session_id),
            "version": begun.version,
            "trace_id": tracing.trace_id(begun.traceparent),
        }
        return Receipt(orjson.dumps(accepted), 202, trace_headers(begun.traceparent))

    async def _start(self, request: Request, endpoint: str) -> Start:
        key = self.parts.keys.cause_of(request, endpoint)
        say = await read(request, RunRequest, text_too_long())
        return await self.parts.runs.prepare(say, say.session_id, key, traceparent_of(request))
