"""Days and times of a call's parameters as moments of the person's zone."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant.calendars.port import Appointment, Moment
from packs.assistant.calendars.speech import refused

LONGEST = 366
"""Days that one look may cover."""


def here(context: ToolContext) -> datetime:
    """Now, on the person's clock."""
    return context.now.astimezone(ZoneInfo(context.timezone))


def day_of(params: JsonObject, name: str, context: ToolContext) -> date | None:
    given = params.get(name)
    if not given:
        return None
    try:
        return date.fromisoformat(str(given))
    except ValueError:
        raise refused(context, "calendar.error.date_invalid", value=str(given)) from None


def start_of(params: JsonObject, day: date, context: ToolContext) -> Moment:
    """The day, or the time on it. A time that the clock leaps over that night is the one it leaps to."""
    given = params.get("time")
    if not given:
        return day
    try:
        moment = datetime.combine(day, time.fromisoformat(str(given)), ZoneInfo(context.timezone))
    except ValueError:
        raise refused(context, "calendar.error.time_invalid", value=str(given)) from None
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def end_of(start: Moment, minutes: int) -> Moment:
    """Minutes pass also in a night when the clock is put back."""
    if not isinstance(start, datetime):
        return start + timedelta(days=1)
    return (start.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(start.tzinfo)


def bounds(first: date, last: date, context: ToolContext) -> tuple[datetime, datetime]:
    """From the first midnight to that after the last day. Raises ToolError for a range that is none, or too long."""
    if last < first or (last - first).days > LONGEST:
        raise refused(context, "calendar.error.range", first=first.isoformat(), last=last.isoformat(), days=LONGEST)
    zone = ZoneInfo(context.timezone)
    return datetime.combine(first, time(), zone), datetime.combine(last + timedelta(days=1), time(), zone)


def at_the_time(found: Sequence[Appointment], clock: str) -> list[Appointment]:
    """Those that begin then; where none does, those of the other half of the day: people say "the 9 o'clock one"."""
    if not clock:
        return list(found)
    timed = [one for one in found if isinstance(one.start, datetime)]
    exact = [one for one in timed if f"{one.start:%H:%M}" == clock]
    hour, minute = int(clock[:2]), int(clock[3:])
    return exact or [one for one in timed if f"{one.start:%H:%M}" == f"{(hour + 12) % 24:02}:{minute:02}"]


def overlaps(one: Appointment, start: datetime, end: datetime) -> bool:
    """Appointments of whole days stand beside the others."""
    return isinstance(one.start, datetime) and isinstance(one.end, datetime) and one.start < end and one.end > start
