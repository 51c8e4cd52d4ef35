"""Conditions of one column that no row can meet: what was said before gives way to what is said now."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Request, as_day


def at_odds(filters: Sequence[Filter]) -> tuple[Filter, ...]:
    """The first two conditions of which each leaves out all that the other keeps; nothing where there are none."""
    for at, one in enumerate(filters):
        for other in filters[at + 1 :]:
            if one.column == other.column and (_excludes(one, other) or _excludes(other, one)):
                return one, other
    return ()


def in_accord(request: Request, before: Request | None, profile: Profile) -> Request:
    """The request without what was said before and excludes what is said now; where both are said now, they have been
    misread, and the column is asked about. Rows that lack a day are of a time by the one other day that all have."""
    lacking = {one.column for one in request.filters if one.op == "empty"}
    kept = [one for one in request.filters if not (one.op == "not_in" and one.column in lacking)]  # they are none
    request = replace(request, filters=tuple(_by_the_other_day(kept, profile)))
    while both := at_odds(request.filters):
        old = [one for one in both if before is not None and one in before.filters]
        if len(old) != 1:
            return replace(request, unread=tuple(dict.fromkeys((*request.unread, both[0].column))))
        request = replace(request, filters=tuple(one for one in request.filters if one is not old[0]))
    return request


def _by_the_other_day(filters: Sequence[Filter], profile: Profile) -> list[Filter]:
    lacking = {one.column for one in filters if one.op == "empty"}
    others = [one.name for one in profile.of("date") if not profile.frame[one.name].null_count()]
    if len(others) != 1:
        return list(filters)
    return [replace(one, column=others[0]) if one.op == "between" and one.column in lacking else one for one in filters]


def _excludes(one: Filter, other: Filter) -> bool:
    if one.op == "empty":
        return other.op != "empty"  # nothing is said of what is not there
    if one.op == "in" and other.op == "in":
        return not set(one.values) & set(other.values)
    if one.op == "in" and other.op == "not_in":
        return set(one.values) <= set(other.values)
    if one.op == "between" and other.op == "between":
        (first, last), (start, end) = (tuple(map(as_day, it.values)) for it in (one, other))
        return (last or date.max) < (start or date.min) or (end or date.max) < (first or date.min)
    return False
