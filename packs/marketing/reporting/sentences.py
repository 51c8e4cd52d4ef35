"""The sentences of the report, each with its numbers. Which ones are said depends on what is known."""

from collections.abc import Iterator

from contracts.tools import ToolContext
from packs.marketing.reporting.figures import count, percent, rating, scale_end, share
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.reporting.periods import said_period
from packs.marketing.shapes import Keyword, Keywords, Measure, SentimentSummary, Trend

_NAMED_KEYWORDS = 5


def summary(material: Material, ctx: ToolContext, *, compared: bool = False) -> list[str]:
    """The executive summary. `compared`: a comparison beside it says which product is ahead."""
    return [
        *_scope(material, ctx),
        *_polarity(material, ctx),
        *(() if compared else _products(material, ctx)),
        *changes(material, ctx, "positive_share", "mean_rating"),
        *_keywords(material, ctx),
    ]


def told(ctx: ToolContext, insight: SentimentSummary | Keywords | Trend) -> list[str]:
    """What one insight alone has to say: its tool's answer when there is no report."""
    material = Material(
        insight.about,
        insight if isinstance(insight, SentimentSummary) else None,
        insight if isinstance(insight, Keywords) else None,
        insight if isinstance(insight, Trend) else None,
        mixed=False,
    )
    said = [*_scope(material, ctx), *_polarity(material, ctx), *_products(material, ctx), *_keywords(material, ctx)]
    return [*said, *changes(material, ctx, "positive_share", "mean_rating", "reviews")]


def _scope(material: Material, ctx: ToolContext) -> Iterator[str]:
    about = material.about
    if period := said_period(ctx, about.quality.period_from, about.quality.period_to):
        yield ctx.text(
            "report.summary.scope_asked",
            reviews=count(about.reviews),
            period=period,
            out_of_period=count(about.quality.out_of_period + about.quality.undated),
        )
    elif about.date_from and about.date_to:
        yield ctx.text(
            "report.summary.scope_dated",
            reviews=count(about.reviews),
            start=about.date_from.isoformat(),
            end=about.date_to.isoformat(),
        )
    else:
        yield ctx.text("report.summary.scope", reviews=count(about.reviews))
    if about.quality.rows_asked:
        filters, left = " · ".join(about.quality.rows_asked), count(about.quality.rows_left_out)
        yield ctx.text("report.summary.rows_asked", filters=filters, left=left)
    if about.quality.products_asked:
        known = "unknown" if about.quality.products_unknown else "asked"
        yield ctx.text(
            f"report.summary.products_{known}",
            products=", ".join(about.quality.products_asked),
            other_products=count(about.quality.other_products),
        )
    scale = about.quality.rating_scale
    if about.mean_rating is not None and scale is not None:
        yield ctx.text(
            "report.summary.rating",
            mean=rating(about.mean_rating),
            low=scale_end(scale.low),
            high=scale_end(scale.high),
            rated=count(about.rated),
        )


def _polarity(material: Material, ctx: ToolContext) -> Iterator[str]:
    if material.sentiment is None:
        return
    overall = material.sentiment.overall
    yield ctx.text(
        "report.summary.polarity",
        positive_share=share(overall.positive, overall.reviews),
        positive=count(overall.positive),
        neutral_share=share(overall.neutral, overall.reviews),
        neutral=count(overall.neutral),
        negative_share=share(overall.negative, overall.reviews),
        negative=count(overall.negative),
    )


def _products(material: Material, ctx: ToolContext) -> Iterator[str]:
    if len(material.products) < 2:
        return
    ranked = sorted(material.products, key=lambda product: (product.positive_share, product.name))
    worst, best = ranked[0], ranked[-1]
    if best.positive_share > worst.positive_share:
        yield ctx.text(
            "report.summary.products",
            best=best.name,
            best_share=share(best.positive, best.reviews),
            worst=worst.name,
            worst_share=share(worst.positive, worst.reviews),
        )


