"""What went wrong around a tool, as opposed to what the tool itself says."""

from collections.abc import Callable

from contracts.errors import Code, ErrorInfo
from contracts.shape import JsonObject
from contracts.tools import ToolError

Words = Callable[[str, str], str]
"""A text of the platform: language and key. Raises KeyError."""


class ToolFault(ToolError):
    """We found it, not the tool: the message is for developers. People are told by its code, in their language."""


class NotKept(ToolFault):
    """The tool has done its work, and what it made could not be stored: its effects have happened."""


def said(error: ToolError, detail: JsonObject) -> ToolError:
    """The error with its details. Their names are the tool's own, so they cannot be keyword arguments."""
    error.detail = detail
    return error


def told(error: ToolError, language: str, words: Words) -> ErrorInfo:
    """What a tool says stands; what we found is said by its code, in the person's language."""
    if error.message.strip() and not isinstance(error, ToolFault):
        return ErrorInfo(code=error.code, message=error.message, retryable=error.retryable, detail=error.detail)
    detail = {**error.detail, "technical": error.message}
    message = sentence(error.code, language, words)
    return ErrorInfo(code=error.code, message=message, retryable=error.retryable, detail=detail)


def sentence(code: Code, language: str, words: Words) -> str:
    """What a code says to the person."""
    try:
        return words(language, f"error.{int(code)}")
    except KeyError:
        return words(language, f"error.{int(Code.TOOL_FAILED)}")
