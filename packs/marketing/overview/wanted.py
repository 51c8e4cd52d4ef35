"""Which rows of a table a request for a report speaks of, and what the report is arranged by: its conditions are read
as those of questions are, and what of them nobody understands is told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from packs.marketing.asking.answering import kept_rows, period_name
from packs.marketing.asking.choice import changed
from packs.marketing.asking.days import Period
from packs.marketing.asking.leftover import unread
from packs.marketing.asking.linking import alike
from packs.marketing.asking.naming import also_called, full_heading, is_value, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import AskedSentence, compiled, plain, sentences
from packs.marketing.asking.phrasing import words as asking_words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Filter, Group, Measure, Request, as_day
from understanding.kit.data import read_data

LONGEST = 2000
_STOPS = re.compile(r"(?<!\d)[,.;:!?、。，](?!\d)|[,.;:!?、。，](?=\s|$)")
_SHORT = 2
_TOLD = frozenset({"sum", "mean", "median"})
"""Figures that every chapter may tell."""


@cache
def words() -> dict[str, Any]:
    found: dict[str, Any] = read_data(Path(__file__).with_name("words.yaml"))
    return found


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a person said: the request, what has changed about it since, and the days that all of it names. `title` is
    what the report is called, which chooses no rows."""

    text: str = ""
    changes: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`filters` choose the rows, and so do the `times` of a column of days, where several are named. `chapters` are
    requests by what the report is arranged, in their order; with `alone` no others are wanted beside them and the
    course over time. `without` are columns of which no chapter is wanted, `course` whether one over time is.
    `unheeded` are words of substance that nothing has read, `unknown` what is spelt like a value and is none
    (`known` are examples of values), `moved` times that were meant and those of another year that were taken."""

    filters: tuple[Filter, ...] = ()
    times: Group | None = None
    chapters: tuple[Request, ...] = ()
    alone: bool = False
    measure: Measure | None = None
    without: tuple[str, ...] = ()
    course: bool = True
    unheeded: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    rest: str = ""

    @property
    def chooses(self) -> bool:
        """Whether rows are left out."""
        return bool(self.filters or self.times)

    @property
    def says_nothing(self) -> bool:
        return replace(self, rest="") == Wanted()


def wanted(found: Profile, said: Spoken, file: str = "") -> Wanted:
    """The request, and then each change of it in turn."""
    now = _read(found, said.text, said, file)
    for change in said.changes:
        more = _read(found, change, said, file)
        if AskedSentence(change).find(asking_words()["every_row"]) and not more.chooses:
            now = replace(now, filters=(), times=None, unheeded=(), unknown=(), moved=(), rest=more.rest)
            continue
        dated = more.times is not None or any(one.op == "between" for one in more.filters)
        now = replace(
            more,
            filters=changed([one for one in now.filters if not (dated and one.op == "between")], more.filters),
            times=more.times if dated else now.times,
            chapters=more.chapters or now.chapters,
            alone=more.alone or (now.alone and not more.chapters),
            measure=more.measure or now.measure,
            without=(*now.without, *more.without),
            course=now.course and more.course,
            unheeded=tuple(dict.fromkeys((*now.unheeded, *more.unheeded))),
            unknown=more.unknown or (() if more.filters else now.unknown),
            known=more.known or now.known,
            moved=more.moved if dated else now.moved,
        )
    return now


def narrowed(found: Profile, asked: Wanted) -> Profile:
    """The table of the rows that are meant. Columns keep the values that are still there, most frequent first."""
    frame = kept_rows(found, asked.filters)
    if asked.times is not None:
        day = pl.col(asked.times.column)
        spans = [day.is_between(first or date.min, last or date.max) for first, last in asked.times.periods]
        frame = frame.filter(pl.any_horizontal(spans))
    return replace(found, frame=frame, columns=tuple(_as_left(one, frame) for one in found.columns))


def _as_left(column: Column, frame: pl.DataFrame) -> Column:
    if not column.values:
        return column
    counts = dict(frame[column.name].drop_nulls().value_counts().iter_rows())
    there = sorted((one for one in column.values if counts.get(one)), key=lambda one: -counts[one])
    return replace(column, values=tuple(there))


def _read(found: Profile, said: str, all_said: Spoken, file: str) -> Wanted:
    text = AskedSentence(said[:LONGEST]).text
    bare = text.replace(all_said.title, " " * len(all_said.title)) if all_said.title else text
    made = "|".join(words()["made"])
    none = words()["none_made"].replace("MADE", made)
    bare = _blanked(bare, (*words()["number"], *words()["audience"], *words()["needed"], none, made))
    bare, without, course = _left_out(bare, found)
    bare, added = _added(bare, found)
    if not any(letter.isalnum() for letter in bare):
        return Wanted(without=without, course=course, rest=text)
    named = tuple(one for one in all_said.periods if _spoken(one.said) in _spoken(bare))
    for one in [it for it in named if _is_ahead(it, found)]:
        named = tuple(it for it in named if it != one)
        bare = _blanked(bare, (re.escape(one.said),))
    reading = Reading(bare, _of_the_file(found), named, None, file)
    request = reading.request()
    filters, times = request.filters, next((one for one in reading.groups if one.periods), None)
    turned = [one for one in request.unread if compiled(asking_words()["negated"]).search(one)]
    doubtful = tuple(one for one in filters if turned and one.op != "not_in")
    filters = tuple(one for one in filters if one not in doubtful)
    days: list[Filter | Group] = [one for one in filters if one.op == "between"]
    days += [times] if times is not None and not days else []
    lost = [] if days or doubtful else [one for one in named if not is_value(one.said, found)]
    column = reading.profile.date
    if column is not None and len(lost) == 1 and lost[0].first is not None:
        # days of which the table has no row: then there is nothing to report, and that is told
        filters, lost = (*filters, Filter(column.name, "between", lost[0][1:])), []
    # something is left out, and nobody knows what: the value beside it might be that
    values = [str(value) for one in doubtful for value in one.values if one.op != "between"]
    values += [one.said.strip() for one in named] if any(one.op == "between" for one in doubtful) else []
    values += _passed_over(bare, found, filters)
    adds = bool(added) or compiled(words()["adds"]).search(text) is not None
    chapters = tuple(dict.fromkeys([*_chapters(reading, request), *added]))
    spoken = [one for it in chapters for one in it.groups if not one.grain and not _is_of(one, filters, times)]
    return Wanted(
        filters=tuple(dict.fromkeys(filters)),
        times=times,
        chapters=chapters,
        alone=bool(spoken) and not adds,
        measure=_measure(request),
        without=without,
        course=course,
        unheeded=tuple(
            dict.fromkeys([*values, *_unheeded(reading, request, text, file), *(one.said.strip() for one in lost)])
        ),
        unknown=request.unknown,
        known=alike(found, request.unknown) if request.unknown else (),
        moved=tuple(_moved(named, days)),
        rest=_rest(text, bare, reading.sentence.left),
    )


def _of_the_file(found: Profile) -> Profile:
    """Values that are words for what is made ("report") name that, and no rows."""
    made = {plain(one) for one in asking_words()["made"]}
    columns = (
        replace(one, values=tuple(value for value in one.values if plain(value) not in made)) for one in found.columns
    )
    return replace(found, columns=tuple(columns))


def _blanked(text: str, patterns: Sequence[str]) -> str:
    for pattern in patterns:
        text = compiled(pattern).sub(lambda match: " " * len(match.group()), text)
    return text


def _left_out(text: str, found: Profile) -> tuple[str, tuple[str, ...], bool]:
    """Columns that no chapter is wanted of. "Without refunds" is of rows, where that is a column of yes and no, and
    so is what is left out of a column by its value."""
    without: list[str] = []
    for column in found.columns:
        heading = full_heading(column)
        if column.kind != "category" or yes_and_no(column) is not None:
            continue
        if (spelt := _values_in(text, column)) is not None:
            behind = compiled(words()["of_value"].replace("VALUE", spelt).replace("NAME", heading))
            for match in behind.finditer(text):
                start, end = match.span("name")
                text = text[:start] + " " * (end - start) + text[end:]
            continue
        pattern = words()["left_out"].replace("NAME", heading)
        if compiled(pattern).search(text) is not None:
            without.append(column.name)
            text = _blanked(text, (pattern,))
    course = words()["left_out"].replace("NAME", words()["course"])
    if compiled(course).search(text) is None:
        return text, tuple(without), True
    return _blanked(text, (course,)), tuple(without), False


def _values_in(text: str, column: Column) -> str | None:
    """Those of its values that the text has, as a pattern: then it is rows that are left out ("without the Leeds
    branch"), and the heading behind the value only says what it is."""
    said = plain(text)
    names = (name for value in column.values for name in (value, *also_called(value)))
    there = [re.escape(name) for name in names if plain(name) in said]
    return "|".join(there) or None


def _added(text: str, found: Profile) -> tuple[str, tuple[Request, ...]]:
    """Chapters that are wanted as well ("add the refunds, too"): no rows are chosen by what they are called."""
    added: list[Request] = []
    for column in found.of("category"):
        pattern = words()["added"].replace("NAME", pattern_of(column))
        if compiled(pattern).search(text) is not None:
            added.append(Request(groups=(Group(column.name),)))
            text = _blanked(text, (pattern,))
    return text, tuple(added)


def _is_ahead(period: Period, found: Profile) -> bool:
    """Whether it is when the report is needed ("for tomorrow's meeting"): a time to come of which no row is."""
    if compiled(words()["ahead"]).search(period.said) is None:
        return False
    first, last = period.first or date.min, period.last or date.max
    return not any(found.frame[one.name].is_between(first, last).any() for one in found.of("date"))


def _spoken(said: str) -> str:
    return AskedSentence(said).text.casefold().strip()


def _chapters(reading: Reading, request: Request) -> Iterator[Request]:
    """One for each group that is named, as far as a bound or a number goes with it."""
    ranked = request.limit is not None and request.limit > 1 and request.descending is not None
    for group in reading.groups:
        yield Request(
            groups=(group,),
            having=request.having,
            bound=request.bound,
            descending=request.descending if ranked else None,
            limit=request.limit if ranked else None,
        )


def _is_of(group: Group, filters: Sequence[Filter], times: Group | None) -> bool:
    """Whether it only tells values or times apart that the rows are chosen by."""
    return group == times or any(one.column == group.column and one.op == "in" for one in filters)


def _measure(request: Request) -> Measure | None:
    """The figure that is asked for by its column."""
    one = request.measures[0]
    plain_one = one.column is not None and one == Measure(one.kind, one.column)
    return one if plain_one and one.kind in _TOLD else None


def _passed_over(text: str, found: Profile, filters: Sequence[Filter]) -> list[str]:
    """Latin values that stand in the text as words, of columns by which no rows are chosen."""
    chosen = {one.column for one in filters}
    columns = [one for one in found.of("category") if one.name not in chosen and yes_and_no(one) is None]
    known = {plain(str(value)) for one in filters for value in one.values}
    return [
        value
        for one in columns
        for value in one.values
        if value.isascii() and len(value) > _SHORT and value[0].isupper() and plain(value) not in known
        if re.search(rf"(?<![A-Za-z]){re.escape(value)}(?![A-Za-z])", text) is not None
    ]


def _is_of_the_report(said: str) -> bool:
    """Whether a sentence says what is to be made, or of what; any other is a remark."""
    return any(compiled(one).search(said) for one in (*words()["made"], asking_words()["narrowing"]))


def _unheeded(reading: Reading, request: Request, text: str, file: str) -> list[str]:
    """Words of substance that nothing has read, in whatever part of the text: what stands beside a question may be a
    remark, beside a request for something to be made it says of what."""
    whole = AskedSentence("")
    asked, left = reading.sentence.text, reading.sentence.left
    for span in sentences(asked):
        if len(text) == len(asked) and not _is_of_the_report(text[slice(*span)]):
            left = left[: span[0]] + " " * (span[1] - span[0]) + left[span[1] :]
    whole.text, whole.left = (_STOPS.sub(" ", one) for one in (asked, left))
    nothing = {plain(one) for one in words()["plain"]}
    found = (*request.unread, *request.aside, *unread(whole, reading.profile, file))
    return [one for one in found if plain(one) not in nothing]


def _moved(named: Sequence[Period], days: Sequence[Filter | Group]) -> Iterator[tuple[str, str]]:
    """A quarter or a month without its year is of the last year that has one; it is told where that is another."""
    if len(named) != 1 or len(days) != 1 or not isinstance(days[0], Filter):
        return
    (_, first, last), (start, end) = named[0], map(as_day, days[0].values)
    began, begins = first or last, start or end
    if began and begins and first and start and began.year != begins.year and began.replace(year=begins.year) == begins:
        yield period_name(first, last), period_name(start, end)


def _rest(text: str, bare: str, left: str) -> str:
    """What nobody has read, with the words for what is made: they may name steps."""
    if not len(text) == len(bare) == len(left):
        return text
    return "".join(
        letter if other == " " or unread != " " else " " for letter, other, unread in zip(text, bare, left, strict=True)
    )
