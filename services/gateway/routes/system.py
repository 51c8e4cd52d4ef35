"""GET /health and its probes, /metrics and the two documents."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import orjson
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import Response

from backbone.health import Probes, Problem
from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.routes.answers import json_answer


class SystemRoutes:
    """For operators and for tools that read documents."""

    def __init__(self, probes: Probes, openapi: Callable[[], dict[str, Any]] = dict) -> None:
        self._probes = probes
        self._openapi = openapi
        self._documents: dict[str, bytes] = {}

    async def health(self, _: Request) -> Response:
        problems = await self._probes.unwell()
        return json_answer(orjson.dumps({"healthy": not problems, "problems": problems}), 503 if problems else 200)

    async def live(self, _: Request) -> Response:
        return self._told("live", self._probes.live())

    async def ready(self, _: Request) -> Response:
        return self._told("ready", await self._probes.ready())

    def _told(self, what: str, problems: Sequence[Problem]) -> Response:
        return json_answer(orjson.dumps(self._probes.told(what, problems)), 503 if problems else 200)

    async def metrics(self, request: Request) -> Response:
        # in OpenMetrics, for whoever asks for it, histograms have exemplars: the traces of what they count
        render, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(render(REGISTRY), media_type=media_type)

    async def openapi(self, _: Request) -> Response:
        return json_answer(self._document("openapi", self._openapi))

    async def asyncapi(self, _: Request) -> Response:
        try:
            build = import_module("backbone.asyncapi").document
        except ImportError as error:
            raise Refused(
                Code.INTERNAL,
                f"the AsyncAPI document is not part of this installation ({error}): docs/protocol.md has the events",
                status=503,
            ) from None
        return json_answer(self._document("asyncapi", build))

    def _document(self, name: str, build: Callable[[], dict[str, Any]]) -> bytes:
        if name not in self._documents:
            self._documents[name] = orjson.dumps(build())
        return self._documents[name]
