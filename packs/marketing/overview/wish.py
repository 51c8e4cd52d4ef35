"""What a person is told, before it is made, of the rows that a report of a table will be of; and how their words about
the plan change that."""

from datetime import date, timedelta
from typing import NamedTuple

import polars as pl
from pydantic import JsonValue, ValidationError

from contracts.profiles import TableProfile
from contracts.shape import JsonObject
from contracts.wishes import Say, Wish, WishAsked
from packs.marketing.asking.answering import period_name
from packs.marketing.asking.days import Period
from packs.marketing.asking.phrasing import compiled
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.telling import readable
from packs.marketing.overview.about import Texts, notes, rows_meant
from packs.marketing.overview.again import of_the_same
from packs.marketing.overview.wanted import Spoken, Wanted, wanted, words

MOST_CHANGES, MOST_PERIODS = 10, 30
_OWN = ("asked", "changes", "periods", "title")
_DAYS = 20_000
"""Between the first day of a column and its last, beyond which one day a month is enough."""


class _Says(NamedTuple):
    """What sentences are written with, where there is no call of a tool."""

    text: Say


def chosen(asked: WishAsked, say: Say) -> Wish:
    """Of the overview: which rows it adds up."""
    table = _table(asked)
    if table is None:
        return Wish(params=asked.params, rest=asked.said)
    found, file = _with_days(readable(table)), next(reversed(asked.names), "")
    params = _gone_on(asked)
    now = wanted(found, said_in(params), file)
    if not asked.said:
        cut = table.more_columns or any(one.more_values for one in table.columns)
        kept = params if cut or not now.says_nothing else _without(params)
        return _told(kept, now, found, say)
    alone = wanted(found, said_in({"asked": asked.said, "periods": list[JsonValue](asked.periods)}), file)
    more: JsonObject = {
        **params,
        "changes": [*_list(params, "changes"), asked.said][-MOST_CHANGES:],
        "periods": [*_list(params, "periods"), *asked.periods][-MOST_PERIODS:],
    }
    after = wanted(found, said_in(more), file)
    same = (now.filters, now.times, now.unknown) == (after.filters, after.times, after.unknown)
    same = same and now.course == after.course and now.without == after.without
    if same and not (alone.chapters or alone.unknown):
        return _told(params, now, found, say).model_copy(update={"rest": asked.said})
    return _told(more, after, found, say).model_copy(update={"rest": after.rest})


def said_in(params: JsonObject) -> Spoken:
    """What a call of the overview is asked."""
    periods = (
        Period(str(one["said"]), _day(one.get("start")), _day(one.get("end")))
        for one in _list(params, "periods")
        if isinstance(one, dict)
    )
    changes = tuple(str(one) for one in _list(params, "changes"))
    return Spoken(str(params.get("asked", "")), changes, tuple(periods), str(params.get("title", "")))


def _gone_on(asked: WishAsked) -> JsonObject:
    """The arguments; where the request points at what was made last ("the same as slides"), or makes it once more or in
    another form, with what that was asked, and this as a change of it."""
    before, said = asked.before, str(asked.params.get("asked", ""))
    if not said or not before.get("asked"):
        return asked.params
    if compiled(words()["same"]).search(said) is None and not of_the_same(asked):
        return asked.params
    return {
        **{name: before[name] for name in _OWN if name in before and name != "title"},
        "changes": [*_list(before, "changes"), said][-MOST_CHANGES:],
        "periods": [*_list(before, "periods"), *_list(asked.params, "periods")][-MOST_PERIODS:],
    }


def _told(params: JsonObject, made: Wanted, found: Profile, say: Say) -> Wish:
    texts: Texts = _Says(say)
    cannot = list(notes(made, texts))
    if made.unknown:
        cannot.append(say("ask.unknown", values=", ".join(made.unknown), known=", ".join(made.known)))
    cannot += _no_such_days(made, found, say)
    lines = list(rows_meant(made, texts))
    if made.alone:
        by = dict.fromkeys(one.column for chapter in made.chapters for one in chapter.groups)
        lines.append(say("overview.by", columns=", ".join(by)))
    return Wish(params=params, lines=tuple(lines), cannot=tuple(cannot))


def _no_such_days(made: Wanted, found: Profile, say: Say) -> list[str]:
    """That the table has no row of these days: better said before the plan is approved than by a step that fails."""
    for one in made.filters:
        first, last = (*one.values, None, None)[:2] if one.op == "between" else (None, None)
        days = found.frame[one.column].drop_nulls() if isinstance(first, date) or isinstance(last, date) else None
        if days is None or not days.len():
            continue
        low, high = days.min(), days.max()
        if not isinstance(low, date) or not isinstance(high, date):
            continue
        if (isinstance(first, date) and first > high) or (isinstance(last, date) and last < low):
            period = ", ".join(rows_meant(Wanted(filters=(one,)), _Says(say)))
            return [say("wish.no_such_days", period=period, there=period_name(low, high))]
    return []


def _with_days(found: Profile) -> Profile:
    """With all days between the ends of a column of days: which of them have rows, only the file knows."""
    spans = {}
    for column in found.of("date"):
        low, high = found.frame[column.name].min(), found.frame[column.name].max()
        if isinstance(low, date) and isinstance(high, date):
            step = 1 if (high - low).days <= _DAYS else 28
            spans[column.name] = [low + timedelta(at) for at in range(0, (high - low).days + 1, step)]
    height = max((len(days) for days in spans.values()), default=0)
    if height <= found.frame.height:
        return found
    columns = []
    for series in found.frame:
        values = spans.get(series.name, series.to_list())
        columns.append(pl.Series(series.name, [*values, *[None] * (height - len(values))], dtype=series.dtype))
    return Profile(found.columns, pl.DataFrame(columns), found.spoken)


def _without(params: JsonObject) -> JsonObject:
    """All rows are all rows, whatever words that is said in: what was made of them before is found again."""
    return {name: value for name, value in params.items() if name not in _OWN}


def _table(asked: WishAsked) -> TableProfile | None:
    """The newest of those that can be read."""
    for one in reversed(asked.files):
        try:
            return TableProfile.model_validate(one)
        except ValidationError:
            continue
    return None


def _list(params: JsonObject, name: str) -> list[JsonValue]:
    given = params.get(name)
    return given if isinstance(given, list) else []


def _day(value: JsonValue) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else None
