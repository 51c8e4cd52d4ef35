"""Questions about when: the first and the last day, months whatever the year, from one time to the next."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from packs.marketing.asking.naming import pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, words
from packs.marketing.asking.profile import Profile, grain_for
from packs.marketing.asking.request import Filter, Group, Request

_STEPS = ("year", "half", "quarter", "month", "week", "day")


def at_the_end(sentence: AskedSentence, profile: Profile) -> bool | None:
    """Whether one asks when the last (or, False, the first) row was; None: not that."""
    said = words()
    asked = sentence.find(said["when"]) or sentence.find(said["who"])
    named = any(sentence.find(pattern_of(one)) is not None for one in profile.of("number"))
    asked = asked or sentence.find(said["last_of_what"])
    if profile.date is None or asked is None or sentence.find(said["by_each"]) is not None:
        return None
    if sentence.find(said["when"]) is None and named:
        return None  # who is first in something else
    for last, pattern in ((True, said["last_one"]), (False, said["first_one"])):
        if sentence.find(pattern) is not None:
            sentence.take(pattern)
            while sentence.take(said["when"]) is not None:
                pass
            return last
    return None


def of_any_year(groups: Sequence[Group]) -> list[Group]:
    """Months of the calendar, each with the rows of all years."""
    return [replace(one, grain="calendar") if one.grain == "month" else one for one in groups]


def changes(sentence: AskedSentence, groups: Sequence[Group]) -> bool:
    """Whether one asks how much more or less a time has than the one before it."""
    if not any(one.grain in _STEPS for one in groups) or sentence.take(bounded(words()["growth"])) is None:
        return False
    sentence.take(bounded(words()["next_time"]))
    return True


def course(sentence: AskedSentence, profile: Profile, filters: Sequence[Filter]) -> Group | None:
    """All times that there are, where one asks whether something goes up or down."""
    named = [one for one in profile.of("category") if sentence.find(pattern_of(one)) is not None]
    if profile.date is None or named or sentence.find(words()["up_or_down"]) is None:
        return None  # which of them have grown is not told by all of them
    spans = [one.values for one in filters if one.op == "between" and one.column == profile.date.name]
    first, last = spans[0] if spans else (None, None)
    within = (first if isinstance(first, date) else None, last if isinstance(last, date) else None)
    return Group(profile.date.name, grain_for(profile, profile.date, within))


def most_changed(sentence: AskedSentence) -> tuple[str, bool] | None:
    """The words by which something has become more (True) or less than anything else, taken."""
    for up, key in ((True, "up"), (False, "down")):
        if (match := sentence.take(words()["most_changed"][key])) is not None:
            for said in ("growth", "next_time"):
                while sentence.take(bounded(words()[said])) is not None:
                    pass
            return match.group().strip(), up
    return None


def by_change(request: Request, changed: tuple[str, bool]) -> Request:
    """Ranked by how much more the last of two times has than the first, or each time than the one before it; where no
    times are named, the words stay unread."""
    said, up = changed
    steps = [one for one in request.groups if one.grain in _STEPS]
    others = [one for one in request.groups if not (one.grain or one.periods)]
    times = [one for one in request.groups if len(one.periods) == 2]
    spans = [Filter(times[0].column, "between", one) for one in times[0].periods] if times else _ends(request.filters)
    told = next((one for one in request.measures if one.kind != "count"), request.measures[0])
    ranked = replace(request, descending=up, limit=request.limit or 1, change=False)
    if told.kind in ("count", "sum", "mean", "median", "min", "max") and not told.part:
        if len(others) == 1 and not steps and spans:
            rest = tuple(one for one in request.filters if (one.column, one.op) != (spans[0].column, "between"))
            measures = (replace(told, since=tuple(spans)),)
            return replace(ranked, filters=rest, groups=tuple(others), measures=measures)
        if len(steps) == len(request.groups) == 1:
            return replace(ranked, measures=(replace(told, stepped=True), told))
    return replace(request, unread=(*request.unread, said))


def _ends(filters: Sequence[Filter]) -> list[Filter]:
    """The first and the last of the months, or of the years, that are named as one time."""
    for one in filters:
        first, last = (*one.values, None, None)[:2]
        if one.op != "between" or not isinstance(first, date) or not isinstance(last, date):
            continue
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year != last.year:
            return [Filter(one.column, "between", (date(it, 1, 1), date(it, 12, 31))) for it in (first.year, last.year)]
        after = last + timedelta(days=1)
        if first.day == after.day == 1 and (first.year, first.month) != (last.year, last.month):
            end = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
            return [Filter(one.column, "between", it) for it in ((first, end), (last.replace(day=1), last))]
    return []
