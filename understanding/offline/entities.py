"""Entities of a sentence: web addresses, names from the packs' gazetteers, details, dates and grains."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from pydantic import JsonValue

from contracts.cognitive import Entity, OutputFormat, Period
from contracts.shape import JsonObject
from understanding.grammar import Looks, read
from understanding.grammar.addresses import find_addresses, without_addresses
from understanding.grammar.calendar import latest_year, month_of
from understanding.grammar.period import period_of
from understanding.offline.counts import find_top
from understanding.offline.details import Detail, DetailFinder, overlap, without
from understanding.offline.names import NameFinder
from understanding.offline.pack import Gazetteer

# Beyond this a text is data, not a request; names are still found in all of it.
DATED_PART = 2000
MAX_ADDRESS = 2000
# A pasted table of reviews may name a brand in every row.
MAX_NAMES = 100
_FORMATS = frozenset(OutputFormat)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BARE_MONTH = re.compile(
    r"(?:\b(?i:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b|\b(?:Mar(?:ch)?|May)\b"
    r"|(?i:(?<=\bonly )|(?<=\bjust )|(?<=\bfor ))(?i:mar(?:ch)?|may)\b)"
)
"""Months by their names alone. A march and a may are some with a capital letter, or behind a word that narrows."""


@dataclass(frozen=True, slots=True)
class ExtractedSlots:
    """Entities in reading order, and what they add up to."""

    entities: tuple[Entity, ...]
    period: Period | None
    formats: tuple[OutputFormat, ...]
    filters: JsonObject


class EntityFinder:
    """Built once from all packs' gazetteers and details."""

    def __init__(self, gazetteers: Sequence[Gazetteer], details: Sequence[Detail] = ()) -> None:
        self.details = DetailFinder(details)
        self._names = NameFinder([name for gazetteer in gazetteers for name in gazetteer.names])
        self._filters = frozenset[str]().union(*(gazetteer.filters for gazetteer in gazetteers))

    def find(self, text: str, today: date, goals: Collection[str] = ()) -> ExtractedSlots:
        """`goals` are those of the request: some details are looked for only when one of them is asked for."""
        addresses = [one for one in find_addresses(text[: DATED_PART + MAX_ADDRESS]) if one.start < DATED_PART]
        text = without_addresses(text)
        names = self._names.find(text)[:MAX_NAMES]
        head = text[:DATED_PART]
        details = self.details.find(head, goals, {name.type for name in names if name.end <= len(head)})
        # What stands inside a detail, a title say, is no name and no date.
        names = [name for name in names if not any(overlap(name, one) for one in details)]
        asked = [name for name in names if name.end <= len(head)]
        rest = without(head, details)
        dates = [_as_in(head, one) for one in read(rest, _noon(today), Looks.BACK)]
        entities = [*addresses, *names, *details, *(one for one in dates if one.type == "date_range")]
        top = find_top(head)
        if top is not None and any(overlap(top, one) for one in entities):
            top = None  # a name or a date holds the number
        entities += [one for one in dates if one.type == "grain"]
        said = [*details, *([top] if top is not None else ())]
        entities += [top] if top is not None else []
        return ExtractedSlots(
            entities=tuple(sorted(entities, key=lambda one: (one.start, one.end, one.type))),
            period=period_of(dates, today),
            formats=_formats(asked),
            filters=self._narrow(asked) | {one.type: one.value for one in said},
        )

    def _narrow(self, names: Sequence[Entity]) -> JsonObject:
        """Entity type -> value, or a list of values where several were named."""
        values: dict[str, list[JsonValue]] = {}
        for one in names:
            if one.type in self._filters and one.value not in values.setdefault(one.type, []):
                values[one.type].append(one.value)
        return {type_: found[0] if len(found) == 1 else found for type_, found in values.items()}


def find_periods(text: str, today: date) -> tuple[Entity, ...]:
    """The days that are named, as date_range entities."""
    return tuple(one for one in read(text, _noon(today), Looks.BACK) if one.type == "date_range")


def period_in(text: str, today: date) -> Period | None:
    """What days data should cover, as a few words about a request say it ("since June only"); None where they name
    none."""
    found = period_of(days_in(text, today), today)
    return found if found is not None and (found.start or found.end) else None


def days_in(text: str, today: date) -> tuple[Entity, ...]:
    """The times that such words name. Among a few words about a request English months by their names alone are times,
    the last ones of that name ("only September"); in other texts they may be somebody's name."""
    return find_periods(text, today) or tuple(_month(match, today) for match in _BARE_MONTH.finditer(text))


def _month(match: re.Match[str], today: date) -> Entity:
    number = _MONTHS.index(match.group()[:3].lower()) + 1
    first, last = month_of(latest_year(today, number), number)
    value: JsonObject = {"start": first.isoformat() if first else None, "end": last.isoformat() if last else None}
    return Entity(
        type="date_range", text=match.group(), value=value, start=match.start(), end=match.end(), confidence=0.9
    )


def _noon(today: date) -> datetime:
    return datetime.combine(today, time(12), UTC)


def _as_in(text: str, one: Entity) -> Entity:
    return one.model_copy(update={"text": text[one.start : one.end]})


def _formats(names: Sequence[Entity]) -> tuple[OutputFormat, ...]:
    """In the order they were named, once each."""
    return tuple(dict.fromkeys(OutputFormat(str(n.value)) for n in names if n.type == "format" and n.value in _FORMATS))
