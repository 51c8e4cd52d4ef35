"""marketing.sentiment: how each review speaks of its product, and what that adds up to."""

import polars as pl

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import CLEAN, SENTIMENT, about, dump, read_reviews, save_table
from packs.marketing.evidence import summed_up
from packs.marketing.polarity.judge import METHODS, judge, settled_by_rating
from packs.marketing.polarity.summary import summarize
from packs.marketing.reporting.sentences import told
from packs.marketing.shapes import SentimentSummary

_SHOWN = 12


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:  # every tool has this shape
    """Per review a polarity and a score -1..1; the method depends on the language and is named in the result."""
    # Imported here: reading the reviews must not pay for the drawing engine.
    from packs.marketing.charts.reviews import save

    reviews = read_reviews(ctx, CLEAN)
    frame = reviews.frame
    judged = judge(
        frame["text"].to_list(),
        frame["language"].to_list(),
        lambda done: ctx.progress(0.05 + 0.85 * done, ctx.text("sentiment.judging", done=round(done * frame.height))),
    )
    table = frame.select("row", "review_id", "language", "product", "date", "rating").with_columns(
        polarity=pl.Series([polarity for polarity, _ in judged], dtype=pl.String),
        score=pl.Series([score for _, score in judged], dtype=pl.Float64),
    )
    ctx.progress(0.92, ctx.text("sentiment.adding_up"))
    table, by_rating = settled_by_rating(table, reviews.quality.rating_scale)
    summary = summarize(table, frame["text"], about(reviews)).model_copy(update={"by_rating": by_rating})
    save_table(ctx, table, summary, type_=SENTIMENT, name="sentiment.parquet")
    save(summary, ctx)
    return {**_result(summary), **summed_up(told(ctx, summary))}


def _result(summary: SentimentSummary) -> JsonObject:
    overall, agreement = summary.overall, summary.agreement
    return {
        "reviews": overall.reviews,
        "negative": overall.negative,
        "neutral": overall.neutral,
        "positive": overall.positive,
        "positive_share": round(overall.positive_share, 4),
        "negative_share": round(overall.negative_share, 4),
        "by_rating": summary.by_rating,
        "mean_score": summary.mean_score,
        "mean_rating": summary.about.mean_rating,
        "agreement": {
            "reviews": agreement.reviews,
            "agree": agreement.agree,
            "share": round(agreement.agree / agreement.reviews, 4),
        }
        if agreement
        else None,
        "by_product": [dump(found) for found in summary.by_product[:_SHOWN]],
        "by_month": [dump(found) for found in summary.by_month[-2 * _SHOWN :]],
        "methods": [dump(found) for found in summary.methods],
        "unjudged": sum(found.reviews for found in summary.methods if found.language not in METHODS),
        "quotes": [dump(found) for found in summary.quotes],
    }
