"""What people want to see beside a figure: each of the values that were named by itself, rows that lack a value of what
they are grouped by, and, of a few rows that were counted, the rows themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures, answer, kept_rows
from packs.marketing.asking.listing import names_of_rows
from packs.marketing.asking.naming import is_of_persons, pattern_of
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.asking.sentences import LONGEST_CELL, cell, shown
from packs.marketing.asking.written import value_of
from packs.marketing.evidence import say

FEW = 10
"""Rows that are shown when they are counted."""
_MOST_VALUES = 8
"""Values of which each is told by itself."""
_MOST_BARS = 12
_YEARS = (1900, 2100)
_WHOLE, _MOST_COLUMNS = 3, 6
"""Rows that are shown with all that they have, and columns of more of them."""


def each_by_itself(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Of several values of one column that were named the figures of each: whoever names two may want them compared."""
    lines: list[str] = []
    for one in (*request.filters, *(it for measure in request.measures for it in measure.part)):
        if one.op != "in" or not 1 < len(one.values) <= _MOST_VALUES:
            continue
        told = [(value, _alone(profile, request, one, replace(one, values=(value,)))) for value in one.values]
        figures = [
            f"{shown(replace(one, values=(value,)), ctx).split(' = ')[-1]} {said}" for value, said in told if said
        ]
        if len(figures) == len(told):
            rows = answer(profile, replace(request, groups=())).left
            lines.append(say(ctx, "ask.beside.each", rows, of=of, by=one.column, figures="; ".join(figures)))
    return list(dict.fromkeys(lines))


def _alone(profile: Profile, request: Request, whole: Filter, part: Filter) -> str:
    """The figures as they are of one of the values; nothing where they are of no such rows."""
    filters = tuple(part if one == whole else one for one in request.filters)
    measures = tuple(
        replace(it, part=tuple(part if one == whole else one for one in it.part)) for it in request.measures
    )
    found = answer(profile, replace(request, filters=filters, measures=measures))
    if not found.rows:
        return ""
    _, rows, values = found.rows[0]
    said = ", ".join(value_of(one, value, request.decimals) for one, value in zip(measures, values, strict=True))
    counted = all(one.kind in ("count", "share", "portion") for one in measures)
    return said if counted else f"{said} (n = {rows:,})"


def to_be_drawn(asked: str, request: Request, profile: Profile) -> Request:
    """What was told, where a picture of it is wanted: what came first among all the others, one figure as it is over
    time, or else of each value of the first column whose rows are not chosen."""
    if request.asks != "figures" or compiled(words()["pictured"]).search(asked) is None:
        return request
    if request.groups:
        return replace(request, limit=None) if request.limit == 1 else request
    chosen = {one.column for one in (*request.filters, *(it for measure in request.measures for it in measure.part))}
    day = profile.date
    over_time = [Group(day.name, "month")] if day is not None and day.name not in chosen else []
    kinds = [Group(one.name) for one in profile.of("category") if one.is_of_the_file and one.name not in chosen]
    for group in (*over_time, *kinds):
        drawn = replace(request, groups=(group,))
        if 1 < len(answer(profile, drawn).rows) <= _MOST_BARS:
            return drawn
    return request


def of_all_groups(requests: Sequence[Request]) -> list[Request]:
    """No row that lacks a value is in one of the groups of its column: where both are said, those come beside them
    ("by volunteer, and the ones with nobody written down")."""
    found = []
    for one in requests:
        by = {it.column for it in one.groups if not (it.grain or it.parts or it.periods)}
        kept = tuple(it for it in one.filters if not (it.op == "empty" and it.column in by))
        found.append(one if kept == one.filters else replace(one, filters=kept))
    return found


