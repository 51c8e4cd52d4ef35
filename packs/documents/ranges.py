"""Names that are a range ("over 8 to 10 m", 20명 이상, 3歳未満), and whether a figure that is said lies within."""

import datetime as dt
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from packs.documents.amounts import DATE, amounts, number_of, units
from packs.documents.numerals import in_figures, words_in_figures
from packs.documents.passages import Passage

_FIGURE = r"(\d[\d,]{0,12}(?:\.\d{1,4})?)"
_UNIT = r"\s?([^\W\d_]{0,6}?)\s?"
_ENDS = r"([^\W\d_]{0,6})"
_SAID = re.compile(rf"(?<![\d.,:]){_FIGURE}[\s-]?([^\W\d_]{{1,8}})?")
_BETWEEN = re.compile(rf"{_FIGURE}{_UNIT}(?:[~〜～–-]|to|부터|から|초과|이상|以上|超)\s?{_FIGURE}\s?{_ENDS}")
_UP_TO = (
    re.compile(rf"\b(?:up to|under|below|less than|fewer than|at most|until)\s{_FIGURE}\s?{_ENDS}"),
    re.compile(rf"{_FIGURE}{_UNIT}(?:이하|미만|까지|以下|未満|まで|or less|or fewer|or lower|and under)"),
)
_FROM = (
    re.compile(rf"\b(?:over|above|more than|from|at least)\s{_FIGURE}\s?{_ENDS}"),
    re.compile(
        rf"{_FIGURE}{_UNIT}(?:이상|초과|[을를]?\s?넘|부터|以上|を?超|から|(?:or|and) (?:more|higher|above|over)|\+)"
    ),
)
_AHEAD = re.compile(rf"{_FIGURE}\s?([^\W\d_]{{1,5}}?)s?\s?(?:전|前|before)(?!부터|から)")
_LEAST = re.compile(r"\d\s?[^\W\d_]{1,5}\s?[전前](?:까지|まで)|more than|at least|or more|이상|以上|until|up to|before")
"""So long before a moment, and so long at least."""
_DAYS = re.compile(r"[~〜～–]|\bto\b|부터|から")
_STRICT = re.compile(r"초과|미만|넘|未満|超|\b(?:over|above|more than|under|below|less than|fewer than)\s\d")

_AGED = re.compile(r"\b(?:i'm|i am|aged|is) (\d\d)\b|(\d\d)[\s-]?(?:years?[\s-]old|살|세|歳|才)")
_OLDER = re.compile(
    r"\b(?:over|above)[\s-](\d\d)s?\b|(\d\d) (?:and|or) (?:over|older)|"
    r"(\d\d)\s?[세살歳]\s?(?:이상|초과|[을를]?\s?넘|以上|を?超)"
)
_YEARS = re.compile(r"^(?:살|歳|才|세|years?|yrs?\b).*")


class Bound(NamedTuple):
    """Between which figures, whether they themselves are left out, of what unit, and the words that say it."""

    low: float
    high: float
    strict: bool
    unit: str
    text: str

    def __str__(self) -> str:
        if self.high == float("inf"):
            return f"{'>' if self.strict else '≥'} {self.low:g}"
        return f"{'<' if self.strict else '≤'} {self.high:g}"

    def holds(self, number: float | None) -> bool:
        if number is None or (self.strict and number in (self.low, self.high)):
            return False
        return self.low <= number <= self.high


def bound_of(asked: str) -> Bound | None:
    """What a question bounds figures by, on one side."""
    flat = unicodedata.normalize("NFKC", asked)
    for pattern in (*_UP_TO, *_FROM):
        if match := pattern.search(flat):
            many = match[2][:1] in units()["tens"]
            number, unit = (number_of(match[1] + match[2][0]), match[2][1:]) if many else (_number(match[1]), match[2])
            low, high = (0.0, number) if pattern in _UP_TO else (number, float("inf"))
            return Bound(low, high, _STRICT.search(match.group()) is not None, unit.casefold(), match.group())
    return None


def within(asked: str, name: str) -> bool:
    """Whether a figure of the question lies within the range that a name is; of one unit, as far as both have one."""
    ends = _ends(name)
    return ends is not None and any(
        ends[0] <= number <= ends[1] and _same_unit(unit, ends[2]) for number, unit in figures(asked)
    )


def ranged(asked: str, name: str) -> float:
    """1 where a figure of the question lies in the range that a name is, -1 in another; else 0."""
    days, there = _days(name), _days(asked)
    if len(days) == 2 and there and _DAYS.search(name):
        first, last = days
        held = [first <= day <= last if first <= last else not last < day < first for day in there]
        return 1.0 if any(held) else -1.0
    return 0.0 if not is_range(name) or not figures(asked) else 1.0 if within(asked, name) else -1.0


@lru_cache(4096)
def _days(text: str) -> tuple[tuple[int, int], ...]:
    """Days of a text, as month and day."""
    found = (dt.date.fromordinal(int(one.value)) for one in amounts(Passage(text)) if one.unit == DATE)
    return tuple((day.month, day.day) for day in found) if any(map(str.isdigit, text)) else ()


def is_old_enough(asked: str, text: str) -> bool:
    """Whether a question says an age that a text has something for: "I'm 70", those over 65."""
    flat = words_in_figures(in_figures(unicodedata.normalize("NFKC", f"{asked}\n{text}").casefold()))
    ages, least = (
        [int("".join(match.groups(""))) for match in pattern.finditer(part)]
        for pattern, part in zip((_AGED, _OLDER), flat.split("\n"), strict=True)
    )
    return bool(ages and least) and max(ages) >= min(least)


def is_range(name: str) -> bool:
    return _ends(name) is not None


@lru_cache(256)
def figures(text: str) -> tuple[tuple[float, str], ...]:
    """Figures with the word behind each."""
    found = _SAID.findall(words_in_figures(in_figures(unicodedata.normalize("NFKC", text))))
    return tuple((_number(number), unit.casefold()) for number, unit in found)


@lru_cache(4096)
def _ends(name: str) -> tuple[float, float, str] | None:
    flat = unicodedata.normalize("NFKC", name)
    if len(flat) > 60 or not any(map(str.isdigit, flat)):
        return None
    if match := _BETWEEN.search(flat):
        low, high = _number(match[1]), _number(match[3])
        return (min(low, high), max(low, high), (match[4] or match[2]).casefold()) if low != high else None
    if match := _AHEAD.search(flat.casefold()):
        number = _number(match[1])
        return number, float("inf") if _LEAST.search(flat.casefold()) else number, match[2]
    for match in filter(None, (pattern.search(flat) for pattern in _UP_TO)):
        return 0.0, _number(match[1]), match[2].casefold()
    for match in filter(None, (pattern.search(flat) for pattern in _FROM)):
        return _number(match[1]), float("inf"), match[2].casefold()
    return None


def _same_unit(one: str, other: str) -> bool:
    one, other = (_YEARS.sub("세", unit) for unit in (one, other))
    if not other:
        return one == "세"  # a child of 5-15
    return bool(one) and (one.startswith(other) or other.startswith(one))


def _number(text: str) -> float:
    return float(text.replace(",", ""))
