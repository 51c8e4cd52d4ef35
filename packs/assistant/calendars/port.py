"""The port of calendars: appointments, chores (what calendars call tasks), and what goes wrong with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol
from uuid import NAMESPACE_URL, uuid5

Moment = date | datetime
"""A datetime always has a zone; a bare date means the whole day."""


@dataclass(frozen=True, slots=True)
class Appointment:
    """Something at a time. `end` is the first moment after it, so an appointment of one day ends on the next date.

    Read from a calendar, one of a series has the uid of the series and its own start and end; `original` is the start
    that the rule gives it, by which it is known also when it was moved."""

    uid: str
    title: str
    start: Moment
    end: Moment
    place: str = ""
    rule: str = ""
    original: Moment | None = None

    @property
    def whole_day(self) -> bool:
        return not isinstance(self.start, datetime)

    @property
    def length(self) -> timedelta:
        """Whole days for one of whole days."""
        if isinstance(self.start, datetime) and isinstance(self.end, datetime):
            return self.end - self.start
        return _day(self.end) - _day(self.start)


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to get done, perhaps by a day."""

    uid: str
    title: str
    due: date | None = None
    done: bool = False


class Calendar(Protocol):
    """One person's calendar. What it cannot do it says by CalendarFault, and by nothing else."""

    async def add(self, appointment: Appointment) -> None:
        """Keeps it; a uid that is there already changes nothing, so a repeated call is harmless."""

    async def between(self, start: datetime, end: datetime) -> Sequence[Appointment]:
        """What touches start..end (end excluded), series spread out, in order. Both have the person's zone: days are
        counted in that of `start`, and times are given in it."""

    async def remove(self, uid: str, only: Moment | None = None) -> None:
        """Takes it out, or only that one of a series, by its `original`; nothing happens if it is gone already."""

    async def change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        """Gives the one that was read as `old` the title, start, end and rule of `new`; of a series that one alone, or
        with `series` all of it, whose days stay: then `new` begins on the day of `old`, unless it is given a rule.
        A repeated call changes nothing more, and nothing happens if it is gone."""

    async def add_chore(self, chore: Chore) -> None:
        """As `add`."""

    async def chores(self) -> Sequence[Chore]:
        """Those that are not done, the earliest due first and those without a day last."""

    async def complete(self, uid: str) -> None:
        """Marks it as done; nothing happens if it is done or gone already."""


class CalendarFault(Exception):
    """A calendar cannot do it. `reason` is a text of the pack (calendar.error.<reason>), `values` fill it; neither
    ever holds a password, a token, or an address with one."""

    def __init__(self, reason: str, *, retryable: bool = False, **values: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.values = values


def uid_for(user: str, key: str) -> str:
    """The uid of what a call adds: the same for each attempt of the call. Letters a-f and digits, as Google wants."""
    return uuid5(NAMESPACE_URL, f"dream:calendar:{user}:{key}").hex


def in_order(appointments: Iterable[Appointment]) -> list[Appointment]:
    """By start, whole days before the times of that day."""
    return sorted(appointments, key=lambda one: (*_at(one.start), one.title, one.uid))


def _at(moment: Moment) -> tuple[date, str]:
    return (moment.date(), moment.isoformat()) if isinstance(moment, datetime) else (moment, "")


def open_first(chores: Iterable[Chore]) -> list[Chore]:
    """What is not done, the earliest due first and those without a day last."""
    return sorted((one for one in chores if not one.done), key=lambda one: (one.due or date.max, one.title, one.uid))


def _day(moment: Moment) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
