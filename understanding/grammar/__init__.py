"""One grammar for what is said in figures and in words for them, in Korean, English and Japanese: money, days, times,
lengths of time, recurrences, numbers, periods of data and their grain. `read` is the only way in; each language's words
stand in its YAML file here, the rules in the module of each type."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum

from contracts.cognitive import Entity
from understanding.grammar.addresses import find_addresses
from understanding.grammar.clock import TAKEN, find_times
from understanding.grammar.days import find_days
from understanding.grammar.grain import find_grain
from understanding.grammar.money import find_money
from understanding.grammar.periods import find_periods
from understanding.grammar.recurrence import find_recurrences
from understanding.grammar.spans import find_spans
from understanding.grammar.tied import with_last_days, with_other_hours, with_weekdays
from understanding.grammar.words import words

__all__ = ["Looks", "read"]

NUMBER = 0.9
LONGEST_NUMBER = 30
_NUMBER = re.compile(r"(?<![\w.,-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,6})?(?![\d,]*\d)", re.ASCII)
# Figures and signs of East Asian keyboards, one character for one, so that positions stay true.
_WIDE = {
    ord(wide): plain for wide, plain in zip("０１２３４５６７８９，．：／－＾￥", "0123456789,.:/-^¥", strict=True)
}


class Looks(StrEnum):
    """Which way a day without a year or a week lies: who plans looks ahead, who asks about data looks back."""

    AHEAD = "ahead"
    BACK = "back"


def read(text: str, now: datetime, looks: Looks = Looks.AHEAD, *, another_day: bool = False) -> tuple[Entity, ...]:
    """Entities with type, value, span and confidence, in reading order, without overlaps.

    Ahead: the types and values of contracts.reading.Clause; and `date_range` {start, end} for a week, a month or a
    weekend. `another_day`: the day was said before, so that an hour without one is none of today that may be over.
    Back: `date_range`, whose ends may be open (None), and the first `grain`.
    What stands inside a web address is none."""
    if looks is Looks.BACK:
        grain = find_grain(text)
        found = [*find_periods(text, now.date()), *([grain] if grain else ())]
        return tuple(sorted(found, key=lambda one: (one.start, one.end, one.type)))
    found = list(_found(text, now, another_day=another_day))
    return tuple(sorted((_as_said(text, one) for one in found), key=lambda one: one.start))


def _found(text: str, now: datetime, *, another_day: bool) -> Iterator[Entity]:
    plain = _spelt(_blanked(text, find_addresses(text)).translate(_WIDE))
    repeats = list(find_recurrences(plain))
    plain = _blanked(plain, repeats)
    sums = list(find_money(plain))
    plain = _blanked(plain, sums)
    days = with_weekdays(plain, with_last_days(plain, list(find_days(plain, now))))
    dated, plain = plain, _blanked(plain, [one for one in days if one.text.lower() not in words().tables["half_day"]])
    today = (bool(days) or not another_day) and all(
        one.type == "date" and one.value == now.date().isoformat() for one in days
    )
    times = with_other_hours(plain, list(find_times(plain, now, today=today and not repeats, said_in=dated)))
    plain = _blanked(plain, [*days, *times])
    spans = list(find_spans(plain))
    yield from (*repeats, *sums, *days, *times, *spans, *_numbers(_blanked(plain, spans)))


def _numbers(text: str) -> Iterator[Entity]:
    for match in _NUMBER.finditer(text):
        said = match.group()
        if len(said) <= LONGEST_NUMBER:
            plain = said.replace(",", "")
            value = float(plain) if "." in plain else int(plain)
            start, end = match.span()
            yield Entity(type="number", text=said, value=value, start=start, end=end, confidence=NUMBER)


def _spelt(text: str) -> str:
    """With words in the place of misspelt ones of the same length."""
    for typed, meant in words().tables["spelling"].items():
        text = text.replace(typed, meant)
    return text


def _blanked(text: str, found: Iterable[Entity]) -> str:
    for one in found:
        text = text[: one.start] + TAKEN * (one.end - one.start) + text[one.end :]
    return text


def _as_said(text: str, one: Entity) -> Entity:
    return one.model_copy(update={"text": text[one.start : one.end]})
