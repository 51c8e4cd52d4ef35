"""What stands out in complaints, or in praise: terms with far more reviews of that side than their share, with a review
that says so."""

from collections.abc import Iterator, Sequence

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.evidence import Sentence, say
from packs.marketing.keywords.terms import is_class
from packs.marketing.polarity.insults import insults
from packs.marketing.polarity.judge import judge
from packs.marketing.reporting.figures import count
from packs.marketing.shapes import Keyword, Keywords, Polarity, RatingScale

READ = 200
"""Terms that are looked at: what few complain of is rare among all reviews."""
TERMS, QUOTES, FEWEST = 5, 2, 3
_QUOTE_LENGTH = (10, 140)


def by_rating_or_words(frame: pl.DataFrame, scale: RatingScale | None) -> pl.DataFrame:
    """polarity, score and rating of each review, by what was given, or what was written where nothing was given."""
    rating = pl.col("rating")
    given = pl.lit(None, dtype=pl.String)
    if scale is not None:
        given = pl.when(rating <= scale.negative_to).then(pl.lit("negative"))
        given = given.when(rating >= scale.positive_from).then(pl.lit("positive"))
        given = given.when(rating.is_not_null()).then(pl.lit("neutral"))
    rated = frame.select("rating", "text", "language", polarity=given)
    unrated = rated.filter(pl.col("polarity").is_null())
    judged = iter(judge(unrated["text"].to_list(), unrated["language"].to_list()))
    found = [(one, 0.0) if one else next(judged) for one in rated["polarity"].to_list()]
    return rated.select("rating").with_columns(
        polarity=pl.Series([polarity for polarity, _ in found], dtype=pl.String),
        score=pl.Series([score for _, score in found], dtype=pl.Float64),
    )


def standing_out(keywords: Sequence[Keyword], side: Polarity, judged: pl.DataFrame) -> list[Keyword]:
    """Those with more reviews of the side than their number of reviews would have on average, the most of them first.
    Never what all reviews are of ("film")."""
    usual = judged.filter(pl.col("polarity") == side).height / max(judged.height, 1)
    excess = {one.term: of_side(one, side) - usual * one.documents for one in keywords}
    found = [one for one in keywords if excess[one.term] > 0 and of_side(one, side) >= FEWEST]
    found = [one for one in found if not is_class(one.term, one.language)]
    return sorted(found, key=lambda one: (-excess[one.term], one.term))


def of_side(keyword: Keyword, side: Polarity) -> int:
    """Reviews of the side that hold the term."""
    if keyword.tally is None:
        return 0
    return keyword.tally.negative if side == "negative" else keyword.tally.positive


def heard(
    found: Keywords, judged: pl.DataFrame, texts: pl.Series, side: Polarity, ctx: ToolContext
) -> Iterator[Sentence | str]:
    """What people complain of, or praise, in sentences."""
    scale, mine = found.about.quality.rating_scale, judged.filter(pl.col("polarity") == side).height
    named = standing_out(found.keywords, side, judged)[:TERMS]
    if not named:
        yield say(ctx, f"keyword.side.{side}.none", mine, of={"polarity": side}, reviews=count(mine))
        return
    terms = ", ".join(
        ctx.text("keyword.side.term", term=one.term, ours=count(of_side(one, side)), documents=count(one.documents))
        for one in named
    )
    yield say(ctx, f"keyword.side.{side}", mine, of={"polarity": side}, reviews=count(mine), terms=terms)
    if scale is not None:
        to = scale.negative_to if side == "negative" else scale.positive_from
        yield say(ctx, f"keyword.side.{side}.rating", mine, of={"polarity": side}, to=f"{to:g}")
    said = [text for text, one in zip(texts, judged["polarity"], strict=True) if one == side]
    clear = [text for text in said if _QUOTE_LENGTH[0] <= len(text) <= _QUOTE_LENGTH[1] and not insults(text)]
    quotes = dict.fromkeys(next((text for text in clear if one.term in text.lower()), "") for one in named)
    yield from (
        ctx.text("keyword.side.quote", text=" ".join(text.split())) for text in [*filter(None, quotes)][:QUOTES]
    )
