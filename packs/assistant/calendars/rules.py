"""Rules of recurrence (RRULE) as a person may give them: by days, weeks, months or years."""

from datetime import UTC, datetime, time
from typing import Any

from packs.assistant.calendars.port import CalendarFault, Moment

_PARTS = {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "COUNT", "UNTIL", "WKST"}
_FREQUENCIES = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}
_LAST_DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
"""Of the months that have fewer than 31."""


def begun(rule: str, start: Moment, now: datetime) -> tuple[str, Moment]:
    """The rule, checked, and its first time at or after `start` and `now`: a series begins with one of its own.
    May take a second for a rule that never comes true. Raises CalendarFault."""
    from dateutil.rrule import rrulestr  # type: ignore[import-untyped]  # ships no types

    try:
        parts = _parts(rule, start)
        text = str(parts.to_ical().decode())
        timed = isinstance(start, datetime)
        # days are counted without a zone: midnight is not there on every day of every zone
        first = start if isinstance(start, datetime) else datetime.combine(start, time())
        earliest = now if timed else datetime.combine(now.date(), time())
        found: datetime | None = rrulestr(text, dtstart=first).after(max(first, earliest), inc=True)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise CalendarFault("rule", value=rule) from error
    if found is None:
        raise CalendarFault("rule", value=rule)
    return text, found if timed else found.date()


def _parts(rule: str, start: Moment) -> Any:
    from icalendar import vRecur

    parts = vRecur.from_ical(rule)
    if not set(parts) <= _PARTS or parts.get("FREQ", [""])[0] not in _FREQUENCIES:
        raise ValueError(rule)
    if not 1 <= parts.get("INTERVAL", [1])[0] <= 1000:  # every 0 days would never end
        raise ValueError(rule)
    if not _comes(parts):
        raise ValueError(rule)
    if until := parts.get("UNTIL"):
        parts["UNTIL"] = [_until(until[0], start)]
    return parts


def _comes(parts: Any) -> bool:
    """Whether there is any such day: 30 February would be looked for day by day up to the year 9999."""
    months, days = parts.get("BYMONTH", range(1, 13)), parts.get("BYMONTHDAY", [1])
    places = parts.get("BYSETPOS", [1]) if parts["FREQ"][0] == "DAILY" else [1]
    return {1, -1} >= set(places) and any(
        abs(day) <= _LAST_DAYS.get(int(month), 31) for month in months for day in days
    )


def _until(until: Moment, start: Moment) -> Moment:
    """In the form that RFC 5545 wants: a day for days, UTC for times, up to the end of that day."""
    if not isinstance(start, datetime):
        return until.date() if isinstance(until, datetime) else until
    last = until if isinstance(until, datetime) else datetime.combine(until, time(23, 59, 59))
    return (last if last.tzinfo else last.replace(tzinfo=start.tzinfo)).astimezone(UTC)


def frequency(rule: str) -> str:
    """DAILY, WEEKLY, MONTHLY or YEARLY for each of them; empty for every second, third …"""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    return parts.get("FREQ", "") if parts.get("INTERVAL", "1") == "1" else ""
