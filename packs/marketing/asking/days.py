"""The days that a sentence names, and by which of year, month or day of the week its rows are grouped."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

import polars as pl

from packs.marketing.asking.following import in_its_year
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, is_bound, sentences, words
from packs.marketing.asking.profile import Profile, grain_for
from packs.marketing.asking.request import Filter, Group, Request

SIDES = 2
"""Periods that are compared with each other."""
_LEAP, _MONTHS = 2001, 12
_WHOLE_YEARS = ((1, 1), (12, 31))
_YEAR = re.compile(r"\d{4}|[년年]|year", re.IGNORECASE)
_Span = tuple[date | None, date | None]


class Period(NamedTuple):
    """Days that the sentence names, as the date grammar has read them; `said` are its words."""

    said: str
    first: date | None
    last: date | None


class Days(NamedTuple):
    """`group`: by which days the rows are grouped; `sides`: the two times that are compared; `every`: by which of them
    is said, and not only asked."""

    filters: tuple[Filter, ...] = ()
    group: Group | None = None
    sides: bool = False
    every: bool = False


def spoken_days(sentence: AskedSentence, profile: Profile, periods: Sequence[Period]) -> list[Period]:
    """Those that say of which days the rows are. What stands in brackets behind another says it once more; a day that
    no row has, beside the question, is when something else was."""
    kept: list[tuple[Period, bool]] = []
    asking = compiled("|".join(words()["asking"].values()))
    spans = [span for span in sentences(sentence.text) if asking.search(sentence.text, *span)]
    text = sentence.text.casefold()
    ends: list[int] = [0]
    for one in periods:
        said = _folded(one.said)
        start = text.find(said, ends[-1])
        start = start if start >= 0 else text.find(said)
        if _is_a_length(said) and start >= 0 and is_bound(text, start + len(said)):
            continue  # so many weeks or more
        again = any(re.fullmatch(r"\s*[(（]\s*", text[end:start]) for end in ends[1:])
        asked = any(first <= start < last for first, last in spans)
        ends.append(start + len(said))
        if again or not (asked or _has_rows(profile, one)):
            sentence.blank_words(one.said)
        else:
            kept.append((_before_it(one, sentence, start), asked))
    kept = [(one, asked) for one, asked in kept if not any(_is_around(one, other, text) for other, _ in kept)]
    inside = any(asked for _, asked in kept)
    for one, asked in kept:
        if inside and not asked:
            sentence.blank_words(one.said)
    return [one for one, asked in kept if asked or not inside]


def _is_a_length(said: str) -> bool:
    return re.match(r"[\d一二三한두세a ]+(?:주일?|週間?|weeks?|일|日間?|days?|개?월|か月)", said) is not None


def _before_it(period: Period, sentence: AskedSentence, start: int) -> Period:
    """All days before, where the day is only their end ("6월 1일 전에")."""
    end = start + len(period.said)
    until = compiled(words()["until_day"]).match(sentence.left, end) if start >= 0 and period.first else None
    if until is not None:
        sentence.blank(*until.span())
        return Period(period.said, period.first if _is_a_span(period.said) else None, period.last)
    one_day = start >= 0 and period.first is not None and period.first == period.last  # "as of May" is in May
    if one_day and period.last is not None and (seen := _seen_from(sentence, start, end)):
        return Period(period.said, None, period.last - timedelta(days=seen - 1))
    match = compiled(words()["before_day"]).match(sentence.left, end) if start >= 0 else None
    if match is None or period.first is None or period.last is None:
        return period
    sentence.blank(*match.span())
    return Period(period.said, None, period.first - timedelta(days=1))


def _seen_from(sentence: AskedSentence, start: int, end: int) -> int:
    """1 where the rows until a day are looked at ("as of 30 November"), 2 where those are that lie before it ("already
    past"); else 0."""
    said = words()["as_of"]
    before = compiled(said["before"]).search(sentence.text[:start])
    behind = compiled(said["behind"]).match(sentence.text, end)
    for match in filter(None, (before, behind)):
        sentence.blank(*match.span())
    if before is None and behind is None:
        return 0
    return 1 if sentence.take(said["past"]) is None else 2


def _is_a_span(said: str) -> bool:
    return compiled(words()["between"]).search(said) is not None or "부터" in said


def _is_around(outer: Period, inner: Period, text: str) -> bool:
    """Whether the one only says of which year the other is that stands right behind it."""
    if not (outer.first and outer.last and inner.first and inner.last) or outer == inner:
        return False
    beside = f"{_folded(outer.said)} {_folded(inner.said)}" in text
    return beside and outer.first <= inner.first and inner.last <= outer.last


def _folded(said: str) -> str:
    return unicodedata.normalize("NFKC", said).casefold()


def _has_rows(profile: Profile, period: Period) -> bool:
    day = profile.date
    days = profile.frame[day.name].drop_nulls() if day is not None else pl.Series([], dtype=pl.Date)
    first, last = _in_the_table(period, (period.first, period.last), days)
    return bool(days.is_between(first or date.min, last or date.max).any())


def days_of(sentence: AskedSentence, profile: Profile, periods: Sequence[Period], before: Request | None) -> Days:
    """Nothing where no column has the day of a row."""
    column = profile.date
    if column is None:
        return Days()
    days = profile.frame[column.name].drop_nulls()
    named = [_in_the_table(one, _span(one, before), days) for one in periods]
    if not named or sentence.text.isascii() or compiled(words()["against"]).search(sentence.text):
        named += _bare_month(sentence, before, days, alone=not named)  # "March with September"
    spans = _sides(sentence, list(dict.fromkeys(named)))
    filters = (Filter(column.name, "between", spans[0]),) if len(spans) == 1 else ()
    group = Group(column.name, periods=tuple(spans)) if len(spans) > 1 else None
    for grain, said in words()["grains"].items():
        if is_of_a_heading(profile, said) and sentence.find(said) is not None:
            continue
        if (match := sentence.take(bounded(said))) is not None:
            if len(spans) == SIDES and sentence.find(bounded(words()["measures"]["mean"])) is not None:
                continue  # the average month of one time and of another
            unwanted = compiled(words()["not_so"]).match(sentence.text, match.end())
            if unwanted is not None or re.search(rf"(?:{words()['not_so']})$", match.group()):
                sentence.blank(match.start(), unwanted.end() if unwanted else match.end())
                continue
            sentence.take(bounded(words()["over_time"]))
            return Days(filters, Group(column.name, grain), every=True)
    if len(spans) < SIDES and sentence.take(bounded(words()["over_time"])):
        group = Group(column.name, grain_for(profile, column, *spans))
    return Days(filters, group, len(spans) == SIDES)


def is_of_a_heading(profile: Profile, said: str) -> bool:
    """Whether a column is called so ("visits per month"): then nothing is grouped by it."""
    return any(compiled(bounded(said)).search(one.name) for one in profile.of("number"))


def _sides(sentence: AskedSentence, spans: list[_Span]) -> list[_Span]:
    """What is said from 2023 to 2024 is of two years where one asks what has become of it."""
    if len(spans) != 1 or not sentence.find(bounded(words()["growth"])):
        return spans
    first, last = spans[0]
    if not first or not last or first.year == last.year:
        return spans
    if ((first.month, first.day), (last.month, last.day)) != _WHOLE_YEARS:
        return spans
    return [(date(year, 1, 1), date(year, 12, 31)) for year in (first.year, last.year)]


def _span(period: Period, before: Request | None) -> _Span:
    day = (period.first, period.last)
    known = before is not None and not _YEAR.search(period.said) and re.search(r"\d", period.said)
    return in_its_year(day, before) if known and before else day


def _in_the_table(period: Period, span: _Span, days: pl.Series) -> _Span:
    """A day or month without its year is of the last year with such days in the table, where the nearest has none."""
    first, last = span
    if _YEAR.search(period.said) or not first or not days.len():
        return span
    years = sorted({one.year for one in days.unique()}, reverse=True)
    if not last:  # "since 1 April"
        begun = (_of_year(first, year) for year in (first.year, *years))
        return next((one for one in begun if (days >= one).any()), first), None
    if first.year != last.year:
        return span
    if ((first.month, first.day), (last.month, last.day)) == _WHOLE_YEARS:
        return span  # "this year" is no other
    for year in (first.year, *years):
        start, end = _of_year(first, year), _of_year(last, year)
        if days.is_between(start, end).any():
            return start, end
    return span


def _of_year(day: date, year: int) -> date:
    """The same day of another year; the last of February in place of its 29th."""
    try:
        return day.replace(year=year)
    except ValueError:
        return date(year, day.month, day.day - 1)


def _bare_month(sentence: AskedSentence, before: Request | None, days: pl.Series, *, alone: bool = True) -> list[_Span]:
    """A month by its name alone ("what about April?", "April bookings") is of the year that was spoken of."""
    found: list[tuple[int, _Span]] = []
    for number, name in enumerate(words()["months"], start=1):
        match = sentence.find(bounded(name))
        spoken = alone and before is not None and any(one.op == "between" for one in before.filters)
        if match is not None and (match.group()[0].isupper() or spoken):
            sentence.blank(*match.span())
            first = date(_LEAP, number, 1)
            last = date(_LEAP, number + 1, 1) - timedelta(days=1) if number < _MONTHS else date(_LEAP, number, 31)
            span = in_its_year((first, last), before) if before is not None else (first, last)
            found.append((match.start(), _in_the_table(Period(match.group(), *span), span, days)))
    return [span for _, span in sorted(found, key=lambda one: one[0])]
