"""Days and periods that data is asked for, in Korean, English and Japanese text: they look back from a reference day,
while the days of what people plan look ahead (understanding.grammar.days)."""

import re
from collections.abc import Iterator
from datetime import date

from contracts.cognitive import Entity
from understanding.grammar.periods.english import find_english
from understanding.grammar.periods.found import FoundDays
from understanding.grammar.periods.japanese import find_japanese
from understanding.grammar.periods.korean import find_korean

_HANGUL = re.compile(r"[가-힣]")
_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龯]")
_LATIN = re.compile(r"[A-Za-z]")
_LANGUAGES = ((_HANGUL, find_korean), (_JAPANESE, find_japanese), (_LATIN, find_english))


def find_periods(text: str, today: date) -> Iterator[Entity]:
    """Entities `date_range` {start, end} in reading order, without overlaps; an open end is None. A sentence may mix
    languages ("Q1 2024 리뷰")."""
    rest, found = text, list[FoundDays]()
    for script, find in _LANGUAGES:
        if script.search(rest):
            more = find(rest, today)
            for one in more:
                rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
            found += more
    return (_entity(text, one) for one in sorted(found, key=lambda one: one.start))


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
