"""Where the services' logs go when they share a terminal with a person: a file, unless --verbose."""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from dream.failures import DataDirUnusable

BYTES, KEPT = 20 * 1024 * 1024, 3


def _level() -> str:
    level = os.environ.get("DREAM_LOG_LEVEL", "INFO")
    return level if level in logging.getLevelNamesMapping() else "INFO"  # the settings say that it is wrong


def to_file(path: Path) -> None:
    """All logs of the process, as JSON lines."""
    from backbone.telemetry import logs

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8")
    except OSError as error:  # the first thing that is written there
        raise DataDirUnusable(f"{path.parent.parent}: {error.strerror}") from error
    logs.configure("dream", _level(), "json")
    handler.setFormatter(logs.JsonFormatter("dream"))
    logging.getLogger().handlers[:] = [handler]


def take_over_faststream() -> None:
    """FastStream, when imported, gives its logger a terminal handler and a level of its own; it shall use ours."""
    logger = logging.getLogger("faststream")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)


def to_terminal() -> None:
    """All logs of the process, as text on standard error."""
    from backbone.telemetry import logs

    logs.configure("dream", _level(), "text")
