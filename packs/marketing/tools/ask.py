"""marketing.ask: a question about the rows of a table as they are, answered with figures, a table and a picture."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.artifacts import ANSWER_CHART, TABLE
from packs.marketing.asking import beside, chart, named, people, sentences, sheets, shown_too, why
from packs.marketing.asking.answering import Figures, answer, side_by_side
from packs.marketing.asking.arrived import typed
from packs.marketing.asking.days import Period
from packs.marketing.asking.families import in_full
from packs.marketing.asking.heard import heard
from packs.marketing.asking.meaning.composing import each_once
from packs.marketing.asking.meaning.guessing import How, guessed, nobody
from packs.marketing.asking.money import of_whole_amounts
from packs.marketing.asking.phrasing import AskedSentence, compiled, questions, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import OTHER_SIDE, Group, Measure, Request
from packs.marketing.asking.sums import Sums
from packs.marketing.asking.together import Together, together
from packs.marketing.asking.turns import goes_on
from packs.marketing.asking.units import ranks_by_length, ranks_by_rows
from packs.marketing.evidence import summed_up
from packs.marketing.overview.shape import said
from packs.marketing.overview.survey import pictured
from packs.marketing.tools.overview import overview
from packs.marketing.tools.profile import opened

SIDES: tuple[why.Side, ...] = ("high", "low")
_MOST_ROWS = 200
"""Of the table in the result, which travels in an event."""


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises INPUT_MISSING, TABLE_UNREADABLE and TABLE_EMPTY. A question with words that the table knows nothing of is
    not answered with another figure: `answered` is false, and the summary says what the table has."""
    question = str(params.get("question", ""))
    item = _meant(question, ctx)
    if (named_sheet := _of_another_sheet(params, item, ctx, called=True)) is not None:
        return named_sheet
    found = typed(item, ctx) or opened(item, ctx)[1]
    if (headed := _answered_by(params, sheets.headed(item, question, found), item, ctx, called=False)) is not None:
        return headed
    how = How(item.attachment.name, each_once(ctx.meanings))
    if _guesses(params, found, how, item):
        if (own := _of_another_sheet(params, item, ctx, called=False)) is not None:
            return own  # by its own words, which go before a guess
        how = How(how.file, nobody) if _is_known_elsewhere(params, item) else how
    result = _of_table(params, found, how, item, ctx)
    return result if result["answered"] else _of_another_sheet(params, item, ctx, called=False) or result


def _guesses(params: JsonObject, found: Profile, how: How, item: ToolInput) -> bool:
    """Whether a question about a workbook would be answered from its first sheet by what it seems to mean."""
    if not sheets.is_workbook(item):
        return False
    made = together(found, [*_asked_before(params), str(params["question"])])
    asked, periods = made.said(str(params["question"])), _periods(params.get("periods"))
    return any(one.meant for one in requests_of(asked, made.profile, periods, _before(params, made, how), how))


def _is_known_elsewhere(params: JsonObject, item: ToolInput) -> bool:
    """Whether another sheet of the workbook has rows that the question names: a guess about the first is none."""
    question, periods = str(params["question"]), _periods(params.get("periods"))
    for sheet, other in sheets.others(item, [question], called=False):
        asked = sheets.without_name(question, sheet)
        if any(
            it.op == "in" for one in requests_of(asked, other, periods, None, How(sheet, nobody)) for it in one.filters
        ):
            return True
    return False


def _of_another_sheet(params: JsonObject, item: ToolInput, ctx: ToolContext, *, called: bool) -> JsonObject | None:
    """The answer of the first other sheet of a workbook that has one: of those that the question, or one before it,
    calls by their names, or of all others by their own words. Where a sheet is asked for as such, no other answers."""
    asked = [*_asked_before(params), str(params.get("question", ""))]
    return _answered_by(params, sheets.others(item, asked, called=called), item, ctx, called=called)


def _answered_by(
    params: JsonObject, others: Iterable[tuple[str, Profile]], item: ToolInput, ctx: ToolContext, *, called: bool
) -> JsonObject | None:
    question = str(params.get("question", ""))
    meanings = each_once(ctx.meanings) if called else nobody
    for sheet, found in others:
        asked = {**params, "question": sheets.without_name(question, sheet)}
        if isinstance(before := params.get("before"), list):
            asked["before"] = [
                {**one, "question": sheets.without_name(str(one["question"]), sheet)}
                for one in before
                if isinstance(one, dict)
            ]
        result = _of_table(asked, found, How(sheet, meanings), item, ctx)
        if result["answered"] or (called and compiled(words()["sheet"]).search(question)):
            lines = result["summary"] if isinstance(result["summary"], list) else []
            return result | {"summary": list[JsonValue]([ctx.text("ask.sheet", sheet=sheet), *lines])}
    return None


