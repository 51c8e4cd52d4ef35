"""The public protocol of reminders: what is shown of those that wait, and how a person says that they saw one."""

from datetime import datetime
from itertools import islice
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from contracts.shape import Contract
from services.gateway.domain.reminders import UnseenReminder
from services.gateway.domain.session import Session
from services.gateway.views.run_control import Ref

SHOWN = 100
"""Reminders of a session's view; a person who has not been there for a year must be able to open it."""


class ReminderView(Contract):
    """A reminder that was due and that nobody has seen yet. `due_at` is its last time; `version` that of its event."""

    reminder_id: UUID
    text: str
    due_at: datetime
    timezone: str = Field(
        default="", description="IANA name of the zone in which the person meant it; empty = not known"
    )
    times: int = Field(ge=1, description="how often it was due since it was seen")
    version: int


class SeenRequest(Contract):
    """Body of POST /sessions/{session_id}/reminders/{reminder_id}/seen; it may be left out."""

    due_at: AwareDatetime | None = Field(default=None, description="up to this time; none = up to the last one")


class ReminderSeenFrame(SeenRequest):
    """The person has seen a reminder of the socket's session."""

    type: Literal["reminder_seen"]
    reminder_id: UUID
    ref: Ref | None = None


class Seen(Contract):
    """It is recorded as seen, at `version` of the session."""

    reminder_id: UUID
    version: int


def reminder_views(session: Session) -> tuple[ReminderView, ...]:
    """Those that wait, in the order in which they were due: the newest of them, the others as these are seen."""
    waiting = session.reminders.waiting.values()
    return tuple(_view(one) for one in islice(waiting, max(len(waiting) - SHOWN, 0), None))


def _view(one: UnseenReminder) -> ReminderView:
    due = one.due.model_dump(include={"reminder_id", "text", "due_at", "timezone"})
    return ReminderView(**due, times=one.times, version=one.version)
