"""Every address of the gateway, and the OpenAPI document that follows from their declarations. GET /docs: the OpenAPI
document for reading. Without a script: one from elsewhere would act with the rights of our own pages (ADR 0023), and
a gateway on a machine without the Internet has a page as well."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from jinja2 import Environment, FileSystemLoader
from starlette.responses import HTMLResponse, Response

from services.gateway.http import (
    agent,
    agui,
    artifacts,
    console,
    dead_letters,
    event_stream,
    login,
    run_control,
    runs,
    sessions,
    shared_responses,
    system,
)
from services.gateway.http.authentication import COOKIE
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.responses import json_answer

router = APIRouter(route_class=Endpoint)


@router.get("/openapi.json", response_model=dict[str, Any])
async def document() -> Response:
    """A document in JSON."""
    return json_answer(_as_json())


@router.get("/docs", response_class=HTMLResponse)
async def docs() -> Response:
    """This document, for reading."""
    return HTMLResponse(_as_page(), headers=HEADERS)


ROUTES = [
    route
    for room in (agent.router, sessions.router, event_stream.router, agui.router, run_control.router, artifacts.router,
                 runs.router, dead_letters.router, console.router, login.router, system.router, router)
    for route in room.routes
]  # fmt: skip
"""In the order in which a request is compared with them: what is asked for most comes first."""


@cache
def openapi() -> dict[str, Any]:
    """OpenAPI 3.1."""
    made = get_openapi(
        title="Dream Agent gateway",
        version="1",
        description="The public protocol; WebSocket frames are in /asyncapi.json and docs/protocol.md.",
        routes=ROUTES,
    )
    # FastAPI promises its own 422 wherever there are parameters; ours are refused in problem documents
    for operations in made["paths"].values():
        for operation in operations.values():
            if "Problem" not in str(operation["responses"].get("422", "")):
                operation["responses"].pop("422", None)
            for response in operation["responses"].values():
                # and it writes its own media type beside the one that is declared
                if len(response.get("content", {})) > 1:
                    response["content"].pop("application/json")
    made["components"]["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "of `dream admin access create`"},
        "login": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "of POST /login, for browsers"},
    }
    # where DREAM_AUTH is off nothing is asked for; else 401 with 2000 and 403 with 2001 may come from any address
    made["security"] = [{"key": []}, {"login": []}, {}]
    for name in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(name, None)
    shared_responses.refer(made)
    return made


@cache
def _as_json() -> bytes:
    return orjson.dumps(openapi())


@cache
def _as_page() -> bytes:
    # made once: anybody may ask for it as often as they like, and while it is made nobody else is answered
    return page(openapi()).encode()


HEADERS = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}


def page(document: Mapping[str, Any]) -> str:
    """The document as HTML: addresses with what they take and answer, then the shapes that they refer to."""
    templates = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    return templates.get_template("docs.html").render(document, json=json.dumps)
