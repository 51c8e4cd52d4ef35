"""Who or what the rows are that were counted, where that is asked beside how many ("how many, and who are they?")."""

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from packs.marketing.asking.answering import kept_rows
from packs.marketing.asking.listing import names_of_rows
from packs.marketing.asking.naming import bare_heading, is_of_persons, pattern_of
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Measure, Request

MOST = 40
"""Names that are told; of more the first, and how many more there are."""


def asked_for(asked: str, request: Request, profile: Profile) -> tuple[str, ...]:
    """The columns whose values are wanted, too, of the rows that are counted."""
    counted = request.asks == "figures" and request.measures == (Measure("count"),) and not request.groups
    if not counted or not request.filters or request.unread or request.unknown:
        return ()
    said = words()["named_too"]
    told = {one.column for one in request.filters if one.op == "in"}
    free = [one for one in profile.columns if one.is_of_the_file and one.kind != "number" and one.name not in told]
    beside = "|".join(said["beside"])
    wanted = [one for one in free if compiled(beside.replace("NAME", pattern_of(one))).search(asked)]
    if not wanted and compiled("|".join(said["who"])).search(asked) is not None:
        named = compiled(words()["person_headings"])
        persons = [one for one in free if one.kind != "date" and named.search(bare_heading(one.name)) is not None]
        persons = persons or [one for one in free if is_of_persons(one)]
        persons = persons or [one for one in names_of_rows(profile) if one in free]
        wanted = sorted(persons, key=lambda one: -_different(one, request, profile))[:1]
    return tuple(one.name for one in wanted)


def again(asked: str, before: Request) -> Request | None:
    """What was told before, where it is asked for once more: of the other groups ("and the others?"), or with who was
    counted ("Names please")."""
    if before.groups and before.limit is not None and compiled(words()["other_groups"]).fullmatch(asked) is not None:
        return replace(before, limit=None, unread=(), aside=())
    said = words()["named_too"]
    asks = compiled(said["alone"].replace("WHO", "|".join(said["who"]))).fullmatch(asked) is not None
    if not asks or before.asks != "figures" or before.groups or not before.filters:
        return None
    return replace(before, measures=(Measure("count"),), unread=(), aside=(), unknown=())


def _different(column: Column, request: Request, profile: Profile) -> int:
    return kept_rows(profile, request.filters)[column.name].n_unique()


def told(column: str, request: Request, profile: Profile) -> tuple[Sequence[str], int]:
    """The names in the order of the table, each once, and how many more there are."""
    cells = kept_rows(profile, request.filters)[column].drop_nulls().cast(pl.String)
    names = [re.sub(r"\s+", " ", one) for one in cells.unique(maintain_order=True).to_list()]
    return names[:MOST], max(0, len(names) - MOST)
