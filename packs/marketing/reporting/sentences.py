"""The sentences of the report, each with its numbers. Which ones are said depends on what is known."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.keywords.terms import is_class
from packs.marketing.polarity.summary import RANKED
from packs.marketing.reporting.accounting import JUDGED, by_stars, left_out, undated, unjudged
from packs.marketing.reporting.figures import count, percent, rating, scale_end, share
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.reporting.periods import said_period
from packs.marketing.shapes import (
    About,
    Difference,
    Keyword,
    Keywords,
    Measure,
    Polarity,
    SentimentSummary,
    Tally,
    Trend,
)

_NAMED_KEYWORDS = 5
_NAMED_PRODUCTS = 3


def summary(material: Material, ctx: ToolContext, *, compared: bool = False) -> list[Sentence]:
    """The executive summary. `compared`: a comparison beside it says which product is ahead."""
    return [
        *scope(material.about, ctx),
        *polarity(material, ctx),
        *by_stars(material.sentiment, ctx),
        *(() if compared else products(material, ctx)),
        *changes(material, ctx, "positive_share", "mean_rating"),
        *changed_products(material.trend, ctx),
        *keywords(material, ctx),
    ]


def told(ctx: ToolContext, insight: SentimentSummary | Keywords | Trend) -> list[Sentence]:
    """What one insight alone has to say: its tool's answer when there is no report."""
    material = Material(
        insight.about,
        insight if isinstance(insight, SentimentSummary) else None,
        insight if isinstance(insight, Keywords) else None,
        insight if isinstance(insight, Trend) else None,
        mixed=False,
    )
    judged = [*polarity(material, ctx), *by_stars(material.sentiment, ctx), *unjudged(material.sentiment, ctx)]
    said = [*scope(material.about, ctx), *judged, *products(material, ctx), *keywords(material, ctx)]
    return [*said, *course(material, ctx), *undated(material.trend, ctx)]


