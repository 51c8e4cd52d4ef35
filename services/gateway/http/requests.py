"""From raw HTTP requests to values that can be trusted: bodies with a limit, ids, positions, keys, trace context."""

import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from contracts.errors import Code
from services.gateway.domain.refusal import Refused, short
from services.gateway.http.problems import malformed_id, refusal

BODY_LIMIT = 1024 * 1024
"""Bytes of a JSON body: 16,384 characters of text escaped at worst, and a hundred attachments."""
DIGITS = 18
"""Of the longest number that anybody may mean."""
JSON = "application/json"
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
M = TypeVar("M", bound=BaseModel)


async def chunks(request: Request) -> AsyncIterator[bytes]:
    """The body as it comes. Remembers when it was read to its end (see lingering.py)."""
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if not more:
            request.scope["dream.body_read"] = True
        if body := message.get("body", b""):
            yield body


def too_large(what: str = "the body", instead: str = ": send less", limit: int = BODY_LIMIT) -> Refused:
    """A body over the limit."""
    return Refused(Code.INVALID_REQUEST, f"{what} is larger than {limit:,} bytes{instead}", status=413)


def has_body(request: Request) -> bool:
    """Whether the request says that a body comes with it."""
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


async def read(
    request: Request, model: type[M], too_large: Callable[[], Refused] = too_large, limit: int = BODY_LIMIT
) -> M:
    """The JSON body as `model`, refused as soon as it is over the limit. Raises Refused, which says what is wrong."""
    require_type(request, (JSON,), "send JSON as application/json")
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks(request):
        size += len(chunk)
        if size > limit:
            raise too_large()
        parts.append(chunk)
    return parse(parts[0] if len(parts) == 1 else b"".join(parts), model)


def require_type(request: Request, types: Collection[str], instead: str) -> None:
    """Raises Refused unless the body says that it is one of these. A page elsewhere can send only what its browser
    calls simple without asking us first; none of `types` may be of those."""
    given = request.headers.getlist("content-type")
    if len(given) == 1 and given[0].partition(";")[0].strip().lower() in types:
        return
    is_ = f"is {short(', '.join(given))}" if given else "is missing"
    raise Refused(Code.INVALID_REQUEST, f"the Content-Type {is_}: {instead}", status=415)


def parse(raw: bytes, model: type[M]) -> M:
    """Validates JSON bytes."""
    try:
        value = model.model_validate_json(raw)
    except ValidationError as error:
        raise refusal(error, Code.INVALID_REQUEST) from None
    refuse_nul(raw, Code.INVALID_REQUEST)
    return value


def refuse_nul(raw: bytes | str, code: Code) -> None:
    """JSON may hold the character NUL, Postgres not. The look at the bytes is cheap, the look at the values exact."""
    if ("\\u0000" in raw if isinstance(raw, str) else b"\\u0000" in raw) and _has_nul(from_json(raw)):
        raise Refused(code, "a string holds the character U+0000, which cannot be kept: take it out and send it again")


def _has_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_has_nul(member) for pair in value.items() for member in pair)
    if isinstance(value, list):
        return any(_has_nul(member) for member in value)
    return isinstance(value, str) and "\0" in value


def uuid_of(text: str, what: str) -> UUID:
    """A path or query parameter that is an id. Raises Refused."""
    if not _UUID.fullmatch(text):
        raise malformed_id(what, text)
    return UUID(text)


def digest_of(text: str, what: str) -> str:
    """A path parameter that is the SHA-256 of an artifact. Raises Refused."""
    if not _DIGEST.fullmatch(text):
        raise malformed_id(what, text)
    return text


def is_whole(text: str, most: int) -> bool:
    """Whether it is a number from 0 to `most` in digits. Python reads no more than 4,300 of them, and raises."""
    return text.isascii() and text.isdigit() and len(text) <= DIGITS and int(text) <= most


def whole_number(text: str, name: str, most: int) -> int:
    """A query parameter between 0 and `most`. Raises Refused."""
    if not is_whole(text, most):
        raise Refused(Code.POSITION_INVALID, f"{name} is {short(text)}: it must be a whole number from 0 to {most:,}")
    return int(text)


def flag(text: str, name: str) -> bool:
    """A query parameter that is true or false. Raises Refused."""
    if text.lower() not in ("true", "false", "1", "0"):
        raise Refused(Code.INVALID_REQUEST, f"{name} is {short(text)}: it must be true or false")
    return text.lower() in ("true", "1")


def one_of(text: str, name: str, choices: Sequence[str]) -> str:
    """A query parameter that is one of two words or more. Raises Refused."""
    if text not in choices:
        right = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise Refused(Code.INVALID_REQUEST, f"{name} is {short(text)}: it must be {right}")
    return text


def traceparent_of(given: str | None) -> str | None:
    """The caller's trace context if it is valid; None: a new one is to be made."""
    return given if given and _TRACEPARENT.fullmatch(given) else None
