"""From judged reviews to the figures that people ask for: shares, products, months, agreement, quotes."""

from collections.abc import Sequence
from itertools import islice

import polars as pl

from packs.marketing.artifacts import mean
from packs.marketing.brands.intervals import difference, joint
from packs.marketing.polarity.insults import insults
from packs.marketing.polarity.judge import METHODS, is_positive
from packs.marketing.shapes import (
    About,
    Agreement,
    Difference,
    Extremes,
    Method,
    NamedTally,
    Polarity,
    Quote,
    RatingScale,
    SentimentSummary,
    Stars,
    Tally,
)

# Long enough to say something, short enough to be read in a report.
_QUOTE_LENGTH = (15, 140)
_QUOTES_PER_SIDE = 4
_PRODUCTS = 50
RANKED = 10
"""Reviews that a product or a period has to have to be called the best or the worst."""
_MOST_LEVEL = 4


def summarize(judged: pl.DataFrame, texts: pl.Series, about: About) -> SentimentSummary:
    """`judged` has the columns of insight.sentiment; `texts` are its reviews in the same order."""
    by_product = _by(judged.filter(pl.col("product").is_not_null()), pl.col("product"))
    return SentimentSummary(
        about=about,
        overall=tally(judged),
        mean_score=mean(judged["score"]) or 0.0,
        by_product=by_product[:_PRODUCTS],
        extremes=_extremes(by_product),
        by_month=tuple(
            sorted(
                _by(judged.filter(pl.col("date").is_not_null()), pl.col("date").dt.strftime("%Y-%m")),
                key=lambda month: month.name,
            )
        ),
        agreement=_agreement(judged, about.quality.rating_scale),
        stars=_stars(judged, about.quality.rating_scale),
        methods=tuple(
            Method(language=name, method=METHODS[name].name if name in METHODS else "none", reviews=count)
            for name, count in about.quality.languages.items()
        ),
        quotes=(
            *_quotes(judged.with_columns(text=texts), "positive", about.quality.rating_scale),
            *_quotes(judged.with_columns(text=texts), "negative", about.quality.rating_scale),
        ),
    )


def tally(judged: pl.DataFrame) -> Tally:
    counts = dict(judged["polarity"].value_counts().iter_rows())
    return Tally(
        reviews=judged.height,
        negative=counts.get("negative", 0),
        neutral=counts.get("neutral", 0),
        positive=counts.get("positive", 0),
        mean_rating=mean(judged["rating"]),
    )


def _by(judged: pl.DataFrame, key: pl.Expr) -> tuple[NamedTally, ...]:
    """One tally per group, largest first."""
    groups = judged.with_columns(group=key).partition_by("group", as_dict=True, maintain_order=True)
    tallies = (NamedTally(name=str(name[0]), **tally(part).model_dump()) for name, part in groups.items())
    return tuple(sorted(tallies, key=lambda found: (-found.reviews, found.name)))


def _extremes(products: Sequence[NamedTally]) -> Extremes | None:
    """Over all products, not only those that are shown: the best of the fifty largest need not be the best."""
    compared = [product for product in products if product.reviews >= RANKED]
    shares = [product.positive_share for product in compared]
    if len(set(shares)) < 2:
        return None
    best, worst = (
        [product for product in compared if product.positive_share == end] for end in (max(shares), min(shares))
    )
    pairs = len(compared) * (len(compared) - 1) // 2
    return Extremes(
        compared=len(compared),
        fewer=len(products) - len(compared),
        best=tuple(best[:_MOST_LEVEL]),
        best_level=len(best),
        worst=tuple(worst[:_MOST_LEVEL]),
        worst_level=len(worst),
        difference=_clear(best[0], worst[0], joint(pairs)),
    )


def _clear(best: Tally, worst: Tally, confidence: float) -> Difference:
    """More than chance only if it is so of the texts that take a side, too: what nothing judged, or what leaves it
    open, makes no product the worst."""
    whole = difference(best, worst, confidence)
    sided = [one.model_copy(update={"reviews": one.positive + one.negative}) for one in (best, worst)]
    rests = all(one.reviews for one in sided) and difference(sided[0], sided[1], confidence).low > 0
    return whole.model_copy(update={"significant": whole.significant and rests})


def _agreement(judged: pl.DataFrame, scale: RatingScale | None) -> Agreement | None:
    if scale is None:
        return None
    rating = pl.col("rating")
    clear = judged.filter((rating <= scale.negative_to) | (rating >= scale.positive_from))
    right = sum(
        is_positive(score) == (value >= scale.positive_from)
        for score, value in clear.select("score", "rating").iter_rows()
    )
    return Agreement(reviews=clear.height, agree=right) if clear.height else None


def _stars(judged: pl.DataFrame, scale: RatingScale | None) -> Stars | None:
    rated = judged.drop_nulls("rating")
    if scale is None or not rated.height:
        return None
    good, bad = (rated["rating"] >= scale.positive_from).sum(), (rated["rating"] <= scale.negative_to).sum()
    texts = tally(rated)
    return Stars(rated=rated.height, good=good, bad=bad, positive=texts.positive, negative=texts.negative)


def _quotes(judged: pl.DataFrame, polarity: Polarity, scale: RatingScale | None) -> Sequence[Quote]:
    """Clear, readable, no insults, from different products, none twice, and never against the writer's own rating."""
    side = judged.filter(pl.col("polarity") == polarity, pl.col("text").str.len_chars().is_between(*_QUOTE_LENGTH))
    if scale is not None:
        fits = (
            pl.col("rating") >= scale.positive_from if polarity == "positive" else pl.col("rating") <= scale.negative_to
        )
        side = side.filter(fits | pl.col("rating").is_null())
    # Each product's strongest first, then each one's second: a report should not quote one product four times.
    ranked = (
        side.with_columns(strength=pl.col("score").abs())
        .sort("strength", "row", descending=[True, False])
        .unique("text", keep="first", maintain_order=True)
        .with_columns(turn=pl.col("row").cum_count().over("product"))
        .sort("turn", "strength", "row", descending=[False, True, False])
    )
    shown = (row for row in ranked.iter_rows(named=True) if not insults(row["text"]))
    return [
        Quote(
            text=row["text"],
            polarity=polarity,
            score=row["score"],
            product=row["product"],
            date=row["date"],
            rating=row["rating"],
        )
        for row in islice(shown, _QUOTES_PER_SIDE)
    ]
