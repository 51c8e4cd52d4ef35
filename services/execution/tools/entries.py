"""Imports what an entry ("module:function") names. What cannot be imported is broken, whatever it would be given."""

import importlib
import traceback
from collections.abc import Callable
from typing import Any

from contracts.errors import Code
from services.execution.tools.faults import ToolFault

LONGEST = 500


def load(entry: str) -> Callable[..., Any]:
    """The function. Raises ToolFault with the reason, and where in the module it is."""
    module, _, name = entry.partition(":")
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:
        why = f"{entry} cannot be imported: {type(error).__name__}: {error}{_where(error)}"
        raise ToolFault(Code.TOOL_BROKEN, why[:LONGEST]) from error
    if not callable(function):
        raise ToolFault(Code.TOOL_BROKEN, f"{entry} is no function: {function!r}"[:LONGEST])
    return function


def _where(error: BaseException) -> str:
    """The last line that was executed, ours and that of importlib left out."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    told = [one for one in frames if "importlib" not in one.filename]
    return f" ({told[-1].filename}:{told[-1].lineno})" if told else ""
