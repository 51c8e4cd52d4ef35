"""What went wrong around a tool, as opposed to what the tool itself says."""

from contracts.shape import JsonObject
from contracts.tools import ToolError


class ToolFault(ToolError):
    """We found it, not the tool: the message is for developers. People are told by its code, in their language."""


def said(error: ToolError, detail: JsonObject) -> ToolError:
    """The error with its details. Their names are the tool's own, so they cannot be keyword arguments."""
    error.detail = detail
    return error
