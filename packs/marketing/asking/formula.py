"""Columns that are reckoned up row by row as a person writes it down: "A × B + C", 단가×수량+배송비, A×BにCを足した額.
Only columns by their own headings, times, plus and minus; with brackets or a division nothing is made of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from packs.marketing.asking.families import figures_of
from packs.marketing.asking.naming import bare_heading, full_heading, holds, name_pattern, unit_of
from packs.marketing.asking.phrasing import compiled, number_of, number_pattern, words
from packs.marketing.asking.profile import Column, Profile
from understanding.kit.data import read_data

_SIGNS = {"times": "×", "plus": "+", "minus": "−"}
_IN_BRACKETS = re.compile(r"[(（]([^()（）]{1,4})[)）]$")
_FEWEST = 3
"""Columns; two are read otherwise (together, words.yaml `times`)."""


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = read_data(Path(__file__).with_name("formula.yaml"))
    return found


@dataclass(frozen=True, slots=True)
class Formula:
    """Where it stands, and its columns with the sign before each; the first is added. `whole`: without any of them
    there is no figure."""

    start: int
    end: int
    signs: tuple[str, ...]
    columns: tuple[Column, ...]
    whole: bool = False
    figures: frozenset[str] = frozenset()
    """What stands in brackets and is no unit: 기말 of 수학(기말)."""

    @property
    def heading(self) -> str:
        told = [f" {_SIGNS[sign]} {one.name}" for sign, one in zip(self.signs, self.columns, strict=True)]
        return "".join(told).removeprefix(" + ")

    def terms(self) -> list[tuple[str, list[Column]]]:
        """What is added or taken off: a column, or the product of several."""
        found: list[tuple[str, list[Column]]] = []
        for sign, one in zip(self.signs, self.columns, strict=True):
            if sign == "times":
                found[-1][1].append(one)
            else:
                found.append((sign, [one]))
        return found

    def value(self) -> pl.Expr:
        """An empty cell beside a figure is nothing; where all is empty there is no figure."""
        told = []
        for sign, columns in self.terms():
            product = pl.col(columns[0].name)
            for one in columns[1:]:
                product *= pl.col(one.name)
            told.append((1 if sign == "plus" else -1, product))
        gaps = [one.is_null() for _, one in told]
        nothing = pl.any_horizontal(gaps) if self.whole else pl.all_horizontal(gaps)
        return pl.when(nothing).then(None).otherwise(sum((one.fill_null(0) * by for by, one in told), pl.lit(0.0)))

    @property
    def unit(self) -> str:
        """In what it is counted: what all its terms have, products that of any of their columns; "?": they differ."""
        each = [{_unit(one) for one in columns} - {"", *self.figures} or {""} for _, columns in self.terms()]
        both = sorted(set.intersection(*each))
        return both[0] if both else "?"


def _unit(column: Column) -> str:
    match = _IN_BRACKETS.search(column.name.strip())
    return unit_of(column) or (match[1] if match is not None else "")


def written(text: str, numbers: Sequence[Column]) -> Formula | None:
    """The first formula of three columns or more, all in the same unit; None where more is reckoned than that."""
    named = _names(numbers)
    names = {f"c{at}": column for at, (_, column) in enumerate(named)}
    each = "|".join(f"(?P<c{at}>{name_pattern(name)})" for at, (name, _) in enumerate(named))
    if not each:
        return None
    begins = compiled(each)
    for first in begins.finditer(text):
        found = _from(text, first, begins, names, _figures(numbers))
        if found is not None:
            return found
    return None


def _names(numbers: Sequence[Column]) -> list[tuple[str, Column]]:
    """Headings as they stand, and without what is in brackets where no other has the same; long ones first."""
    bare = [(bare_heading(one.name), one) for one in numbers]
    alone = [(name, one) for name, one in bare if len(name) > 1 and [it for it, _ in bare].count(name) == 1]
    found = dict([*alone, *((one.name.strip(), one) for one in numbers)])
    return sorted(found.items(), key=lambda it: -len(it[0]))


def _figures(numbers: Sequence[Column]) -> frozenset[str]:
    """What tells columns apart that have the same heading but for their brackets."""
    bare = [bare_heading(one.name) for one in numbers]
    several = [one for one in numbers if bare.count(bare_heading(one.name)) > 1]
    return frozenset(_unit(one) for one in several)


def _from(
    text: str, first: re.Match[str], begins: re.Pattern[str], names: dict[str, Column], figures: frozenset[str]
) -> Formula | None:
    signs, columns, end = ["plus"], [names[first.lastgroup or ""]], first.end()
    while (step := _step(text, end, begins)) is not None:
        sign, match, end = step
        signs.append(sign)
        columns.append(names[match.lastgroup or ""])
    ranked = compiled(_said()["sum_behind"]).match(text, end) if "times" not in signs else None
    end = ranked.end() if ranked is not None else end  # it is the sum of each row that is the greatest
    exact = all(one.name in text for one in columns) and any("(" in one.name for one in columns)
    if (
        len(columns) < (_FEWEST - 1 if exact and "times" not in signs else _FEWEST)
        or compiled(_said()["more"]).match(text, end) is not None
    ):
        return None
    found = Formula(first.start(), end, tuple(signs), tuple(columns), figures=figures)
    before = text[: first.start()].rstrip("(（ ")
    return None if found.unit == "?" or before.endswith(tuple("×✕*/÷+＋−")) else found


def _step(text: str, at: int, begins: re.Pattern[str]) -> tuple[str, re.Match[str], int] | None:
    for sign, between in _said()["between"].items():
        then = compiled(between).match(text, at)
        if then is not None and (name := begins.match(text, then.end())) is not None:
            return sign, name, name.end()
    for sign, (before, behind) in _said()["last"].items():
        then = compiled(before).match(text, at)
        name = begins.match(text, then.end()) if then is not None else None
        if name is None:
            continue
        end = compiled(behind).match(text, name.end())
        if end is not None or before.startswith(",") or "add" in text[at : name.start()]:
            return sign, name, end.end() if end is not None else name.end()
    return None


def of_all_subjects(text: str, profile: Profile, numbers: Sequence[Column]) -> Formula | None:
    """What one has in all subjects together (기말 다섯 과목 총점, "total score in all subjects"), where no column tells
    it: of those that are told so (기말), or of all there are. None where it is not so many, or one subject is named."""
    said, grid = words()["total_of_subjects"], figures_of(profile)
    if any(compiled(said["told"]).search(one.name) for one in numbers):
        return None
    called = {figure: [one for one in numbers if one.name in names] for figure, names in grid.items()}
    if not grid:
        called[""] = [one for one in numbers if holds(one, "one_subject")]
    for figure, columns in called.items():
        which = f"(?:{name_pattern(figure)})" if figure else "(?:)"
        for pattern in (said["each"], said["alone"]):
            match = compiled(pattern.replace("WHICH", which).replace("N", number_pattern())).search(text)
            if match is None or len(columns) < _FEWEST - 1:
                continue
            many = match.groupdict().get("n")
            things = [re.split(r"[(（\[_/ ]", one.name)[0] for one in columns]
            named = any(compiled(name_pattern(one)).search(text) for one in things if len(one) > 1)
            if named or (many is not None and number_of(many) != len(columns)):
                continue
            return Formula(*match.span(), ("plus",) * len(columns), tuple(columns), whole=True, figures=frozenset(grid))
    return None


def without_blanks(text: str, numbers: Sequence[Column]) -> str:
    """The text without its words for what is so anyway: that an empty cell counts as nothing."""
    each = "|".join(full_heading(one) for one in numbers)
    return compiled(_said()["blank_is_nothing"].replace("NAME", each)).sub("", text)
