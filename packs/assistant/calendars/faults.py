"""What a calendar or its tables cannot do, as the error of a tool, in the person's words."""

from collections.abc import Iterator
from contextlib import contextmanager

from contracts.errors import Code
from contracts.tables import DatabaseUnavailable, RowRefused
from contracts.tools import ToolContext, ToolError
from packs.assistant.calendars.port import CalendarFault

_CODES = {
    "login": Code.UNAUTHENTICATED,
    "forbidden": Code.FORBIDDEN,
    "busy": Code.RATE_LIMITED,
    "unreachable": Code.EXTERNAL_UNAVAILABLE,
    "broken": Code.EXTERNAL_UNAVAILABLE,
    "unreadable": Code.EXTERNAL_UNAVAILABLE,
    "rule": Code.TOOL_ARGUMENTS_INVALID,
}


@contextmanager
def spoken(context: ToolContext) -> Iterator[None]:
    """Raises ToolError for a CalendarFault, and for what the tables say."""
    try:
        yield
    except CalendarFault as fault:
        raise _told(fault, context) from fault
    except DatabaseUnavailable as error:
        message = context.text("calendar.error.tables")
        raise ToolError(Code.LEDGER_UNAVAILABLE, message, retryable=True) from error
    except RowRefused as error:
        message = context.text("calendar.error.row")
        raise ToolError(Code.TOOL_FAILED, message, constraint=error.constraint) from error


def _told(fault: CalendarFault, context: ToolContext) -> ToolError:
    message = context.text(f"calendar.error.{fault.reason}", **fault.values)
    code = _CODES.get(fault.reason, Code.TOOL_FAILED)
    error = ToolError(code, message, retryable=fault.retryable)
    error.detail = {"reason": fault.reason, **fault.values}
    return error
