"""What figures are counted and measured in: the unit in which an answer is wanted, and the columns that have it."""

import re
from collections.abc import Sequence

from packs.marketing.asking.amounts import by_unit
from packs.marketing.asking.naming import holds, pattern_of, unit_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Measure, Request

_LASTING = ("hours", "waiting", "nights")


def asked_in(sentence: AskedSentence, profile: Profile) -> Column | None:
    """The one column that is measured in the unit in which the answer is wanted ("how many minutes", 몇 분)."""
    counted = [one for one in profile.of("number") if is_counted_so(one, sentence)]
    if counted:
        return counted[0] if len(counted) == 1 else None
    averaged = compiled(bounded(words()["measures"]["mean"])).search(sentence.text) is not None
    for kind in ("people", "pages", "quantity") if averaged else ():  # of rows alone one asks for no mean
        columns = [one for one in profile.of("number") if holds(one, kind)]
        if len(columns) == 1 and sentence.find(rf"(?:몇|何)\s?{words()['units'][kind]}") is not None:
            return columns[0]
    if sentence.find(bounded(words()["how_long"])) is not None:
        times = [one for one in profile.of("number") if any(holds(one, kind) for kind in ("hours", "waiting"))]
        if len(times) == 1:
            sentence.take(bounded(words()["how_long"]))
            return times[0]
    for units in words()["asked_in"]:
        spelt = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
        if (
            sentence.find(rf"(?:몇|何)\s?(?:{spelt})(?!대)|(?:in|{words()['how_many_units']}) (?:{spelt})(?![A-Za-z])")
            or sentence.find(rf"(?<![A-Za-z])(?:total|combined) (?:{spelt})(?![A-Za-z])")
        ) is None:
            continue
        columns = [one for one in profile.of("number") if one.scale is None and heading_units(one) & set(units)]
        if len(columns) == 1:
            return columns[0]
    return None


def is_counted_so(column: Column, sentence: AskedSentence) -> bool:
    """Whether one asks how many, by the counter that its heading has (몇 권 of 권수)."""
    unit = "|".join(map(re.escape, _counters(column)))
    days = "|며칠|何日" if unit in ("일", "日") or holds(column, "nights") else ""
    return bool(unit or days) and sentence.find(rf"(?:몇|何)\s?(?:{unit or '(?!)'}){days}") is not None


def _counters(column: Column) -> list[str]:
    """Its unit, or each of several that stand in brackets side by side (枚 and 個 of 数量(枚・個))."""
    several = re.search(r"[(（]\s?(\w{1,3}(?:\s?[・·/,、]\s?\w{1,3})+)\s?[)）]$", column.name.strip())
    found = re.split(r"\s?[・·/,、]\s?", several[1]) if several is not None else [unit_of(column)]
    return [one for one in found if one]


def ranks_by_rows(request: Request, asked: str, profile: Profile) -> str:
    """The counter by which one asks for the figure of the first group, where rows are counted and columns are what has
    such figures ("which bread is made most, and how many", of 생산(개) and 판매(개)); else nothing."""
    rows = request.measures == (Measure("count"),) and request.descending is not None and bool(request.groups)
    if not rows or request.asks != "figures" or request.unread or request.unknown:
        return ""
    sentence = AskedSentence(asked)
    counted = [unit_of(one) for one in profile.of("number") if unit_of(one) and is_counted_so(one, sentence)]
    match = sentence.find(rf"(?:몇|何)\s?{re.escape(counted[0])}") if counted else None
    return match.group() if match is not None else ""


def ranks_by_length(request: Request, asked: str, profile: Profile) -> str:
    """The word by which one asks what lasts longer, where what is compared is no length and no time; else nothing."""
    match = compiled(words()["lasts_longer"]).search(asked)
    if match is None or request.asks != "figures" or request.unread or any(one.days for one in request.measures):
        return ""
    columns = [profile.column(one.column) for one in request.measures if one.column]
    lasting = {unit for units in words()["asked_in"] for unit in units if {*units} & {*words()["lasting_units"]}}
    lasts = [one for one in columns if heading_units(one) & lasting or any(holds(one, kind) for kind in _LASTING)]
    return match.group() if columns and not lasts else ""


def is_of_another_unit(column: Column, asked: str) -> bool:
    """Whether one asks how many of something that the figures of the column are not ("how many days" of points)."""
    pattern = compiled(r"(?:몇|何)\s?(\w{1,3}?)(?=[\W은는이가을를씩나인の]|$)|how many ([a-z]+)|며칠")
    said = [one[1] or one[2] or "일" for one in pattern.finditer(asked)]
    return column.kind == "number" and any(by_unit(column, unit) < 0 for unit in said)


def of_several(sentence: AskedSentence, profile: Profile) -> str:
    """The counter of several columns by which one asks for a sum or a mean, and names none of them; else nothing."""
    counted = [one for one in profile.of("number") if is_counted_so(one, sentence)]
    added = bounded("|".join(words()["measures"][one] for one in ("sum", "mean"))) + "|전부|모두|총|全部"
    if len(counted) < len(("one", "other")) or compiled(added).search(sentence.text) is None:
        return ""
    match = sentence.find(rf"(?:몇|何)\s?{re.escape(unit_of(counted[0]))}")
    return match.group() if match is not None else ""


def units_of(columns: Sequence[Column]) -> frozenset[str]:
    """Words for what the columns are measured in: of "Load (m³)" both "cubic" and "metres"."""
    spoken = [unit for one in columns if one.kind == "number" for unit in _same_units(one)]
    return frozenset(word for unit in spoken for word in unit.split())


def heading_units(column: Column) -> set[str]:
    """Parts of a heading that may be what it is measured in: kg of "무게(kg)" and of 数量kg."""
    name = column.name.casefold()
    return {unit_of(column), *re.split(r"[()\[\]（）\s_/,]+", name), *re.findall(r"(?<![a-z])[a-z]{1,4}$", name)}


def is_asked_how_many(column: Column, sentence: AskedSentence) -> bool:
    """As in "how many parcels", whose column is called so."""
    if column.kind != "number" or column.scale is not None or "%" in column.name:
        return False
    length = any(holds(column, kind) for kind in words()["lengths_of_time"])
    units = "(?!)" if length else "|".join(re.escape(unit) for unit in _same_units(column)) or "(?!)"
    if (
        compiled(rf"(?:몇|何)\s?(?:{units})|(?:{words()['how_many_units']}) (?:{units})(?![A-Za-z])").search(
            sentence.text
        )
        is not None
    ):
        return True
    if any(holds(column, kind) for kind in words()["averaged"]):
        return False
    return compiled(words()["how_many_of"].replace("NAME", pattern_of(column))).search(sentence.text) is not None


def _same_units(column: Column) -> list[str]:
    """What one may call that which the heading says it is measured in, the longest first."""
    found = {unit for units in words()["asked_in"] if heading_units(column) & set(units) for unit in units}
    return sorted(found, key=len, reverse=True)
