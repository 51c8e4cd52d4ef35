"""Which questions tell the most of a table: what its figures come to, where they are large, how they go over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

import polars as pl

from packs.marketing.asking.measures import is_added
from packs.marketing.asking.naming import holds, is_of_persons
from packs.marketing.asking.phrasing import compiled
from packs.marketing.asking.phrasing import words as asking_words
from packs.marketing.asking.profile import Column, Profile, grain_for
from packs.marketing.asking.request import Group, Measure, Request
from packs.marketing.overview.wanted import Wanted, words

_ADDED, _MEANS, _GROUPED = 3, 3, 5
"""Columns at most that are added up, that a mean is told of, that rows are grouped by."""
_FEW, _MANY = 2, 40
"""Values of a column that is grouped by."""
_FIRST = 10
"""Groups that are shown of a column of many."""
_MULTIPLIED = 8
"""Columns that are tried for being one times another."""
_ROUNDED, _OFF = 0.01, 0.05
"""How far a product may be off, and the share of rows in which it may be further off."""
_ALL = Wanted()
_GRACE = 2
"""Days at the ends of a span that may be without rows: not every day has some."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Requests: of all rows, over time (none without days), by each of some columns; the first `named` of these are
    what was asked for."""

    whole: Request
    course: Request | None
    groups: tuple[Request, ...]
    named: int = 0

    @property
    def chapters(self) -> tuple[Request, ...]:
        """In their order: what was asked for, the course over time, what else there is."""
        course = () if self.course is None else (self.course,)
        return (*self.groups[: self.named], *course, *self.groups[self.named :])


def survey(profile: Profile, asked: Wanted = _ALL) -> Survey:
    """What is asked for comes first; with `alone` only the course over time beside it."""
    added = _added(profile)
    rating = profile.rating
    means = [one for one in profile.of("number") if one not in added and one is not rating][:_MEANS]
    main = Measure("sum", added[0].name) if added else Measure("mean", rating.name) if rating else None
    main = asked.measure or main
    whole = [Measure("sum", one.name) for one in added]
    whole += [Measure("mean", one.name) for one in [*added[:1], *([rating] if rating else []), *means]]
    whole = [*([asked.measure] if asked.measure else []), *(one for one in whole if one != asked.measure)]
    counted = Measure("count")
    told = (main, counted) if main else (counted,)
    days = profile.date or next(iter(profile.of("date")), None)
    course = None
    if days is not None and asked.course:
        over = (one for chapter in asked.chapters for one in chapter.groups if one.grain and one.column == days.name)
        group = next(over, Group(days.name, grain_for(profile, days)))
        course = Request(groups=(group,), measures=told)
    named = [_as_asked(one, profile, told) for one in asked.chapters if _tells(one, profile, course)]
    others = [one for one in _grouped(profile) if one.name not in asked.without and not asked.alone]
    known = {one.groups[0].column for one in named}
    groups = (*named, *(_by(column, told) for column in others if column.name not in known))
    return Survey(Request(measures=(counted, *whole)), course, groups, len(named))


def names_persons(column: Column) -> bool:
    """Whether its values are names of persons."""
    return is_of_persons(column) or compiled(words()["persons"]).search(column.name.strip()) is not None


def _tells(chapter: Request, profile: Profile, course: Request | None) -> bool:
    """Whether it tells anything: not of a column of which the rows that are meant have one value alone, nor once more
    what the course over time tells."""
    (group,) = chapter.groups
    column = profile.column(group.column)
    same = course is not None and course.groups == (group,)
    return not same and (column.kind != "category" or len(column.values) >= _FEW)


def _as_asked(chapter: Request, profile: Profile, told: tuple[Measure, ...]) -> Request:
    (group,) = chapter.groups
    column = profile.column(group.column)
    if group != Group(column.name):
        return replace(chapter, measures=told)
    usual = _by(column, told)
    ranked = chapter.limit is not None
    return replace(
        usual,
        having=chapter.having,
        bound=chapter.bound,
        descending=chapter.descending if ranked else usual.descending,
        limit=chapter.limit if ranked else usual.limit,
    )


def pictured(profile: Profile) -> tuple[Request, ...]:
    """What of a table is looked at first: how it goes over time, and by the first of its groups."""
    asked = survey(profile)
    return tuple(one for one in (asked.course, *asked.groups[:1]) if one is not None)


def last_two(profile: Profile, course: Request) -> Request | None:
    """The last two whole spans of time beside each other, with what has changed; None where there are not two."""
    (group,) = course.groups
    spans = _spans(profile, group)
    if len(spans) < 2:
        return None
    return replace(course, groups=(Group(group.column, periods=tuple(spans[-2:])),), change=True)


def _spans(profile: Profile, group: Group) -> list[tuple[date | None, date | None]]:
    """Whole months or years. The first and the last may have been cut off: they count where they reach their ends."""
    days = profile.frame[group.column].drop_nulls()
    first, last = days.min(), days.max()
    if group.grain not in ("month", "year") or not isinstance(first, date) or not isinstance(last, date):
        return []
    start = date(first.year, first.month if group.grain == "month" else 1, 1)
    found: list[tuple[date | None, date | None]] = []
    while start <= last:
        after = _next(start, months=1 if group.grain == "month" else 12)
        end = date.fromordinal(after.toordinal() - 1)
        if first.toordinal() - start.toordinal() <= _GRACE and end.toordinal() - last.toordinal() <= _GRACE:
            found.append((start, end))
        start = after
    return found


def _next(start: date, months: int) -> date:
    month = start.month - 1 + months
    return date(start.year + month // 12, month % 12 + 1, 1)


def _added(profile: Profile) -> list[Column]:
    """Columns whose figures add up, money first: a price that is multiplied by a quantity does not, what comes of it
    does, and so does a price that stands alone."""
    numbers = [one for one in profile.of("number") if one.scale is None]
    products, factors = _multiplied(profile, numbers)
    money = [one for one in numbers if _is_money(one) and one.name not in factors]
    found = [one for one in numbers if one.name in products or (is_added(one) and one.name not in factors - products)]
    found += [one for one in money if one not in found and (len(money) == 1 or not found)]
    found += [
        one for one in numbers if one.name in factors and is_added(one) and not _is_money(one) and one not in found
    ]
    return sorted(found, key=lambda one: (one.name not in products, not _is_money(one)))[:_ADDED]


def _is_money(column: Column) -> bool:
    return any(holds(column, kind) for kind in asking_words()["amount"])


def _multiplied(profile: Profile, numbers: Sequence[Column]) -> tuple[set[str], set[str]]:
    """Columns that are one column times another, row by row, and the columns that they are made of."""
    names = [one.name for one in numbers if profile.frame[one.name].n_unique() > _FEW][:_MULTIPLIED]
    products: set[str] = set()
    factors: set[str] = set()
    for made in names:
        for one, other in combinations([name for name in names if name != made], 2):
            off = (pl.col(one) * pl.col(other) - pl.col(made)).abs() > _ROUNDED * pl.col(made).abs()
            share = profile.frame.select(off.mean()).item()
            if share is not None and share < _OFF:
                products.add(made)
                factors |= {one, other}
    return products, factors


def _grouped(profile: Profile) -> Sequence[Column]:
    """What the rows are about first, then columns of a handful of values before those of two or of many; who it was
    last."""
    found = [one for one in profile.of("category") if _FEW <= len(one.values) <= _MANY]
    about = profile.entity
    found.sort(key=lambda one: (names_persons(one), one is not about, abs(len(one.values) - 6)))
    return found[:_GROUPED]


def _by(column: Column, told: tuple[Measure, ...]) -> Request:
    many = len(column.values) > _FIRST
    return Request(groups=(Group(column.name),), measures=told, descending=True, limit=_FIRST if many else None)
