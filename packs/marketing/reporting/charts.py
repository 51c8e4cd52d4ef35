"""The charts of the report: Vega-Lite specifications by altair, drawn by vl-convert without a browser."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt
import vl_convert

from contracts.tools import ToolContext
from packs.marketing.letters import plain_spec
from packs.marketing.reporting import fonts
from packs.marketing.reporting.material import Material
from packs.marketing.shapes import Keyword, NamedTally, Tally, Trend

INK, SOFT, GRID = "#1f2933", "#5b6775", "#e4e8ed"
COLOURS = {"positive": "#1b7f6b", "neutral": "#c3cad3", "negative": "#c8553d"}
ACCENT = "#27548a"
_WIDTH = 620
# Twice the screen's density prints sharply on A4.
_SCALE = 2
_BARS = 8
_TERMS = 12
_LABELS = 10


def draw(material: Material, ctx: ToolContext) -> dict[str, bytes]:
    """PNG per section that has something to show."""
    drawn: dict[str, bytes] = {}
    if material.sentiment is not None:
        rows: list[tuple[str, Tally]] = [(ctx.text("report.all_products"), material.sentiment.overall)]
        rows += _names(material.products[:_BARS])
        drawn["sentiment"] = png(_shares(rows, ctx), ctx.language)
    if material.trend is not None and len(material.trend.points) > 1:
        drawn["trend"] = png(_trend(material.trend, ctx), ctx.language)
    if material.keywords is not None and material.keywords.keywords:
        drawn["keywords"] = png(_terms(material.keywords.keywords[:_TERMS], ctx), ctx.language)
    return drawn


def _names(products: Sequence[NamedTally]) -> list[tuple[str, Tally]]:
    return [(_short(product.name), product) for product in products]


def _short(name: str) -> str:
    return name if len(name) <= 24 else name[:23] + "…"


def _shares(rows: Sequence[tuple[str, Tally]], ctx: ToolContext) -> Any:  # as png
    """One full bar per row, split by polarity, with the percentages inside."""
    values = []
    for name, tally in rows:
        start = 0.0
        for order, polarity in enumerate(COLOURS):
            width = getattr(tally, polarity) / tally.reviews if tally.reviews else 0.0
            values.append(
                {
                    "name": f"{name} ({tally.reviews:,})",
                    "polarity": ctx.text(f"report.polarity.{polarity}"),
                    "order": order,
                    "width": width,
                    "middle": start + width / 2,
                    # A label that does not fit its bar is worse than none; the table below has the number.
                    "label": f"{100 * width:.0f}%" if width >= 0.06 else "",
                    "dark": polarity == "neutral",
                }
            )
            start += width
    base = alt.Chart(alt.InlineData(values=values)).encode(y=alt.Y("name:N", sort=None, title=None))
    bars = base.mark_bar(height=20).encode(
        x=alt.X(
            "width:Q", stack="zero", title=None, axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1])
        ),
        color=_polarity_colour(ctx),
        order=alt.Order("order:O"),
    )
    labels = base.mark_text(fontSize=11).encode(
        x=alt.X("middle:Q"),
        text="label:N",
        color=alt.condition("datum.dark", alt.value(INK), alt.value("white")),
    )
    return alt.layer(bars, labels).properties(
        width=_WIDTH, height=32 * len(rows), title=ctx.text("report.chart.sentiment")
    )


def _polarity_colour(ctx: ToolContext) -> alt.Color:
    names = [ctx.text(f"report.polarity.{polarity}") for polarity in COLOURS]
    scale = alt.Scale(domain=names, range=list(COLOURS.values()))
    return alt.Color("polarity:N", scale=scale, legend=alt.Legend(orient="top", title=None))


def _trend(trend: Trend, ctx: ToolContext) -> Any:  # as png
    """Volume above, quality below, on one time axis; a dashed line where a level changes."""
    values = [
        {
            "period": point.period,
            "reviews": point.reviews,
            "share": point.positive_share,
            "rating": point.mean_rating,
        }
        for point in trend.points
    ]
    # By name, not by time: every period is there, and a time axis repeats its labels when there are few.
    # The labels are chosen here: leaving it to Vega costs seconds, since it measures every one of them.
    every = -(-len(values) // _LABELS)
    named = [point.period for point in trend.points][::every]
    axis = alt.Axis(title=None, labelAngle=0, labelOverlap=False, grid=False, values=named)
    base = alt.Chart(alt.InlineData(values=values)).encode(x=alt.X("period:O", axis=axis, sort=None))
    volume = base.mark_bar(color="#b9c7d8").encode(y=alt.Y("reviews:Q", title=ctx.text("report.measure.reviews")))
    panels: list[Any] = [volume.properties(width=_WIDTH, height=90, title=ctx.text("report.chart.trend"))]
    for field, measure, format_ in (("share", "positive_share", "%"), ("rating", "mean_rating", ".1f")):
        if all(value[field] is None for value in values):
            continue
        lines = base.mark_line(color=ACCENT, strokeWidth=2.2, point=alt.OverlayMarkDef(color=ACCENT, size=26)).encode(
            y=alt.Y(
                f"{field}:Q",
                title=ctx.text(f"report.measure.{measure}"),
                axis=alt.Axis(format=format_, tickCount=5),
                scale=alt.Scale(zero=False, nice=True),
            )
        )
        marks = [{"period": change.period} for change in trend.changes if change.measure == measure]
        rules = alt.Chart(alt.InlineData(values=marks)).mark_rule(
            color=COLOURS["negative"], strokeDash=[5, 4], strokeWidth=1.5
        )
        layered = alt.layer(lines, rules.encode(x=alt.X("period:O", sort=None))) if marks else lines
        panels.append(layered.properties(width=_WIDTH, height=100))
    return alt.vconcat(*panels, spacing=14)


def _terms(keywords: Sequence[Keyword], ctx: ToolContext) -> Any:  # as png
    """Reviews per term; split by polarity where it is known."""
    values = []
    for keyword in keywords:
        if keyword.tally is None:
            values.append({"term": keyword.term, "reviews": keyword.documents, "order": 0, "polarity": ""})
            continue
        for order, polarity in enumerate(COLOURS):
            values.append(
                {
                    "term": keyword.term,
                    "reviews": getattr(keyword.tally, polarity),
                    "order": order,
                    "polarity": ctx.text(f"report.polarity.{polarity}"),
                }
            )
    judged = keywords[0].tally is not None
    chart = alt.Chart(alt.InlineData(values=values)).mark_bar(height=13)
    encoded = chart.encode(
        y=alt.Y("term:N", sort=None, title=None),
        x=alt.X("reviews:Q", stack="zero", title=ctx.text("report.measure.reviews"), axis=alt.Axis(tickMinStep=1)),
        order=alt.Order("order:O"),
        color=_polarity_colour(ctx) if judged else alt.value(ACCENT),
    )
    return encoded.properties(width=_WIDTH, height=21 * len(keywords), title=ctx.text("report.chart.keywords"))


def png(chart: Any, language: str) -> bytes:  # altair's chart types share no public base
    _register_fonts()
    styled = chart.configure(
        font=", ".join(fonts.families(language)),
        background="white",
        padding=6,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=SOFT,
            titleColor=SOFT,
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            labelLimit=220,
        ),
        legend=alt.LegendConfig(labelColor=SOFT, labelFontSize=11, symbolType="square"),
        title=alt.TitleConfig(color=INK, fontSize=13, fontWeight="normal", anchor="start", offset=10),
    )
    png: bytes = vl_convert.vegalite_to_png(plain_spec(styled.to_dict()), scale=_SCALE, allowed_base_urls=[])
    return png


@cache
def _register_fonts() -> None:
    for folder in fonts.folders():
        vl_convert.register_font_directory(str(folder))
