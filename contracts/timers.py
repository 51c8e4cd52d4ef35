"""Time as a fact: what a durable timer puts into the ledger when it is due."""

from datetime import UTC, datetime
from typing import ClassVar
from uuid import UUID, uuid5

from pydantic import Field

from contracts.shape import Event, JsonObject, Language

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
    """A reminder that the person asked for is due. It is shown until the person has seen it (ReminderSeen)."""

    producers: ClassVar[frozenset[str]] = frozenset({"timers"})
    example: ClassVar = {"reminder_id": _ID, "text": "치과 예약", "due_at": "2026-01-01T06:00:00Z"}

    reminder_id: UUID = Field(description="the same for all times of a recurring one")
    text: str
    due_at: datetime
    rule: str = Field(default="", description="RRULE of the times after this one; empty = once")
    timezone: str = Field(default="", description="IANA name of the person's zone: the rule counts in it")
    first_at: datetime | None = Field(default=None, description="DTSTART of the rule")
    language: Language = "en"


def occurrence(reminder_id: UUID, at: datetime) -> UUID:
    """The id of the timer for one time of a reminder."""
    return uuid5(reminder_id, at.astimezone(UTC).isoformat())
