"""Columns that are a grid: of each thing the same few figures, "Maths (mid)", "Maths (final)", "Science (mid)". Who
says both parts of a heading, in whatever order, means that column, and none of the others."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from packs.marketing.asking.naming import name_pattern
from packs.marketing.asking.phrasing import compiled
from packs.marketing.asking.profile import Profile

_TWO_PARTS = re.compile(
    r"([^()\[\]（）_/]{1,20}?)(?:\s?[(（\[]([^()\[\]（）]{1,12})[)）\]]|[_/ ]([^()\[\]（）_/ ]{1,12}))"
)
_BETWEEN = (
    r"(?:\s?(?:고사|시험|exam|test|テスト))?(?:의|の|'s|에서|은|는|이|가|を|は|が|/|·)?\s?(?:of |in |on |for |the )?"
)
"""What stands between the parts of a heading where they are said one behind the other."""
_MOST = 2
"""Of each part, of which there have to be others, or the headings are no grid."""


class _Said(NamedTuple):
    start: int
    end: int
    part: str


def in_full(text: str, profile: Profile) -> tuple[str, Profile]:
    """The text with the headings of such columns as they stand in the table, and the profile without names for all the
    others of the grid."""
    grid, whole = _grid(profile), text
    things = _found(text, [one for one, _ in grid])
    figures = _found(text, [one for _, one in grid])
    kinds = {one.part for one in figures}
    if not things or not kinds or (len(kinds) > 1 and len({one.part for one in things}) == 1):
        return text, profile  # of two figures of one thing both are meant
    behind = {thing: one for thing in things for one in figures if _is_beside(text, thing, one) and thing < one}
    before = {thing: one for thing in things for one in figures if _is_beside(text, one, thing) and one < thing}
    taken = set(behind.values())  # what stands behind one thing is not said of the next
    meant: set[str] = set()
    for thing in reversed(things):
        beside = behind.get(thing) or next((one for one in (before.get(thing),) if one and one not in taken), None)
        figure = beside or (figures[0] if len(kinds) == 1 else None)
        heading = grid.get((thing.part, figure.part)) if figure is not None else None
        if heading is None:
            return whole, profile
        meant.add(heading)
        if text[: thing.start].rstrip().endswith(("(", "（")):
            continue  # brackets that explain a word are read as such
        start, end = thing.start, thing.end
        if beside is not None:
            start, end = min(start, beside.start), max(end, beside.end)
            closed = re.match(r"\s?[)）\]]", text[end:])
            end += closed.end() if closed is not None and text[start:end].count("(") else 0
        text = f"{text[:start]}{heading}{text[end:]}"
    others = {*grid.values()} - meant
    columns = tuple(replace(one, silent=True) if one.name in others else one for one in profile.columns)
    return text, replace(profile, columns=columns)


def figures_of(profile: Profile) -> Mapping[str, Sequence[str]]:
    """What is told of each thing of such columns ("mid", "final"), with all the headings that have it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for (_, figure), name in _grid(profile).items():
        found[figure].append(name)
    return found


def _grid(profile: Profile) -> Mapping[tuple[str, str], str]:
    """(thing, figure) -> heading."""
    found = {
        (match[1].strip(), (match[2] or match[3]).strip()): one.name
        for one in profile.of("number")
        if one.is_of_the_file and (match := _TWO_PARTS.fullmatch(one.name)) is not None
    }
    things: defaultdict[str, set[str]] = defaultdict(set)
    figures: defaultdict[str, set[str]] = defaultdict(set)
    for thing, figure in found:
        things[thing].add(figure)
        figures[figure].add(thing)
    return {
        (thing, figure): name
        for (thing, figure), name in found.items()
        if len(things[thing]) >= _MOST and len(figures[figure]) >= _MOST
    }


def _found(text: str, parts: Sequence[str]) -> list[_Said]:
    return sorted(
        _Said(*match.span(), part)
        for part in dict.fromkeys(parts)
        for match in compiled(name_pattern(part)).finditer(text)
    )


def _is_beside(text: str, first: _Said, second: _Said) -> bool:
    """Whether nothing of its own stands between the first and the second."""
    between = text[first.end : second.start]
    return first.end <= second.start and compiled(rf"{_BETWEEN}[(（\[]?").fullmatch(between) is not None
