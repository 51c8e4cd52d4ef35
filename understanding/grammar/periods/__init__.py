"""Days and periods that data is asked for, in Korean, English and Japanese text: they look back from a reference day,
while the days of what people plan look ahead (understanding.grammar.days)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date

from contracts.cognitive import Entity
from understanding.grammar.periods.english import find_english
from understanding.grammar.periods.found import FoundDays
from understanding.grammar.periods.japanese import find_japanese
from understanding.grammar.periods.korean import find_korean

Finder = Callable[[str, date], list[FoundDays]]
_HANGUL = re.compile(r"[가-힣]")
_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龯]")
_LATIN = re.compile(r"[A-Za-z]")
_NTH = r"(?<![\w.])(?P<nth>\d{1,2}|first|second|third|fourth|[1-4](?:st|nd|rd|th))"
_UNIT = re.compile(rf"(?:the )?{_NTH}(?P<unit>\s?(?:사\s?)?(?:분기|월|四半期|月|quarters?|half))$", re.IGNORECASE)
_SHORT = re.compile(rf"{_NTH}\s?(?:[,、·/&]|and|와|과|이?랑|하고|と|や)\s?(?:the )?$", re.IGNORECASE)
_LANGUAGES = ((_HANGUL, find_korean), (_JAPANESE, find_japanese), (_LATIN, find_english))


def find_periods(text: str, today: date) -> Iterator[Entity]:
    """Entities `date_range` {start, end} in reading order, without overlaps; an open end is None. A sentence may mix
    languages ("Q1 2024 리뷰")."""
    rest, found = text, list[FoundDays]()
    for script, find in _LANGUAGES:
        if script.search(rest):
            more = find(rest, today)
            more += [one for found_one in more for one in _said_short(rest, found_one, find, today)]
            for one in more:
                rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
            found += more
    return (_entity(text, one) for one in sorted(found, key=lambda one: one.start))


def _said_short(text: str, found: FoundDays, find: Finder, today: date) -> Iterator[FoundDays]:
    """What shares its unit with what stands behind it: the first of "first and second quarter", of "3, 4월"."""
    unit, at = _UNIT.match(text[found.start : found.end]), found.start
    while unit is not None and (before := _SHORT.search(text[:at])) is not None:
        same = find(before["nth"] + unit["unit"], today)
        if len(same) != 1:
            return
        end, at = len(text[:at].rstrip()), before.start()
        yield replace(same[0], start=at, end=end)


def _entity(text: str, found: FoundDays) -> Entity:
    return Entity(
        type="date_range",
        text=text[found.start : found.end],
        value={
            "start": found.first.isoformat() if found.first else None,
            "end": found.last.isoformat() if found.last else None,
        },
        start=found.start,
        end=found.end,
        confidence=found.confidence,
    )
