"""Another column of the rows that were just spoken of ("what service was that for?", その人たちの撮影メニューは？)."""

from collections.abc import Sequence
from dataclasses import replace

from packs.marketing.asking.answering import kept_rows
from packs.marketing.asking.grouping import part_of
from packs.marketing.asking.listing import names_of_rows
from packs.marketing.asking.naming import is_of_persons, pattern_of
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request

FEW = 10
"""Rows that are shown one by one; of more it is told how many have each value."""


def of_those(text: str, request: Request, filters: Sequence[Filter], profile: Profile) -> Request | None:
    """The columns that are asked for, of the rows that `filters` keep; None where none is, or more is said."""
    more = set(request.filters) - set(filters) or request.descending is not None or request.having or request.unknown
    plain = request.asks in ("figures", "rows") and all(one.kind in ("count", "portion") for one in request.measures)
    wanted = [] if more or not plain or not filters else _asked(text, profile, {one.column for one in filters})
    if not wanted or any(one.column not in {it.name for it in wanted} for one in request.groups):
        return None
    rows, names = kept_rows(profile, filters).height, [it.name for it in wanted]
    again = replace(request, filters=tuple(filters), measures=(Measure("count"),), groups=(), limit=None)
    if rows <= FEW:
        people = [one.name for one in profile.columns if is_of_persons(one)] or [
            one.name for one in names_of_rows(profile)
        ]
        return replace(again, asks="rows", columns=tuple(dict.fromkeys((*people, *names))))
    if wanted[0].kind != "category":
        return None
    return replace(again, asks="figures", groups=(Group(names[0]),), columns=())


def _asked(text: str, profile: Profile, kept: set[str]) -> list[Column]:
    """By a word that asks for what stands in a column."""
    said = words()["column_asked"]
    free = [one for one in profile.columns if one.is_of_the_file and one.name not in kept]
    names = {one.name: f"{pattern_of(one)}|{part_of(one, profile)}" for one in free}
    return [one for one in free if compiled(said.replace("NAME", names[one.name])).search(text) is not None]
