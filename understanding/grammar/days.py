"""Days as YYYY-MM-DD. A day without a year or a week is the next one to come: people plan ahead, while the periods of
data in understanding.grammar.periods look back."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from contracts.cognitive import Entity
from understanding.grammar.calendar import Range, add_months, around, month_of
from understanding.grammar.words import group, words

SAID, GUESSED = 0.95, 0.85
SATURDAY, SUNDAY = 5, 6
DAYS_IN, MONTHS_IN = {"day": 1, "week": 7}, {"month": 1, "year": 12}
YEARS = 8
"""A 29 February is found within so many years."""


def find_days(text: str, now: datetime) -> Iterator[Entity]:
    """Entities `date`; and `date_range` {start, end} for "this week", "next month", "the weekend"."""
    today = now.date()
    for kind, meaning in (("date", _day), ("range", _range)):
        for pattern in words().patterns[kind]:
            for match in pattern.finditer(text):
                found = _entity(match, meaning(match, today))
                if found is not None:
                    yield from _told_apart(found, match, today)
                    text = text[: found.start] + " " * (found.end - found.start) + text[found.end :]


def _entity(match: re.Match[str], days: date | Range | None) -> Entity | None:
    if days is None:
        return None
    (start, end), said = match.span(), match.group()
    if isinstance(days, date):
        guessed = group(match, "month", "day", "weekday") and not group(match, "year", "near_week", "near_month")
        confidence = GUESSED if guessed else SAID
        return Entity(type="date", text=said, value=days.isoformat(), start=start, end=end, confidence=confidence)
    first, last = days
    value = {"start": first.isoformat() if first else None, "end": last.isoformat() if last else None}
    return Entity(type="date_range", text=said, value=value, start=start, end=end, confidence=SAID)


def _told_apart(found: Entity, match: re.Match[str], today: date) -> Iterator[Entity]:
    """A day; of one with a day of the week on which it does not fall, the two: nobody knows which is meant."""
    on = next((name for name in ("on", "on2") if name in match.re.groupindex and match[name]), None)
    if on is None or not isinstance(found.value, str):
        yield found
        return
    named = _weekday(match, match[on], today)
    if date.fromisoformat(found.value).weekday() == named.weekday():
        yield found
        return
    (start, end), (first, last) = match.span(), match.span(on)
    start, end = (last, end) if first - start < end - last else (start, first)
    yield found.model_copy(update={"start": start, "end": end, "text": match.string[start:end]})
    update = {"value": named.isoformat(), "start": first, "end": last, "text": match[on]}
    yield found.model_copy(update=update)


def _day(match: re.Match[str], today: date) -> date | None:
    try:
        return _meaning(match, today)
    except (ValueError, OverflowError):  # the 31st of February, the year 0: not a date
        return None


def _meaning(match: re.Match[str], today: date) -> date | None:
    tables = words().tables
    if word := group(match, "word"):
        return today + timedelta(days=tables["day"][word.lower()])
    if group(match, "nth"):
        return _nth(match, today)
    if weekday := group(match, "weekday", "weekday2"):
        return _weekday(match, weekday, today)
    if group(match, "count", "days", "days2"):
        return _away(match, today)
    if holiday := group(match, "holiday"):
        month, day = tables["holiday"][holiday.lower()].split("-")
        return _next([(today.year + ahead, int(month), int(day)) for ahead in range(2)], today)
    of_a_month = group(match, "near_month", "last", "last2")
    return _in_month(match, today) if of_a_month else _calendar_day(match, today)


def _in_month(match: re.Match[str], today: date) -> date | None:
    """A day of this month or the next, or the last one of a month."""
    if named := group(match, "month"):
        number = words().number(named, "month") or 0
        return month_of(today.year + (number < today.month), number)[1]
    near = group(match, "near_month")
    month = add_months(today.replace(day=1), words().tables["near"][near.lower()] if near else 0)
    day = 1 if group(match, "first") else words().number(group(match, "day", "day2") or "", "ordinal")
    return month.replace(day=day) if day else month_of(month.year, month.month)[1]


def _weekday(match: re.Match[str], said: str, today: date) -> date:
    tables = words().tables
    wanted = {**tables["short_weekday"], **tables["weekday"]}[said.lower()]
    if near := group(match, "near_week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=tables["near"][near.lower()])
        return monday + timedelta(days=wanted)
    if group(match, "past"):
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    coming = today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    return coming + timedelta(weeks=1) if "week_on" in match.re.groupindex else coming


def _nth(match: re.Match[str], today: date) -> date | None:
    """The so-manieth weekday of a month; of none that is named, the next such day to come."""
    tables = words().tables
    nth, weekday = tables["nth"][match["nth"].lower()], tables["weekday"][match["weekday"].lower()]
    if near := group(match, "near_month"):
        return _nth_of(add_months(today.replace(day=1), tables["near"][near.lower()]), nth, weekday)
    first = today.replace(day=1)
    if named := group(match, "month"):
        number = words().number(named, "month")
        if number is None or number not in range(1, 13):
            return None
        months = [date(today.year + ahead, number, 1) for ahead in range(2)]
    else:
        months = [add_months(first, ahead) for ahead in range(13)]
    coming = (day for month in months if (day := _nth_of(month, nth, weekday)) and day >= today)
    return next(coming, None)


def _nth_of(month: date, nth: int, weekday: int) -> date | None:
    if nth < 0:
        last = add_months(month, 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    day = month + timedelta(days=(weekday - month.weekday()) % 7 + 7 * (nth - 1))
    return day if day.month == month.month else None


def _away(match: re.Match[str], today: date) -> date | None:
    """So many units from today: "사흘 뒤", "in 3 days", "2 weeks ago"."""
    if days := group(match, "days", "days2"):
        return today + timedelta(days=words().tables["days"][days.lower()])
    count = words().number(group(match, "count") or "")
    if count is None:
        return None
    count = -count if group(match, "ago") else count
    unit = words().tables["unit"][(group(match, "unit") or "").lower()]
    if unit in MONTHS_IN:
        return add_months(today, count * MONTHS_IN[unit])
    return today + timedelta(days=count * DAYS_IN[unit])


def _calendar_day(match: re.Match[str], today: date) -> date | None:
    day = words().number(group(match, "day") or "", "ordinal")
    if day is None:
        return None
    named = group(match, "month")
    year = group(match, "year")
    near = group(match, "near_year")
    if near:
        year = str(today.year + words().tables["near_year"][near.lower()])
    if named is None:
        return _next([(today.year, today.month + ahead, day) for ahead in range(13)], today)
    month = words().number(named, "month")
    if month is None or month not in range(1, 13):
        return None
    if year:
        return date(int(year), month, day)
    return _next([(today.year + ahead, month, day) for ahead in range(YEARS + 1)], today)


def _next(candidates: list[tuple[int, int, int]], today: date) -> date | None:
    """The first of the days that is one and has not passed."""
    for year, month, day in candidates:
        years, index = divmod(month - 1, 12)
        try:
            found = date(year + years, index + 1, day)
        except ValueError:  # a month without that day
            continue
        if found >= today:
            return found
    return None


def _range(match: re.Match[str], today: date) -> Range | None:
    near = words().tables["near"]
    week = near.get((group(match, "near_week") or "").lower(), 0)
    if group(match, "weekend"):
        monday, _ = around(today, "week", week)
        if monday is None:
            return None
        return monday + timedelta(days=SATURDAY), monday + timedelta(days=SUNDAY)
    if group(match, "near_week"):
        return around(today, "week", week)
    return around(today, "month", near[(group(match, "near_month") or "").lower()])
