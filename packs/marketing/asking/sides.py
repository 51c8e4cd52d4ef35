"""Rows that are set against each other, other than by the values of a column: two bounds that exclude each other, two
words in the texts; and what is taken together instead."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.request import Filter, Group

_LOW, _HIGH = ("gt", "ge"), ("lt", "le")


class Sides(NamedTuple):
    """The filters that are left, and the group that the others have become."""

    filters: list[Filter]
    group: Group | None = None


def sides_of(filters: Sequence[Filter], sentence: AskedSentence) -> Sides:
    """No row lies beyond two bounds that exclude each other: each of them is a side ("9 hours or more against less").
    Words in the texts are sides where they are compared, or told one by one; with "or" any of them will do."""
    kept = list(filters)
    for one in kept:
        other = next((it for it in kept if _excludes(one, it)), None)
        if other is not None:
            rest = [it for it in kept if it not in (one, other)]
            return Sides(rest, Group(one.column, parts=((one,), (other,))))
    found = [one for one in kept if one.op == "contains"]
    if len(found) < 2 or compiled(words()["both_written"]).search(sentence.text) is not None:
        return Sides(kept)
    rest = [one for one in kept if one not in found]
    if compiled(words()["against"]).search(sentence.text) is not None:
        return Sides(rest, Group(found[0].column, parts=tuple((one,) for one in found)))
    if compiled(words()["any_of"]).search(sentence.text) is not None:
        return Sides([*rest, replace(found[0], values=tuple(value for one in found for value in one.values))])
    return Sides(kept)


def and_the_rest(filters: Sequence[Filter], sentence: AskedSentence) -> list[Filter]:
    """A value, and beside it all rows that it leaves out, are two sides ("Japan against the rest")."""
    kept = [one for one in filters if one.op == "in" and len(one.values) == 1]
    if len(kept) != 1 or sentence.take(words()["and_the_rest"]) is None:
        return list(filters)
    return [*filters, Filter(kept[0].column, "not_in", kept[0].values)]


def _excludes(one: Filter, other: Filter) -> bool:
    if one.column != other.column:
        return False
    if (one.op, other.op) in (("contains", "lacks"), ("in", "not_in")):
        return one.values == other.values
    low, high = (next(iter(it.values), None) for it in (one, other))
    if one.op not in _LOW or other.op not in _HIGH or not (isinstance(low, float) and isinstance(high, float)):
        return False
    return high < low or (high == low and (one.op, other.op) != ("ge", "le"))


def taken_together(sentence: AskedSentence, groups: Sequence[Group], filters: Sequence[Filter]) -> Sides | None:
    """The values or times that are named are one ("July and August combined"); None: nobody says so, or the times have
    others between them."""
    several = {one.column for one in filters if one.op == "in" and len(one.values) > 1}
    if len(groups) != 1 or not (groups[0].periods or groups[0].column in several):
        return None
    apart = any(compiled(words()[one]).search(sentence.text) for one in ("sides", "against"))
    if apart or sentence.find(bounded(words()["as_one"])) is None:
        return None
    kept = list(filters)
    if groups[0].periods:
        if (whole := one_time(groups[0])) is None:
            return None
        kept.append(whole)
    sentence.take(bounded(words()["as_one"]))
    return Sides(kept)


def one_time(group: Group) -> Filter | None:
    """The times of a group as one; None where there are others between them."""
    spans = sorted((first, last) for first, last in group.periods if first is not None and last is not None)
    follow = all(_next(last) >= first for (_, last), (first, _) in pairwise(spans))
    if len(spans) < len(group.periods) or not follow:
        return None
    return Filter(group.column, "between", (spans[0][0], max(last for _, last in spans)))


def _next(day: date) -> date:
    return day + timedelta(days=1)
