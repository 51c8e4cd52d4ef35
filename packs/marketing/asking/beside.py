"""What is told beside the figures that were asked for, as far as it is true and short: the whole that they are a part
of, the same column in other figures, the groups behind the first, and the same of what was asked before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures, answer, kept_rows
from packs.marketing.asking.following import leader
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Measure, Request
from packs.marketing.asking.sentences import SHOWN, group_name, measure_name, shown, with_names
from packs.marketing.asking.shown_too import each_by_itself, without_a_group
from packs.marketing.asking.sides import one_time
from packs.marketing.asking.written import figure, value_of
from packs.marketing.evidence import say

MOST = 3
"""Filters that are lifted one by one."""
FEWEST_EACH = 5
"""Rows that such things have on average."""
_FIGURES = ("mean", "median", "sum", "min", "max")


def told(profile: Profile, request: Request, figures: Figures, before: Request | None, ctx: ToolContext) -> list[str]:
    """Where no row was kept, what there is without each of the filters."""
    if not figures.left:
        return _without_a_filter(profile, replace(request, groups=()), figures, ctx)
    of: dict[str, JsonValue] = {"rows": scope} if (scope := _scope(request.filters, ctx)) else {}
    if request.groups:
        return [
            *without_a_group(profile, request, figures, of, ctx),
            *_beyond_the_scale(profile, request, of, ctx),
            *_behind(profile, request, figures, of, ctx),
            *_all_together(profile, request, of, ctx),
            *_groups_of_before(profile, request, before, ctx),
        ]
    return [
        *each_by_itself(profile, request, of, ctx),
        *_beyond_the_scale(profile, request, of, ctx),
        *_which_ones(profile, request, of, ctx),
        *_how_many_there_are(profile, request, of, ctx),
        *_of_those_with_a_value(profile, request, of, ctx),
        *_other_figures(profile, request, of, ctx),
        *_without_a_filter(profile, request, figures, ctx),
        *_of_before(profile, request, before, ctx),
    ]


def _scope(filters: Sequence[Filter], ctx: ToolContext) -> str:
    return " · ".join(shown(one, ctx) for one in filters)


def _beyond_the_scale(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Marks that their scale does not have (99 of 1 to 5) count as written, and what there is without them is told."""
    lines: list[str] = []
    for one in request.measures:
        column = profile.column(one.column) if one.column is not None and one.kind == "mean" else None
        if column is None or column.scale is None:
            continue
        cells = kept_rows(profile, request.filters)[column.name].drop_nulls()
        within = cells.filter(cells.is_between(float(column.scale.low), float(column.scale.high)))
        if 0 < within.len() < cells.len():
            lines.append(say(
                ctx, "ask.beside.off_scale", cells.len() - within.len(), of=of, count=f"{cells.len() - within.len():,}",
                column=column.name, low=f"{column.scale.low:g}", high=f"{column.scale.high:g}",
                value=f"{fmean(within.to_list()):,.2f}",
            ))  # fmt: skip
    return lines


