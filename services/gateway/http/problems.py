"""Every error over HTTP as RFC 9457 problem+json. One table says which status belongs to which code."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import orjson
from pydantic import Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from backbone.artifacts.port import ArtifactDamaged, ArtifactStoreUnavailable, ArtifactUnknown
from backbone.bus.port import BusUnavailable
from backbone.ledger.port import LedgerUnavailable
from contracts.errors import Code
from contracts.gateway import TEXT_LIMIT
from contracts.shape import Contract, JsonObject
from services.gateway.domain.refusal import Refused, short
from services.gateway.http.lingering import Lingering

MEDIA_TYPE = "application/problem+json"
STATUS: Mapping[Code, int] = {
    Code.INVALID_REQUEST: 400,
    Code.TEXT_EMPTY: 422,
    Code.TEXT_TOO_LONG: 413,
    Code.LANGUAGE_UNSUPPORTED: 422,
    Code.FILE_TYPE_UNKNOWN: 415,
    Code.FILE_TOO_LARGE: 413,
    Code.FILE_EMPTY: 422,
    Code.FRAME_MALFORMED: 400,
    Code.FRAME_TYPE_UNKNOWN: 400,
    Code.IDENTIFIER_MALFORMED: 400,
    Code.ARTIFACT_UNKNOWN: 422,
    Code.PROFILE_UNKNOWN: 404,
    Code.POSITION_INVALID: 400,
    Code.IDEMPOTENCY_KEY_REUSED: 409,
    Code.UNAUTHENTICATED: 401,
    Code.FORBIDDEN: 403,
    Code.RATE_LIMITED: 429,
    Code.SESSION_UNKNOWN: 404,
    Code.RUN_UNKNOWN: 404,
    Code.RUN_ALREADY_ENDED: 409,
    Code.VERSION_CONFLICT: 409,
    Code.REMINDER_UNKNOWN: 404,
    Code.PLAN_CYCLE: 422,
    Code.PLAN_TOOL_UNKNOWN: 422,
    Code.PLAN_ARGUMENTS_INVALID: 422,
    Code.PLAN_DEPENDENCY_UNKNOWN: 422,
    Code.PLAN_EDIT_INVALID: 422,
    Code.PLAN_EMPTY: 422,
    Code.RUN_TIMEOUT: 504,
    Code.TODO_NOT_EDITABLE: 409,
    Code.RUN_NOT_PAUSED: 409,
    Code.DECISION_UNKNOWN: 404,
    Code.DECISION_CLOSED: 409,
    Code.DECISION_ANSWER_INVALID: 422,
    Code.LEDGER_UNAVAILABLE: 503,
    Code.BUS_UNAVAILABLE: 503,
    Code.ARTIFACT_STORE_UNAVAILABLE: 503,
    Code.DEAD_LETTER_UNKNOWN: 404,
    Code.DEAD_LETTER_CLOSED: 409,
}
_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"www-authenticate": 'Bearer realm="dream"'},
    503: {"retry-after": "1"},
}
BUG = "the gateway failed on this request: its log says why"
BUS_UNAVAILABLE = "the bus cannot be reached: send the same request again in a moment"
UPLOAD_FIRST = "upload it first (POST /artifacts)"
Handler = Callable[[Request, Any], Coroutine[Any, Any, Response]]
UNAVAILABLE = "the ledger cannot be reached: nothing was lost, send the same request again in a moment"


class Problem(Contract):
    """RFC 9457. `code` is one of docs/protocol.md; `errors` names the places at fault."""

    type: str
    title: str
    status: int
    detail: str
    code: int = Field(ge=1000, le=9999)
    errors: tuple[JsonObject, ...] = ()


def problems(*codes: int | tuple[int, int]) -> dict[int | str, dict[str, Any]]:
    """What an address may refuse, for its declaration: codes, and `(code, status)` where a code has another status than
    usual."""
    described: dict[int | str, dict[str, Any]] = {}
    for given in codes:
        number, status = given if isinstance(given, tuple) else (given, STATUS[Code(given)])
        known = f"{described[status]['description']}, " if status in described else ""
        content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        described[status] = {
            "model": Problem, "description": f"{known}{number} {Code(number).name}", "content": content
        }  # fmt: skip
    return described


def problem(refused: Refused) -> Response:
    """The answer to a refused request."""
    code = refused.code
    status = refused.status or STATUS.get(code, 500)
    body: dict[str, object] = {
        "type": f"urn:dream-agent:error:{int(code)}",
        "title": code.name.replace("_", " ").capitalize(),
        "status": status,
        "detail": refused.message,
        "code": int(code),
        **refused.extra,
    }
    if refused.errors:
        body["errors"] = refused.errors
    headers = _HEADERS.get(status)
    return Response(orjson.dumps(body), status, headers, MEDIA_TYPE)


def refusal(error: ValidationError, fallback: Code) -> Refused:
    """What is wrong with a client's JSON, as the code of its first fault."""
    faults = error.errors(include_url=False)
    first = faults[0]
    where = first["loc"][-1] if first["loc"] else ""
    kind, value = first["type"], first["input"]
    if kind == "json_invalid":
        why = first["msg"].removeprefix("Invalid JSON: ")
        return Refused(fallback, f"the body {short(value)} is not JSON: {why}. Send UTF-8 JSON")
    if where == "text" and kind == "string_too_short":
        return Refused(Code.TEXT_EMPTY, "text is empty: say what you want in a sentence")
    if where == "text" and kind == "string_too_long":
        return text_too_long(len(value))
    if where == "language" and kind != "extra_forbidden":
        return Refused(Code.LANGUAGE_UNSUPPORTED, f"language is {short(value)}: use ko, en or ja, or leave it out")
    if where in ("session_id", "decision_id", "run_id", "artifact_id") and kind not in ("missing", "extra_forbidden"):
        return malformed_id(str(where), value)
    if "ref" in first["loc"]:
        said = f"ref is {short(value)}: use a whole number of 64 bits, or up to 200 characters"
    else:
        path = "/".join(str(part) for part in first["loc"]) or "the body"
        shown = "" if kind == "missing" else f" (it is {short(value)})"
        said = f"{path}: {first['msg']}{shown}. Correct it and send the request again"
    places: list[JsonObject] = [
        {"path": "".join(f"/{part}" for part in fault["loc"]), "message": fault["msg"]} for fault in faults[:5]
    ]
    return Refused(fallback, said, errors=places)


