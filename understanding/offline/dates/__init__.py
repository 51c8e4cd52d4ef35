"""Dates, periods and grains in Korean, English and Japanese text, relative to a reference day."""

import re
from collections.abc import Sequence
from datetime import date

from contracts.cognitive import Period
from understanding.offline.dates.english import find_english
from understanding.offline.dates.found import Found
from understanding.offline.dates.grain import find_grain
from understanding.offline.dates.japanese import find_japanese
from understanding.offline.dates.korean import find_korean

_HANGUL = re.compile(r"[가-힣]")
_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龯]")
_LATIN = re.compile(r"[A-Za-z]")
_LANGUAGES = ((_HANGUL, find_korean), (_JAPANESE, find_japanese), (_LATIN, find_english))

__all__ = ["Found", "find_dates", "find_grain", "period_of"]


def find_dates(text: str, today: date) -> list[Found]:
    """Dates in reading order, without overlaps. A sentence may mix languages ("Q1 2024 리뷰")."""
    found: list[Found] = []
    for script, find in _LANGUAGES:
        if script.search(text):
            more = find(text, today)
            for one in more:
                text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
            found += more
    return sorted(found, key=lambda one: one.start)


def period_of(found: Sequence[Found], grain: str | None, today: date) -> Period | None:
    """The days the data should cover: from the earliest to the latest day named ("작년과 올해"), and the grain.

    What begins after today, or is open up to a day yet to come ("by Friday"), is when something is wanted, not what
    the data covers.
    """
    past = [one for one in found if (one.first is not None and one.first <= today) or (one.last and one.last < today)]
    if not past:
        return Period(grain=grain) if grain else None
    firsts = [one.first for one in past]
    lasts = [one.last for one in past]
    first = None if None in firsts else min(day for day in firsts if day)
    last = None if None in lasts else max(day for day in lasts if day)
    return Period(start=first, end=last, grain=grain)
