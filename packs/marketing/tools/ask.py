"""marketing.ask: a question about the rows of a table as they are, answered with figures, a table and a picture."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.artifacts import ANSWER_CHART, TABLE
from packs.marketing.asking import beside, chart, named, sentences, several, sheets, shown_too, why
from packs.marketing.asking.answering import Figures, answer, side_by_side
from packs.marketing.asking.arrived import typed
from packs.marketing.asking.days import Period
from packs.marketing.asking.meaning.composing import each_once
from packs.marketing.asking.meaning.guessing import How, nobody
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import OTHER_SIDE, Group, Measure, Request
from packs.marketing.asking.several import asks_nothing
from packs.marketing.asking.together import Together, together
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
    item = _meant(str(params.get("question", "")), ctx)
    params = sheets.of_this_file(params, item, ctx.language)
    question = str(params["question"])
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
    return any(one.meant for one in several.requests_of(asked, made.profile, periods, _before(params, made, how), how))


def _is_known_elsewhere(params: JsonObject, item: ToolInput) -> bool:
    """Whether another sheet of the workbook has rows that the question names: a guess about the first is none."""
    question, periods = str(params["question"]), _periods(params.get("periods"))
    for sheet, other in sheets.others(item, [question], called=False):
        asked = sheets.without_name(question, sheet)
        if any(
            it.op == "in"
            for one in several.requests_of(asked, other, periods, None, How(sheet, nobody))
            for it in one.filters
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
    asked = _but_for_the_table(asked)
    requests = [made.named(one) for one in several.requests_of(asked, made.profile, periods, before, how)]
    before, found = before and made.named(before), made.shown
    if len(requests) == 1:
        nothing = bool(requests[0].unread) or asks_nothing(requests[0], asked)
        if before is not None and nothing and (again := named.again(asked, before)) is not None:
            return _answered(asked, again, found, item, None, ctx)
        if before is not None and _shows(requests[0], asked):
            return _answered(asked, shown_too.to_be_drawn(asked, before, found), found, item, None, ctx)
        bounded = before is None and any(one.op in OTHER_SIDE for one in requests[0].filters)  # "those above 90?"
        leans = compiled(words()["leans"]).search(asked) and (before is None or not requests[0].filters) and not bounded
        if leans and asks_nothing(requests[0], asked):
            requests = [replace(requests[0], unread=(asked.strip(" ?？"),))]  # of what came before, and not understood
        elif asks_nothing(requests[0], asked) and not named.asked_for(asked, requests[0], found):
            return _summary(asked, requests[0], found, item, ctx)
        return _answered(asked, requests[0], found, item, before, ctx)
    results = [_answered(asked, one, found, item, None, ctx) for one in requests]
    told = [line for one in results if isinstance(lines := one["summary"], list) for line in lines]
    return results[-1] | side_by_side(results) | {"summary": list[JsonValue](dict.fromkeys(map(str, told)))}


def _answered(
    asked: str, request: Request, found: Profile, item: ToolInput, before: Request | None, ctx: ToolContext
) -> JsonObject:
    if request.asks == "preview":
        return _result(sentences.preview(item.attachment.name, found, ctx), answered=True, file=item)
    if request.unknown or request.unread:
        return _result(sentences.asked_back(request, found, ctx), answered=False, file=item)
    meant = [ctx.text("ask.meant")] if request.meant else []
    if request.asks in ("examples", "rows"):
        shown = sentences.examples if request.asks == "examples" else sentences.single_rows
        lines, heads, written = shown(request, found, ctx)
        lines = [*lines, *beside.rows_of_before(found, request, before, ctx), *meant]
        return _result(lines, answered=True, file=item) | _table(heads, written)
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


def _shows(request: Request, asked: str) -> bool:
    """Whether what was told is wanted once more, as a picture or a table ("put that in a graph")."""
    return asks_nothing(request, asked) and not request.filters and bool(compiled(words()["drawn"]).search(asked))


def _but_for_the_table(asked: str) -> str:
    """What is asked, where a picture is wanted and no table beside it ("a chart, not a table")."""
    wanted = compiled(words()["pictured"]).search(asked) is not None
    return compiled(words()["not_drawn"]).sub(" ", asked).strip() if wanted else asked


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
            asked_then = _but_for_the_table(table.said(str(one["question"])))
            request = several.requests_of(asked_then, table.profile, _periods(one.get("periods")), before, how)[-1]
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
