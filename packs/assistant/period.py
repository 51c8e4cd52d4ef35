"""The days that somebody asks about at once: a week, a weekend, a month, "from the first to the tenth". Pure."""

from calendar import monthrange
from datetime import date, timedelta

from contracts.reading import Clause
from packs.assistant.moments import as_date, of_type, span_of
from packs.assistant.phrases import listed, pattern

Days = tuple[date, date]
A_DAY = 24 * 60
"""Minutes."""
WEEKEND = 3
"""Days: what is put into a week or a month is asked for its day."""


def period(clause: Clause) -> Days | None:
    """First and last day; None when at most one day was named."""
    return _range(clause) or _between(clause) or _month(clause) or _coming(clause)


def several_days(clause: Clause) -> Days | None:
    """The days that an appointment lasts: "from the 24th to the 26th", "this weekend"."""
    dates = sorted(of_type(clause, "date"), key=lambda one: one.start)
    if len(dates) > 1:
        first, last = as_date(dates[0].value), as_date(dates[1].value)
        between = clause.text[dates[0].end : dates[1].start]
        tied = pattern("common", clause.language, "until").search(between)
        return (first, last) if first and last and tied and first < last else None
    days = None if dates or of_type(clause, "time") else _range(clause)
    if days is None or days[1] - days[0] >= timedelta(days=WEEKEND):
        return None
    return max(days[0], clause.now.date()), days[1]


def _range(clause: Clause) -> Days | None:
    for one in of_type(clause, "date_range"):
        if isinstance(one.value, dict):
            first, last = as_date(one.value.get("start")), as_date(one.value.get("end"))
            if first and last:
                return first, last
    return None


def _between(clause: Clause) -> Days | None:
    days = [day for one in of_type(clause, "date") if (day := as_date(one.value))]
    return (min(days), max(days)) if len(days) > 1 else None


def _month(clause: Clause) -> Days | None:
    """A month by its name alone is the present one or the next of that name: people plan ahead."""
    found = None if of_type(clause, "date") else pattern("calendar", clause.language, "month").search(clause.text)
    if found is None:
        return None
    said = next(part for part in found.groups() if part).casefold()
    month = int(said) if said.isdecimal() else listed("calendar", clause.language, "month_names").index(said[:3]) + 1
    year = clause.now.year + (month < clause.now.month)
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _coming(clause: Clause) -> Days | None:
    """So many days of "the next two weeks", today being the first."""
    span = None if of_type(clause, "date") else span_of(clause)
    if span is None or span.before or span.minutes < 2 * A_DAY:
        return None
    today = clause.now.date()
    return today, today + timedelta(days=span.minutes // A_DAY - 1)
