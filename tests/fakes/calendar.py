"""A calendar in memory: iCalendar text in a dictionary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from packs.assistant.calendars import ical
from packs.assistant.calendars.port import Appointment, Chore, Moment, open_first


@dataclass(slots=True)
class MemoryCalendar:
    """See port.Calendar. `now` stamps what is written."""

    now: Callable[[], datetime]
    _appointments: dict[str, str] = field(default_factory=dict)
    _chores: dict[str, str] = field(default_factory=dict)

    async def add(self, appointment: Appointment) -> None:
        self._appointments.setdefault(appointment.uid, ical.appointment_text(appointment, self.now()))

    async def between(self, start: datetime, end: datetime) -> Sequence[Appointment]:
        return ical.spread(self._appointments.values(), start, end)

    async def remove(self, uid: str, only: Moment | None = None) -> None:
        text = self._appointments.get(uid)
        if text is not None and only is not None and ical.repeats(text):
            self._appointments[uid] = ical.without(text, only)
        else:
            self._appointments.pop(uid, None)

    async def change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        if text := self._appointments.get(old.uid):
            self._appointments[old.uid] = ical.changed(text, old, new, series=series)

    async def add_chore(self, chore: Chore) -> None:
        self._chores.setdefault(chore.uid, ical.chore_text(chore, self.now()))

    async def chores(self) -> Sequence[Chore]:
        return open_first(ical.read_chores(self._chores.values()))

    async def complete(self, uid: str) -> None:
        if text := self._chores.get(uid):
            self._chores[uid] = ical.completed(text, self.now())
