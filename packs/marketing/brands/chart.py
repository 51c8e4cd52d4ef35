"""The chart of insight.competitor: shares of every brand, and below them how far each is from all others together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from contracts.tools import ToolContext
from packs.marketing.reporting.charts import ACCENT, COLOURS, INK, SOFT, png
from packs.marketing.shapes_competitor import Brand, Competitor

_BARS = 12
_WIDTH = 620
_LONGEST = 24
_NARROWEST_LABELLED = 0.06


def draw(facts: Competitor, ctx: ToolContext) -> bytes:
    """PNG of the first brands in their order."""
    brands = facts.brands[:_BARS]
    names = labels(brands, ctx)
    panels = [_shares(brands, names, ctx), _differences(brands, names, ctx)]
    # Each panel has colours of its own; shared scales would mix their legends.
    return png(alt.vconcat(*panels, spacing=22).resolve_scale(color="independent"), ctx.language)


def labels(brands: Sequence[Brand], ctx: ToolContext) -> Mapping[str, str]:
    """Names as they stand at the axis, short and each different: bars of one name would lie on each other."""
    short = {brand.name: _short(brand.name) for brand in brands}
    twice = Counter(short.values())
    found = {}
    for number, brand in enumerate(brands, start=1):
        name = short[brand.name] if twice[short[brand.name]] == 1 else f"{short[brand.name]} #{number}"
        key = "competitor.chart.own" if brand.own else "competitor.chart.brand"
        found[brand.name] = ctx.text(key, name=name, reviews=f"{brand.tally.reviews:,}")
    return found


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _shares(brands: Sequence[Brand], names: Mapping[str, str], ctx: ToolContext) -> Any:  # as png
    values = []
    for brand in brands:
        start = 0.0
        for order, polarity in enumerate(COLOURS):
            width = getattr(brand.tally, polarity) / brand.tally.reviews
            values.append(
                {
                    "name": names[brand.name],
                    "polarity": ctx.text(f"report.polarity.{polarity}"),
                    "order": order,
                    "width": width,
                    "middle": start + width / 2,
                    "label": f"{100 * width:.0f}%" if width >= _NARROWEST_LABELLED else "",
                    "dark": polarity == "neutral",
                }
            )
            start += width
    base = alt.Chart(alt.InlineData(values=values)).encode(y=alt.Y("name:N", sort=None, title=None))
    spoken = [ctx.text(f"report.polarity.{polarity}") for polarity in COLOURS]
    bars = base.mark_bar(height=20).encode(
        x=alt.X("width:Q", stack="zero", title=None, axis=_percent(), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "polarity:N",
            scale=alt.Scale(domain=spoken, range=list(COLOURS.values())),
            legend=alt.Legend(orient="top", title=None),
        ),
        order=alt.Order("order:O"),
    )
    texts = base.mark_text(fontSize=11).encode(
        x=alt.X("middle:Q"),
        text="label:N",
        color=alt.condition("datum.dark", alt.value(INK), alt.value("white")),
    )
    return _panel(alt.layer(bars, texts), brands, ctx.text("competitor.chart.shares"))


def _differences(brands: Sequence[Brand], names: Mapping[str, str], ctx: ToolContext) -> Any:  # as png
    """A point and its interval per brand; an interval that crosses zero may be chance and is drawn pale."""
    clear, chance = ctx.text("competitor.chart.clear"), ctx.text("competitor.chart.chance")
    values = [
        {
            "name": names[brand.name],
            "value": brand.to_others.value,
            "low": brand.to_others.low,
            "high": brand.to_others.high,
            "label": f"{100 * brand.to_others.value:+.0f}",
            "verdict": clear if brand.to_others.significant else chance,
        }
        for brand in brands
    ]
    axis = alt.Axis(title=None, tickCount=7, labelExpr="datum.value == 0 ? '0' : format(100 * datum.value, '+.0f')")
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=[clear, chance], range=[ACCENT, "#9aa5b1"]),
        legend=alt.Legend(orient="top", title=None),
    )
    data = alt.InlineData(values=values)
    base = alt.Chart(data).encode(y=alt.Y("name:N", sort=None, title=None), color=colour)
    across = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True, nice=True))
    spans = base.mark_rule(strokeWidth=3).encode(x=across, x2="high:Q")
    points = base.mark_point(filled=True, size=80, opacity=1).encode(x=alt.X("value:Q"))
    texts = base.mark_text(dy=-11, fontSize=11).encode(x=alt.X("value:Q"), text="label:N", color=alt.value(INK))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=SOFT, strokeDash=[4, 4])
    layered = alt.layer(zero.encode(x=alt.X("zero:Q")), spans, points, texts)
    return _panel(layered, brands, ctx.text("competitor.chart.difference"))


def _percent() -> alt.Axis:
    return alt.Axis(format="%", tickCount=5)


def _panel(chart: Any, brands: Sequence[Brand], title: str) -> Any:  # as png
    return chart.properties(width=_WIDTH, height=36 * len(brands), title=title)
