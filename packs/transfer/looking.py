"""Reads what somebody wants to see of what was sent: since when, until when, to whom. Pure."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]  # it has no stubs

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.transfer.recall import payee_in
from packs.transfer.wording import Words, words

A_DAY = 24 * 60
"""Minutes: of a shorter span nobody asks."""
Days = tuple[date, date]


def read_history(clause: Clause) -> Sequence[JsonObject]:
    """{since, until, target}; see contracts.reading.Reader."""
    slots: JsonObject = {}
    if days := _days(clause, words(clause.language)):
        slots = {"since": days[0].isoformat(), "until": days[1].isoformat()}
    if target := payee_in(_without_days(clause), (), clause.language):
        slots["target"] = target
    return (slots,) if slots else ()


def _without_days(clause: Clause) -> str:
    """No space divides a Japanese name from the month before it."""
    text = clause.text
    for one in clause.entities:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return words(clause.language).period.sub(" ", text)


def _days(clause: Clause, said: Words) -> Days | None:
    """The period that was named, or None. What was sent lies behind us: a day of no year is the last such day."""
    today = clause.now.date()
    found = _ranges(clause.entities) or _dates(clause.entities, today)
    return found or _named(clause.text, today, said) or _span(clause.entities, today)


def _ranges(entities: Sequence[Entity]) -> Days | None:
    value = next((one.value for one in entities if one.type == "date_range"), None)
    if not isinstance(value, dict):
        return None
    return date.fromisoformat(str(value["start"])), date.fromisoformat(str(value["end"]))


def _dates(entities: Sequence[Entity], today: date) -> Days | None:
    days = [date.fromisoformat(str(one.value)) for one in entities if one.type == "date"]
    days = [day if day <= today else day - relativedelta(years=1) for day in days]
    return (min(days), max(days)) if days else None


def _named(text: str, today: date, said: Words) -> Days | None:
    """So many months back, a year, or a month by its name."""
    if found := said.months_back.search(text):
        return today - relativedelta(months=int(found["months"])), today
    if said.years.this.search(text):
        return date(today.year, 1, 1), today
    if said.years.last.search(text):
        return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
    for number, name in enumerate(said.months, 1):
        if re.search(rf"(?<![0-9a-z]){name}(?![a-z])", text, re.IGNORECASE):
            first = date(today.year - (number > today.month), number, 1)
            return first, first + relativedelta(months=1, days=-1)
    return None


def _span(entities: Sequence[Entity], today: date) -> Days | None:
    minutes = next((one.value for one in entities if one.type == "span"), None)
    if not isinstance(minutes, int) or minutes < A_DAY:
        return None
    return today - timedelta(minutes=minutes), today
