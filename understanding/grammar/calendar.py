"""Ranges of days around a reference day: both ends included, an open end is None."""

import calendar
from datetime import date, timedelta

Range = tuple[date | None, date | None]
_MONTHS_IN = {"month": 1, "quarter": 3, "half": 6, "year": 12}


def add_months(day: date, months: int) -> date:
    """The same day so many months later; the month's last day where it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def months_from(year: int, month: int, count: int) -> Range:
    """`count` whole months starting with the given one."""
    first = date(year, month, 1)
    return first, add_months(first, count) - timedelta(days=1)


def year_of(year: int) -> Range:
    return date(year, 1, 1), date(year, 12, 31)


def month_of(year: int, month: int) -> Range:
    return months_from(year, month, 1)


def quarter_of(year: int, quarter: int) -> Range:
    return months_from(year, 3 * quarter - 2, 3)


def half_of(year: int, half: int) -> Range:
    return months_from(year, 6 * half - 5, 6)


def around(today: date, unit: str, offset: int) -> Range:
    """The calendar unit that holds today, moved by `offset` units: ("quarter", -1) is the last whole quarter."""
    if unit == "day":
        day = today + timedelta(days=offset)
        return day, day
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
        return monday, monday + timedelta(days=6)
    size = _MONTHS_IN[unit]
    start = today.replace(month=(today.month - 1) // size * size + 1, day=1)
    first = add_months(start, offset * size)
    return months_from(first.year, first.month, size)


def rolling(today: date, unit: str, count: int) -> Range:
    """The last `count` units up to today. Quarters and halves are whole ones: nobody means 91.3 days by them."""
    if unit in ("quarter", "half"):
        return around(today, unit, -count)[0], around(today, unit, -1)[1]
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1) - 1), today
    return add_months(today, -count * _MONTHS_IN[unit]) + timedelta(days=1), today


def latest_year(today: date, month: int, day: int = 1) -> int:
    """The year of a month named without one: the latest that has begun, since people ask about what has happened."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1
