"""What went wrong in one request, told from the exceptions of whatever SDK is behind LangChain.

Their messages are not passed on: they may quote the prompt, or a part of the key."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from contracts.errors import Code

TOO_LONG = re.compile(
    r"context_length|context window|prompt is too long|maximum context|too many tokens", re.IGNORECASE
)
LOST = frozenset({"TransportError", "APIConnectionError", "APITimeoutError", "ConnectError"})
"""Names of exception classes that mean a lost connection; httpx has more than one namesake."""
REFUSED = frozenset({"content_filter", "content_policy_violation", "refusal", "moderation_blocked"})
PASSING = frozenset({408, 409, 425, 429})
TIMED_OUT = frozenset({408, 504})
SERVER_FAULT = 500
_WORD = re.compile(r"^[A-Za-z0-9_.-]{1,64}$")


class RequestFault(Exception):
    """`passing`: the same request may work later, after `wait` seconds if the server said so. `told` quotes nobody."""

    def __init__(
        self, code: Code, told: str, *, passing: bool = False, wait: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(told)
        self.code = code
        self.told = told
        self.passing = passing
        self.wait = wait
        self.status = status


def fault_of(error: BaseException) -> RequestFault:
    """What an exception of a request means. One that nobody knows is told by its name."""
    for cause in _causes(error):
        status = _status(cause)
        if status is not None:
            return _answered(cause, status)
        names = {kind.__name__ for kind in type(cause).__mro__}
        if "ContextOverflowError" in names:
            return RequestFault(Code.MODEL_PROMPT_TOO_LONG, "the prompt is too long")
        if names & LOST or isinstance(cause, OSError):
            return RequestFault(
                Code.MODEL_UNAVAILABLE, f"the connection was lost ({type(cause).__name__})", passing=True
            )
        if isinstance(cause, ValueError):  # JSON that is none; LangChain's word for a stream without a chunk
            return RequestFault(Code.MODEL_UNAVAILABLE, "the stream was empty or garbled", passing=True)
    return RequestFault(Code.MODEL_UNAVAILABLE, f"the answer could not be read ({type(error).__name__})")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _answered(error: BaseException, status: int) -> RequestFault:
    word = _word(error)
    told = f"it answered {status}" + (f" ({word})" if word else "")
    if status in PASSING or status >= SERVER_FAULT:
        code = Code.MODEL_TIMEOUT if status in TIMED_OUT else Code.MODEL_UNAVAILABLE
        return RequestFault(code, told, passing=True, wait=retry_after(_headers(error)), status=status)
    if word in REFUSED:
        return RequestFault(Code.MODEL_REFUSED, told, status=status)
    if status == 413 or TOO_LONG.search(f"{word} {error}"):
        return RequestFault(Code.MODEL_PROMPT_TOO_LONG, told, status=status)
    return RequestFault(Code.MODEL_MISCONFIGURED, told, status=status)


def _status(error: BaseException) -> int | None:
    for found in (
        getattr(error, "status_code", None),
        getattr(getattr(error, "response", None), "status_code", None),
        getattr(error, "code", None),
    ):
        if isinstance(found, int) and 400 <= found < 600:
            return found
    return None


def _word(error: BaseException) -> str:
    """The provider's own short word for it, where it is one."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else {}
    told = inner if isinstance(inner, dict) else {}
    candidates = (getattr(error, "code", None), told.get("code"), told.get("type"))
    return next((one for one in candidates if isinstance(one, str) and _WORD.match(one)), "")


def _headers(error: BaseException) -> Mapping[str, str]:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return headers if headers is not None else {}


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that the server asks to wait: retry-after-ms, else retry-after as seconds or as a date."""
    if (exact := _number(headers.get("retry-after-ms"))) is not None:
        return exact / 1000
    said = headers.get("retry-after")
    if said is None or (seconds := _number(said)) is not None:
        return seconds if said is not None else None
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        found = float(text) if text is not None else None
    except ValueError:
        return None
    return found if found is not None and 0 <= found < float("inf") else None
