"""The chart of insight.competitor: shares of every brand, and below them how far each is from all others together."""

from collections.abc import Sequence

from contracts.tools import ToolContext
from packs.marketing.charts.drawing import Spec, titled
from packs.marketing.charts.rows import Across, dots, shares
from packs.marketing.charts.style import ACCENT, PALE, distinct
from packs.marketing.reporting.figures import count
from packs.marketing.shapes_competitor import Brand, Competitor

_BARS = 12
_LABEL_EXPR = "datum.value == 0 ? '0' : format(100 * datum.value, '+.0f')"


def chart(facts: Competitor, ctx: ToolContext, width: int) -> Spec:
    """The first brands in their order."""
    brands = facts.brands[:_BARS]
    named = [(name, brand.tally) for name, brand in zip(labels(brands), brands, strict=True)]
    upper = titled(shares(named, ctx, width), ctx.text("competitor.chart.shares"))
    # Each panel has colours of its own; shared scales would mix their legends.
    return {"vconcat": [upper, _differences(brands, ctx, width)], "resolve": {"scale": {"color": "independent"}}}


def labels(brands: Sequence[Brand]) -> list[str]:
    """Short, each different; a star before the person's own."""
    names = distinct([brand.name for brand in brands])
    return [f"★ {name}" if brand.own else name for name, brand in zip(names, brands, strict=True)]


def _differences(brands: Sequence[Brand], ctx: ToolContext, width: int) -> Spec:
    """A point and its interval per brand; an interval that crosses zero may be chance and is drawn pale."""
    clear, chance = ctx.text("competitor.chart.clear"), ctx.text("competitor.chart.chance")
    rows = [
        {
            "name": f"{name} ({count(brand.tally.reviews)})",
            "value": brand.to_others.value, "low": brand.to_others.low, "high": brand.to_others.high,
            "label": f"{100 * brand.to_others.value:+.0f}",
            "verdict": clear if brand.to_others.significant else chance,
        }
        for name, brand in zip(labels(brands), brands, strict=True)
    ]  # fmt: skip
    scale = {"domain": [clear, chance], "range": [ACCENT, PALE]}
    low = min(0.0, *(brand.to_others.low for brand in brands))
    high = max(0.0, *(brand.to_others.high for brand in brands))
    # Room on the right for the label behind the last interval.
    across = Across(low, high + 0.12 * (high - low), axis={"labelExpr": _LABEL_EXPR})
    drawn = dots(rows, across, width, {"field": "verdict", "type": "nominal", "scale": scale})
    zero = {"mark": {"type": "rule", "color": PALE, "strokeDash": [4, 4]}, "encoding": {"x": {"datum": 0}, "y": None}}
    return titled({**drawn, "layer": [zero, *drawn["layer"]]}, ctx.text("competitor.chart.difference"))