def without_a_group(
    profile: Profile, request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext
) -> list[str]:
    """The rows that are in none of the groups, as their cells are empty: all of them are told where all groups are."""
    group = request.groups[0]
    plain = not (group.grain or group.periods or group.sides or group.parts) and len(request.groups) == 1
    if not plain or request.limit is not None or request.having or request.bound or not figures.rows:
        return []
    empty = Filter(group.column, "empty", ())
    told = tuple(one for one in request.measures if one.kind != "portion" and not (one.stepped or one.since))
    found = answer(profile, replace(request, filters=(*request.filters, empty), groups=(), measures=told))
    if not told or not found.left:
        return []
    _, rows, values = found.rows[0]
    said = ", ".join(value_of(one, value, request.decimals) for one, value in zip(told, values, strict=True))
    only, name = all(one.kind == "count" for one in told), shown(empty, ctx)
    key = "ask.group.count" if only else "ask.group"
    return [say(ctx, key, rows, of={**of, group.column: name}, name=name, value=said, rows=f"{rows:,}")]


def few_rows(
    asked: str, request: Request, profile: Profile, ctx: ToolContext, before: Request | None = None
) -> list[str]:
    """The rows that were counted, where they are few: with all that they have, or with what tells one from another and
    what was asked of them."""
    counted = request.asks == "figures" and all(one == Measure("count") for one in request.measures)
    if not counted or not request.filters or request.having or request.bound or request.limit is not None:
        return []
    if not _are_wanted(asked, alone=before is None):
        return []
    kept = kept_rows(profile, request.filters)
    if not 0 < kept.height <= FEW or not _are_told_one_by_one(profile, request, kept.height):
        return []
    columns = _telling(asked, request, profile, kept.height)
    filled = [one for one in columns if kept[one].null_count() < kept.height]
    if not filled:
        return []
    years = [_are_years(kept[one]) for one in filled]
    rows = [
        [
            f"{value:.0f}" if of_years and value is not None else cell(value)
            for value, of_years in zip(row, years, strict=True)
        ]
        for row in kept.select(filled).iter_rows()
    ]
    heads = ", ".join(" ".join(one.split()) for one in filled)
    scope = {"rows": " · ".join(shown(one, ctx) for one in request.filters)}
    lines: list[str] = [say(ctx, "ask.these_rows", kept.height, of=scope, columns=heads)]
    return [*lines, *(ctx.text("ask.row", cells=", ".join(one or "–" for one in row)) for row in rows)]


def _are_wanted(asked: str, *, alone: bool) -> bool:
    """Whether something else is asked than how many; or nothing but which rows are meant, where that does not go on
    from a question before: nobody is named where a number is all that is asked for."""
    said = words()
    if compiled(said["rows_wanted"]).search(asked) is not None:
        return True
    return alone and compiled(f"{said['measures']['count']}|{said['rows_counted']}").search(asked) is None


def _are_told_one_by_one(profile: Profile, request: Request, rows: int) -> bool:
    """Whether groups, if there are any, are single rows."""
    return not request.groups or answer(profile, request).groups == rows


def _telling(asked: str, request: Request, profile: Profile, rows: int) -> list[str]:
    same = {one.column for one in request.filters if one.op == "empty" or (one.op == "in" and len(one.values) == 1)}
    free = [one for one in profile.columns if one.is_of_the_file and one.name not in same and _is_short(one, profile)]
    if rows <= _WHOLE:
        return [one.name for one in free]
    wanted = [one for one in free if compiled(pattern_of(one)).search(asked)]
    people = [one for one in free if is_of_persons(one)]
    people += [one for one in free if compiled(words()["person_headings"]).search(one.name) and one.kind != "date"]
    day = [profile.date] if profile.date in free else []
    names = [one for one in names_of_rows(profile) if one in free]
    ranked: Sequence[Column] = [*wanted, *people, *names, *day, *(one for one in free if one.kind == "category"), *free]
    first = list(dict.fromkeys(one.name for one in ranked))[:_MOST_COLUMNS]
    return [one.name for one in free if one.name in first]


def _are_years(cells: pl.Series) -> bool:
    """Whether all numbers are years, which have no separators."""
    there = cells.drop_nulls()
    if not (cells.dtype.is_numeric() and there.len()):
        return False
    first, last = _YEARS
    return bool((there.is_between(first, last) & (there == there.round())).all())


def _is_short(column: Column, profile: Profile) -> bool:
    if column.kind not in ("text", "category", "id"):
        return True
    letters = profile.frame[column.name].str.len_chars().median()
    return not isinstance(letters, float) or letters <= LONGEST_CELL
