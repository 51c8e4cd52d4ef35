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
    """{since, until, target, booked}; see contracts.reading.Reader."""
    said = words(clause.language)
    slots: JsonObject = {}
    if said.booked.search(clause.text):
        slots["booked"] = True  # of what is to come all is told, with its day
    elif days := _days(clause, said):
        slots = {"since": days[0].isoformat(), "until": days[1].isoformat()}
    if target := payee_in(_without_days(clause), (), clause.language):
        slots["target"] = target
    return (slots,) if slots else ()


def _without_days(clause: Clause) -> str:
    """No space divides a Japanese name from the month before it; whatever is "to go out" goes to nobody."""
    said, text = words(clause.language), clause.text
    spans = [(one.start, one.end) for one in clause.entities]
    spans += [
        found.span()
        for pattern in (said.booked, said.since, said.period, said.months_back)
        for found in pattern.finditer(text)
    ]
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _days(clause: Clause, said: Words) -> Days | None:
    """The period that was named, or None; what lasts since then lasts until today."""
    today, entities = clause.now.date(), clause.entities
    found = (
        _ranges(entities) or _dates(entities, today, said) or _named(clause.text, today, said) or _span(entities, today)
    )
    if found and said.since.search(clause.text):
        return found[0], max(found[1], today)
    return found


def _ranges(entities: Sequence[Entity]) -> Days | None:
    value = next((one.value for one in entities if one.type == "date_range"), None)
    if not isinstance(value, dict):
        return None
    return date.fromisoformat(str(value["start"])), date.fromisoformat(str(value["end"]))


def _dates(entities: Sequence[Entity], today: date, said: Words) -> Days | None:
    days = [_behind(one, today, said) for one in entities if one.type == "date"]
    return (min(days), max(days)) if days else None


def _behind(entity: Entity, today: date, said: Words) -> date:
    """What was sent lies behind us: a day that is said without its year, month or week is the last such day."""
    day = date.fromisoformat(str(entity.value))
    if day <= today:
        return day
    numbers = len(re.findall(r"\d+", entity.text))
    if numbers > 1 or _months_in(entity.text, said):
        back = relativedelta(years=1)
    else:
        back = relativedelta(months=1) if numbers else timedelta(days=(day - today).days // 7 * 7 + 7)
    last: date = day - back
    return last


def _named(text: str, today: date, said: Words) -> Days | None:
    """So many months back, a month by its name, of a year perhaps, or a year."""
    if found := said.months_back.search(text):
        return today - relativedelta(months=int(found["months"])), today
    this, last = said.years.this.search(text), said.years.last.search(text)
    year = today.year if this else today.year - 1 if last else None
    if numbers := _months_in(text, said):
        firsts = [date(year or today.year - (number > today.month), number, 1) for number in numbers]
        return min(firsts), max(firsts) + relativedelta(months=1, days=-1)
    if year is None:
        return None
    return date(year, 1, 1), today if this else date(year, 12, 31)


def _months_in(text: str, said: Words) -> list[int]:
    return [
        number
        for number, name in enumerate(said.months, 1)
        if re.search(rf"(?<![0-9a-z]){name}(?![a-z])", text, re.IGNORECASE)
    ]


def _span(entities: Sequence[Entity], today: date) -> Days | None:
    minutes = next((one.value for one in entities if one.type == "span"), None)
    if not isinstance(minutes, int) or minutes < A_DAY:
        return None
    return today - timedelta(minutes=minutes), today
