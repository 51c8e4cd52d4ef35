"""What a report can draw on: the insights that exist, and what they say they are about."""

from dataclasses import dataclass, replace

from pydantic import JsonValue

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import CLEAN, COMPETITOR, KEYWORDS, SENTIMENT, TREND, read_json, read_sentiment
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview
from packs.marketing.shapes import About, Change, Keywords, NamedTally, SentimentSummary, Trend
from packs.marketing.shapes_competitor import Competitor
from packs.marketing.stock.again import Stock, read_stock

# A share of fewer reviews than this says nothing about a product or a term.
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Material:
    """`mixed`: not all of it was made from the same reviews."""

    about: About
    sentiment: SentimentSummary | None
    keywords: Keywords | None
    trend: Trend | None
    mixed: bool

    @property
    def products(self) -> tuple[NamedTally, ...]:
        """Products with enough reviews to compare, most reviewed first."""
        found = self.sentiment.by_product if self.sentiment else ()
        return tuple(product for product in found if product.reviews >= FEWEST)

    @property
    def fall(self) -> Change | None:
        """The last level that fell, and not because other products are reviewed."""
        changed = self.trend.changes if self.trend else ()
        fallen = (one for one in reversed(changed) if one.after < one.before and one.within is None)
        return next((one for one in fallen if one.measure != "reviews"), None)

    @property
    def fallen_product(self) -> Change | None:
        """That of the product which comes first, if it has fallen."""
        first = self.trend.products[0].change if self.trend and self.trend.products else None
        return first if first is not None and first.after < first.before else None


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report may tell of: what reviews say, how brands compare, how the stock stands, what the figures of a
    table come to. Never none of it."""

    material: Material | None
    competitor: Competitor | None
    stock: Stock | None
    table: Overview | None = None


def findings(ctx: ToolContext) -> Findings:
    """Raises NOTHING_TO_REPORT when there is neither an insight nor a stock check."""
    competitor, stock = read_json(ctx, COMPETITOR, Competitor), read_stock(ctx)
    # what the columns of a stock list add up to is nothing that anybody orders by
    table = read_json(ctx, TABLE_INSIGHT, Overview) if stock is None else None
    try:
        material = gather(ctx)
    except ToolError as error:
        if error.code is not Code.NOTHING_TO_REPORT or not (competitor or stock or table):
            raise
        material = None
    if competitor is None:
        return Findings(material, None, stock, table)
    if material is None:
        material = Material(competitor.about, None, None, None, mixed=False)
    mixed = material.mixed or material.about.of != competitor.about.of
    return Findings(replace(material, mixed=mixed), competitor, stock, table)


def gather(ctx: ToolContext) -> Material:
    """Raises NOTHING_TO_REPORT when there is no insight at all."""
    judged = read_sentiment(ctx)
    sentiment = judged[1] if judged else None
    keywords, trend = read_json(ctx, KEYWORDS, Keywords), read_json(ctx, TREND, Trend)
    abouts = [insight.about for insight in (sentiment, trend, keywords) if insight is not None]
    if not abouts:
        wanted: list[JsonValue] = [SENTIMENT, KEYWORDS, TREND]
        raise ToolError(Code.NOTHING_TO_REPORT, ctx.text("report.error.nothing"), wanted=wanted)
    origins = {about.of for about in abouts} | {item.attachment.artifact_id for item in ctx.inputs(CLEAN)[-1:]}
    return Material(abouts[0], sentiment, keywords, trend, mixed=len(origins) > 1)
