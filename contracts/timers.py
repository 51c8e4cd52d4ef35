"""Time as a fact: what a durable timer puts into the ledger when it is due."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from contracts.shape import Event, JsonObject

_ID = "0197a1f0-0000-7000-8000-000000000003"


class TimerFired(Event):
    """A timer that a service had set is due: a retry, a timeout, a lease."""

    producers: ClassVar[frozenset[str]] = frozenset({"timers"})
    example: ClassVar = {"timer_id": _ID, "purpose": "todo_retry", "due_at": "2026-01-01T00:00:00Z"}

    timer_id: UUID
    purpose: str
    due_at: datetime
    data: JsonObject = Field(default_factory=dict)


class ReminderDue(Event):
    """A reminder that the person asked for is due."""

    producers: ClassVar[frozenset[str]] = frozenset({"timers"})
    example: ClassVar = {"timer_id": _ID, "text": "치과 예약", "due_at": "2026-01-01T06:00:00Z"}

    timer_id: UUID
    text: str
    due_at: datetime
