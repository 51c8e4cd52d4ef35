"""A Ctrl-C while the command is still being imported ends it without a trace, as one that comes later.

Imported before everything else, for that is what takes the time."""

import sys
from types import TracebackType

_otherwise = sys.excepthook


def _quiet(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    # the interpreter then ends by the signal, which shells tell as 130
    if not issubclass(kind, KeyboardInterrupt):
        _otherwise(kind, error, trace)


sys.excepthook = _quiet
