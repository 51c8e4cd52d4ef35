"""Numbers of a sentence, and the columns that they bound: those for which most speaks of what stands beside the number,
its unit, and where the figures of the column lie."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from packs.marketing.asking.lexicon import in_other_words
from packs.marketing.asking.naming import holds, pattern_of, unit_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, number_of, number_pattern, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Op

MAGNITUDES = {
    "천": 1e3, "만": 1e4, "백만": 1e6, "천만": 1e7, "억": 1e8, "k": 1e3, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7
}  # fmt: skip
MAGNITUDE = r"\s*(천만|백만|천|만|억|k(?![a-z])|百万|千万|万|千)?"
_MONEY = r"(?:[₩$€£¥]\s*)?"
_COUNTED_IN = re.compile(r"[(（\[]\s*(?:단위\s?:\s?|単位[:：]\s?)?(백만|천|만|억|百万|千|万)\s?[원円]?\s*[)）\]]")
"""What a heading says that its money is counted in."""
_SIGN = r"(?:(?<![^\s(])-(?=\d))?"
"""Of a number below nought; between two numbers it means up to."""
_UNIT = r"\s?(?P<unit>[^\s\d,.~]{0,8}?)"
_NEAR, _BESIDE, _BEHIND = 30, 5, 16
"""Letters before a number in which its column may be named, and right beside which; letters behind it."""
_PLACES = ("위", "등", "位", "번째", "番")
_UNNAMED = 1.0
SURE, _CLEAR = 2.0, 0.3
"""What has to speak for a column, and how much more than for any other."""


class Number(NamedTuple):
    """A bound, and where it stands; `values` are two for a span. `loose`: nothing says that it is one but the name of
    a column right before it."""

    op: Op
    values: tuple[float, ...]
    unit: str
    span: tuple[int, int]
    loose: bool = False
    money: bool = False


def linked(sentence: AskedSentence, profile: Profile, spoken: Sequence[str] = ()) -> list[Filter]:
    """One filter for each bound of which it is clear what it bounds; others are left to whoever reads on. `spoken` are
    columns that were bounded before: another bound without a name is theirs."""
    columns = [one for one in profile.of("number") if not one.made]
    # what was taken together in another question bounds nothing here
    columns = [one for one in columns if not one.taken_together or sentence.find(pattern_of(one)) is not None]
    found: list[Filter] = []
    for number in sorted(numbers_of(sentence), key=lambda one: one.span):
        if number.loose and (number.unit.startswith(_PLACES) or not _is_sure(sentence, columns, number)):
            continue
        column = _best(sentence, profile, columns, number, spoken)
        if number.loose and column is not None and number.values[0] not in profile.frame[column.name]:
            continue
        if column is None or column.scale is not None:
            continue
        start = number.span[0]
        beside = list(compiled(pattern_of(column)).finditer(sentence.left, max(0, start - _NEAR), start))
        if beside and start - beside[-1].end() <= _BESIDE + 1:
            sentence.blank(*beside[-1].span())  # said of the bound, not of what is measured
        sentence.blank(*number.span)
        spoken = (*spoken, column.name)
        in_heading = _COUNTED_IN.search(column.name) if number.money or number.unit.startswith(("원", "円")) else None
        counted = MAGNITUDES[in_heading[1]] if in_heading is not None else 1.0
        values = tuple(one * _times(column, number.unit) / counted for one in number.values)
        low = [Filter(column.name, "ge", values[:1]), Filter(column.name, "le", values[1:])]
        found += low if len(values) > 1 else [Filter(column.name, number.op, values)]
    return found


def value(said: str, magnitude: str | None) -> float:
    return number_of(said) * MAGNITUDES.get((magnitude or "").lower(), 1.0)


def numbers_of(sentence: AskedSentence) -> list[Number]:
    """The bounds that a sentence has, whatever they are of."""
    said, number = words(), rf"({_SIGN}{number_pattern()})?"
    digits = rf"(?<![\dA-Za-z.\-])(?!(?<=[^\Wがをはにのとも])\D){_MONEY}{number}{MAGNITUDE}"
    found: list[Number] = []
    spans = rf"{digits}{_UNIT}\s?(?:{said['between']}|\band\b)\s?{_MONEY}{number}{MAGNITUDE}"
    for match in compiled(rf"(?:between\s|from\s)?{spans}(?P<last>[^\s\d,.~]{{0,4}}?)(?={said['span_end']})").finditer(
        sentence.left
    ):
        if match[1] and match[4]:
            values = tuple(value(*one) for one in ((match[1], match[2] or match[5]), (match[4], match[5])))
            unit = match["unit"] or match["last"] or _sign(match)
            found.append(Number("ge", values, unit, match.span(), money=bool(match[2] or match[5] or _sign(match))))
    for op, after in said["after"].items():
        found += _matches(op, rf"{digits}{_UNIT}[이가을를がをの]?\s?(?:{after})[가-힣]*", sentence)
    for op, before in said["before"].items():
        unit = r"(?:\s?(?P<unit>°\s?[CFcf]|[A-Za-z]{2,12}|[^\s\d,.A-Za-z?!]{1,3}))?"
        found += _matches(op, rf"(?<![A-Za-z])(?:{before})\s+{_MONEY}{number}{MAGNITUDE}(?![\w.,]*\d){unit}", sentence)
    found += _matches("in", rf"{digits}{_UNIT}{said['exactly']}", sentence)
    found += _matches(
        "in", rf"(?<![A-Za-z])(?:exactly|precisely|just|only) {digits}{_UNIT}{said['right_there']}", sentence
    )
    behind = _matches("in", rf"{digits}{_UNIT}{said['right_there']}", sentence)
    found += [one._replace(loose=True) for one in behind]
    apart: list[Number] = []
    for one in found:
        if compiled(words()["per_unit"]).search(one.unit) is not None:
            continue  # "1泊あたり" is each of them, and none that has one
        if not any(one.span[0] < other.span[1] and other.span[0] < one.span[1] for other in apart):
            apart.append(one)
    return apart


def _times(column: Column, unit: str) -> float:
    """How many of what a column is measured in make one of the unit that is said: 60 minutes an hour."""
    for said, measured, many in words()["conversions"]:
        if compiled(said).fullmatch(unit.strip()) and compiled(measured).search(column.name):
            return float(many)
    return 1.0


def _is_sure(sentence: AskedSentence, columns: Sequence[Column], number: Number) -> bool:
    """Whether a number by itself is one of a column: right behind its name, or by a unit that tells which ("2名の")."""
    told = sentence.left[number.span[1] : number.span[1] + 1] in ("の", "で") and bool(number.unit)
    measured = [one for one in columns if told and one.scale is None and by_unit(one, number.unit) > SURE]
    return len(measured) == 1 or _is_right_behind(sentence, columns, number)


def _is_right_behind(sentence: AskedSentence, columns: Sequence[Column], number: Number) -> bool:
    start = number.span[0]
    return any(
        compiled(rf"(?:{pattern_of(one)})\s?(?:=|:|が|は|이|가)?\s?$").search(sentence.text[:start])
        for one in columns
        if one.scale is None
    )


def _matches(op: Op, pattern: str, sentence: AskedSentence) -> list[Number]:
    found = compiled(pattern).finditer(sentence.left)
    return [
        Number(
            op, (value(one[1] or "1", one[2]),), one["unit"] or _sign(one), one.span(), money=bool(one[2] or _sign(one))
        )
        for one in found
        if one[1] or one[2]
    ]


def _sign(match: re.Match[str]) -> str:
    return "won" if re.search("[₩$€£¥]", match.group()) else ""


def _best(
    sentence: AskedSentence, profile: Profile, columns: Sequence[Column], number: Number, spoken: Sequence[str]
) -> Column | None:
    """The column for which clearly most speaks."""
    points = [_speaks(sentence, profile, one, number) + (SURE if one.name in spoken else 0.0) for one in columns]
    ranked = sorted(((each, at) for at, each in enumerate(points)), reverse=True)
    if not ranked or ranked[0][0] < SURE or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _CLEAR):
        return None
    return columns[ranked[0][1]]


def _speaks(sentence: AskedSentence, profile: Profile, column: Column, number: Number) -> float:
    start, end = number.span
    name = compiled(pattern_of(column))
    before = [start - one.end() for one in name.finditer(sentence.left, max(0, start - _NEAR), start)]
    behind = [one.start() - end for one in name.finditer(sentence.left, end, min(len(sentence.left), end + _BEHIND))]
    within = name.search(sentence.left, start, end)
    points = 0.0
    if before:
        points += 3.0 + (1.5 if min(before) <= _BESIDE else 0.0) - min(before) / _NEAR
    elif behind or within:
        points += 2.5 - (min(behind) if behind else 0) / _BEHIND
    spent = compiled(bounded(words()["money_spoken"]["surely"])).search(sentence.text[max(0, start - _NEAR) : start])
    given_back = compiled(words()["beside_the_amount"]).search(column.name) is not None
    if spent is not None and holds(column, "amount") and not given_back:
        points += SURE + 1
    if given_back and not (before or behind or within):
        points -= _UNNAMED  # whoever speaks of money alone speaks of none that was given back
    persons = compiled(words()["people_said"]).search(sentence.text) is not None and spent is None
    if persons and holds(column, "age") and not _is_a_unit(number.unit):
        points += SURE
    if _is_compared(column, sentence.left[start:end]):
        points += SURE
    unmarked = profile.rating is None and compiled(words()["rating_unit"]).fullmatch(number.unit) is not None
    unit = 0.0 if unmarked else by_unit(column, number.unit)  # where nothing is rated, 점 tells no column
    if (before and min(before) <= _BESIDE) or not _may_be_rated(profile, number):
        unit = max(unit, 0.0)  # what is named right there has points as well, and no rating has so many
    return points + unit + _by_place(column, profile.frame[column.name], number)


def _is_compared(column: Column, bound: str) -> bool:
    """Whether the word that compares says of what ("colder than 3"), by the name of the column or what that is in."""
    return any(
        compiled(one["said"]).search(bound) is not None
        and (any(holds(column, kind) for kind in one["of"]) or bool(_parts(column) & set(one.get("units", ()))))
        for one in words()["compared"]
    )


def _may_be_rated(profile: Profile, number: Number) -> bool:
    scale = profile.rating.scale if profile.rating is not None else None
    return scale is None or all(scale.low <= one <= scale.high for one in number.values)


def _is_a_unit(unit: str) -> bool:
    said = words()
    known = [said["money_unit"], said["rating_unit"], *said["units"].values()]
    return bool(unit) and any(compiled(one).fullmatch(unit) for one in known)


def by_unit(column: Column, unit: str) -> float:  # noqa: PLR0911  # one for each kind of unit
    """A unit speaks for columns that are measured in it, and against others that are measured in something else."""
    if not unit:
        return 0.0
    said = words()
    bare = re.sub(r"(?:짜리|인|의|の|이상|만)$", "", unit)
    begun = not bare.isascii() and (column.name.startswith(bare) or unit_of(column) == bare)  # 歩 of 歩数
    if _times(column, bare) != 1.0:
        return 2.5
    if bare.casefold() in in_other_words(column.name):
        return 2.5  # "times" of visits
    if begun or (bare and {bare.casefold(), *_same_unit(bare)} & _parts(column)):
        return 3.0
    if compiled(said["money_unit"]).match(bare):
        amount = [holds(column, kind) for kind in ("paid", "total", "sales")]
        return 2.6 if any(amount) else 2.0 if holds(column, "amount") else -3.0
    if compiled(said["rating_unit"]).fullmatch(bare):
        return 3.0 if column.scale is not None else -3.0
    kinds = [kind for kind, pattern in said["units"].items() if compiled(pattern).fullmatch(bare)]
    if any(holds(column, kind) for kind in kinds):
        return 2.5
    return -1.5 if kinds else 0.0


def _parts(column: Column) -> set[str]:
    """Of a heading, among them what it says that it is measured in."""
    return set(re.split(r"[()\[\]（）\s_/,]+", column.name.casefold()))


def _same_unit(unit: str) -> set[str]:
    return {one for units in words()["asked_in"] if unit.casefold() in units for one in units}


def _by_place(column: Column, cells: pl.Series, number: Number) -> float:
    """A bound beyond all figures of a column is hardly one of it."""
    low, high = cells.min(), cells.max()
    if not isinstance(low, float) or not isinstance(high, float):
        return 0.0
    inside = low <= max(number.values) and min(number.values) <= high
    return 0.3 if inside else -1.0
