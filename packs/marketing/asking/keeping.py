"""All that a sentence says of which rows are meant, kind by kind; with the groups that come of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from packs.marketing.asking.births import born
from packs.marketing.asking.bounds import (
    bounds_of,
    measured_values,
    of_all_subjects,
    of_both,
    of_figures,
    rows_of_groups,
)
from packs.marketing.asking.conditions import (
    all_of_them,
    compared_columns,
    empties,
    hours,
    is_so,
    texts,
    with_and_without,
    with_some,
)
from packs.marketing.asking.counted_as import Counted, counted_as
from packs.marketing.asking.days import Period, days_of
from packs.marketing.asking.following import spoken_of
from packs.marketing.asking.happened import happened, late, marked, same_day
from packs.marketing.asking.linking import link_values, unknown_values
from packs.marketing.asking.listing import names_of_rows
from packs.marketing.asking.naming import pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import OTHER_SIDE, Filter, Group, Op, Request
from packs.marketing.asking.shares import rates
from packs.marketing.asking.sides import and_the_rest, sides_of, taken_together
from packs.marketing.asking.turns import goes_on
from packs.marketing.asking.weekdays import compared_weekdays, is_weekday, weekdays


@dataclass(slots=True)
class Kept:
    """`rates`: the part that a word like "return rate" has; `unknown`: what is spelt like a value and is none; `grows`:
    it is asked how much more or less; `every`: all groups are wanted; `stepped`: by the steps of the rating."""

    filters: list[Filter] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    rates: list[Filter] = field(default_factory=list)
    unknown: Sequence[str] = ()
    unread: list[str] = field(default_factory=list)
    having: tuple[Op, float] | None = None
    bound: tuple[Op, float] | None = None
    crossed: bool = False
    grows: bool = False
    every: bool = False
    stepped: bool = False


def rows_that_are_kept(
    sentence: AskedSentence,
    profile: Profile,
    periods: Sequence[Period],
    before: Request | None,
    rows: Collection[str] = (),
) -> Kept:
    """All that narrows the rows is taken out of the sentence; `rows` are words for what a row is."""
    said, kept = words(), Kept()
    kept.stepped = profile.rating is not None and sentence.take(said["each_step"]) is not None
    counted = counted_as(sentence, profile)
    kept.filters += counted.kept
    kept.unread += counted.unread
    kept.rates = counted.rates or rates(sentence, profile)
    of_age, by_age = born(sentence, profile)
    kept.filters += [*of_age, *texts(sentence, profile, quoted=True)]
    beside = with_and_without(sentence, profile)
    found, kept.groups = link_values(sentence, profile, names_of_rows(profile))
    found = _as_before(found, profile, before)
    found, kept.groups = _but_for(counted, found, kept.groups)
    kept.groups += [*by_age, *beside]
    kept.unknown = unknown_values(sentence, profile)
    kept.filters += [*found, *empties(sentence, profile, before)]
    kept.filters += late(sentence, profile)
    kept.filters += same_day(sentence, profile)
    seen = {one.column for one in kept.filters}
    kept.filters += [one for one in happened(sentence, profile) if one.column not in seen]
    kept.crossed = sentence.take(bounded(said["crossed"])) is not None
    blank = [one for one in kept.filters if one.op in ("empty", "filled")]  # "the paid column left blank" is no yes
    kept.filters += [] if kept.crossed else is_so(sentence, profile, {one.column for one in (*found, *blank)})
    kept.filters += marked(
        sentence, profile, {one.column for one in kept.filters} | {one.column for one in kept.groups}
    )
    kept.filters += texts(sentence, profile)
    kept.filters += compared_columns(sentence, profile)
    all_of_them(sentence, profile)
    leans = goes_on(sentence, before) or compiled(said["before_that"]).search(sentence.text) is not None
    spoken = spoken_of(before) if leans else _bounded_before(sentence, profile, before)
    found, sides = measured_values(sentence, profile)
    kept.filters += found
    kept.groups += sides
    at_hours, by_hours = hours(sentence, profile)
    kept.filters += at_hours
    kept.groups += by_hours
    kept.bound = of_figures(sentence, profile)
    kept.filters += of_all_subjects(sentence, profile)
    kept.filters += bounds_of(sentence, profile, spoken)
    kept.filters += with_some(sentence, profile)
    kept.filters += of_both(sentence, profile, kept.filters)
    kept.having = rows_of_groups(sentence, rows)
    kept.filters, group = sides_of(and_the_rest(kept.filters, sentence), sentence)
    kept.groups += [group] if group is not None else []
    kept.every = group is not None or bool(beside)
    _times(kept, sentence, profile, periods, before)
    together = taken_together(sentence, kept.groups, kept.filters)
    if together is not None:
        kept.filters, kept.groups, kept.every = together.filters, [], False
    return kept


def _bounded_before(sentence: AskedSentence, profile: Profile, before: Request | None) -> tuple[str, ...]:
    """The one column that was bounded before, where no other one of numbers is named now ("90점 이상인 1반 학생")."""
    bounded_then = dict.fromkeys(one.column for one in before.filters if one.op in OTHER_SIDE) if before else {}
    named = any(sentence.find(pattern_of(one)) is not None for one in profile.of("number"))
    return tuple(bounded_then) if len(bounded_then) == 1 and not named else ()


def _but_for(counted: Counted, found: Sequence[Filter], groups: Sequence[Group]) -> tuple[list[Filter], list[Group]]:
    """Without values that are among those that count as one: they are named for these."""
    told = {one.column: set(one.values) for one in (*counted.kept, *counted.rates)}
    left = [one for one in found if not (one.op == "in" and set(one.values) <= told.get(one.column, set()))]
    columns = {one.column for one in left}
    return left, [one for one in groups if one.column not in told or one.column in columns]


def _as_before(found: Sequence[Filter], profile: Profile, before: Request | None) -> list[Filter]:
    """Of columns that share a value that was meant which was narrowed before: "to Busan … and Daegu?"."""
    narrowed = [one.column for one in before.filters if one.op == "in"] if before is not None else []

    def column_of(one: Filter) -> str:
        sharing = (name for name in narrowed if set(one.values) <= set(profile.column(name).values))
        return one.column if one.column in narrowed or one.op != "in" else next(sharing, one.column)

    return [replace(one, column=column_of(one)) for one in found]


def _times(
    kept: Kept, sentence: AskedSentence, profile: Profile, periods: Sequence[Period], before: Request | None
) -> None:
    said = words()
    named = any(is_weekday(str(value)) for one in kept.filters if one.op == "in" for value in one.values)
    sides = [] if named else compared_weekdays(sentence, profile)
    kept.groups += sides
    found = [] if sides else weekdays(sentence, profile)
    kept.filters += [] if named else found  # a column says which days they are
    days = days_of(sentence, profile, periods, before)
    kept.filters += days.filters
    while days.sides and sentence.take(bounded(said["growth"])) is not None:
        kept.grows = True
        sentence.take(bounded(said["measures"]["share"]) + "|[(（]%[)）]")
    if days.sides:
        sentence.take(bounded(said["sides"]))
    kept.every |= days.every
    if days.group is not None:
        kept.groups = [one for one in kept.groups if one.column != days.group.column] + [days.group]
