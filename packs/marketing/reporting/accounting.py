"""What stands beside the figures so that nobody takes them for more: rows that were left out, reviews that were not
judged, and what the ratings say where the texts say something else."""

from collections.abc import Iterator

from contracts.tools import ToolContext
from packs.marketing.evidence import Sentence, say
from packs.marketing.polarity.summary import RANKED
from packs.marketing.reporting.figures import count, scale_end, share
from packs.marketing.shapes import About, SentimentSummary, Trend

JUDGED = ("ko", "en", "ja")
# So many of all reviews have a long text again that somebody copied; more look like a file that has reviews twice.
_MANY_REPEATED = 0.05
# Two pictures of the same reviews that differ by less than this are one picture.
_APART = 0.1


def left_out(about: About, ctx: ToolContext) -> Iterator[Sentence]:
    """Rows that nobody asked to leave out, and reviews that are counted although they may be the same one again."""
    quality, reviews = about.quality, about.reviews
    if unread := quality.rows_bad + quality.emptied:
        yield say(ctx, "report.summary.unread", reviews, unread=count(unread), read=count(quality.rows_read))
    if duplicates := quality.duplicates_exact + quality.duplicates_near:
        yield say(ctx, "report.summary.duplicates", reviews, duplicates=count(duplicates))
    if quality.repeated > _MANY_REPEATED * reviews:
        yield say(ctx, "report.summary.repeated", reviews, repeated=count(quality.repeated), reviews=count(reviews))


def by_stars(found: SentimentSummary | None, ctx: ToolContext) -> Iterator[Sentence]:
    """How many reviews were decided by their rating; and how many ratings are good and bad, where that is another
    picture than the shares give of the same reviews."""
    if found and found.by_rating:
        yield say(ctx, "report.summary.by_rating", found.about.reviews, settled=count(found.by_rating))
    scale, stars = found.about.quality.rating_scale if found else None, found.stars if found else None
    if scale is None or stars is None or stars.rated < RANKED:
        return
    apart = max(abs(stars.good - stars.positive), abs(stars.bad - stars.negative))
    if apart <= _APART * stars.rated:
        return
    yield say(
        ctx,
        "report.summary.stars",
        stars.rated,
        of={"rated": True},
        rated=count(stars.rated),
        good=count(stars.good),
        good_share=share(stars.good, stars.rated),
        good_from=scale_end(scale.positive_from),
        bad=count(stars.bad),
        bad_share=share(stars.bad, stars.rated),
        bad_to=scale_end(scale.negative_to),
    )


def unjudged(found: SentimentSummary | None, ctx: ToolContext) -> Iterator[Sentence]:
    """Reviews in languages that nothing here judges."""
    for method in found.methods if found else ():
        if method.reviews and method.language not in (*JUDGED, "und"):
            of, name = {"language": method.language}, ctx.text(f"language.{method.language}")
            yield say(ctx, "report.limit.unjudged", method.reviews, of=of, language=name, reviews=count(method.reviews))


def undated(trend: Trend | None, ctx: ToolContext) -> Iterator[Sentence]:
    """Reviews without a day, which no course of time can hold."""
    if trend is not None and trend.undated:
        yield say(ctx, "report.limit.undated", trend.undated, of={"date": None}, reviews=count(trend.undated))
