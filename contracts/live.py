"""What travels live and is never recorded (subjects.live): it may be lost, and whoever missed it has missed nothing
that counts."""

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from contracts.model import ModelRole
from contracts.planning import TodoId
from contracts.shape import Contract, JsonObject
from contracts.tools import LINE_LIMIT


class LogLine(Contract):
    """A line that a tool wrote while it worked on an attempt of a todo; for developers, in no particular language."""

    example: ClassVar[JsonObject] = {
        "run_id": "0197a1f0-0000-7000-8000-000000000011",
        "todo_id": "t1",
        "attempt": 1,
        "line": "read 2400 rows, kept 2391",
        "at": "2026-01-01T12:00:00Z",
    }

    kind: Literal["log"] = "log"
    run_id: UUID
    todo_id: TodoId
    attempt: int = Field(ge=1)
    line: str = Field(max_length=LINE_LIMIT)
    left_out: int = Field(default=0, ge=0, description="instead of a line: so many were left out, they came too fast")
    at: datetime


class Recorded(Contract):
    """The ledger has events of the session, up to a version, that are on no stream: nobody has to act upon them. Who
    shows the session reads them there; who misses this word sees a gap, or asks after a silence."""

    example: ClassVar[JsonObject] = {"version": 140}

    kind: Literal["recorded"] = "recorded"
    version: int = Field(ge=1)


class Chunk(Contract):
    """A piece of an answer while a model writes it. The final text is the event; chunks may be lost."""

    example: ClassVar[JsonObject] = {
        "run_id": "0197a1f0-0000-7000-8000-000000000011",
        "role": "reporter",
        "index": 0,
        "text": "2,400건 가운데",
        "at": "2026-01-01T12:00:00Z",
    }

    kind: Literal["chunk"] = "chunk"
    run_id: UUID
    role: ModelRole
    todo_id: TodoId | None = None
    index: int = Field(ge=0, description="counts the pieces of one answer; 0 begins anew, after a retry say")
    text: str = Field(max_length=LINE_LIMIT)
    at: datetime
