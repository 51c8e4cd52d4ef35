"""The reminders of a person as the pack keeps them, and when they come."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from contracts.shape import JsonObject
from contracts.tools import ToolContext

_KEEP = """insert into reminders (user_id, reminder_id, text, at, rule, timezone, minutes_before)
values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing"""
_OPEN = """select reminder_id, text, at, rule, timezone, minutes_before from reminders
where user_id = $1 and cancelled_at is null and (rule <> '' or at > $2) order by at, reminder_id limit 1000"""
_CANCEL = "update reminders set cancelled_at = $3 where user_id = $1 and reminder_id = $2 and cancelled_at is null"


@dataclass(frozen=True, slots=True)
class Kept:
    """One reminder. `title` is what a person calls it by; `before` the minutes by which it precedes something."""

    reminder_id: UUID
    title: str
    at: datetime
    rule: str
    timezone: str
    before: int | None = None

    def following(self, now: datetime) -> datetime | None:
        """The next time after now; None when there is none any more."""
        if not self.rule:
            return self.at if self.at > now else None
        return self._real(self._times().after(now))

    def between(self, start: datetime, end: datetime) -> list[datetime]:
        """The times from start to end."""
        if not self.rule:
            return [self.at] if start <= self.at < end else []
        return [one for time in self._times().between(start, end, inc=True) if (one := self._real(time)) and one < end]

    def due(self, now: datetime) -> list[datetime]:
        """The times that a timer may stand for: the next one, and the last one if it has not fired yet."""
        times = [self.at] if not self.rule else [self._real(self._times().before(now, inc=True)), self.following(now)]
        return [one for one in times if one is not None]

    def _times(self) -> Any:
        from dateutil.rrule import rrulestr  # type: ignore[import-untyped]  # ships no types

        return rrulestr(self.rule, dtstart=self.at.astimezone(ZoneInfo(self.timezone)))

    @staticmethod
    def _real(moment: datetime | None) -> datetime | None:
        """A time that the clock leaps over that night is the one it leaps to."""
        return moment.astimezone(UTC).astimezone(moment.tzinfo) if moment else None

    def as_json(self, at: datetime) -> JsonObject:
        return {
            "reminder_id": str(self.reminder_id),
            "text": self.title,
            "at": at.astimezone(ZoneInfo(self.timezone)).isoformat(),
            "recurrence": self.rule,
        }


async def keep(context: ToolContext, kept: Kept) -> None:
    """A repeated call keeps it once."""
    async with context.database.transaction() as rows:
        await rows.execute(
            _KEEP,
            context.user,
            kept.reminder_id,
            kept.title,
            kept.at.astimezone(UTC),
            kept.rule,
            kept.timezone,
            kept.before,
        )


async def still_open(context: ToolContext) -> list[tuple[datetime, Kept]]:
    """Those that will come, each with its next time, in that order."""
    async with context.database.transaction() as rows:
        found = [_kept(row) for row in await rows.fetch(_OPEN, context.user, context.now)]
    # in a thread: days are counted one by one, and somebody may have a thousand rules of some years
    return await asyncio.to_thread(_by_next_time, found, context.now)


async def coming(context: ToolContext, start: datetime, end: datetime) -> list[tuple[datetime, Kept]]:
    """Those that will come from start to end, each as often as it does, in that order."""
    start = max(start, context.now)
    there = [one for _, one in await still_open(context)]

    def times() -> list[tuple[datetime, Kept]]:
        found = [(at, one) for one in there for at in one.between(start, end)]
        return sorted(found, key=lambda each: (each[0], str(each[1].reminder_id)))

    return await asyncio.to_thread(times)


def _by_next_time(found: Sequence[Kept], now: datetime) -> list[tuple[datetime, Kept]]:
    times = [(one.following(now), one) for one in found]
    return sorted(((at, one) for at, one in times if at), key=lambda each: (each[0], str(each[1].reminder_id)))


async def leading_to(context: ToolContext, moment: datetime) -> list[Kept]:
    """Those whose next time is so long before the moment as they were asked to come before it."""
    return [
        one
        for at, one in await still_open(context)
        if one.before is not None and at + timedelta(minutes=one.before) == moment
    ]


async def cancel(context: ToolContext, reminder_id: UUID) -> None:
    """It is not listed any more."""
    async with context.database.transaction() as rows:
        await rows.execute(_CANCEL, context.user, reminder_id, context.now)


def _kept(row: Mapping[str, Any]) -> Kept:
    # the driver's UUIDs are of a kind of their own
    reminder_id = UUID(str(row["reminder_id"]))
    return Kept(reminder_id, row["text"], row["at"], row["rule"], row["timezone"], row["minutes_before"])
