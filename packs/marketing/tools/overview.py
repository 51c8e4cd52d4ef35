"""marketing.overview: what a table without texts tells, in figures: as a whole, over time, by group."""

from dataclasses import replace

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import save_json
from packs.marketing.asking import chart, sentences
from packs.marketing.asking.answering import Figures, answer
from packs.marketing.asking.arrived import typed
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.charts.style import NARROW, WIDE
from packs.marketing.evidence import Sentence, say, summed_up
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview, Part, line, said
from packs.marketing.overview.survey import last_two, survey
from packs.marketing.tools.profile import newest, opened

_BOXES = 4
_MOST_ROWS = 30


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises INPUT_MISSING, TABLE_UNREADABLE and TABLE_EMPTY."""
    item = newest(ctx)
    found = typed(item, ctx) or opened(item, ctx)[1]
    ctx.progress(0.2, ctx.text("overview.counting"))
    told = overview(found, item.attachment.name, ctx)
    save_json(ctx, told, type_=TABLE_INSIGHT, name="table_overview.json", rows=told.rows)
    lines = [said(one) for one in told.summary]
    beside = [said(one) for part in told.parts for one in part.lines]
    return {
        **summed_up(lines, beside),
        "file": told.file,
        "rows": told.rows,
        "parts": list[JsonValue](part.heading for part in told.parts),
    }


def overview(found: Profile, file: str, ctx: ToolContext) -> Overview:
    asked = survey(found)
    figures = answer(found, asked.whole)
    # which cells are empty has a chapter of its own
    summary = [one for one in sentences.told(asked.whole, figures, ctx) if not _says(one, "ask.without")]
    course = [_part(found, asked.course, ctx)] if asked.course else []
    if asked.course and (two := last_two(found, asked.course)) is not None:
        summary += [one for one in sentences.told(two, answer(found, two), ctx) if _says(one, "ask.change")]
    summary += [told for one in asked.groups if (told := _most(found, one, ctx)) is not None]
    days = found.frame[asked.course.groups[0].column].drop_nulls() if asked.course else None
    return Overview(
        file=file,
        rows=found.frame.height,
        date_from=days.min() if days is not None and days.len() else None,
        date_to=days.max() if days is not None and days.len() else None,
        facts=_facts(asked.whole, figures, ctx),
        summary=tuple(map(line, summary)),
        parts=(*course, *(_part(found, one, ctx) for one in asked.groups), _columns(found, ctx)),
    )


def _facts(request: Request, figures: Figures, ctx: ToolContext) -> tuple[tuple[str, str], ...]:
    (_, _, values), *_ = figures.rows
    named = zip(request.measures, values, strict=True)
    return tuple(
        (sentences.measure_name(one, ctx), sentences.figure(one, value)) for one, value in named if value is not None
    )[:_BOXES]


def _most(found: Profile, request: Request, ctx: ToolContext) -> str | None:
    """Which group has the most of what adds up; None where two have as much, or all of it is below nothing."""
    measure = request.measures[0]
    if measure.kind not in ("sum", "count"):
        return None
    rows = answer(found, replace(request, limit=None)).rows
    values = [value or 0.0 for _, _, (value, *_) in rows]
    if len(rows) < 2 or values[0] <= values[1] or min(values) < 0:
        return None
    (name,), count, _ = rows[0]
    by, what = sentences.group_name(request.groups[0], ctx), sentences.measure_name(measure, ctx)
    share = f"{100 * values[0] / sum(values):.1f} %"
    return say(
        ctx, "overview.most", count, of={by: name}, by=by, name=name, what=what,
        value=sentences.figure(measure, values[0]), share=share,
    )  # fmt: skip


def _part(found: Profile, request: Request, ctx: ToolContext) -> Part:
    figures = sentences.with_names(request, answer(found, request), ctx)
    first, *_ = lines = sentences.told(request, figures, ctx)[1:]
    head, rows = sentences.table(request, figures, ctx)
    return Part(
        heading=sentences.group_name(request.groups[0], ctx),
        lines=tuple(line(one) for one in lines if one is first or not _says(one, *_IN_TABLE)),
        head=tuple(head),
        rows=tuple(tuple(_cell(cell) for cell in row) for row in rows[-_MOST_ROWS:]),
        chart=chart.specification(found, request, figures, ctx, WIDE),
        narrow=chart.specification(found, request, figures, ctx, NARROW),
        over_time=request.groups[0].grain is not None,
    )


def _says(told: str, *keys: str) -> bool:
    """Whether a sentence is one of those texts, by the beginnings of their keys."""
    return isinstance(told, Sentence) and str(told.evidence["says"]).startswith(keys)


_IN_TABLE = ("ask.group", "ask.group.count", "ask.more")
"""What the table beside the sentences says as well."""


def _cell(cell: str | float | None) -> str:
    return "–" if cell is None else sentences.number(cell) if isinstance(cell, float | int) else cell


def _columns(found: Profile, ctx: ToolContext) -> Part:
    """What the columns are, and how many of their cells are empty."""
    height = found.frame.height
    rows = tuple(
        (one.name, ctx.text(f"ask.kind.{one.kind}"), f"{height - found.frame[one.name].null_count():,}",
         f"{found.frame[one.name].null_count():,}")
        for one in found.columns[:_MOST_ROWS]
    )  # fmt: skip
    head = tuple(ctx.text(f"overview.head.{name}") for name in ("column", "kind", "filled", "empty"))
    return Part(heading=ctx.text("overview.heading.columns"), head=head, rows=rows)
