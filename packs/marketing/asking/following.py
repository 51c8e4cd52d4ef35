"""A request that goes on from the one before it: narrower ("of those"), or the same of something else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from packs.marketing.asking.answering import answer, span_of
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request, as_day

_OF_ITSELF = frozenset({"mean", "median", "min", "max"})
_BOUNDS = frozenset({"lt", "le", "gt", "ge", "in", "not_in"})


def narrowed(before: Request, now: Request, *, measured: bool) -> Request:
    """All that was kept before, and of that what is kept now; measured as it is said now, else as before. What is one
    value now is no group any more."""
    parts = [one for measure in before.measures if measure.kind == "share" for one in measure.part]
    filters = _joined((*before.filters, *parts), now.filters)
    if measured or now.asks not in ("figures", before.asks):
        return replace(now, filters=filters)
    single = {one.column for one in now.filters if one.op == "in" and len(one.values) == 1}
    kept = tuple(one for one in before.groups if one.column not in single)
    same = kept == before.groups and not now.groups
    return replace(
        now,
        asks=before.asks if now.descending is None else now.asks,
        filters=filters,
        groups=now.groups or kept,
        measures=tuple(
            Measure("count") if one.part and set(one.part) <= set(filters) else one for one in before.measures
        ),
        columns=now.columns or before.columns,
        descending=before.descending if same and now.descending is None else now.descending,
        limit=before.limit if same and now.descending is None else now.limit,
    )


def with_lost(before: Request, now: Request, profile: Profile, said: Request, *, pointing: bool) -> Request:
    """`now` is what is `said`, as it goes on. What nothing had taken before is still not taken: left aside where the
    request says what is measured, told again where it may have been that, or where one points at the rows that it was
    said of."""
    now = now if pointing else _not_over_itself(said, now)
    told = (
        not pointing
        and any(one.column for one in before.measures)
        and not any(one.name in before.unread for one in profile.columns)  # nor a column of what was asked for
        and not any(letter.isdigit() for one in before.unread for letter in one)
        and not any(compiled(words()["never_aside"]).fullmatch(one) for one in before.unread)
    )
    left = (*before.aside, *(before.unread if told else ()), *now.aside)
    return replace(
        now,
        aside=tuple(dict.fromkeys(left)),
        unread=now.unread if told else tuple(dict.fromkeys((*before.unread, *now.unread))),
    )


def _not_over_itself(said: Request, placed: Request) -> Request:
    """What is kept of a column since before says already what its average is: that is asked of the other rows, too."""
    told = {one.column for one in placed.measures if one.kind in _OF_ITSELF and not one.part}
    bound = [one for one in placed.filters if one.column in told and one.op in _BOUNDS and one not in said.filters]
    if not bound or not said.filters:
        return placed
    return replace(placed, filters=tuple(one for one in placed.filters if one not in bound))


def as_share(request: Request) -> Request:
    """What one group has of all, where it is no group any more but rows that are kept."""
    if request.groups or not any(one.kind == "portion" for one in request.measures):
        return request
    part = tuple(one for one in request.filters if one.op in ("in", "not_in"))[-1:]
    if not part:
        return replace(request, measures=(Measure("count"),), unread=(*request.unread, "%"))
    measures = tuple(Measure("share", one.column, part) if one.kind == "portion" else one for one in request.measures)
    return replace(request, measures=measures, filters=tuple(one for one in request.filters if one not in part))


def spoken_of(before: Request | None) -> tuple[str, ...]:
    """The columns by which rows were kept or grouped before."""
    if before is None:
        return ()
    parts = [one for measure in before.measures for one in measure.part]
    return (*(one.column for one in (*before.filters, *parts)), *(one.column for one in before.groups))


def as_figure(before: Request, now: Request, *, rows: bool) -> Request:
    """What names another row behind a figure asks for that figure, and not for the row ("and Lee's?"), unless `rows`
    are asked for."""
    told = before.asks == "figures" and any(one.column for one in before.measures)
    if rows or not told or now.asks != "rows" or now.descending is not None:
        return now
    return replace(now, asks="figures", columns=())


def cut(before: Request, now: Request) -> Request | None:
    """So many of the groups that were told before come first ("the top 5")."""
    if not before.groups or before.asks != "figures" or now.limit is None or now.descending is None:
        return None
    if now.filters or now.groups not in ((), before.groups) or now.measures != Request().measures:
        return None
    return replace(before, descending=now.descending, limit=now.limit, unknown=now.unknown, aside=now.aside)


def ends_apart(before: Request, request: Request, profile: Profile) -> Request | None:
    """The first and the last of what was ranked."""
    ends = [leader(replace(before, descending=one), profile) for one in (True, False)]
    column = before.groups[0].column
    values = tuple(one.values[0] for some in ends for one in some if one.column == column and one.op == "in")
    if len(values) < len(ends):
        return None
    both = Filter(column, "in", values)
    kept = (*before.filters, both)
    return replace(before, filters=kept, apart=True, descending=None, limit=None, unread=request.unread)


def turned(before: Request, now: Request) -> Request:
    """The same ranked from the other end ("and the lowest one?")."""
    return replace(
        before, descending=now.descending, limit=now.limit, unread=now.unread, unknown=now.unknown, aside=now.aside
    )


def filtered(before: Request, now: Request) -> Request:
    """The same share of fewer rows: what would have been its part is kept ("only in Leeds, what share?")."""
    told = {one for measure in before.measures for one in measure.part}
    part = [one for measure in now.measures for one in measure.part if one not in told]
    return varied(before, replace(now, filters=(*now.filters, *part)), measured=False, beside=False)


def varied(before: Request, now: Request, *, measured: bool, beside: bool) -> Request:
    """What is not said now stays as it was. A value of a column takes the place of the one before, or with `beside`
    comes beside it; a group takes the place of the groups, and what had been one value of it is all of them again."""
    filters, groups = now.filters, now.groups
    if beside:
        filters, sides = _beside(before.filters, now.filters)
        groups = (*groups, *sides)
    if (other := _other_part(before, filters)) is not None and not measured:
        before, filters = other
    columns = {one.column for one in filters}
    columns |= {one.column for one in groups if one.periods}  # the time before is one of the two that are told
    grouped = {one.column for one in groups}
    kept = [one for one in before.filters if one.column not in columns]
    kept = [one for one in kept if one.op != "in" or one.column not in grouped]
    if before.measures == (Measure("count"),) and any(one.op == "empty" for one in filters):
        kept = [one for one in kept if one.op != "empty"]  # "and without a date?"
    if groups and not filters:
        kept = [one for one in kept if one.column not in grouped or one.op == "between"]
    same = groups or tuple(one for one in before.groups if one.column not in columns)
    ranked = before.descending if same and now.descending is None else now.descending
    return replace(
        now,
        asks=before.asks if now.asks == "figures" else now.asks,
        filters=(*kept, *filters),
        groups=same,
        measures=now.measures if measured else before.measures,
        decimals=before.decimals if now.decimals == Request().decimals else now.decimals,
        columns=now.columns or before.columns,
        having=now.having or (before.having if same else None),
        replaced=_replaced(before.filters, filters),
        descending=ranked if not groups or now.descending is not None else None,
        limit=now.limit if now.descending is not None else before.limit if same == before.groups else None,
    )


def _replaced(before: Sequence[Filter], now: Sequence[Filter]) -> tuple[Filter, ...]:
    """What was kept before of the columns of which one other value is kept now."""
    names = {one.column for one in now if one.op in ("in", "between")}
    return tuple(one for one in before if one.op in ("in", "between") and one.column in names and one not in now)


def _other_part(before: Request, filters: Sequence[Filter]) -> tuple[Request, tuple[Filter, ...]] | None:
    """The share of another value ("and the French ones?"), where one value alone had been asked about."""
    for at, measure in enumerate(before.measures):
        for one in measure.part if measure.kind == "share" and len(measure.part) == 1 else ():
            same = [it for it in filters if it.column == one.column]
            if len(same) == 1:
                told = (*before.measures[:at], replace(measure, part=(same[0],)), *before.measures[at + 1 :])
                return replace(before, measures=told), tuple(it for it in filters if it is not same[0])
    return None


def by_rows_again(before: Request, now: Request, text: str) -> Request | None:
    """A share of money once more, of the rows ("and by count?")."""
    told, said = before.measures[0], compiled(words()["by_rows_again"])
    if told.kind not in ("share", "portion") or told.column is None or now.filters or now.groups:
        return None
    if said.search(text) is None:
        return None
    left = tuple(one for one in now.unread if said.search(one) is None)
    return replace(before, measures=(replace(told, column=None),), aside=now.aside, unread=left)


def is_of_another_time(before: Request, now: Request, text: str) -> bool:
    """Whether one asks how many it was at another time, of what was counted then ("and how many in October?")."""
    times = {one.column for one in before.filters if one.op == "between"}
    narrower = any(one.op != "between" for one in before.filters)
    named = {one.column for one in now.filters}
    if not times or not narrower or not named or named - times or now.groups or before.groups:
        return False
    counted = (
        now.measures in ((Measure("count"),), before.measures) and now.descending is None and now.asks == "figures"
    )
    told = {one.kind for one in before.measures} <= {"count", "sum"} and before.asks == "figures"
    all_of_them = compiled(words()["of_everything"]).search(text) is not None
    return counted and told and not all_of_them and compiled(words()["how_many_then"]).search(text) is not None


def leader(before: Request, profile: Profile, place: int = 1) -> tuple[Filter, ...]:
    """What came first in the answer before ("and why is that one so low?"), or at another place; nothing where nothing
    was ranked."""
    if before.descending is None or len(before.groups) != 1:
        return ()
    group, rows = before.groups[0], answer(profile, replace(before, limit=None)).rows
    if len(rows) < place:
        return ()
    name = rows[place - 1][0][0]
    if group.parts:
        return (*before.filters, *group.parts[int(name)])
    if group.grain and (span := span_of(name, group.grain)) is not None:
        others = (one for one in before.filters if (one.column, one.op) != (group.column, "between"))
        return (*others, Filter(group.column, "between", span))
    if profile.column(group.column).kind != "category":
        return ()
    return (*before.filters, Filter(group.column, "in", (name,)))


def in_its_year(day: tuple[date | None, date | None], before: Request) -> tuple[date | None, date | None]:
    """A month that is named without its year is of the year that was spoken of."""
    spoken = [one.values for one in before.filters if one.op == "between"]
    first, last = day
    if not spoken or first is None or last is None:
        return day
    start, end = spoken[-1]
    if not isinstance(start, date) or not isinstance(end, date) or start.year != end.year:
        return day
    return first.replace(year=start.year), last.replace(year=start.year)


def _joined(before: Sequence[Filter], now: Sequence[Filter]) -> tuple[Filter, ...]:
    """Both hold; what is said twice stands once."""
    return tuple(dict.fromkeys([*before, *now]))


def _beside(before: Sequence[Filter], now: Sequence[Filter]) -> tuple[tuple[Filter, ...], tuple[Group, ...]]:
    found: list[Filter] = []
    sides: list[Group] = []
    for one in now:
        other = next((it for it in before if (it.column, it.op) == (one.column, one.op)), None)
        if other is None or one.op not in ("in", "between") or other == one:
            found.append(one)
        elif one.op == "in":
            found.append(Filter(one.column, "in", tuple(dict.fromkeys((*other.values, *one.values)))))
            sides.append(Group(one.column))
        else:
            periods = tuple((as_day(it.values[0]), as_day(it.values[1])) for it in (other, one))
            sides.append(Group(one.column, periods=periods))
    return tuple(found), tuple(sides)


def shares(before: Request, part: tuple[Filter, ...]) -> tuple[Measure, ...]:
    """What share the rows are that were counted, and what they add up to."""
    return tuple(Measure("share", one.column, part) for one in before.measures)


def side_by_side(before: Request) -> Request:
    """What was kept before and what took its place, as groups."""
    old = before.replaced[0]
    now = next(one for one in before.filters if (one.column, one.op) == (old.column, old.op))
    kept = tuple(one for one in before.filters if one is not now)
    if old.op == "between":
        periods = tuple((as_day(one.values[0]), as_day(one.values[1])) for one in (old, now))
        return replace(before, filters=kept, replaced=(), groups=(Group(old.column, periods=periods),))
    both = Filter(old.column, "in", tuple(dict.fromkeys((*old.values, *now.values))))
    return replace(before, filters=(*kept, both), replaced=(), groups=(Group(old.column),))


def with_values_of(one: Filter, other: Filter | None) -> Filter:
    """What is kept, and beside it what is kept by another."""
    return one if other is None else replace(one, values=tuple(dict.fromkeys((*other.values, *one.values))))
