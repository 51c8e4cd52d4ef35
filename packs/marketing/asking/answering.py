"""A request to figures: a query made of a closed set of expressions, over the rows of the file as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from contracts.shape import JsonObject
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Grain, Group, Heading, Measure, Op, Request, Value, as_day

MOST_LEVEL = 3
"""Groups that are told beside those that were asked for, as they are level with the last of them."""
MOST_GROUPS = 1000
_EVERY = {"year": "1y", "half": "6mo", "quarter": "1q", "month": "1mo", "week": "1w", "day": "1d"}
_N = "#n"


@dataclass(frozen=True, slots=True)
class Figures:
    """A row: its groups' names, its rows, and a figure for each measure (None: no row has the value). `left` are the
    rows that the filters kept, `without` those of them that lack the value of a measure."""

    rows: tuple[tuple[tuple[str, ...], int, tuple[float | None, ...]], ...]
    left: int
    total: int
    without: int
    groups: int


def answer(profile: Profile, request: Request) -> Figures:
    """Groups in the order of the request, or of the groups themselves."""
    kept = kept_rows(profile, request.filters)
    if request.groups and (times := request.groups[0].periods):  # rows of no other time are told together with them
        day = pl.col(request.groups[0].column)
        kept = kept.filter(
            pl.any_horizontal([day.is_between(first or date.min, last or date.max) for first, last in times])
        )
    figures = [_figure(one, kept).alias(f"#{at}") for at, one in enumerate(request.measures)]
    columns = {(one.column, (one.per if one.each is None else None) or one.column)
               for one in request.measures if one.column is not None}  # fmt: skip
    without = max((kept.filter(pl.any_horizontal(pl.col(*both).is_null())).height for both in columns), default=0)
    if not request.groups:
        row = kept.select(pl.len().alias(_N), *figures).row(0)
        return Figures((((), int(row[0]), row[1:]),), kept.height, profile.frame.height, without, 0)
    if parts := request.groups[0].parts:
        keys, table = [pl.lit(0)], _by_parts(kept, parts, figures)
    else:
        keys = [_key(group).alias(f"@{at}") for at, group in enumerate(request.groups)]
        table = kept.with_columns(keys)
    names = [f"@{at}" for at in range(len(keys))]
    if not parts:
        table = table.drop_nulls(names).group_by(names).agg(pl.len().alias(_N), *figures)
    for at, one in enumerate(request.measures):
        table = table.sort(names).with_columns(pl.col(f"#{at}").diff()) if one.stepped else table
    if request.having is not None:
        table = table.filter(_compared(pl.col(_N), *request.having))
    if request.bound is not None:
        table = table.filter(_compared(pl.col(_ranked(request)), *request.bound))
    groups = table.height  # those that stay
    table = _first(_ordered(table, request, names), request)
    rows = tuple(
        (tuple(_name(value, group) for value, group in zip(row, request.groups, strict=False)), int(row[len(keys)]),
         row[len(keys) + 1 :])
        for row in table.iter_rows()
    )  # fmt: skip
    return Figures(rows, kept.height, profile.frame.height, without, groups)


def _by_parts(kept: pl.DataFrame, parts: Sequence[tuple[Filter, ...]], figures: Sequence[pl.Expr]) -> pl.DataFrame:
    """A row of the table for each, by its number."""
    each = [
        kept.filter([_kept(one) for one in part]).select(pl.lit(at).alias("@0"), pl.len().alias(_N), *figures)
        for at, part in enumerate(parts)
    ]
    return pl.concat([one.head(1) for one in each])


def ranked_rows(profile: Profile, request: Request) -> pl.DataFrame:
    """The rows themselves, those that come first by the first of the columns that are told."""
    kept = kept_rows(profile, request.filters)
    if request.descending is None or not request.columns:
        return kept
    by = request.columns[0]
    ranked = kept.drop_nulls(by).sort(by, descending=request.descending, maintain_order=True)
    first = ranked.head(request.limit or ranked.height)
    level = ranked.slice(first.height).filter(pl.col(by) == first[by][-1]) if first.height else ranked.clear()
    return pl.concat([first, level]) if level.height <= MOST_LEVEL else first


def kept_rows(profile: Profile, filters: Sequence[Filter]) -> pl.DataFrame:
    return profile.frame.filter([_kept(one) for one in filters]) if filters else profile.frame


def _first(table: pl.DataFrame, request: Request) -> pl.DataFrame:
    """As many as were asked for, and the few that are level with the last of them: none of them is the best alone."""
    first = table.head(request.limit or MOST_GROUPS)
    if request.limit is None or request.descending is None or not first.height:
        return first
    ranked = _ranked(request)
    level = table.slice(first.height).filter(pl.col(ranked) == first[ranked][-1])
    return pl.concat([first, level]) if level.height <= MOST_LEVEL else first


def _ordered(table: pl.DataFrame, request: Request, names: Sequence[str]) -> pl.DataFrame:
    if request.descending is not None:
        ranked = _ranked(request)
        return table.drop_nulls(ranked).sort([ranked, *names], descending=[request.descending, *(False for _ in names)])
    if any(group.grain or group.periods or group.steps or group.parts for group in request.groups):
        return table.sort(names)
    return table.sort(["#0", *names], descending=[True, *(False for _ in names)], nulls_last=True)


def _ranked(request: Request) -> str:
    """What is ranked by: a change, else the first measure that is no count, if there is one."""
    changed = (f"#{at}" for at, one in enumerate(request.measures) if one.since or one.stepped)
    return next(changed, next((f"#{at}" for at, one in enumerate(request.measures) if one.kind != "count"), "#0"))


def _figure(measure: Measure, whole: pl.DataFrame) -> pl.Expr:
    if measure.kind in ("share", "portion"):
        return _part_of(measure, whole) * 100
    if measure.since:
        first, last = (_within(measure, one) for one in measure.since)
        return last - first
    if measure.each is not None and measure.per is not None:
        those = pl.col(measure.per)
        those = those if measure.each == "person" else those.dt.truncate(_EVERY[measure.each])
        added = pl.len() if measure.column is None else pl.col(measure.column).sum()
        return added / those.drop_nulls().n_unique()
    if measure.kind == "count" or measure.column is None:
        return pl.len().cast(pl.Float64)
    return _plain(measure, pl.col(measure.column))


def _within(measure: Measure, part: Filter) -> pl.Expr:
    """The figure of the rows of a part alone."""
    kept = _kept(part)
    if measure.kind == "count" or measure.column is None:
        return kept.sum().cast(pl.Float64)
    return _plain(measure, pl.col(measure.column).filter(kept))


def _plain(measure: Measure, column: pl.Expr) -> pl.Expr:
    if measure.kind == "ratio" and measure.per is not None:
        both = column.is_not_null() & pl.col(measure.per).is_not_null()
        below = pl.col(measure.per).filter(both).sum()
        return pl.when(below != 0).then(column.filter(both).sum() / below)
    if measure.days and measure.per is not None:
        column = (column - pl.col(measure.per)).dt.total_days()
    elif measure.per is not None:
        column *= pl.col(measure.per)
    if measure.kind == "distinct":
        return column.drop_nulls().n_unique().cast(pl.Float64)
    figures = {"mean": column.mean, "median": column.median, "sum": column.sum, "min": column.min, "max": column.max}
    return figures[measure.kind]()


def _part_of(measure: Measure, whole: pl.DataFrame) -> pl.Expr:
    """Of the group's rows those of the part, or of all rows those of the group; by what they add up to in a column."""
    if measure.kind == "portion":
        return (
            pl.len() / whole.height
            if measure.column is None
            else (pl.col(measure.column).sum() / whole[measure.column].sum())
        )
    part = pl.all_horizontal([_kept(one) for one in measure.part]).cast(pl.Float64)
    if measure.column is None:
        return part.mean()
    return (part * pl.col(measure.column)).sum() / pl.col(measure.column).sum()


