"""The days that somebody asks about at once: a week, a weekend, a month, "from the first to the tenth". Pure."""

import re
from calendar import monthrange
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]  # it has no stubs

from contracts.cognitive import Entity
from contracts.reading import Clause
from packs.assistant.actions import LAST
from packs.assistant.moments import as_date, of_type, span_of
from packs.assistant.phrases import listed, pattern

Days = tuple[date, date]
A_DAY = 24 * 60
"""Minutes."""
WEEKEND = 3
"""Days: what is put into a week or a month is asked for its day."""
_NOT_THIS = re.compile(r"\s?(?:말고|빼고|아니[고라]|(?:じゃ|では)な)")
_NOT = re.compile(r"\b(?:not|instead of|rather than|except)\s{1,3}(?:for\s{1,3}|on\s{1,3})?\Z", re.IGNORECASE)
"""Behind (ko, ja) or before (en) days that are not meant."""
_THIS_AND = re.compile(r"\bthis\s{1,3}(?:and|&)\s{1,3}(?:the\s{1,3})?\Z", re.IGNORECASE)
_AND_NEXT = re.compile(r"\s{1,3}(?:and|&)\s{1,3}(?:the\s{1,3})?next\b(?!\s{1,3}(?:week|month))", re.IGNORECASE)
A_NIGHT = timedelta(days=1)


def period(clause: Clause) -> Days | None:
    """First and last day; None when at most one day was named."""
    return _joined(clause) or _month(clause) or _coming(clause)


def several_days(clause: Clause) -> Days | None:
    """The days that an appointment lasts: "from the 24th to the 26th", "this weekend"."""
    dates = sorted(of_type(clause, "date"), key=lambda one: one.start)
    if len(dates) > 1:
        first, last = as_date(dates[0].value), as_date(dates[1].value)
        between = clause.text[dates[0].end : dates[1].start]
        tied = pattern("common", clause.language, "until").search(between)
        return (first, last) if first and last and tied and first < last else None
    ranges = of_type(clause, "date_range")
    days = None if dates or of_type(clause, "time") or not ranges else _days_of(ranges[0])
    if days is None or days[1] - days[0] >= timedelta(days=WEEKEND):
        return None
    return max(days[0], clause.now.date()), days[1]


def _joined(clause: Clause) -> Days | None:
    """Of several weeks, months or days that are named together, the first and the last day ("this week and next",
    "today and tomorrow"), but of none that another is named instead of; None where it is one day at most."""
    some = [one for one in clause.entities if one.type in ("date", "date_range") and not _denied(clause, one)]
    days = [found for one in some if (found := _with_the_one_beside(clause, one))]
    if not days or (len(days) == 1 and some[0].type == "date"):
        return None
    return min(first for first, _ in days), max(last for _, last in days)


def _with_the_one_beside(clause: Clause, one: Entity) -> Days | None:
    """With the week or month that is named with it by half ("this and next week", "this week and next")."""
    days = _days_of(one)
    if days is None or one.type != "date_range" or clause.language in LAST:
        return days
    if _THIS_AND.search(clause.text[: one.start]):
        return _moved(days[0], -1), days[1]
    return (days[0], _moved(days[1] + A_NIGHT, 1) - A_NIGHT) if _AND_NEXT.match(clause.text, one.end) else days


def _moved(first: date, by: int) -> date:
    """The first day of the month before or after that which begins on this day; else of the week."""
    moved: date = first + (relativedelta(months=by) if first.day == 1 else relativedelta(weeks=by))
    return moved


def _denied(clause: Clause, one: Entity) -> bool:
    before, behind = clause.text[: one.start], clause.text[one.end :]
    if clause.language in LAST:
        return _NOT_THIS.match(behind) is not None
    return _NOT.search(before) is not None


def _days_of(one: Entity) -> Days | None:
    if isinstance(one.value, dict):
        first, last = as_date(one.value.get("start")), as_date(one.value.get("end"))
        return (first, last) if first and last else None
    day = as_date(one.value)
    return (day, day) if day else None


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