def _of_table(params: JsonObject, found: Profile, how: How, item: ToolInput, ctx: ToolContext) -> JsonObject:
    made = together(found, [*_asked_before(params), str(params["question"])])
    before = _before(params, made, how)
    asked, periods = made.said(str(params["question"])), _periods(params.get("periods"))
    requests = [made.named(one) for one in requests_of(asked, made.profile, periods, before, how)]
    before, found = before and made.named(before), made.shown
    if len(requests) == 1:
        nothing = bool(requests[0].unread) or _asks_nothing(requests[0], asked)
        if before is not None and nothing and (again := named.again(asked, before)) is not None:
            return _answered(asked, again, found, item, None, ctx)
        if before is not None and _shows(requests[0], asked):
            return _answered(asked, before, found, item, None, ctx)
        bounded = before is None and any(one.op in OTHER_SIDE for one in requests[0].filters)  # "those above 90?"
        leans = compiled(words()["leans"]).search(asked) and (before is None or not requests[0].filters) and not bounded
        if leans and _asks_nothing(requests[0], asked):
            requests = [replace(requests[0], unread=(asked.strip(" ?？"),))]  # of what came before, and not understood
        elif _asks_nothing(requests[0], asked) and not named.asked_for(asked, requests[0], found):
            return _summary(asked, requests[0], found, item, ctx)
        return _answered(asked, requests[0], found, item, before, ctx)
    results = [_answered(asked, one, found, item, None, ctx) for one in requests]
    told = [line for one in results if isinstance(lines := one["summary"], list) for line in lines]
    return results[-1] | side_by_side(results) | {"summary": list[JsonValue](dict.fromkeys(map(str, told)))}


def _of_the_same_rows(said: str, request: Request, several: Sequence[Request], asked: str) -> Request:
    """What is asked in the second half of a sentence ("how many are his, and what do they weigh?") is asked of the rows
    of the first, unless it says which."""
    before = asked[: asked.find(said)].rstrip()
    if not several or request.filters or request.groups or before.endswith((".", "?", "!", "。", "？", "！")):
        return request
    if compiled(words()["of_the_whole"]).search(said) is not None:
        return request
    return replace(request, filters=several[-1].filters)


def requests_of(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, how: How
) -> list[Request]:
    """One, or as many as the text has questions. Where its words are not known, by what it means."""
    asked, found = in_full(asked, found)
    sums = Sums(found, before, lambda text, on: Reading(text, found, periods, on, how.file).request(), how.file)
    if (reckoned := sums.of(asked)) is not None:
        return reckoned
    by_rules = partial(_by_words, found=found, periods=periods, before=before, name=how.file)

    def read(text: str) -> list[Request]:
        told = by_rules(text)
        if len(told) == 1 and (said := ranks_by_rows(told[0], text, found) or ranks_by_length(told[0], text, found)):
            told = [replace(told[0], unread=(said,))]
        told = [of_whole_amounts(one, text, found) for one in told]
        if len(told) > 1 or not (told[0].unread or told[0].unknown):
            return told
        on_its_own = before is None or not goes_on(AskedSentence(text), before)
        meant = guessed(text, told[0], found, periods, how, by_rules, on_its_own=on_its_own)
        return [people.of_guessed(of_whole_amounts(one, text, found), text, found) for one in meant] if meant else told

    return shown_too.of_all_groups(heard(asked, found, before, read))


def _by_words(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request]:
    """One, or as many as the text has questions, where they are not one and the same request."""
    asked = compiled(words()["how_many_that"]).sub("", asked)
    whole = Reading(asked, found, periods, before, name).request()
    if (those := _and_of_those(asked, found, periods, before, name)) is not None:
        return those
    if (two := _two_questions(asked, found, periods, before, name)) is not None:
        return two
    if (each := _each_its_figure(asked, whole, found, periods, before, name)) is not None:
        return each
    mixed = len(whole.measures) > 1 and bool(whole.filters)
    narrower = compiled(words()["before_that"]).search(asked, 1) is not None and len(questions(asked)) > 1
    narrower = narrower and len(whole.measures) == 1
    if not (whole.unread or whole.aside or mixed or narrower or (whole.asks == "why" and whole.descending is not None)):
        return [whole]
    several: list[Request] = []
    for one in questions(asked):
        request = Reading(one, found, periods, several[-1] if several else before, name).request()
        several.append(_of_the_same_rows(one, request, several, asked))
    if several and several[0] == Request() and not compiled(words()["measures"]["count"]).search(questions(asked)[0]):
        return [whole]  # "and which of those …, how many?" is one question
    understood = len(several) > 1 and not any(
        one.unknown or one.unread or one.aside or one.asks == "preview" for one in several
    )
    if mixed and not whole.unread:
        # "the total of all, and the average of the blue ones": what is said behind is not said of what came first
        understood &= not several[0].filters and bool(several[-1].filters)
    return several if understood else [whole]