def _key(group: Group) -> pl.Expr:
    column = pl.col(group.column)
    if group.periods:
        which = pl.lit(None, dtype=pl.Int64)
        for at, (first, last) in reversed(list(enumerate(group.periods))):
            which = pl.when(column.is_between(first or date.min, last or date.max)).then(pl.lit(at)).otherwise(which)
        return which
    if group.sides:
        day = column.dt.weekday()
        which = pl.lit(None, dtype=pl.Int64)
        for side in group.sides:
            which = pl.when(day.is_in(list(side))).then(pl.lit(int("".join(map(str, side))))).otherwise(which)
        return which
    if group.grain in ("weekday", "calendar"):
        return (column.dt.weekday() if group.grain == "weekday" else column.dt.month()).cast(pl.Int64)
    return column.dt.truncate(_EVERY[group.grain]) if group.grain else column


def _name(value: object, group: Group) -> str:
    if group.periods and isinstance(value, int):
        return period_name(*group.periods[value])
    if isinstance(value, date):
        return _grain_name(value, group.grain)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _grain_name(first: date, grain: Grain | None) -> str:
    names = {
        "year": f"{first:%Y}",
        "half": f"{first.year} H{1 if first.month < 7 else 2}",
        "quarter": f"{first.year} Q{(first.month + 2) // 3}",
        "month": f"{first:%Y-%m}",
    }
    return names.get(grain or "", first.isoformat())


