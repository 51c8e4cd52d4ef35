"""What Google's client library raises, as faults of the port. Nothing of a request or its answer is passed on: both may
carry tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from packs.assistant.calendars.port import CalendarFault

_TOO_MANY = ("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded")
_BY_STATUS = {401: "login", 403: "forbidden", 404: "missing", 408: "unreachable", 429: "busy"}
_PASSES = ("unreachable", "busy", "broken")
SERVER = "Google"


@contextmanager
def translated() -> Iterator[None]:
    """Around the use of the library: raises CalendarFault for whatever it raises."""
    from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
    from googleapiclient.errors import Error, HttpError  # type: ignore[import-untyped]  # ships no types
    from httplib2 import HttpLib2Error  # type: ignore[import-untyped]  # ships no types

    try:
        yield
    except HttpError as error:
        raise fault(int(error.status_code), _reasons(error)) from None
    except RefreshError as error:
        passes = bool(error.retryable)
        raise _named(error, "broken" if passes else "login", passes=passes) from None
    except (TransportError, HttpLib2Error, OSError) as error:
        raise _named(error, "unreachable", passes=True) from None
    except GoogleAuthError as error:
        raise _named(error, "login", passes=False) from None
    except (Error, ValueError, KeyError, TypeError, AttributeError) as error:
        # no JSON, or JSON of another shape: what stands between us and Google answers in its place
        raise _named(error, "unreadable", passes=True) from None


def _named(error: Exception, reason: str, *, passes: bool) -> CalendarFault:
    return CalendarFault(reason, retryable=passes, server=SERVER, cause=type(error).__name__)


def fault(status: int, reasons: str = "") -> CalendarFault:
    """The fault of an HTTP status; 403 also stands for too many requests, told by the reasons."""
    if status == 403 and any(reason in reasons for reason in _TOO_MANY):
        status = 429
    reason = _BY_STATUS.get(status, "broken" if status >= 500 else "refused")
    return CalendarFault(reason, retryable=reason in _PASSES, server=SERVER, status=status)


def _reasons(error: Any) -> str:
    details = error.error_details
    if not isinstance(details, list):
        return ""
    return " ".join(str(one.get("reason", "")) for one in details if isinstance(one, dict))
