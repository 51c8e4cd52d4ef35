"""marketing.trends: how volume, rating and polarity move over time, and where they change level."""

from typing import get_args

import polars as pl

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import CLEAN, TREND, about, dump, read_reviews, read_sentiment, save_json
from packs.marketing.evidence import summed_up
from packs.marketing.reporting.sentences import told
from packs.marketing.series.course import course
from packs.marketing.shapes import Grain

_SHOWN_POINTS = 60


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """One point per params.grain (default month). Raises DATE_COLUMN_MISSING when no review carries a date."""
    # Imported here: reading the reviews must not pay for the drawing engine.
    from packs.marketing.charts.reviews import save

    grain: Grain = next((found for found in get_args(Grain) if found == params.get("grain")), "month")
    reviews = read_reviews(ctx, CLEAN)
    dated = reviews.frame.filter(pl.col("date").is_not_null())
    if dated.is_empty():
        message = ctx.text("trends.error.no_dates", reviews=reviews.frame.height)
        raise ToolError(Code.DATE_COLUMN_MISSING, message, reviews=reviews.frame.height)
    ctx.progress(0.2, ctx.text("trends.adding_up", reviews=dated.height))
    sentiment = read_sentiment(ctx, reviews.of)
    if sentiment is not None:
        dated = dated.join(sentiment[0].select("row", "polarity"), on="row", how="left", maintain_order="left")
    ctx.progress(0.6, ctx.text("trends.comparing"))
    trend = course(dated, grain, about(reviews), reviews.frame.height - dated.height)
    series = trend.points
    save_json(ctx, trend, type_=TREND, name="trend.json", points=len(series))
    save(trend, ctx)
    return {
        "grain": grain,
        "reviews": dated.height,
        "undated": trend.undated,
        "periods": len(series),
        "gaps": sum(point.gap for point in series),
        "points": [dump(point) for point in series[-_SHOWN_POINTS:]],
        "changes": [dump(found) for found in trend.changes[:_SHOWN_POINTS]],
        "slopes": [dump(found) for found in trend.slopes],
        **summed_up(told(ctx, trend)),
    }
