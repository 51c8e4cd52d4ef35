"""What a person is told of the rows that a plan works on, and how their words about the plan change them."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from contracts.profiles import ColumnProfile, TableProfile
from contracts.shape import JsonObject
from contracts.wishes import Say, Wish, WishAsked
from packs.marketing.asking.answering import period_name
from packs.marketing.asking.choice import Choice, choice
from packs.marketing.asking.sentences import shown
from packs.marketing.asking.telling import readable
from packs.marketing.overview.again import of_the_same

MOST_CHANGES = 10
_MOST_OF_A_YEAR = 200
"""Days, beyond which a time is no part of a year."""
CHANGES = "changes"
_SCOPE = ("date_from", "date_to", "products")


class _Texts(NamedTuple):
    """What sentences are written with, where there is no call of a tool."""

    text: Say


def rows(asked: WishAsked, say: Say) -> Wish:
    """Of the collector: the values, bounds and ratings by which rows are chosen."""
    tables = [table for one in asked.files if (table := _table(one)) is not None]
    if not tables:
        return Wish(params=asked.params, rest=asked.said)
    asked = _gone_on(asked, tables)
    said, before = str(asked.params.get("asked", "")), _changes(asked.params)
    now = [choice(readable(one), said, before) for one in tables]
    if not asked.said:
        wish = _told(asked, before, now, say)
        return (
            wish
            if _may_choose(tables, before, now)
            else wish.model_copy(update={"params": _without_asked(wish.params)})
        )
    after = [choice(readable(one), said, [*before, asked.said][-MOST_CHANGES:]) for one in tables]
    same = [(one.filters, one.unknown) for one in now] == [(one.filters, one.unknown) for one in after]
    wish = _told(asked, before if same else [*before, asked.said][-MOST_CHANGES:], after, say)
    if all(one.unknown for one in after) and not same and not all(one.unknown for one in now):
        # a name that is none changes nothing, and is told
        wish = wish.model_copy(update={"params": asked.params, "lines": _lines(now, say)})
    rest = min((one.rest for one in after), key=lambda one: len(one.replace(" ", "")))
    return wish.model_copy(update={"rest": rest})


def _gone_on(asked: WishAsked, tables: list[TableProfile]) -> WishAsked:
    """What is wanted of the rows that were chosen last is a change of that choice, if it says anything of rows."""
    if not of_the_same(asked):
        return asked
    said, before = str(asked.before.get("asked", "")), _changes(asked.before)
    then = [choice(readable(one), said, before) for one in tables]
    if not any(one.filters for one in then):
        return asked
    changes = [*before, asked.request][-MOST_CHANGES:]
    after = [choice(readable(one), said, changes) for one in tables]
    same = [one.filters for one in then] == [one.filters for one in after]
    kept = {name: value for name, value in asked.params.items() if name not in ("asked", CHANGES)}
    made: JsonObject = {"asked": said} if said else {}
    made |= {CHANGES: list[JsonValue](before if same else changes)} if before or not same else {}
    return asked.model_copy(update={"params": kept | made})


def _may_choose(tables: list[TableProfile], changes: list[str], made: list[Choice]) -> bool:
    """Whether the words of the request could mean some of the rows: a profile that was cut does not tell."""
    cut = any(one.more_columns or any(column.more_values for column in one.columns) for one in tables)
    return cut or bool(changes) or any(one.filters or one.unknown or one.unrated for one in made)


def _without_asked(params: JsonObject) -> JsonObject:
    """All rows are all rows, whatever words that is said in: what was made of them before is found again."""
    return {name: value for name, value in params.items() if name != "asked"}


def period(asked: WishAsked, say: Say) -> Wish:
    """Of the preprocessor: the days and the names that it keeps."""
    if not {*_SCOPE} & {*asked.params} and of_the_same(asked):
        kept = {name: asked.before[name] for name in _SCOPE if name in asked.before}
        asked = asked.model_copy(update={"params": asked.params | kept})
    first, last = (_day(asked.params.get(name)) for name in ("date_from", "date_to"))
    params = {name: value for name, value in asked.params.items() if name != "periods"}
    moved: tuple[str, ...] = ()
    if (taken := _in_another_year(asked, first, last)) is not None:
        moved = (say("overview.other_year", asked=period_name(first, last), taken=period_name(*taken)),)
        first, last = taken
        ends = {"date_from": first, "date_to": last}
        params |= {name: day.isoformat() for name, day in ends.items() if day is not None}
    named = asked.params.get("products")
    lines = [period_name(first, last)] if first or last else []
    if isinstance(named, list) and named:
        lines.append(", ".join(map(str, dict.fromkeys(named))))
    cannot = _no_such_days(asked, first, last, say) if first or last else ()
    return Wish(params=params, lines=tuple(lines), cannot=(*moved, *cannot), rest=asked.said)


def _in_another_year(asked: WishAsked, first: date | None, last: date | None) -> tuple[date | None, date | None] | None:
    """A quarter or a month that is said without its year, and of which no table has a row, is that of the one other
    year that has it."""
    said = asked.params.get("periods")
    named = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    spans = _spans(asked)
    if len(named) != 1 or first is None or not spans or _overlap(spans, first, last):
        return None
    of_years = last is not None and (first.year != last.year or (last - first).days > _MOST_OF_A_YEAR)
    if of_years or re.search(r"\d{4}|[년年]|year", str(named[0].get("said")), re.IGNORECASE):
        return None
    years = range(min(low for low, _ in spans).year, max(high for _, high in spans).year + 1)
    moved = [tuple(day and _of_year(day, year) for day in (first, last)) for year in years]
    found = [(one, other) for one, other in moved if one is not None and _overlap(spans, one, other)]
    return found[0] if len(found) == 1 else None


def _of_year(day: date, year: int) -> date:
    """The same day of another year; the last of February in place of its 29th."""
    return day.replace(year=year) if (day.month, day.day) != (2, 29) else date(year, 3, 1) - timedelta(days=1)


def _spans(asked: WishAsked) -> list[tuple[date, date]]:
    tables = [table for one in asked.files if (table := _table(one)) is not None]
    return [span for table in tables for column in table.columns if (span := _span(column)) is not None]


def _overlap(spans: list[tuple[date, date]], first: date | None, last: date | None) -> bool:
    return any((not last or low <= last) and (not first or first <= high) for low, high in spans)


def _no_such_days(asked: WishAsked, first: date | None, last: date | None, say: Say) -> tuple[str, ...]:
    """That no table has a row of these days: better said before the plan is approved than by a step that fails."""
    spans = _spans(asked)
    if not spans or _overlap(spans, first, last):
        return ()
    low, high = min(one for one, _ in spans), max(one for _, one in spans)
    return (say("wish.no_such_days", period=period_name(first, last), there=period_name(low, high)),)


def _span(column: ColumnProfile) -> tuple[date, date] | None:
    if column.kind != "date" or not isinstance(column.low, str) or not isinstance(column.high, str):
        return None
    return date.fromisoformat(column.low[:10]), date.fromisoformat(column.high[:10])


def _told(asked: WishAsked, changes: list[str], made: list[Choice], say: Say) -> Wish:
    params = {name: value for name, value in asked.params.items() if name != CHANGES}
    if changes:
        params[CHANGES] = list[JsonValue](changes)
    cannot: list[str] = []
    if all(one.unknown for one in made):
        values = ", ".join(dict.fromkeys(name for one in made for name in one.unknown))
        known = ", ".join(dict.fromkeys(name for one in made for name in one.known))
        cannot.append(say("ask.unknown", values=values, known=known))
    if all(one.unrated for one in made):
        cannot.append(say("wish.unrated"))
    return Wish(params=params, lines=_lines(made, say), cannot=tuple(cannot))


def _lines(made: list[Choice], say: Say) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown(filter_, _Texts(say)) for one in made for filter_ in one.filters))


def _table(found: object) -> TableProfile | None:
    try:
        return TableProfile.model_validate(found)
    except ValidationError:
        return None


def _changes(params: JsonObject) -> list[str]:
    given = params.get(CHANGES)
    return [str(one) for one in given] if isinstance(given, list) else []


def _day(value: JsonValue) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else None
