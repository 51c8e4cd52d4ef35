"""Figures of a text with what they count and the words around them; moments of a day and days of a year too."""

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from packs.documents.asking import is_empty
from packs.documents.data import load
from packs.documents.numerals import in_figures, words_in_figures
from packs.documents.passages import Passage

CLOCK, DATE = "clock", "date"
LEAP = 2028
"""A year for dates that have none."""
_TENS = "(?:[천千백百십十]?[만万억億]|[천千])"
"""5천만 is five times a thousand times ten thousand."""
_PLAIN = r"\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,4})?"
_LARGE = rf"\s?{_TENS}(?:\s?{_PLAIN}\s?{_TENS}){{0,2}}| (?:million|thousand|billion)\b"
_FIGURE = re.compile(
    rf"(?P<front>(?:[$€£¥₩]|\b(?:gbp|usd|eur|krw|jpy)\b)\s?)?(?P<number>{_PLAIN}(?:{_LARGE})?)", re.IGNORECASE
)
_TENFOLD = re.compile(rf"{_PLAIN}(?:{_LARGE})")
_PART = re.compile(rf"({_PLAIN})\s?({_TENS}|million|thousand|billion)?")
_CLOCK = re.compile(
    r"(?<![\d:])(?:(오전|오후|午前|午後)\s?)?(\d{1,2})(?:[:：](\d{2})(?!\d)|\s?시(?!간)(?:\s?(\d{1,2})\s?분|\s?(반))?|\s?時(?!間)(?:\s?(\d{1,2})\s?分|\s?(半))?)?\s?(a\.?m\b|p\.?m\b)?"
)
_DATE = re.compile(
    r"(?:(\d{4})\s?[년年.\-/]\s?)?(?<!\d)(\d{1,2})\s?(?:월|月|[.\-/])\s?(\d{1,2})(?:\s?[일日])?(?![\d:])"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_NAMED_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{_MONTH})|(?P<month2>{_MONTH})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,?\s(?P<year>\d{{4}}))?"
)
_DAY_OF_MONTH = re.compile(
    r"(?<![\d.])(\d{1,2})\s?[日일](?=\s?[(（][月火水木金土日월화수목금토일][)）・·])|(?<=[翌、,])\s?(\d{1,2})[日일](?![間간])"
)
"""A day that is written after one of its month, or with its weekday: no length of time."""
_CLAUSE = re.compile(r"(?<!\d)[,.](?!\d)|(?<=\d)[,.](?=\s)|[;()（）、。・·|]|\s[–—/-]\s|\b(?:and|against|but)\b")
_LABEL = re.compile(r"([^:：\d]{1,24})[:：]\s")
_POINT = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,2}\s(?=[A-Z가-힣ぁ-んァ-ヴ一-龯])|[(]?\d{1,2}[.)]\s|\d{1,2}\s(?=\d)")
"""What a point or a clause of a text is counted by."""
_TENTHS = re.compile(r"(?<![\d.])(\d)\s?割(?![合当り振])")
"""3割 is 30 %."""
_WORD = re.compile(r"\s?(%|per ?cent\b|[^\W\d_]{1,12}|[㎡℃])")
HOUR, MINUTE, MONTH, YEAR, DAYS, WEEKS = "시간", "분간", "개월", "년", "일", "주일"
"""What amounts.yaml has first of these units."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_MORE, _AND_A_HALF = re.compile(r"\s?(?:and\s)?"), re.compile(r"\s?[반半](?![가-힣一-龯])")

_CENTS = re.compile(r"\d{1,3}(?:,?\d{3}){0,3}\.\d\d")
"""A sum of money may be written without its sign."""
_NUMBERED = re.compile(r"(?<![\d.,])0\d{1,4}(?:[-\s]\d{2,4}){0,2}(?![\d.,]\d)")
"""What begins with nothing is the number of a telephone or of a thing."""
_NAME = re.compile(r"[^\W\d_]{2}")
_Found = tuple[int, int, float, str]
"""Where it begins and ends, its value and its unit."""


class Amount(NamedTuple):
    """A figure: its value in its unit, as it is written, and the clause and the passage that it stands in. `column`: of
    a cell, what it stands under."""

    value: float
    unit: str
    text: str
    clause: str
    passage: Passage
    column: str = ""

    @property
    def is_money(self) -> bool:
        return self.unit in units()["money"] or (not self.unit and _CENTS.fullmatch(self.text) is not None)


def amounts(passage: Passage) -> list[Amount]:
    """Of a passage, in its order."""
    if passage.cells:
        label = passage.cells[0][1]
        return [
            found._replace(clause=f"{label} {name}: {cell}", column=name)
            for name, cell in passage.cells[1:]
            for found in _of_cell(passage, name, cell)
        ]
    return _read(passage, passage.text)


def _of_cell(passage: Passage, name: str, cell: str) -> list[Amount]:
    found = _read(passage, cell)
    if len(found) == 1 and not found[0].unit and (unit := _unit_in(name)):
        found = [found[0]._replace(unit=unit)]
    return found


def _unit_in(name: str) -> str:
    """What a column has in brackets, or is."""
    match = re.search(r"[(（]([^)）]{1,12})[)）]", name) or re.fullmatch(r"\s*(.{1,12})\s*", name)
    words = re.split(r"[\s/,:：·]+", match[1].strip().casefold()) if match else []
    return next((_named()[word] for word in words if word in _named()), "")  # not the days of 평일(월~금)


def _read(passage: Passage, text: str) -> list[Amount]:
    flat = words_in_figures(in_figures(unicodedata.normalize("NFKC", text)))
    flat = _TENTHS.sub(r"\g<1>0%", flat)
    low = flat.casefold()
    found: list[_Found] = []
    for match, value, kind in (*_dates(low), *_clocks(low)):
        if not _overlaps(match, found):
            found.append((match.start(), match.end(), value, kind))
    found += [(*match.span(), 0.0, "") for match in _NUMBERED.finditer(low) if not _overlaps(match, found)]
    moments = tuple(found)
    found = [one for one in found if one[3]]
    point = None if passage.cells else _POINT.match(flat)
    for match in _FIGURE.finditer(low, point.end() if point else 0):
        apart = match.start() and low[match.start() - 1] in "-.:/제第"  # 제3조 is the third, and not three of anything
        if not apart and not _overlaps(match, moments):
            unit, end = _unit_behind(low, match)
            if not unit and _YEAR.fullmatch(match.group()):
                continue
            found.append((match.start(), end, number_of(match["number"]), unit))
    found = _lasting(low, sorted(found))
    return [
        Amount(value, unit, flat[start:end].strip(), _clause(flat, found, at), passage)
        for at, (start, end, value, unit) in enumerate(found)
    ]


def _overlaps(match: re.Match[str], found: Sequence[_Found]) -> bool:
    return any(start < match.end() and match.start() < end for start, end, *_ in found)


def _lasting(low: str, found: Sequence[_Found]) -> list[_Found]:
    """With hours and the minutes behind them as one figure, of minutes."""
    kept: list[_Found] = []
    for one in found:
        start, end, value, unit = one
        hours = kept[-1] if kept and kept[-1][3] == HOUR else None
        if hours and unit == MINUTE and _MORE.fullmatch(low, hours[1], start):
            kept[-1] = hours[0], end, hours[2] * 60 + value, MINUTE
        elif unit == HOUR and (half := _AND_A_HALF.match(low, end)):
            kept.append((start, half.end(), value * 60 + 30, MINUTE))
        else:
            kept.append(one)
    return kept


def _unit_behind(low: str, match: re.Match[str]) -> tuple[str, int]:
    """The unit of a figure, and where it ends."""
    if match["front"]:
        return unit_of(match["front"].strip()), match.end()
    word = _WORD.match(low, match.end())
    known = _longest(word[1]) if word else ""
    if word is None or (not known and is_empty(word[1])):
        return "", match.end()
    if not known and word[1][0] in units()["particles"]:
        return "", match.end()
    kept = len(known) if known else len(word[1]) if word[1].isascii() else 1
    return unit_of(word[1]), word.start(1) + kept


def _clause(flat: str, found: Sequence[_Found], at: int) -> str:
    """What stands around a figure, as far as the next ones of its unit, with the label of the line; where that is no
    word, what stands before it."""
    start, end, _, unit = found[at]
    listed = ";" in flat  # commas are within the points of such a list
    seams = [one.span() for one in _CLAUSE.finditer(flat) if not (listed and one.group() == ",")]
    others = [one for other, one in enumerate(found) if other != at and one[3] == unit]
    before = max((one[1] for one in others if one[1] <= start), default=0)
    after = min((one[0] for one in others if one[0] >= end), default=len(flat))
    after = min([after, *(left for left, _ in seams if left >= end)])
    fronts = sorted({before, *(right for _, right in seams if before <= right <= start)}, reverse=True)
    front = next((one for one in fronts if _NAME.search(flat, one, start)), before)
    label = _LABEL.match(flat)
    head = f"{label[1]} " if label and label.end() <= front else ""
    return f"{head}{flat[front:after]}".strip()


def number_of(text: str) -> float:
    """3억 8,700만 is 387,000,000."""
    whole = 0.0
    for number, ten in _PART.findall(text):
        tens: dict[str, int] = units()["tens"]
        whole += float(number.replace(",", "")) * (tens.get(ten) or math.prod(tens[sign] for sign in ten))
    return whole


def in_ones(text: str) -> str:
    """With figures of thousands and more in words as plain ones: 1억 3,200만 원 is 132,000,000 원."""
    return _TENFOLD.sub(lambda found: f"{number_of(found[0]):,.12g}", unicodedata.normalize("NFKC", text))


def around_figure(text: str) -> tuple[str, str]:
    """The sign before a figure, and the unit behind it: 만원 is one of 10,000 won."""
    found = [*_FIGURE.finditer(unicodedata.normalize("NFKC", text))]  # the last: of hours and minutes these are meant
    return ((found[0]["front"] or "").strip(), text[found[-1].end() :]) if found else ("", "")


def unit_of(word: str) -> str:
    """What the word behind a figure counts in; a word that is no known unit is one of its own."""
    known = _longest(word)
    if known:
        return _named()[known]
    return word.removesuffix("s") if word.isascii() else word[:1]


def _longest(word: str) -> str:
    """The unit that a word is, or that a Korean or Japanese one begins with."""
    if word.isascii():
        return word if word in _named() else ""
    return next((word[:end] for end in range(len(word), 0, -1) if word[:end] in _named()), "")


def _dates(low: str) -> Iterator[tuple[re.Match[str], float, str]]:
    months: list[tuple[int, str | None, int]] = []
    for match in _NAMED_DATE.finditer(low):
        name = (match["month"] or match["month2"])[:3]
        day = int(match["day"] or match["day2"])
        yield from _day(match, match["year"], _MONTHS.index(name) // 3 + 1, day)
    for match in _DATE.finditer(low):
        if match.group().strip()[-1] in "일日" or match[1]:
            yield from _day(match, match[1], int(match[2]), int(match[3]))
            months.append((match.end(), match[1], int(match[2])))
    for match in _DAY_OF_MONTH.finditer(low):
        before = [(year, month) for end, year, month in months if end <= match.start()]
        if before:
            yield from _day(match, *before[-1], int(match[1] or match[2]))


def _day(match: re.Match[str], year: str | None, month: int, day: int) -> Iterator[tuple[re.Match[str], float, str]]:
    try:
        yield match, float(dt.date(int(year or LEAP), month, day).toordinal()) + (0.0 if year else 0.5), DATE
    except ValueError:
        return


def _clocks(low: str) -> Iterator[tuple[re.Match[str], float, str]]:
    for match in _CLOCK.finditer(low):
        half, hour, *minutes, meridiem = match.groups()
        tail = match.group()
        if not (meridiem or ":" in tail or "：" in tail or "시" in tail or "時" in tail) or int(hour) > 24:
            continue
        minute = next((30 if one in "반半" else int(one) for one in minutes if one), 0)
        late = int(hour) < 12 and (half in ("오후", "午後") or (meridiem or "").startswith("p"))
        yield match, (int(hour) + 12 * late) * 60.0 + minute, CLOCK


def is_unit(name: str) -> bool:
    """Whether figures are counted in it anywhere; else it is a word that stands behind one."""
    return name in _units()


@cache
def _units() -> frozenset[str]:
    return frozenset(_named().values())


@cache
def _named() -> dict[str, str]:
    """Each word of a unit with the name of the unit."""
    words = {word: name for name, some in units()["money"].items() for word in some}
    return words | {word: some[0] for some in units()["units"] for word in some}


@cache
def words_of_unit(unit: str) -> tuple[str, ...]:
    """What a unit is called in the three languages."""
    return tuple(word for word, name in _named().items() if name == unit and not (word.isascii() and len(word) < 2))


@cache
def units() -> dict[str, Any]:
    """amounts.yaml"""
    known: dict[str, Any] = load("amounts.yaml")
    return known
