"""What pack readers need of a clause, in three languages: money, days, times, spans, recurrences and numbers."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from contracts.cognitive import Entity
from understanding.offline.addresses import find_addresses
from understanding.offline.quantities.clock import TAKEN, find_times
from understanding.offline.quantities.days import find_days
from understanding.offline.quantities.money import find_money
from understanding.offline.quantities.recurrence import find_recurrences
from understanding.offline.quantities.spans import find_spans
from understanding.offline.quantities.tied import with_last_days, with_other_hours
from understanding.offline.quantities.words import words

__all__ = ["find_quantities"]

NUMBER = 0.9
LONGEST_NUMBER = 30
_NUMBER = re.compile(r"(?<![\w.,-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,6})?(?![\d,]*\d)", re.ASCII)
# Figures and signs of East Asian keyboards, one character for one, so that positions stay true.
_WIDE = {
    ord(wide): plain for wide, plain in zip("０１２３４５６７８９，．：／－＾￥", "0123456789,.:/-^¥", strict=True)
}


def find_quantities(text: str, now: datetime) -> tuple[Entity, ...]:
    """In reading order, without overlaps. See contracts.reading.Clause for the types and their values; beside those,
    `date_range` {start, end} for a week, a month or a weekend. What stands inside a web address is none."""
    found = list(_found(text, now))
    return tuple(sorted((_as_said(text, one) for one in found), key=lambda one: one.start))


def _found(text: str, now: datetime) -> Iterator[Entity]:
    plain = _spelt(_blanked(text, find_addresses(text)).translate(_WIDE))
    repeats = list(find_recurrences(plain))
    plain = _blanked(plain, repeats)
    sums = list(find_money(plain))
    plain = _blanked(plain, sums)
    days = with_last_days(plain, list(find_days(plain, now)))
    dated, plain = plain, _blanked(plain, [one for one in days if one.text.lower() not in words().tables["half_day"]])
    today = all(one.type == "date" and one.value == now.date().isoformat() for one in days)
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
