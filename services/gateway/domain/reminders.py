"""Reminders that were due: shown until the person has seen them. A fold of the session's events."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from contracts.errors import Code
from contracts.gateway import ReminderSeen
from contracts.timers import ReminderDue
from services.gateway.domain.refusal import Refused, Repeated

FOLDS = frozenset({"ReminderDue", "ReminderSeen"})


@dataclass(frozen=True, slots=True)
class UnseenReminder:
    """A reminder that nobody has seen yet: its last time, and how often it was due since it was seen."""

    due: ReminderDue
    times: int
    version: int


@dataclass(slots=True)
class Reminders:
    """By reminder, so that one that comes every day waits once. `waiting` is in the order of coming due."""

    waiting: dict[UUID, UnseenReminder] = field(default_factory=dict)
    seen: dict[UUID, tuple[datetime, int]] = field(default_factory=dict)
    """Reminder -> the last time that was seen, and the version of its ReminderSeen."""

    def fold(self, event: ReminderDue | ReminderSeen, version: int) -> None:
        """Takes one event in, in place."""
        if isinstance(event, ReminderSeen):
            self._see(event, version)
        else:
            self._take(event, version)

    def _take(self, due: ReminderDue, version: int) -> None:
        before = self.waiting.pop(due.reminder_id, None)
        self.waiting[due.reminder_id] = UnseenReminder(due, before.times + 1 if before else 1, version)

    def _see(self, seen: ReminderSeen, version: int) -> None:
        """Who has seen one time of it has seen those before."""
        self.seen[seen.reminder_id] = (seen.due_at, version)
        waiting = self.waiting.get(seen.reminder_id)
        if waiting is not None and waiting.due.due_at <= seen.due_at:
            del self.waiting[seen.reminder_id]

    def judge(self, reminder_id: UUID, due_at: datetime | None, *, handled: bool) -> ReminderSeen | Repeated:
        """What is recorded when somebody says that they have seen it, up to `due_at` if they say so.

        `handled`: they had said so before under the same key. Raises Refused."""
        waiting, known = self.waiting.get(reminder_id), self.seen.get(reminder_id)
        if known and (handled or waiting is None or (due_at and due_at <= known[0])):
            return Repeated(known[1])
        if waiting:
            last = waiting.due.due_at
            return ReminderSeen(reminder_id=reminder_id, due_at=min(due_at, last) if due_at else last)
        raise Refused(
            Code.REMINDER_UNKNOWN,
            f"reminder {reminder_id} was not due in this session: GET /sessions/{{session_id}} lists those that wait",
        )