def period_name(first: date | None, last: date | None) -> str:
    """A year or a month by its name, else its days."""
    if first and last and (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
        return f"{first:%Y}" if first.year == last.year else f"{first:%Y}–{last:%Y}"
    if first and last and first.day == 1 and (first.year, first.month) == (last.year, last.month) and last.day >= 28:
        return f"{first:%Y-%m}"
    if first == last and first is not None:
        return first.isoformat()
    return f"{first.isoformat() if first else '…'} – {last.isoformat() if last else '…'}"


def span_of(name: str, grain: Grain) -> tuple[date, date] | None:
    """The days of a group of days, by its name; None for days of the week and months of any year."""
    match grain:
        case "year":
            return date(int(name), 1, 1), date(int(name), 12, 31)
        case "half" | "quarter":
            months = 6 if grain == "half" else 3
            return _from(date(int(name[:4]), (int(name[-1]) - 1) * months + 1, 1), months)
        case "month":
            return _from(date.fromisoformat(f"{name}-01"), 1)
        case "week" | "day":
            first = date.fromisoformat(name)
            return first, first + timedelta(days=6 if grain == "week" else 0)
        case _:
            return None


def _from(first: date, months: int) -> tuple[date, date]:
    years, month = divmod(first.month - 1 + months, 12)
    return first, date(first.year + years, month + 1, 1) - timedelta(days=1)


def _kept(one: Filter) -> pl.Expr:
    column = pl.col(one.column)
    match one.op:
        case "in":
            kept = column.is_in(list(one.values))
        case "not_in":
            kept = ~column.is_in(list(one.values))
        case "between":
            first, last = one.values
            kept = column.is_between(as_day(first) or date.min, as_day(last) or date.max)
        case "empty" | "filled":
            return column.is_null() if one.op == "empty" else column.is_not_null()
        case "weekday":
            kept = column.dt.weekday().cast(pl.Float64).is_in([float(str(day)) for day in one.values])
        case "contains" | "lacks":
            words = [str(value).lower() for value in one.values]
            kept = column.str.to_lowercase().str.contains_any(words)
            kept = kept if one.op == "contains" else ~kept
        case _:
            kept = _compared(column, one.op, _bound(one.values[0]))
    return kept.fill_null(value=False)


def _bound(value: Value) -> pl.Expr | float:
    return pl.col(value.name) if isinstance(value, Heading) else float(str(value))


def _compared(column: pl.Expr, op: Op, value: pl.Expr | float) -> pl.Expr:
    match op:
        case "lt":
            return column < value
        case "le":
            return column <= value
        case "gt":
            return column > value
        case _:
            return column >= value


def side_by_side(results: Sequence[JsonObject]) -> JsonObject:
    """One row of all figures, where each question has one; else the table of the last stays."""
    tables = [table for one in results if isinstance(table := one.get("table"), dict)]
    rows = [table["rows"] for table in tables if isinstance(table["rows"], list) and len(table["rows"]) == 1]
    if len(rows) < len(results):
        return {}
    heads = [name for table in tables if isinstance(table["columns"], list) for name in table["columns"]]
    return {"table": {"columns": heads, "rows": [[cell for (row,) in rows if isinstance(row, list) for cell in row]]}}