def _which_ones(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Those that were counted as different, where they are few."""
    lines: list[str] = []
    for one in request.measures:
        if one.kind != "distinct" or one.column is None:
            continue
        values = sorted(map(str, kept_rows(profile, request.filters)[one.column].drop_nulls().unique().to_list()))
        if len(values) <= SHOWN:
            lines.append(say(ctx, "ask.beside.which", len(values), of=of, column=one.column, values=", ".join(values)))
    return lines


def _how_many_there_are(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Rows are counted that say something of things which have several rows each ("how many of the sites are shops?"):
    then how many such things there are."""
    told_of = [one.column for one in request.filters if profile.column(one.column).kind == "category"]
    if request.measures != (Measure("count"),) or not told_of or len(told_of) < len(request.filters):
        return []
    told_of = list(dict.fromkeys(told_of))
    for thing in (one for one in profile.of("category") if one.name not in told_of):
        every = profile.frame.select(thing.name, *told_of).drop_nulls().unique()
        number = every[thing.name].n_unique()
        if every.height != number or number * FEWEST_EACH > profile.frame.height:
            continue
        kept = sorted(kept_rows(profile, request.filters)[thing.name].drop_nulls().unique().to_list())
        if 0 < len(kept) <= SHOWN:
            many, values = f"{len(kept):,}", ", ".join(kept)
            return [say(ctx, "ask.beside.things", len(kept), of=of, column=thing.name, value=many, values=values)]
    return []


def _of_those_with_a_value(
    profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext
) -> list[str]:
    """A share of all rows, and of those that say anything about it."""
    lines: list[str] = []
    kept = kept_rows(profile, request.filters)
    for measure in request.measures:
        columns = {one.column for one in measure.part if one.op not in ("empty", "filled")}
        empty = [name for name in columns if kept[name].null_count()] if measure.kind == "share" else []
        if measure.column is not None or len(empty) != 1:
            continue
        filled = (*request.filters, Filter(empty[0], "filled", ()))
        (_, rows, (value,)), *_ = answer(profile, replace(request, filters=filled, measures=(measure,))).rows
        if value is not None:
            part, said = _scope(measure.part, ctx), figure(measure, value, request.decimals)
            lines.append(
                say(ctx, "ask.beside.filled", rows, of=of, part=part, value=said, rows=f"{rows:,}", column=empty[0])
            )
    return lines


def _other_figures(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Of a column of numbers the others that people ask for."""
    figures = [one for one in request.measures if one.kind in _FIGURES and one.per is None]
    names = dict.fromkeys(one.column for one in figures if one.column)
    asked = {(one.kind, one.column) for one in request.measures}
    lines: list[str] = []
    for name in names:
        column = profile.column(name)
        kinds = [one for one in _FIGURES if (one, name) not in asked and not (one == "sum" and column.scale)]
        measures = tuple(Measure(one, name) for one in kinds)  # type: ignore[arg-type]  # a kind of them
        (_, rows, values), *_ = answer(profile, replace(request, measures=measures)).rows
        told_ = [
            f"{measure_name(one, ctx)} {value_of(one, value, request.decimals)}"
            for one, value in zip(measures, values, strict=True)
            if value is not None
        ]
        if told_ and rows > 1:
            empty = kept_rows(profile, request.filters)[name].null_count()
            key, said = "ask.beside.figures.filled" if empty else "ask.beside.figures", ", ".join(told_)
            lines.append(say(ctx, key, rows, of=of, figures=said, filled=f"{rows - empty:,}"))
    return lines


def _without_a_filter(profile: Profile, request: Request, figures: Figures, ctx: ToolContext) -> list[str]:
    """The figure of more rows, each filter lifted in turn: what these are a part of."""
    lines: list[str] = []
    for one in request.filters[-MOST:]:
        wider = tuple(other for other in request.filters if other != one)
        lines += _of_rows(profile, request, wider, figures.left, ctx)
    return lines


def _of_rows(
    profile: Profile, request: Request, filters: tuple[Filter, ...], part: int | None, ctx: ToolContext
) -> list[str]:
    found = answer(profile, replace(request, filters=filters, groups=()))
    if not found.left or not found.rows:
        return []
    scope = _scope(filters, ctx)
    of: dict[str, JsonValue] = {"rows": scope} if scope else {}
    _, rows, values = found.rows[0]
    told_ = [
        f"{measure_name(one, ctx)} {value_of(one, value, request.decimals)}"
        for one, value in zip(request.measures, values, strict=True)
        if one.kind != "count"
    ]
    share = figure(Measure("share"), 100 * part / rows) if part is not None else ""
    key = "ask.beside.before" if part is None else "ask.beside.whole" if scope else "ask.beside.whole.all"
    return [
        say(
            ctx, key, rows, of=of, filters=scope, rows=f"{rows:,}", share=share,
            figures="".join(f", {one}" for one in told_),
        )
    ]  # fmt: skip


def _behind(
    profile: Profile, request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext
) -> list[str]:
    """The groups behind those that were asked for, where there are not many."""
    if request.limit is None or not len(figures.rows) < figures.groups <= SHOWN:
        return []
    every = with_names(request, answer(profile, replace(request, limit=None)), ctx).rows[len(figures.rows) :]
    others = [
        f"{' · '.join(names)} {', '.join(map(value_of, request.measures, values, [request.decimals] * len(values)))}"
        for names, _, values in every
    ]
    by = " × ".join(group_name(group, ctx) for group in request.groups)
    rows = sum(rows for _, rows, _ in every)
    return [say(ctx, "ask.beside.others", rows, of=of, by=by, others="; ".join(others))] if others else []


def _all_together(profile: Profile, request: Request, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """The figure of all groups as one."""
    measures = tuple(one for one in request.measures if one.kind != "portion" and not one.stepped)
    if not measures:
        return []
    kept = request.filters
    if request.groups[0].periods:
        whole = one_time(request.groups[0])
        if whole is None:  # there are other times between them
            return _added_up(request, answer(profile, request), of, ctx)
        kept = (*kept, whole)
    together = replace(request, filters=kept, groups=(), measures=measures, descending=None, limit=None, having=None)
    (_, rows, values), *_ = answer(profile, together).rows
    figures = [
        f"{measure_name(one, ctx)} {value_of(one, value, request.decimals)}"
        for one, value in zip(measures, values, strict=True)
    ]
    return [say(ctx, "ask.beside.together", rows, of=of, figures=", ".join(figures), rows=f"{rows:,}")]


def _added_up(request: Request, figures: Figures, of: Mapping[str, JsonValue], ctx: ToolContext) -> list[str]:
    """Of groups that are no one time what they come to, where they are added up."""
    if not all(one.kind in ("count", "sum") for one in request.measures):
        return []
    rows = sum(rows for _, rows, _ in figures.rows)
    told_ = [
        f"{measure_name(one, ctx)} {value_of(one, sum(it[2][at] or 0.0 for it in figures.rows), request.decimals)}"
        for at, one in enumerate(request.measures)
    ]
    return [say(ctx, "ask.beside.together", rows, of=of, figures=", ".join(told_), rows=f"{rows:,}")]


def _groups_of_before(profile: Profile, request: Request, before: Request | None, ctx: ToolContext) -> list[str]:
    """The same groups of the rows that were asked about before, where this question did not go on from them; and of all
    rows, where it did."""
    kept = _kept_before(profile, request, before)
    wider = tuple(one for one in request.filters if before is None or one not in before.filters)
    if request.groups[0].parts:
        return []
    if kept:
        return _groups_of(profile, request, tuple(dict.fromkeys((*kept, *request.filters))), "before", ctx)
    return _groups_of(profile, request, wider, "without", ctx) if len(wider) < len(request.filters) else []


def _groups_of(
    profile: Profile, request: Request, filters: tuple[Filter, ...], key: str, ctx: ToolContext
) -> list[str]:
    other = replace(request, filters=filters, having=None, bound=None)
    found = with_names(other, answer(profile, other), ctx)
    told_ = [
        f"{' · '.join(names)} {', '.join(map(value_of, request.measures, values, [request.decimals] * len(values)))}"
        for names, _, values in found.rows[:SHOWN]
    ]
    scope, said = _scope(filters, ctx), "; ".join(told_)
    of: dict[str, JsonValue] = {"rows": scope} if scope else {}
    rows = f"{found.left:,}"
    line = say(ctx, f"ask.beside.{key}", found.left, of=of, filters=scope, rows=rows, figures=f", {said}")
    return [line] if told_ else []


def _kept_before(profile: Profile, request: Request, before: Request | None) -> tuple[Filter, ...]:
    """What was asked about before, of columns that this question says nothing of."""
    if before is None:
        return ()
    parts = [one for measure in before.measures if measure.kind == "share" for one in measure.part]
    spoken = {one.column for one in (*request.filters, *(one for it in request.measures for one in it.part))}
    spoken |= {one.column for one in request.groups}
    first = () if request.groups else leader(before, profile)
    return tuple(one for one in first or (*before.filters, *parts) if one.column not in spoken)


def _of_before(profile: Profile, request: Request, before: Request | None, ctx: ToolContext) -> list[str]:
    """The same of the rows that were asked about before, where this question did not go on from them."""
    kept = _kept_before(profile, request, before)
    narrower = tuple(dict.fromkeys((*kept, *request.filters)))
    return _of_rows(profile, request, narrower, None, ctx) if kept else []


def rows_of_before(profile: Profile, request: Request, before: Request | None, ctx: ToolContext) -> list[str]:
    """Of rows that are listed, how many are of those that were asked about before, where this question did not go on
    from them."""
    if not request.filters or request.limit is not None:
        return []
    counted = Request(filters=request.filters, measures=(Measure("count"),))
    return _of_before(profile, counted, before, ctx)