def changes(material: Material, ctx: ToolContext, *measures: Measure) -> Iterator[str]:
    """Level changes and slopes of the named measures. The last change of a measure is the one that is still true."""
    if material.trend is None:
        return
    for measure in measures:
        found = [change for change in material.trend.changes if change.measure == measure]
        for change in found[-1:]:
            way = "rose" if change.after > change.before else "fell"
            yield ctx.text(
                f"report.change.{measure}.{way}",
                period=change.period,
                before=_value(measure, change.before),
                after=_value(measure, change.after),
            )
        slopes = [slope for slope in material.trend.slopes if slope.measure == measure and slope.direction != "flat"]
        # A level that jumps leans as well; saying both would count one thing twice.
        if slopes and not found:
            per_period = _step(measure, slopes[0].per_period)
            yield ctx.text(f"report.slope.{measure}.{slopes[0].direction}", per_period=per_period)


def _value(measure: Measure, value: float) -> str:
    match measure:
        case "positive_share":
            return percent(value)
        case "mean_rating":
            return rating(value)
        case "reviews":
            return f"{value:,.1f}"


def _step(measure: Measure, value: float) -> str:
    return f"{100 * abs(value):.1f}" if measure == "positive_share" else f"{abs(value):.2f}"


def _keywords(material: Material, ctx: ToolContext) -> Iterator[str]:
    if material.keywords is None or not material.keywords.keywords:
        return
    named = ", ".join(
        ctx.text("report.keyword_named", term=keyword.term, documents=count(keyword.documents))
        for keyword in material.keywords.keywords[:_NAMED_KEYWORDS]
    )
    yield ctx.text("report.summary.keywords", keywords=named)
    if (complaint := worst_keyword(material)) is not None and complaint.tally is not None:
        yield ctx.text(
            "report.summary.complaint",
            term=complaint.term,
            negative=count(complaint.tally.negative),
            documents=count(complaint.documents),
            negative_share=share(complaint.tally.negative, complaint.documents),
        )


def worst_keyword(material: Material) -> Keyword | None:
    """The term with the most negative reviews beyond what its number of reviews would have on average: a share alone
    would name a rare swearword, a number alone the commonest term."""
    if material.keywords is None or material.sentiment is None:
        return None
    usual = material.sentiment.overall.negative_share

    def excess(keyword: Keyword) -> float:
        return keyword.tally.negative - usual * keyword.documents if keyword.tally is not None else 0.0

    spoken = [found for found in material.keywords.keywords if found.documents >= 2 * FEWEST and excess(found) > 1.0]
    return max(spoken, key=lambda keyword: (excess(keyword), keyword.term), default=None)


def limits(material: Material, ctx: ToolContext) -> list[str]:
    """What the reader must not conclude."""
    quality = material.about.quality
    said = [ctx.text("report.limit.sample")]
    said += _judgement(material, ctx)
    if material.keywords is not None and material.keywords.read < material.keywords.available:
        said.append(
            ctx.text(
                "report.limit.keywords_read",
                read=count(material.keywords.read),
                reviews=count(material.keywords.available),
            )
        )
    if material.trend is not None and material.trend.undated:
        said.append(ctx.text("report.limit.undated", reviews=count(material.trend.undated)))
    if quality.warnings_by_reason.get("date_order_assumed"):
        assumed = quality.warnings_by_reason["date_order_assumed"]
        said.append(ctx.text("report.limit.date_order", reviews=count(assumed)))
    if material.mixed:
        said.append(ctx.text("report.limit.mixed"))
    return said


def _judgement(material: Material, ctx: ToolContext) -> Iterator[str]:
    """How far to trust the polarity of each language."""
    if material.sentiment is None:
        return
    reviews = {found.language: found.reviews for found in material.sentiment.methods}
    # Texts without letters are judged by the English method too, for their emoji.
    reviews["en"] = reviews.get("en", 0) + reviews.pop("und", 0)
    for language, number in reviews.items():
        if not number:
            continue
        if language in ("ko", "en", "ja"):
            yield ctx.text(f"report.limit.polarity_{language}", reviews=count(number))
        else:
            yield ctx.text("report.limit.unjudged", language=ctx.text(f"language.{language}"), reviews=count(number))
