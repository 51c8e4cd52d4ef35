"""Where the services' logs go when they share a terminal with a person: a file, unless --verbose."""

import logging
import os
import sys
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from dream.failures import DataDirUnusable
from dream.local.data_dir import DataDir
from dream.texts import chosen

BYTES, KEPT = 20 * 1024 * 1024, 3


def _level() -> str:
    level = os.environ.get("DREAM_LOG_LEVEL", "INFO")
    return level if level in logging.getLevelNamesMapping() else "INFO"  # the settings say that it is wrong


class LogFile(RotatingFileHandler):
    """Says once that the log cannot be written, on a full disk say, instead of a traceback for each line."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8")
        self._lost = self._failed = False

    def emit(self, record: logging.LogRecord) -> None:
        self._failed = False
        super().emit(record)
        self._lost = self._failed

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)  # a bug of whoever logs
            return
        self._failed = True
        if not self._lost:
            with suppress(OSError):
                print(chosen()("log.lost", path=self.baseFilename, why=error.strerror), file=sys.stderr, flush=True)


def to_file(place: DataDir) -> None:
    """All logs of the process, as JSON lines."""
    from backbone.telemetry import logs

    try:
        place.made()
        handler = LogFile(place.log_file)
    except OSError as error:  # the first thing that is written there
        raise DataDirUnusable(f"{place.folder}: {error.strerror}") from error
    logs.configure("dream", _level(), "json")
    handler.setFormatter(logs.JsonFormatter("dream"))
    logging.getLogger().handlers[:] = [handler]


def take_over_faststream() -> None:
    """FastStream, when imported, gives its logger a terminal handler and a level of its own; it shall use ours. Without
    a handler, and kept to itself, it would still write what is worse than a warning to the terminal."""
    logger = logging.getLogger("faststream")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.WARNING)


def to_terminal() -> None:
    """All logs of the process, as text on standard error."""
    from backbone.telemetry import logs

    logs.configure("dream", _level(), "text")
