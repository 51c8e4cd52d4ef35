"""From dated reviews to the insight of a trend: points, the changes of level that the reviews themselves bear out,
slopes, the best and the worst period. Where a series changes level, and which way it leans (least squares both).
Reviews by day, week, month, quarter or year, without holes: a period without reviews is a point too."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from statistics import median
from typing import Literal, get_args

import numpy as np
import polars as pl

from packs.marketing.brands.intervals import difference, difference_of_means, joint
from packs.marketing.polarity.summary import RANKED, tally
from packs.marketing.reporting.material import FEWEST
from packs.marketing.series.levels import FEWEST_PERIODS, level_starts
from packs.marketing.shapes import (
    About,
    Change,
    Difference,
    Ends,
    Grain,
    Measure,
    Point,
    ProductChange,
    Slope,
    Trend,
    Within,
)

_PRODUCTS = 50
"""That are looked at, those with most reviews."""
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
        changes=tuple(found for measure in pairs for found in _changes(dated, grain, series, measure)),
        slopes=tuple(found for measure, values in pairs.items() if (found := slope(measure, values))),
        ends=tuple(ends for measure in pairs if (ends := _ends(dated, grain, series, measure))),
        products=_of_products(dated, grain),
        undated=undated,
    )


def _of_products(dated: pl.DataFrame, grain: Grain) -> tuple[ProductChange, ...]:
    """What changed of each product alone, by its ratings, or its share of positive reviews where nobody rated: all
    together may stay as they are while one of them falls. Not where there is one product only."""
    measure: Measure = "mean_rating" if dated["rating"].count() else "positive_share"
    sizes = dated.drop_nulls("product").group_by("product").len().sort(["len", "product"], descending=[True, False])
    if sizes.height < 2:
        return ()
    names = sizes.filter(pl.col("len") >= 2 * RANKED)["product"].head(_PRODUCTS).to_list()
    found: list[ProductChange] = []
    for name in names:
        rows = dated.filter(pl.col("product") == name)
        changed = list(_changes(rows, grain, points(rows, grain), measure, len(names)))
        found += [ProductChange(product=name, change=one) for one in changed[-1:]]

    def weight(one: ProductChange) -> tuple[bool, float]:
        apart = one.change.after - one.change.before
        return apart > 0, -abs(apart) * one.change.after_n

    return tuple(sorted(found, key=lambda one: (weight(one), one.product)))


def _pairs(series: Sequence[Point], measure: Measure) -> list[tuple[str, float]]:
    """Periods with a value. A mean over a handful of reviews is noise: such a period is shown, but not compared."""
    return [
        (point.period, float(value))
        for point in series
        if (value := getattr(point, measure)) is not None and (measure == "reviews" or point.reviews >= FEWEST)
    ]


def _changes(
    dated: pl.DataFrame, grain: Grain, series: Sequence[Point], measure: Measure, products: int = 1
) -> Iterator[Change]:
    """Those that the reviews of both spans bear out; the place was picked from all periods by looking, and so was the
    product where it is one of `products`."""
    found, looked_at = _starts(dated, grain, series, measure)
    # A span ends where the next begins, whatever lies between them.
    ends = [0, *found, len(series)]
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
            if min(earlier.height, later.height) < RANKED:
                continue
            apart = _difference(measure, later, earlier, joint(products * (looked_at - 1)))
            if not apart.significant:
                continue
            before, after = _level(measure, earlier), _level(measure, later)
            sizes = (earlier.height, later.height)
            within = _within(measure, earlier, later)
        yield Change(
            measure=measure, period=series[middle].period, since=since, until=until,
            before=round(before, 6), after=round(after, 6), before_n=sizes[0], after_n=sizes[1],
            difference=apart, within=within,
        )  # fmt: skip


def _starts(dated: pl.DataFrame, grain: Grain, series: Sequence[Point], measure: Measure) -> tuple[list[int], int]:
    """The places in the series at which a new level begins, and how many periods were looked at."""
    if measure == "reviews":
        counts = np.array([point.reviews for point in series], dtype=np.float64)
        return level_starts(counts, np.ones(len(counts)), least=_LEAST_OF_COUNTS), len(counts)
    if (table := _by_period(dated, grain, measure)) is None:
        return [], 0
    rows = int(table["n"].sum())
    spread = float(table["errors"].sum()) / (rows - table.height) if rows > table.height else 0.0
    place = {point.start: number for number, point in enumerate(series)}
    places = [place[start] for start in table["start"]]
    found = level_starts(table["level"].to_numpy(), table["n"].cast(pl.Float64).to_numpy(), spread)
    return [places[start] for start in found], table.height


def _by_period(dated: pl.DataFrame, grain: Grain, measure: Measure) -> pl.DataFrame | None:
    """start, n, level and errors (squared, around the level) of the periods that have a value of the measure."""
    if measure == "positive_share" and "polarity" not in dated.columns:
        return None
    value = pl.col("rating") if measure == "mean_rating" else (pl.col("polarity") == "positive").cast(pl.Float64)
    return (
        dated.with_columns(start=pl.col("date").dt.truncate(EVERY[grain]), value=value)
        .drop_nulls("value")
        .group_by("start")
        .agg(n=pl.len(), level=pl.col("value").mean(), errors=pl.col("value").var(ddof=0) * pl.len())
        .sort("start")
    )


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
    return None if held else Within(products=len(both), before=round(before, 6), after=round(after, 6))


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
        best=best[0], best_value=round(best[1], 6), best_n=best[2],
        worst=worst[0], worst_value=round(worst[1], 6), worst_n=worst[2],
        difference=_difference(measure, rows[1], rows[0], joint(table.height * (table.height - 1) // 2)),
    )  # fmt: skip


# A period's number of reviews is one figure alone, not the mean of many: two busy months are no level.
_LEAST_OF_COUNTS = 6


def slope(measure: Measure, pairs: Sequence[tuple[str, float]]) -> Slope | None:
    """None for fewer than three points."""
    if len(pairs) < 3:
        return None
    values = np.array([value for _, value in pairs])
    place = np.arange(len(values)) - (len(values) - 1) / 2
    spread = float((place**2).sum())
    per_period = float((place * values).sum() / spread)
    rest = values - values.mean() - per_period * place
    error = float(np.sqrt((rest**2).sum() / (len(values) - 2) / spread))
    # Student's quantile for 95 in 100, a little on the safe side; few points hardly know their own noise.
    reach = max((1.96 + 3.3 / (len(values) - 2)) * error, 1e-9)
    direction: Literal["rising", "falling", "flat"] = "flat"
    if len(values) >= FEWEST_PERIODS and abs(per_period) > reach:
        direction = "rising" if per_period > 0 else "falling"
    return Slope(
        measure=measure,
        per_period=round(per_period, 4),
        low=round(per_period - reach, 4),
        high=round(per_period + reach, 4),
        periods=len(values),
        direction=direction,
    )


# As polars cuts time.
EVERY = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


def points(dated: pl.DataFrame, grain: Grain) -> list[Point]:
    """Needs date and rating; with a polarity column, the share of positive reviews too."""
    every = EVERY[grain]
    shares = (
        (pl.col("polarity") == "positive").mean() if "polarity" in dated.columns else pl.lit(None, dtype=pl.Float64)
    )
    counted = (
        dated.with_columns(start=pl.col("date").dt.truncate(every))
        .group_by("start")
        .agg(reviews=pl.len(), mean_rating=pl.col("rating").mean(), positive_share=shares)
    )
    starts = counted["start"].sort()
    whole = pl.DataFrame({"start": pl.date_range(starts[0], starts[-1], every, eager=True)})
    filled = whole.join(counted, on="start", how="left").sort("start")
    return [
        Point(
            period=name(start, grain),
            start=start,
            reviews=reviews or 0,
            mean_rating=_rounded(rating),
            positive_share=_rounded(share),
            gap=not reviews,
        )
        for start, reviews, rating, share in filled.iter_rows()
    ]


def name(start: date, grain: Grain) -> str:
    """2024, 2024-Q1, 2024-01, 2024-W05 (ISO), 2024-01-29."""
    match grain:
        case "year":
            return f"{start.year}"
        case "quarter":
            return f"{start.year}-Q{(start.month + 2) // 3}"
        case "month":
            return f"{start:%Y-%m}"
        case "week":
            return f"{start:%G-W%V}"
        case "day":
            return start.isoformat()


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