def text_too_long(length: int | None = None) -> Refused:
    """The sentence that says where a document belongs."""
    has = f"has {length:,} characters" if length else "is too long"
    return Refused(
        Code.TEXT_TOO_LONG, f"text {has}, at most {TEXT_LIMIT:,} are read: put a document into a file (POST /artifacts)"
    )


def malformed_id(what: str, value: object) -> Refused:
    """An identifier that cannot be one."""
    kind = "SHA-256 of 64 hexadecimal digits" if what == "artifact_id" else "UUID of 36 characters"
    return Refused(
        Code.IDENTIFIER_MALFORMED, f"{what} is {short(value)}: it must be a {kind}, as an earlier answer gave it"
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    answer = problem(error)
    return answer if _body_is_over(request) else Lingering(answer)


def _body_is_over(request: Request) -> bool:
    return request.method in ("GET", "HEAD") or "dream.body_read" in request.scope


def _as(said: Callable[[Exception], Refused]) -> Handler:
    """Answers an error of ours as what it means to a client."""

    async def answer(_: Request, error: Exception) -> Response:
        return problem(said(error))

    return answer


def _store_unavailable(error: Exception) -> Refused:
    return Refused(Code.ARTIFACT_STORE_UNAVAILABLE, f"{error}: send the same request again later")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {
        404: f"there is nothing at {short(request.url.path)}: GET /openapi.json lists every address",
        405: f"{request.method} is not answered at {short(request.url.path)}: GET /openapi.json lists the methods",
    }
    detail = said.get(error.status_code, str(error.detail))
    answer = problem(Refused(Code.INVALID_REQUEST, detail, status=error.status_code))
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    return answer


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


HANDLERS: dict[int | type[Exception], Handler] = {
    Refused: _refused,
    LedgerUnavailable: _as(lambda _: Refused(Code.LEDGER_UNAVAILABLE, UNAVAILABLE)),
    BusUnavailable: _as(lambda _: Refused(Code.BUS_UNAVAILABLE, BUS_UNAVAILABLE)),
    ArtifactUnknown: _as(lambda error: Refused(Code.ARTIFACT_UNKNOWN, f"{error}: {UPLOAD_FIRST}", status=404)),
    ArtifactStoreUnavailable: _as(_store_unavailable),
    ArtifactDamaged: _as(_store_unavailable),
    HTTPException: _http,
    ClientDisconnect: _gone,
    Exception: _as(lambda _: Refused(Code.INTERNAL, BUG, status=500)),
}
