"""marketing.overview: what a table without texts tells, in figures: as a whole, over time, by group."""

from dataclasses import replace

from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import save_json
from packs.marketing.asking import chart, sentences
from packs.marketing.asking.answering import Figures, answer
from packs.marketing.asking.arrived import typed
from packs.marketing.asking.naming import yes_and_no
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.asking.written import figure, number
from packs.marketing.charts.style import NARROW, WIDE
from packs.marketing.evidence import Sentence, say, summed_up
from packs.marketing.overview.about import notes, rows_meant
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview, Part, line, said
from packs.marketing.overview.survey import last_two, names_persons, survey
from packs.marketing.overview.wanted import Wanted, narrowed, wanted
from packs.marketing.overview.wish import said_in
from packs.marketing.tools.profile import newest, opened

_BOXES = 4
_TIMES = 4.0
"""From here on what is told is that there was next to nothing before."""
_MOST_ROWS = 30
_ALL = Wanted()


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises INPUT_MISSING, TABLE_UNREADABLE and TABLE_EMPTY: also where no row is as the request says, or for a name
    that is spelt like a value and is none."""
    item = newest(ctx)
    found = typed(item, ctx) or opened(item, ctx)[1]
    ctx.progress(0.2, ctx.text("overview.counting"))
    told = overview(found, item.attachment.name, ctx, wanted(found, said_in(params), item.attachment.name))
    save_json(ctx, told, type_=TABLE_INSIGHT, name="table_overview.json", rows=told.rows)
    lines = [said(one) for one in told.summary]
    beside = [said(one) for part in told.parts for one in part.lines]
    return {
        **summed_up(lines, beside),
        "file": told.file,
        "rows": told.rows,
        "of": told.total,
        "parts": list[JsonValue](part.heading for part in told.parts),
    }


def overview(whole: Profile, file: str, ctx: ToolContext, wanted_: Wanted = _ALL) -> Overview:
    found = _kept(whole, wanted_, ctx)
    asked = survey(found, wanted_)
    figures = answer(found, asked.whole)
    # which cells are empty has a chapter of its own
    of_all, *summary = (one for one in sentences.told(asked.whole, figures, ctx) if not _says(one, "ask.without"))
    about = _about(found, whole, wanted_, ctx)
    summary = [*(about or [of_all]), *summary]
    if asked.course and (two := last_two(found, asked.course)) is not None:
        summary += _change(two, answer(found, two), ctx)
    named = {one.groups[0].column for one in wanted_.chapters}
    finding = [one for one in asked.groups if one.groups[0].column in named or _is_finding(found, one)]
    summary += [told for one in finding if (told := _most(found, one, ctx)) is not None]
    days = found.frame[asked.course.groups[0].column].drop_nulls() if asked.course else None
    return Overview(
        file=file,
        rows=found.frame.height,
        total=whole.frame.height,
        about=tuple(map(line, about)),
        date_from=days.min() if days is not None and days.len() else None,
        date_to=days.max() if days is not None and days.len() else None,
        facts=_facts(asked.whole, figures, ctx),
        summary=tuple(map(line, summary)),
        parts=(*(_part(found, one, ctx) for one in asked.chapters), _columns(found, ctx)),
    )


def _kept(whole: Profile, asked: Wanted, ctx: ToolContext) -> Profile:
    """The rows that are meant."""
    if asked.unknown:
        known = ", ".join(asked.known)
        message = ctx.text("ask.unknown", values=", ".join(asked.unknown), known=known)
        raise ToolError(Code.TABLE_EMPTY, message, unknown=list[JsonValue](asked.unknown))
    found = narrowed(whole, asked) if asked.chooses else whole
    if not found.frame.height:
        filters = list(rows_meant(asked, ctx))
        message = ctx.text("overview.error.none", filters=" · ".join(filters), total=f"{whole.frame.height:,}")
        raise ToolError(Code.TABLE_EMPTY, message, filters=list[JsonValue](filters))
    return found


def _about(found: Profile, whole: Profile, asked: Wanted, ctx: ToolContext) -> list[str]:
    """Which rows it is of, where it is not of all, or more was said of them."""
    filters = " · ".join(rows_meant(asked, ctx))
    left, total = found.frame.height, whole.frame.height
    more = list(notes(asked, ctx))
    if not filters:
        return [say(ctx, "ask.scope.all", total, total=f"{total:,}"), *more] if more else []
    of: dict[str, JsonValue] = {"rows": filters}
    return [say(ctx, "overview.about", left, of=of, filters=filters, left=f"{left:,}", total=f"{total:,}"), *more]


def _change(two: Request, figures: Figures, ctx: ToolContext) -> list[str]:
    """How much more or less the last of two times has. Beside next to nothing anything is much:
    then it is no finding."""
    if len(figures.rows) != len(("one", "other")):
        return []
    ((first, *_), rows, (old, *_)), ((last, *_), others, (new, *_)) = sorted(figures.rows)
    few = min(rows, others) < sentences.FEWEST
    if old is None or new is None or not old or few or not 1 / _TIMES < new / old < _TIMES:
        return []
    key = "ask.change.up" if new > old else "ask.change.down" if new < old else "ask.change.same"
    measure = two.measures[0]
    return [
        say(
            ctx, key, rows + others, last=last, first=first, what=sentences.measure_name(measure, ctx),
            difference=figure(measure, abs(new - old)), share=f" ({(new - old) / old * 100:+.2f} %)",
        )
    ]  # fmt: skip


def _is_finding(found: Profile, request: Request) -> bool:
    """Whether it means something which group has the most: not which of yes and no has, nor whose name it was."""
    column = found.column(request.groups[0].column)
    return yes_and_no(column) is None and not names_persons(column)


def _facts(request: Request, figures: Figures, ctx: ToolContext) -> tuple[tuple[str, str], ...]:
    (_, _, values), *_ = figures.rows
    named = zip(request.measures, values, strict=True)
    return tuple((sentences.measure_name(one, ctx), figure(one, value)) for one, value in named if value is not None)[
        :_BOXES
    ]


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
        value=figure(measure, values[0]), share=share,
    )  # fmt: skip


def _part(found: Profile, request: Request, ctx: ToolContext) -> Part:
    figures = sentences.with_names(request, answer(found, request), ctx)
    # of two groups one has more, which the table says; of two times it is told as it is in the summary
    first, *_ = lines = [
        one for one in sentences.told(request, figures, ctx)[1:] if not _says(one, "ask.change", "ask.apart")
    ]
    lines += _change(request, figures, ctx) if request.groups[0].periods else []
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
    return "–" if cell is None else number(cell) if isinstance(cell, float | int) else cell


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
