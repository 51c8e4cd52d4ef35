"""From dated reviews to the insight of a trend: points, the changes of level that the reviews themselves bear out,
slopes, the best and the worst period."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from statistics import median
from typing import get_args

import polars as pl

from packs.marketing.brands.intervals import difference, difference_of_means, joint
from packs.marketing.polarity.summary import RANKED, tally
from packs.marketing.reporting.material import FEWEST
from packs.marketing.series.changes import slope, starts
from packs.marketing.series.periods import EVERY, points
from packs.marketing.shapes import About, Change, Difference, Ends, Grain, Measure, Point, Trend, Within

# So much of a change has to be left within the products, or of most months, to be one of all.
_HELD = 0.5


def course(dated: pl.DataFrame, grain: Grain, whose: About, undated: int) -> Trend:
    """Needs date, rating and product; with a polarity column, the share of positive reviews too."""
    series = points(dated, grain)
    pairs = {measure: _pairs(series, measure) for measure in get_args(Measure)}
    return Trend(
        about=whose,
        grain=grain,
        points=tuple(series),
        changes=tuple(found for measure, values in pairs.items() for found in _changes(dated, series, measure, values)),
        slopes=tuple(found for measure, values in pairs.items() if (found := slope(measure, values))),
        ends=tuple(ends for measure in pairs if (ends := _ends(dated, grain, series, measure))),
        undated=undated,
    )


def _pairs(series: Sequence[Point], measure: Measure) -> list[tuple[str, float]]:
    """Periods with a value. A mean over a handful of reviews is noise: such a period is shown, but not compared."""
    return [
        (point.period, float(value))
        for point in series
        if (value := getattr(point, measure)) is not None and (measure == "reviews" or point.reviews >= FEWEST)
    ]


def _changes(
    dated: pl.DataFrame, series: Sequence[Point], measure: Measure, pairs: Sequence[tuple[str, float]]
) -> Iterator[Change]:
    """Those that the reviews of both spans bear out; the place was picked from all periods by looking."""
    place = {point.period: number for number, point in enumerate(series)}
    # A span ends where the next begins, whatever lies between them.
    ends = [0, *(place[period] for period in starts(measure, pairs)), len(series)]
    for (first, middle), (_, last) in pairwise(pairwise(ends)):
        since, until = series[first].period, series[middle - 1].period
        if measure == "reviews":
            spans = [[point.reviews for point in series[start:end]] for start, end in ((first, middle), (middle, last))]
            before, after = (sum(span) / len(span) for span in spans)
            # A busy month or two are no level: most of its months have to be on it.
            if (median(spans[1]) - median(spans[0])) * (after - before) < _HELD * (after - before) ** 2:
                continue
            sizes = (len(spans[0]), len(spans[1]))
            apart, within = None, None
        else:
            earlier = _between(dated, series, first, middle, measure)
            later = _between(dated, series, middle, last, measure)
            apart = _difference(measure, later, earlier, joint(len(pairs) - 1))
            if not apart.significant:
                continue
            before, after = _level(measure, earlier), _level(measure, later)
            sizes = (earlier.height, later.height)
            within = _within(measure, earlier, later)
        yield Change(
            measure=measure, period=series[middle].period, since=since, until=until,
            before=round(before, 4), after=round(after, 4), before_n=sizes[0], after_n=sizes[1],
            difference=apart, within=within,
        )  # fmt: skip


def _between(dated: pl.DataFrame, series: Sequence[Point], first: int, last: int, measure: Measure) -> pl.DataFrame:
    """The reviews of the periods from `first` to before `last` that have a value of the measure."""
    end = series[last].start if last < len(series) else date.max
    rows = dated.filter(pl.col("date") >= series[first].start, pl.col("date") < end)
    return rows.drop_nulls("rating") if measure == "mean_rating" else rows


def _level(measure: Measure, rows: pl.DataFrame) -> float:
    if measure == "mean_rating":
        return float(rows["rating"].sum()) / rows.height
    return tally(rows).positive_share


def _difference(measure: Measure, one: pl.DataFrame, other: pl.DataFrame, confidence: float) -> Difference:
    if measure == "mean_rating":
        return difference_of_means(one["rating"], other["rating"], confidence)
    return difference(tally(one), tally(other), confidence)


def _within(measure: Measure, earlier: pl.DataFrame, later: pl.DataFrame) -> Within | None:
    """Whether other products explain the change; none where they do not, or where no reviews name products."""
    names = [set(rows["product"].drop_nulls()) for rows in (earlier, later)]
    if not names[0] | names[1] or len(names[0] | names[1]) == 1:
        return None
    parts = [
        {str(name[0]): part for name, part in rows.partition_by("product", as_dict=True).items() if name[0] is not None}
        for rows in (earlier, later)
    ]
    both = sorted(
        name
        for name in parts[0].keys() & parts[1].keys()
        if parts[0][name].height >= FEWEST and parts[1][name].height >= FEWEST
    )
    if not both:
        return Within(products=0, before=None, after=None)
    weights = [parts[0][name].height + parts[1][name].height for name in both]
    before, after = (
        sum(weight * _level(measure, side[name]) for name, weight in zip(both, weights, strict=True)) / sum(weights)
        for side in parts
    )
    change = _level(measure, later) - _level(measure, earlier)
    held = (after - before) / change >= _HELD
    return None if held else Within(products=len(both), before=round(before, 4), after=round(after, 4))


def _ends(dated: pl.DataFrame, grain: Grain, series: Sequence[Point], measure: Measure) -> Ends | None:
    """None with fewer than two periods to compare, or where all are level."""
    if measure == "reviews":
        return None
    if measure == "positive_share" and "polarity" not in dated.columns:
        return None
    value = pl.col("rating") if measure == "mean_rating" else (pl.col("polarity") == "positive").cast(pl.Float64)
    table = (
        dated.with_columns(start=pl.col("date").dt.truncate(EVERY[grain]), value=value)
        .drop_nulls("value")
        .group_by("start")
        .agg(n=pl.len(), level=pl.col("value").mean())
        .filter(pl.col("n") >= RANKED)
        .sort("level", "n", "start")
    )
    if table.height < 2 or table["level"][0] == table["level"][-1]:
        return None
    place = {point.start: number for number, point in enumerate(series)}
    rows = [_between(dated, series, place[start], place[start] + 1, measure) for start in table["start"][[0, -1]]]
    worst, best = ((series[place[start]].period, level, n) for start, n, level in table[[0, -1]].iter_rows())
    return Ends(
        measure=measure, compared=table.height,
        best=best[0], best_value=round(best[1], 4), best_n=best[2],
        worst=worst[0], worst_value=round(worst[1], 4), worst_n=worst[2],
        difference=_difference(measure, rows[1], rows[0], joint(table.height * (table.height - 1) // 2)),
    )  # fmt: skip
