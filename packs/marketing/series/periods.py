"""Reviews by day, week, month, quarter or year, without holes: a period without reviews is a point too."""

from datetime import date

import polars as pl

from packs.marketing.shapes import Grain, Point

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