def course(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """What happened over time, and be it that nothing clear did."""
    if material.trend is None:
        return
    changed = changes(material, ctx, "positive_share", "mean_rating", "reviews")
    changed += changed_products(material.trend, ctx)
    yield from changed or [quiet(material.trend, ctx)]
    for ends in material.trend.ends:
        yield say(
            ctx,
            f"report.ends.{ends.measure}.{_verdict(ends.difference)}",
            ends.best_n + ends.worst_n,
            of={"periods": [ends.best, ends.worst]},
            interval=_interval(ends.difference),
            compared=count(ends.compared),
            fewest=RANKED,
            best=ends.best,
            best_value=_value(ends.measure, ends.best_value),
            best_n=count(ends.best_n),
            worst=ends.worst,
            worst_value=_value(ends.measure, ends.worst_value),
            worst_n=count(ends.worst_n),
        )


def scope(about: About, ctx: ToolContext) -> Iterator[Sentence]:
    """Which reviews were read, and what they gave on average."""
    if period := said_period(ctx, about.quality.period_from, about.quality.period_to):
        yield say(
            ctx,
            "report.summary.scope_asked",
            about.reviews,
            of={"period": period},
            reviews=count(about.reviews),
            period=period,
            out_of_period=count(about.quality.out_of_period + about.quality.undated),
        )
    elif about.date_from and about.date_to:
        yield say(
            ctx,
            "report.summary.scope_dated",
            about.reviews,
            reviews=count(about.reviews),
            start=about.date_from.isoformat(),
            end=about.date_to.isoformat(),
        )
    else:
        yield say(ctx, "report.summary.scope", about.reviews, reviews=count(about.reviews))
    if about.quality.rows_asked:
        filters, left = " · ".join(about.quality.rows_asked), count(about.quality.rows_left_out)
        of: dict[str, JsonValue] = {"rows": list[JsonValue](about.quality.rows_asked)}
        yield say(ctx, "report.summary.rows_asked", about.reviews, of=of, filters=filters, left=left)
    if about.quality.products_asked:
        known = "unknown" if about.quality.products_unknown else "asked"
        yield say(
            ctx,
            f"report.summary.products_{known}",
            about.reviews,
            of={"products": list[JsonValue](about.quality.products_asked)},
            products=", ".join(about.quality.products_asked),
            other_products=count(about.quality.other_products),
        )
    yield from left_out(about, ctx)
    scale = about.quality.rating_scale
    if about.mean_rating is not None and scale is not None:
        yield say(
            ctx,
            "report.summary.rating",
            about.rated,
            of={"rated": True},
            mean=rating(about.mean_rating),
            low=scale_end(scale.low),
            high=scale_end(scale.high),
            rated=count(about.rated),
        )


def polarity(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    if material.sentiment is None:
        return
    overall = material.sentiment.overall
    yield say(
        ctx,
        "report.summary.polarity",
        overall.reviews,
        interval=wilson(overall.positive, overall.reviews),
        positive_share=share(overall.positive, overall.reviews),
        positive=count(overall.positive),
        neutral_share=share(overall.neutral, overall.reviews),
        neutral=count(overall.neutral),
        negative_share=share(overall.negative, overall.reviews),
        negative=count(overall.negative),
    )


def part_of(says: str, whole: Tally, side: Polarity, ctx: ToolContext) -> Sentence:
    """How many of all reviews are on that side."""
    part: int = getattr(whole, side)
    of: dict[str, JsonValue] = {"polarity": side}
    interval = wilson(part, whole.reviews)
    said = {"part": count(part), "whole": count(whole.reviews)}
    return say(ctx, says, whole.reviews, of=of, interval=interval, **said)


def products(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """The best and the worst of all products with enough reviews, and whether that is more than chance."""
    found = material.sentiment.extremes if material.sentiment else None
    if found is None:
        return
    best, worst = found.best[0], found.worst[0]
    yield say(
        ctx,
        f"report.summary.products.{_verdict(found.difference)}",
        best.reviews + worst.reviews,
        of={"products": [best.name, worst.name]},
        interval=_interval(found.difference),
        compared=count(found.compared),
        fewest=RANKED,
        best=names(ctx, [one.name for one in found.best], found.best_level),
        best_share=share(best.positive, best.reviews),
        best_n=count(best.reviews),
        worst=names(ctx, [one.name for one in found.worst], found.worst_level),
        worst_share=share(worst.positive, worst.reviews),
        worst_n=count(worst.reviews),
    )
    if found.fewer and material.sentiment:
        reviews = material.sentiment.overall.reviews
        yield say(ctx, "report.summary.products.fewer", reviews, fewer=count(found.fewer), fewest=RANKED)


def left_behind(material: Material) -> str | None:
    """The product that is worse off than the best one by more than chance, where it is one alone."""
    found = material.sentiment.extremes if material.sentiment else None
    return found.worst[0].name if found and found.difference.significant and found.worst_level == 1 else None


def names(ctx: ToolContext, found: Sequence[str], level: int) -> str:
    """Who is first: one name, or all that are level with it."""
    named = ", ".join(ctx.text("report.named", name=name) for name in found)
    return named if level == len(found) else ctx.text("report.named_more", names=named, more=count(level - len(found)))


def _verdict(apart: Difference) -> Literal["clear", "chance"]:
    return "clear" if apart.significant else "chance"


def _interval(apart: Difference) -> tuple[float, float]:
    return apart.low, apart.high


def changes(material: Material, ctx: ToolContext, *measures: Measure) -> list[Sentence]:
    """Level changes and slopes of the named measures. The last change of a measure is the one that is still true."""
    return [said for measure in measures for said in _change(material.trend, measure, ctx)] if material.trend else []


def _change(trend: Trend, measure: Measure, ctx: ToolContext) -> Iterator[Sentence]:
    found = [change for change in trend.changes if change.measure == measure]
    for change in found[-1:]:
        way = "rose" if change.after > change.before else "fell"
        within = change.within
        if within is not None:
            # As other products may be all that has changed, nothing is said of rising or falling.
            way = "mix" if within.products else "mix_unknown"
        yield say(
            ctx,
            f"report.change.{measure}.{way}",
            change.before_n + change.after_n,
            of={"from": change.since, "change": change.period},
            interval=_interval(change.difference) if change.difference else None,
            period=change.period,
            since=change.since,
            until=change.until,
            before=_value(measure, change.before),
            after=_value(measure, change.after),
            before_n=count(change.before_n),
            after_n=count(change.after_n),
            **(
                {
                    "products": count(within.products),
                    "fewest": FEWEST,
                    "within_before": _value(measure, within.before),
                    "within_after": _value(measure, within.after),
                }
                if within is not None
                else {}
            ),
        )
    slopes = [slope for slope in trend.slopes if slope.measure == measure and slope.direction != "flat"]
    # A level that jumps leans as well; saying both would count one thing twice.
    if slopes and not found:
        yield say(
            ctx,
            f"report.slope.{measure}.{slopes[0].direction}",
            slopes[0].periods,
            interval=(slopes[0].low, slopes[0].high),
            per_period=_step(measure, slopes[0].per_period),
            periods=count(slopes[0].periods),
        )


def changed_products(trend: Trend | None, ctx: ToolContext) -> Iterator[Sentence]:
    """Which products have fallen or risen, each by its own reviews."""
    for found in trend.products[:_NAMED_PRODUCTS] if trend else ():
        change = found.change
        yield say(
            ctx,
            f"report.change.product.{change.measure}.{'rose' if change.after > change.before else 'fell'}",
            change.before_n + change.after_n,
            of={"products": [found.product], "from": change.since, "change": change.period},
            interval=_interval(change.difference) if change.difference else None,
            product=found.product,
            period=change.period,
            since=change.since,
            until=change.until,
            before=_value(change.measure, change.before),
            after=_value(change.measure, change.after),
            before_n=count(change.before_n),
            after_n=count(change.after_n),
        )


def quiet(trend: Trend, ctx: ToolContext) -> Sentence:
    return say(ctx, "report.trend_quiet", len(trend.points))


def _value(measure: Measure, value: float | None) -> str:
    match measure:
        case "positive_share":
            return percent(value)
        case "mean_rating":
            return rating(value)
        case "reviews":
            return "–" if value is None else f"{value:,.1f}"


def _step(measure: Measure, value: float) -> str:
    return f"{100 * abs(value):.1f}" if measure == "positive_share" else f"{abs(value):.2f}"


def keywords(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """Counts of a sample are said to be of a sample."""
    found = material.keywords
    if found is None or not found.keywords:
        return
    named = ", ".join(
        ctx.text("report.keyword_named", term=keyword.term, documents=count(keyword.documents))
        for keyword in found.keywords[:_NAMED_KEYWORDS]
    )
    if found.read < found.available:
        sample = {"read": count(found.read), "reviews": count(found.available)}
        yield say(
            ctx,
            "report.summary.keywords_sample",
            found.read,
            of={"sample": True},
            interval=None,
            keywords=named,
            **sample,
        )
    else:
        yield say(ctx, "report.summary.keywords", found.read, keywords=named)
    yield from complaint(material, ctx)


def complaint(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """The term that is worst spoken of, if one is."""
    found, worst = material.keywords, worst_keyword(material)
    if found is not None and worst is not None and worst.tally is not None:
        negative, documents = worst.tally.negative, worst.documents
        yield say(
            ctx,
            "report.summary.complaint_sample" if found.read < found.available else "report.summary.complaint",
            documents,
            of={"term": worst.term},
            interval=wilson(negative, documents),
            term=worst.term,
            negative=count(negative),
            documents=count(documents),
            negative_share=share(negative, documents),
            usual=percent(material.sentiment.overall.negative_share if material.sentiment else None),
            read=count(found.read),
        )


def worst_keyword(material: Material) -> Keyword | None:
    """The term with the most negative reviews beyond what its number of reviews would have on average: a share alone
    would name a rare swearword, a number alone the commonest term. Never what the reviews are of ("film"), and never
    what chance explains."""
    if material.keywords is None or material.sentiment is None:
        return None
    usual = material.sentiment.overall.negative_share

    def excess(keyword: Keyword) -> float:
        return keyword.tally.negative - usual * keyword.documents if keyword.tally is not None else 0.0

    spoken = [
        found
        for found in material.keywords.keywords
        if found.documents >= 2 * FEWEST
        and found.tally is not None
        and wilson(found.tally.negative, found.documents)[0] > usual
        and not is_class(found.term, found.language)
    ]
    return max(spoken, key=lambda keyword: (excess(keyword), keyword.term), default=None)


def limits(material: Material, ctx: ToolContext) -> list[Sentence]:
    """What the reader must not conclude."""
    quality, reviews = material.about.quality, material.about.reviews
    said = [say(ctx, "report.limit.sample", reviews)]
    said += _judgement(material, ctx)
    said += sampled(material.keywords, ctx)
    said += undated(material.trend, ctx)
    if assumed := quality.warnings_by_reason.get("date_order_assumed"):
        said.append(say(ctx, "report.limit.date_order", assumed, reviews=count(assumed)))
    if material.mixed:
        said.append(say(ctx, "report.limit.mixed", reviews))
    return said


def sampled(found: Keywords | None, ctx: ToolContext) -> Iterator[Sentence]:
    """What stands beside the counts of keywords that were made on a sample."""
    if found is not None and found.read < found.available:
        read, reviews = count(found.read), count(found.available)
        yield say(ctx, "report.limit.keywords_read", found.read, of={"sample": True}, read=read, reviews=reviews)


def _judgement(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """How far to trust the polarity of each language."""
    if material.sentiment is None:
        return
    reviews = {found.language: found.reviews for found in material.sentiment.methods}
    # Texts without letters are judged by the English method too, for their emoji.
    reviews["en"] = reviews.get("en", 0) + reviews.pop("und", 0)
    for language, number in reviews.items():
        of: dict[str, JsonValue] = {"language": language}
        if not number:
            continue
        if language in JUDGED:
            yield say(ctx, f"report.limit.polarity_{language}", number, of=of, reviews=count(number))
    yield from unjudged(material.sentiment, ctx)
