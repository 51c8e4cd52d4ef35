"""The charts of what reviews say: the same for an answer, the report, the dashboard and the film."""

from contracts.tools import ToolContext
from packs.marketing.artifacts import CHART
from packs.marketing.charts.course import trend
from packs.marketing.charts.drawing import Spec, png, titled
from packs.marketing.charts.rows import shares, terms
from packs.marketing.charts.style import NARROW
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.shapes import Keywords, SentimentSummary, Tally, Trend

Insight = SentimentSummary | Keywords | Trend
_BARS, _TERMS = 8, 10


def section(insight: Insight) -> str:
    return {SentimentSummary: "sentiment", Keywords: "keywords", Trend: "trend"}[type(insight)]


def chart(insight: Insight, ctx: ToolContext, width: int, *, lines: int = 2) -> Spec | None:
    """None where there is nothing to look at. `lines` is how many measures a trend may show."""
    match insight:
        case SentimentSummary():
            rows: list[tuple[str, Tally]] = [(ctx.text("report.all_products"), insight.overall)]
            rows += [(one.name, one) for one in insight.by_product if one.reviews >= FEWEST][:_BARS]
            return shares(rows, ctx, width)
        case Keywords():
            return terms(insight.keywords[:_TERMS], ctx, width) if insight.keywords else None
        case Trend():
            return trend(insight, ctx, width, lines) if len(insight.points) > 1 else None


def charts(material: Material, ctx: ToolContext, width: int, *, lines: int = 2) -> dict[str, Spec]:
    """By section: trend, sentiment, keywords."""
    insights = [one for one in (material.trend, material.sentiment, material.keywords) if one is not None]
    drawn = {section(one): chart(one, ctx, width, lines=lines) for one in insights}
    return {name: spec for name, spec in drawn.items() if spec is not None}


def save(insight: Insight, ctx: ToolContext) -> None:
    """The picture of an insight, for the answer."""
    spec, name = chart(insight, ctx, NARROW), section(insight)
    if spec is not None:
        save_picture(titled(spec, ctx.text(f"report.chart.{name}")), name, ctx)


def save_picture(spec: Spec, name: str, ctx: ToolContext) -> None:
    picture = png(spec, ctx.language)
    ctx.save(picture, name=f"chart_{name}.png", media_type="image/png", type_=CHART, section=name)
