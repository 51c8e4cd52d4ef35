"""Figures in words: what was read of the question, the figures with the rows behind them, what makes them doubtful."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Protocol

import polars as pl
from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures, kept_rows, period_name, ranked_rows
from packs.marketing.asking.linking import alike
from packs.marketing.asking.phrasing import compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Heading, Measure, Request, Value
from packs.marketing.asking.written import figure, number, rounded, value_of
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import say

LONGEST_CELL = 40
SHOWN = 12
"""Groups in the text; all are in the table."""
FEWEST = 10
"""Rows of a group whose mean is worth comparing."""
WRITTEN, MOST_WRITTEN, LONGEST_WRITTEN = 5, 50, 400
"""Rows that are told, rows of the table, characters of each."""
_TIMES = 2
_Row = tuple[tuple[str, ...], int, tuple[float | None, ...]]
SIGNS = {"lt": "<", "le": "≤", "gt": ">", "ge": "≥"}


def told(request: Request, figures: Figures, ctx: ToolContext) -> list[str]:
    """The first line says what the figures are of."""
    scope = " · ".join(shown(one, ctx) for one in request.filters)
    key = "ask.scope" if scope else "ask.scope.all"
    of: dict[str, JsonValue] = {"rows": scope} if scope else {}
    counted = {"filters": scope, "left": f"{figures.left:,}", "total": f"{figures.total:,}"}
    lines: list[str] = [say(ctx, key, figures.left, of=of, interval=None, **counted)]
    if not figures.left:
        return [*lines, say(ctx, "ask.nothing", 0, of=of)]
    if not request.groups:
        _, rows, values = figures.rows[0]
        found = zip(request.measures, values, strict=True)
        lines += [_one(measure, value, rows, of, ctx, request.decimals) for measure, value in found]
    elif not figures.rows:
        lines.append(say(ctx, "ask.nothing", 0, of=of))
    else:
        lines += _of_groups(request, figures, of, ctx)
    if figures.without and any(one.column for one in request.measures):
        lines.append(say(ctx, "ask.without", figures.without, of=of, count=f"{figures.without:,}"))
    return lines


def _one(
    measure: Measure, value: float | None, rows: int, of: Mapping[str, JsonValue], ctx: ToolContext, decimals: int
) -> str:
    if value is None:
        return say(ctx, "ask.no_value", 0, of=of, column=measure.column or "")
    if measure.kind == "share":
        part = " · ".join(shown(one, ctx) for one in measure.part)
        said = figure(measure, value, decimals)
        if measure.column is not None:
            return say(ctx, "ask.share_of", rows, of=of, part=part, column=measure.column, value=said)
        count = round(value * rows / 100)
        counted = {"part": part, "value": said, "count": f"{count:,}", "rows": f"{rows:,}"}
        return say(ctx, "ask.share", rows, of=of, interval=wilson(count, rows), **counted)
    said = figure(measure, value, decimals)
    return say(ctx, f"ask.{measure.kind}", rows, of=of, column=_of_columns(measure, ctx), value=said)


def _of_columns(measure: Measure, ctx: ToolContext) -> str:
    if measure.each is not None and measure.per is not None:
        grain = None if measure.each == "person" else measure.each
        added = measure.column or ctx.text("ask.name.count", column="")
        return f"{added} ÷ {group_name(Group(measure.per, grain), ctx)}"
    if measure.days:
        return f"{measure.per} → {measure.column}"
    sign = "÷" if measure.kind == "ratio" else "×"
    if measure.per is None:
        return measure.column or ""
    # what was taken together first stands in brackets
    told = [f"({one})" if re.search(r" [+−] ", one) else one for one in (measure.column or "", measure.per)]
    return f" {sign} ".join(told)


def _of_groups(request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    by = " × ".join(group_name(group, ctx) for group in request.groups)
    what = ", ".join(measure_name(one, ctx) for one in request.measures)
    what += f" {SIGNS[request.bound[0]]} {number(request.bound[1])}" if request.bound is not None else ""
    ranked = request.descending is not None
    key = "ask.groups.high" if request.descending else "ask.groups.low" if ranked else "ask.groups"
    lines: list[str] = [say(ctx, key, figures.left, of=of, by=by, what=what, groups=f"{figures.groups:,}")]
    for names, rows, values in figures.rows[:SHOWN]:
        said = ", ".join(
            value_of(one, value, request.decimals) for one, value in zip(request.measures, values, strict=True)
        )
        only = all(one.kind == "count" for one in request.measures)
        of_two = any(one.since for one in request.measures)  # whose rows are of two times
        line = "ask.group.change" if of_two else "ask.group.count" if only else "ask.group"
        name = " · ".join(names)
        lines.append(say(ctx, line, rows, of={**of, by: name}, name=name, value=said, rows=f"{rows:,}"))
    if (more := len(figures.rows) - SHOWN) > 0:
        lines.append(say(ctx, "ask.more", more, of=of, count=f"{more:,}"))
    two = figures.groups == _TIMES and len(request.groups) == 1
    lines += _changes(request, figures, of, ctx) if request.change or request.apart or two else []
    lines += _how_many_times(request, figures, of, ctx) if request.times else []
    few = [" · ".join(names) for names, rows, _ in figures.rows[:SHOWN] if rows < FEWEST]
    if few and any(one.kind in ("mean", "share", "median") for one in request.measures):
        lines.append(say(ctx, "ask.few", len(few), of=of, names=", ".join(few), fewest=FEWEST))
    return lines


def _changes(request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """How much more or less the second of two times has, or the greater of two groups, of the measure that is no count
    if there is one. Of many times each with the one before it; of the one that was asked for its neighbours."""
    at = next((at for at, one in enumerate(request.measures) if one.kind != "count"), 0)
    if len(figures.rows) == _TIMES:
        in_time = sorted(figures.rows, key=lambda one: one[0]) if request.groups[0].periods else figures.rows
        told = in_time if request.change else sorted(figures.rows, key=lambda one: one[2][at] or 0.0)
        return _change(told[0], told[1], at, request, of, ctx)
    if not (request.change and len(request.groups) == 1 and request.groups[0].grain):
        return []
    rows = sorted(figures.rows)
    first = figures.rows[0] if request.descending is not None else None
    pairs = [(one, other) for one, other in pairwise(rows) if first is None or first in (one, other)]
    return [line for one, other in pairs[-SHOWN:] for line in _change(one, other, at, request, of, ctx)]


def _change(
    one: _Row, other: _Row, at: int, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext
) -> list[str]:
    (((first, *_), rows, before), ((last, *_), others, now)) = (one, other)
    old, new = before[at], now[at]
    if old is None or new is None:
        return []
    key = "ask.change.up" if new > old else "ask.change.down" if new < old else "ask.change.same"
    in_time = bool(request.groups and (request.groups[0].periods or request.groups[0].grain))
    is_apart = request.apart or not in_time  # who pays by card is not "up" on who pays in cash
    key = "ask.apart" if is_apart and not request.change and new > old else key
    share = _in_percent((new - old) / old * 100) if old else ""
    difference = figure(request.measures[at], abs(new - old), request.decimals)
    return [
        say(
            ctx, key, rows + others, of=of, last=last, first=first, what=measure_name(request.measures[at], ctx),
            difference=difference, share=share,
        )
    ]  # fmt: skip


def _how_many_times(request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """The greater of two by the other, and the other way round."""
    at = next((at for at, one in enumerate(request.measures) if one.kind != "count"), 0)
    told = [(values[at], names[0], rows) for names, rows, values in figures.rows]
    if len(told) != _TIMES or any(value is None or value <= 0 for value, _, _ in told):
        return []
    (less, first, rows), (more, last, others) = sorted(told, key=lambda one: one[0] or 0.0)
    times, part = (more or 0.0) / (less or 1.0), (less or 0.0) / (more or 1.0)
    return [
        say(
            ctx, "ask.times", rows + others, of=of, last=last, first=first,
            what=measure_name(request.measures[at], ctx),
            times=f"{rounded(times, 2):,.2f}", part=f"{rounded(part, 2):.2f}",
        )
    ]  # fmt: skip


def _in_percent(change: float) -> str:
    """With its sign; what is less is also said as how much less."""
    return f" ({change:+.2f} %)" if change >= 0 else f" ({abs(change):.2f} %, {change:+.2f} %)"


def _of_the_file(profile: Profile) -> list[Column]:
    return [one for one in profile.columns if one.is_of_the_file]


def asked_back(request: Request, profile: Profile, ctx: ToolContext) -> list[str]:
    """What of the question is nowhere in the table, and what the table has."""
    columns = ", ".join(column.name for column in _of_the_file(profile)[:SHOWN])
    if request.unknown:
        known = ", ".join(alike(profile, request.unknown)) or columns
        return [ctx.text("ask.unknown", values=", ".join(request.unknown), known=known)]
    never = [one for one in request.unread if compiled(words()["not_worked_out"]).search(one)]
    if never:
        return [ctx.text("ask.not_worked_out", words=", ".join(never))]
    said = ", ".join(request.unread)
    there = {plain(name) for column in profile.columns for name in (column.name, *column.values)}
    blank = compiled(words()["blank_said"])
    if all(plain(one) in there or blank.search(one) for one in request.unread):
        return [ctx.text("ask.not_heard", words=said)]
    if all(compiled(words()["superlatives"]).fullmatch(one) for one in request.unread):
        return [ctx.text("ask.unranked", words=said, columns=columns)]
    return [ctx.text("ask.unread", words=", ".join(request.unread), columns=columns)]


def examples(request: Request, profile: Profile, ctx: ToolContext) -> tuple[list[str], list[str], list[list[str]]]:
    """Rows as they are written: the sentences, and the columns and rows of a table of them."""
    kept = kept_rows(profile, request.filters)
    lines, of = _scope(request, kept.height, profile, ctx)
    text = profile.text
    written = kept.drop_nulls(text.name) if text is not None else kept.clear()
    most = min(request.limit or WRITTEN, MOST_WRITTEN)
    if text is None or not written.height:
        return [*lines, say(ctx, "ask.nothing", 0, of=of)], [], []
    number, of_them = min(most, written.height), f"{written.height:,}"
    lines.append(say(ctx, "ask.examples", written.height, of=of, shown=number, count=of_them))
    lines += [
        ctx.text("ask.why.quote", text=" ".join(one.split())[:LONGEST_WRITTEN]) for one in written[text.name][:most]
    ]
    columns = [one.name for one in _of_the_file(profile)]
    rows = [
        ["" if value is None else str(value)[:LONGEST_WRITTEN] for value in row]
        for row in written.select(columns).head(MOST_WRITTEN).iter_rows()
    ]
    return lines, columns, rows


def _scope(request: Request, left: int, profile: Profile, ctx: ToolContext) -> tuple[list[str], dict[str, JsonValue]]:
    """Which rows were looked at: the sentence, and what it is said of."""
    scope = " · ".join(shown(one, ctx) for one in request.filters)
    of: dict[str, JsonValue] = {"rows": scope} if scope else {}
    counted = {"filters": scope, "left": f"{left:,}", "total": f"{profile.frame.height:,}"}
    return [say(ctx, "ask.scope" if scope else "ask.scope.all", left, of=of, interval=None, **counted)], of


def single_rows(request: Request, profile: Profile, ctx: ToolContext) -> tuple[list[str], list[str], list[list[str]]]:
    """Rows by the columns that are told of them, in their order."""
    kept = ranked_rows(profile, request)
    left = kept_rows(profile, request.filters).height
    lines, of = _scope(request, left, profile, ctx)
    if not kept.height:
        return [*lines, say(ctx, "ask.nothing", 0, of=of)], [], []
    columns = list(request.columns)
    if request.descending is not None:
        key = "ask.rows.high" if request.descending else "ask.rows.low"
        lines.append(say(ctx, key, left, of=of, column=columns[0], shown=f"{kept.height:,}"))
        columns = [*columns[1:], columns[0]]
    else:
        lines.append(say(ctx, "ask.rows", left, of=of, count=f"{left:,}"))
    rows = [[cell(value) for value in row] for row in kept.select(columns).head(MOST_WRITTEN).iter_rows()]
    lines += [ctx.text("ask.row", cells=", ".join(filter(None, row))) for row in rows[:SHOWN]]
    if (more := kept.height - SHOWN) > 0:
        lines.append(say(ctx, "ask.more", more, of=of, count=f"{more:,}"))
    if kept.height == 1 and (rest := _rest_of(kept, request, profile)):
        lines.append(ctx.text("ask.rest_of_row", cells=", ".join(rest)))
    return lines, columns, rows


def names(column: str, told: Sequence[str], more: int, request: Request, ctx: ToolContext) -> list[str]:
    """Who or what was counted."""
    scope = " · ".join(shown(one, ctx) for one in request.filters)
    of: dict[str, JsonValue] = {"rows": scope}
    heading, listed, number = " ".join(column.split()), ", ".join(told), len(told) + more
    if not told:
        return []
    if more:
        return [say(ctx, "ask.named_more", number, of=of, column=heading, names=listed, more=more)]
    return [say(ctx, "ask.named", number, of=of, column=heading, names=listed)]


def _rest_of(row: pl.DataFrame, request: Request, profile: Profile) -> list[str]:
    """What else stands in the one row that is told, each with its heading: whose it was is asked next."""
    told = {*request.columns, *(one.column for one in request.filters if one.op == "in")}
    cells = [(one.name, cell(row[one.name][0])) for one in _of_the_file(profile) if one.name not in told]
    return [f"{' '.join(name.split())} {cell}" for name, cell in cells if cell and len(cell) <= LONGEST_CELL]


def cell(value: object) -> str:
    """As a person writes it; nothing where there is nothing."""
    return "" if value is None else number(value) if isinstance(value, float) else str(value)[:LONGEST_WRITTEN]


def preview(name: str, profile: Profile, ctx: ToolContext) -> list[str]:
    rows, columns = profile.frame.height, len(_of_the_file(profile))
    lines: list[str] = [say(ctx, "ask.preview", rows, file=name, rows=f"{rows:,}", columns=columns)]
    for column in _of_the_file(profile)[:40]:
        kind = ctx.text(f"ask.kind.{column.kind}")
        values = profile.frame[column.name].drop_nulls()
        some = ", ".join(_short(str(one)) for one in values.head(200).unique(maintain_order=True).head(3).to_list())
        lines.append(ctx.text("ask.column", name=column.name, kind=kind, examples=some))
    return lines


class Says(Protocol):
    """Whatever has texts."""

    @property
    def text(self) -> Callable[..., str]: ...


def shown(one: Filter, ctx: Says) -> str:
    """As in "지점 = 판교점", "평점 ≤ 2", "작성일 2025"."""
    if one.op in ("empty", "filled"):
        return ctx.text(f"ask.filter.{one.op}", column=one.column)
    if one.op == "weekday":
        return ", ".join(ctx.text(f"ask.weekday.{day:g}") for day in one.values if isinstance(day, float))
    if one.op == "between":
        first, last = one.values
        return f"{one.column} {period_name(*(day if isinstance(day, date) else None for day in (first, last)))}"
    of_birth = compiled(words()["born"]["headings"]).search(one.column) is not None  # 1961, and not 1,961
    values = ", ".join(f"{value:g}" if of_birth and isinstance(value, float) else _shown_value(value)
                       for value in one.values)  # fmt: skip
    if one.op in SIGNS:
        return f"{one.column} {SIGNS[one.op]} {values}"
    if one.op == "in":
        return f"{one.column} = {values}"
    return ctx.text(f"ask.filter.{one.op}", column=one.column, values=values)


def _shown_value(value: Value) -> str:
    return number(value) if isinstance(value, float) else value.name if isinstance(value, Heading) else str(value)


def with_names(request: Request, figures: Figures, ctx: Says, *, months: bool = False) -> Figures:
    """Days of the week, months of the calendar and parts by what people call them; or months with that behind."""
    called = _month if months else _called
    rows = tuple(
        (tuple(called(name, group, ctx) for name, group in zip(names, request.groups, strict=False)), *rest)
        for names, *rest in figures.rows
    )
    return replace(figures, rows=rows)  # type: ignore[arg-type]  # as it was, but for names


def _month(name: str, group: Group, ctx: Says) -> str:
    month = group.grain == "month" or (group.periods and re.fullmatch(r"\d{4}-\d{2}", name) is not None)
    return f"{name} ({ctx.text(f'ask.month.{int(name[-2:])}')})" if month else name


def _called(name: str, group: Group, ctx: Says) -> str:
    if group.parts:
        return " · ".join(shown(one, ctx) for one in group.parts[int(name)])
    if group.grain == "calendar":
        return ctx.text(f"ask.month.{name}")
    if group.grain == "weekday":
        return ", ".join(ctx.text(f"ask.weekday.{day}") for day in name)
    return name


def measure_name(measure: Measure, ctx: ToolContext) -> str:
    if measure.since or measure.stepped:
        times = " → ".join(shown(one, ctx) for one in measure.since)
        name = measure_name(replace(measure, since=(), stepped=False), ctx)
        return ctx.text("ask.name.change", what=name, times=f" ({times})" if times else "")
    if measure.kind == "share":
        part = " · ".join(shown(one, ctx) for one in measure.part)
        if measure.column is not None:
            return ctx.text("ask.name.share_of", part=part, column=measure.column)
        return ctx.text("ask.name.share", part=part)
    if measure.kind == "portion":
        whole = measure.column or ctx.text("ask.name.count", column="")
        return ctx.text("ask.name.portion", column=whole)
    return ctx.text(f"ask.name.{measure.kind}", column=_of_columns(measure, ctx))


def group_name(group: Group, ctx: ToolContext) -> str:
    return f"{group.column} ({ctx.text(f'ask.grain.{group.grain}')})" if group.grain else group.column


def _short(cell: str) -> str:
    return cell if len(cell) <= 24 else f"{cell[:23]}…"


def table(request: Request, figures: Figures, ctx: ToolContext) -> tuple[list[str], Sequence[list[str | float | None]]]:
    """Columns and rows for programs and for those who look rather than read."""
    columns = [group_name(group, ctx) for group in request.groups]
    columns += [measure_name(one, ctx) for one in request.measures]
    rows: list[list[str | float | None]] = [
        [*names, *(None if value is None else round(value, 4) for value in values)] for names, _, values in figures.rows
    ]
    if all(one.kind != "count" for one in request.measures):
        columns.append(ctx.text("ask.name.count", column=""))
        rows = [[*row, count] for row, (_, count, _) in zip(rows, figures.rows, strict=True)]
    return columns, rows
