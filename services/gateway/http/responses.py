"""Answers as bytes."""

from collections.abc import Mapping
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backbone import crash
from backbone.telemetry import tracing
from services.gateway.commands.runs import NAME
from services.gateway.http.requests import JSON


def json_answer(body: bytes, status: int = 200) -> Response:
    """JSON that is written already."""
    return Response(body, status, media_type=JSON)


def model_answer(model: BaseModel, headers: Mapping[str, str] | None = None) -> Response:
    """A model, with its defaults written out."""
    return Response(model.model_dump_json(), headers=headers, media_type=JSON)


def http_url(request: Request, public_url: str | None) -> str:
    """Where we are: at the public address, else where the client has reached us. What it calls us plays no part."""
    if public_url:
        return public_url.rstrip("/")
    host, port = request.scope["server"]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def websocket_url(request: Request, public_url: str | None, session_id: UUID) -> str:
    """Where the session's events are."""
    return f"ws{http_url(request, public_url).removeprefix('http')}/ws/{session_id}"


def trace_headers(traceparent: str | None) -> dict[str, str]:
    """Of which trace the run is, for clients and proxies that know nothing else of us."""
    trace_id = tracing.trace_id(traceparent)
    return {"x-trace-id": trace_id, "traceparent": traceparent} if trace_id and traceparent else {}


class Receipt(Response):
    """The answer to a command, as JSON that is written already. Once it is sent the command is settled."""

    media_type = JSON

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__(scope, receive, send)
        crash.point(NAME, "settled")