def _and_of_those(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """How many there are, and how many of those are something: two figures, of whatever words the first is made; else
    None."""
    parts = questions(asked)
    if len(parts) != len(("one", "other")) or compiled(words()["and_of_those"]).match(parts[1]) is None:
        return None
    first = Reading(parts[0], found, periods, before, name).request()
    counted = first.asks == "figures" and first.measures == (Measure("count"),) and not (first.groups or first.unknown)
    said = words()
    turned = compiled(f"{said['negated']}|{said['superlatives']}|\\d").search(parts[0])
    if not counted or turned or (first.unread and first.filters) or not compiled(said["counted"]).search(parts[0]):
        return None
    second = Reading(parts[1], found, periods, replace(first, unread=()), name).request()
    if second.unread or second.unknown or not set(first.filters) < set(second.filters):
        return None
    return [replace(first, unread=(), aside=(*first.aside, *first.unread)), second]


def _two_questions(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """Two questions with a mark behind each, where the second keeps rows that the first does not speak of, and points
    at nothing ("the busiest day? and how many came on Sundays?"); else None."""
    parts = [one for one in re.split(r"(?<=[?？])\s*", asked) if one.strip()]
    if (
        len(parts) != len(("one", "other"))
        or not parts[1].endswith(("?", "？"))
        or compiled(words()["points"]).search(parts[1])
    ):
        return None
    first, second = (
        Reading(one, found, periods, on, name).request() for one, on in zip(parts, (before, None), strict=True)
    )
    understood = not any(one.unknown or one.unread or one.asks != "figures" for one in (first, second))
    apart = bool(first.groups) and bool(second.filters) and not set(first.filters) & set(second.filters)
    return [first, second] if understood and apart else None


def _each_its_figure(  # what is read, and all that it is read with
    asked: str, whole: Request, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """Two questions that want a figure each, of the same rows, where one of the two would be lost in one answer ("how
    many kilos of it? how many boxes?"); else None."""
    parts = [one for one in re.split(r"(?<=[?？])\s*", asked) if one.strip()]
    if len(parts) != len(("one", "other")) or whole.asks != "figures" or whole.groups:
        return None
    first = Reading(parts[0], found, periods, before, name).request()
    second = Reading(parts[1], found, periods, first, name).request()
    for request in (first, second):
        if request.asks != "figures" or request.groups or request.unread or request.unknown or request.aside:
            return None
    one, other = _figures(first), _figures(second)
    if not one or not other or one & other or one | other <= _figures(whole):
        return None
    return [first, second if second.filters else replace(second, filters=first.filters)]


def _figures(request: Request) -> set[str]:
    return {one.column for one in request.measures if one.column}


def _answered(
    asked: str, request: Request, found: Profile, item: ToolInput, before: Request | None, ctx: ToolContext
) -> JsonObject:
    if request.asks == "preview":
        return _result(sentences.preview(item.attachment.name, found, ctx), answered=True, file=item)
    if request.unknown or request.unread:
        return _result(sentences.asked_back(request, found, ctx), answered=False, file=item)
    meant = [ctx.text("ask.meant")] if request.meant else []
    if request.asks == "examples":
        lines, heads, written = sentences.examples(request, found, ctx)
        return _result(lines, answered=True, file=item) | _table(heads, written)
    if request.asks == "rows":
        lines, heads, written = sentences.single_rows(request, found, ctx)
        return _result([*lines, *meant], answered=True, file=item) | _table(heads, written)
    figures = sentences.with_names(request, answer(found, request), ctx)
    lines = sentences.told(request, sentences.with_names(request, figures, ctx, months=True), ctx)
    lines += beside.told(found, request, figures, before, ctx) if request.asks == "figures" else []
    if not figures.left and len(request.filters) > 1:
        lines.append(ctx.text("ask.misread"))
    if request.aside:
        lines.append(ctx.text("ask.aside", words=", ".join(request.aside)))
    if request.asks == "why":
        lines += why.told(found, request, ctx)
    for column in named.asked_for(asked, request, found):
        lines += sentences.names(column, *named.told(column, request, found), request, ctx)
    lines += shown_too.few_rows(asked, request, found, ctx, before)
    lines += meant
    _draw(found, request, figures, ctx)
    columns, rows = sentences.table(request, figures, ctx)
    counted: JsonObject = {"rows": figures.left, "of": figures.total}
    return _result(lines, answered=True, file=item) | _table(columns, rows) | counted


def _draw(found: Profile, request: Request, figures: Figures, ctx: ToolContext, name: str = "answer.png") -> None:
    if (whole := _of_the_whole(found, request)) is not None:
        request, figures = whole, answer(found, whole)
    if (picture := chart.draw(found, request, figures, ctx)) is not None:
        ctx.save(picture, name=name, media_type="image/png", type_=ANSWER_CHART)


def _of_the_whole(found: Profile, request: Request) -> Request | None:
    """What is drawn of one share: what each value of its column has."""
    (one, *more), part = request.measures, request.measures[0].part
    alone = not (more or request.groups) and one.kind == "share" and len(part) == 1 and part[0].op == "in"
    if not alone or found.column(part[0].column).kind != "category":
        return None
    return replace(request, groups=(Group(part[0].column),), measures=(Measure("portion", one.column),))


def _asks_nothing(request: Request, asked: str) -> bool:
    """Whether nothing but rows is meant ("summarise the reviews of Leeds"): not even how many."""
    counts = compiled(words()["measures"]["count"]).search(asked)
    return replace(request, filters=()) == Request() and counts is None


def _shows(request: Request, asked: str) -> bool:
    """Whether what was told is wanted once more, as a picture or a table ("put that in a graph")."""
    return _asks_nothing(request, asked) and not request.filters and bool(compiled(words()["drawn"]).search(asked))


def _summary(asked: str, request: Request, found: Profile, item: ToolInput, ctx: ToolContext) -> JsonObject:
    """What a person would say of the table who has read it: what is liked and what is not, or its figures."""
    rating, text = found.rating, found.text
    if rating is None or rating.scale is None or text is None:
        if request.filters:
            return _answered(asked, request, found, item, None, ctx)
        for number, one in enumerate(pictured(found), 1):
            _draw(found, one, answer(found, one), ctx, f"answer_{number}.png")
        told = overview(found, item.attachment.name, ctx)
        return _result([said(one) for one in told.summary], answered=True, file=item)
    measures = (Measure("count"), Measure("mean", rating.name))
    figures = answer(found, whole := replace(request, measures=measures))
    lines = sentences.told(whole, figures, ctx)
    lines += [line for side in SIDES for line in why.told(found, request, ctx, side=side)]
    columns, rows = sentences.table(whole, figures, ctx)
    counted: JsonObject = {"rows": figures.left, "of": figures.total}
    return _result(lines, answered=True, file=item) | _table(columns, rows) | counted


def _table(columns: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> JsonObject:
    found = [list[JsonValue](row) for row in rows[:_MOST_ROWS]]
    return {"table": {"columns": list[JsonValue](columns), "rows": list[JsonValue](found)}} if columns else {}


def warm() -> None:
    """The first drawing of a process starts an engine that takes a second, and the first question of a language makes
    patterns of all words."""
    chart.warm()
    nothing = Profile((), pl.DataFrame())
    for question in words()["warming"]:
        Reading(question, nothing).request()


def _meant(question: str, ctx: ToolContext) -> ToolInput:
    """The table that the question names, else the newest."""
    tables = ctx.inputs(TABLE)
    if not tables:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=TABLE)
    return next((one for one in tables if one.attachment.name.lower() in question.lower()), tables[-1])


def _asked_before(params: JsonObject) -> list[str]:
    asked = params.get("before")
    return [str(one["question"]) for one in (asked if isinstance(asked, list) else []) if isinstance(one, dict)]


def _before(params: JsonObject, table: Together, how: How) -> Request | None:
    """The request that this one may go on from: what was asked before, read again of this table, turn by turn. Of what
    was not answered then the words that nothing had taken stay with it."""
    asked = params.get("before")
    before: Request | None = None
    for one in asked if isinstance(asked, list) else []:
        if isinstance(one, dict):
            asked_then = table.said(str(one["question"]))
            request = requests_of(asked_then, table.profile, _periods(one.get("periods")), before, how)[-1]
            same = request.unknown or (before is not None and _shows(request, asked_then))
            before = before if same else request
    return before


def _periods(given: JsonValue) -> Sequence[Period]:
    return [
        Period(str(one["said"]), _day(one.get("start")), _day(one.get("end")))
        for one in (given if isinstance(given, list) else [])
        if isinstance(one, dict)
    ]


def _day(value: JsonValue) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else None


def _result(lines: Sequence[str], *, answered: bool, file: ToolInput) -> JsonObject:
    return {**summed_up(lines), "answered": answered, "file": file.attachment.name}
