"""Structured logs: one JSON object a line, with service, session and run when they are known. Never message texts."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime

_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

PROMPTS_IN_DEBUG = ("openai", "anthropic", "httpx2", "httpcore2")
"""Loggers of model SDKs: at DEBUG they write whole requests, with what people said."""


class JsonFormatter(logging.Formatter):
    """Extra fields given to a log call become fields of the line."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update({key: value for key, value in record.__dict__.items() if key not in _STANDARD})
        if record.exc_info:
            line["exception"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """For people: the extra fields after the message."""

    def format(self, record: logging.LogRecord) -> str:
        extra = [f"{key}={value}" for key, value in record.__dict__.items() if key not in _STANDARD]
        return " ".join((super().format(record), *extra))


def configure(service: str, level: str, form: str) -> None:
    """Sends all logs of the process to standard error, as JSON or as text."""
    handler = logging.StreamHandler(sys.stderr)
    text = TextFormatter(f"%(asctime)s %(levelname)-7s {service} %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter(service) if form == "json" else text)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "asyncio", "faststream", "uvicorn.access", "nats", *PROMPTS_IN_DEBUG):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLevelName(level)))
