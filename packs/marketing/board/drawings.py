"""The charts of the dashboard as SVG, each in two widths: a chart made for a desk has tiny letters on a telephone.

Colours are those of the report; the page's style sheet maps them to its own for dark screens.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import vl_convert

from contracts.tools import ToolContext
from packs.marketing.letters import plain
from packs.marketing.reporting import fonts
from packs.marketing.reporting.charts import ACCENT, COLOURS, GRID, INK, SOFT
from packs.marketing.reporting.material import Material
from packs.marketing.shapes import Keyword, Tally, Trend

VOLUME = "#b9c7d8"
WIDE, NARROW = 560, 300
_BARS, _TERMS, _PERIODS = 8, 10, 36
# Room for the numbers beside the axis, always the same, so that two charts above each other share one time axis.
_AXIS = 40
Spec = dict[str, Any]
# Addresses in an SVG are names of its vocabulary; a browser does not need them inside HTML, and a page without a single
# address is easier to trust.
_ADDRESSES = re.compile(r'(?<!\s)\s+xmlns(?::\w+)?="[^"]*"')


# Vega calls what it refers to clip0, gradient_0 and so on, in every drawing anew.
_IDS = re.compile(r'( id="|="url\(#)(?=(?:clip|gradient)_?\d)')


@dataclass(frozen=True, slots=True)
class Drawing:
    """`wide` and `narrow` are SVG elements for HTML, `file` is a whole SVG file of the wide one."""

    wide: str
    narrow: str
    file: str


def draw(material: Material, ctx: ToolContext) -> dict[str, Drawing]:
    """By section: trend, sentiment, keywords; those that have something to show."""
    made: dict[str, Drawing] = {}
    if material.trend is not None and len(material.trend.points) > 1:
        made["trend"] = _both("trend", [_trend(material.trend, width, ctx) for width in (WIDE, NARROW)], ctx)
    if material.sentiment is not None:
        rows: list[tuple[str, Tally]] = [(ctx.text("report.all_products"), material.sentiment.overall)]
        rows += [(product.name, product) for product in material.products[:_BARS]]
        made["sentiment"] = _both("sentiment", [_shares(rows, width) for width in (WIDE, NARROW)], ctx)
    if material.keywords is not None and material.keywords.keywords:
        terms = material.keywords.keywords[:_TERMS]
        made["keywords"] = _both("keywords", [_terms(terms, width) for width in (WIDE, NARROW)], ctx)
    return made


def _trend(trend: Trend, width: int, ctx: ToolContext) -> Spec:
    points = trend.points[-_PERIODS:]
    values = [
        {"period": point.period, "reviews": point.reviews, "share": point.positive_share, "rating": point.mean_rating}
        for point in points
    ]
    field, name, format_ = ("share", "positive_share", "%")
    if all(value["share"] is None for value in values):
        field, name, format_ = ("rating", "mean_rating", ".1f")
    every = -(-len(points) // (8 if width == WIDE else 4))
    named = [point.period for point in points][::every]
    across = {"field": "period", "type": "ordinal", "sort": None}
    axis = {"title": None, "labelAngle": 0, "labelOverlap": False, "grid": False, "values": named, "ticks": False}
    extent = {"minExtent": _AXIS, "maxExtent": _AXIS, "title": None, "domain": False, "ticks": False}
    marks = [{"period": change.period} for change in trend.changes if change.measure == name]
    lines: list[Spec] = [
        {
            "mark": {"type": "line", "color": ACCENT, "strokeWidth": 2.5, "point": {"color": ACCENT, "size": 36}},
            "encoding": {
                "x": {**across, "axis": {**axis, "labels": False}},
                "y": {
                    "field": field, "type": "quantitative", "scale": {"zero": False, "nice": True},
                    "axis": {**extent, "format": format_, "tickCount": 4},
                },
            },
        }
    ]  # fmt: skip
    if marks:
        rule = {"type": "rule", "color": COLOURS["negative"], "strokeDash": [5, 4], "strokeWidth": 1.5}
        lines.append({"data": {"values": marks}, "mark": rule, "encoding": {"x": across}})
    inner = width - _AXIS - 10
    title = ctx.text(f"report.measure.{name}")
    return {
        "data": {"values": values},
        "spacing": 14,
        "vconcat": [
            {"width": inner, "height": 150, "title": title, "layer": lines},
            {
                "width": inner,
                "height": 70,
                "title": ctx.text("report.measure.reviews"),
                "mark": {"type": "bar", "color": VOLUME, "cornerRadiusEnd": 2},
                "encoding": {
                    "x": {**across, "axis": axis},
                    "y": {"field": "reviews", "type": "quantitative", "axis": {**extent, "tickCount": 3}},
                },
            },
        ],
    }


def _shares(rows: Sequence[tuple[str, Tally]], width: int) -> Spec:
    """One full bar per row, its name above it: beside it there is no room on a telephone."""
    values = []
    for place, (name, tally) in enumerate(rows):
        start = 0.0
        for order, side in enumerate(COLOURS):
            share = getattr(tally, side) / tally.reviews if tally.reviews else 0.0
            label = f"{100 * share:.0f}%" if share >= (0.06 if width == WIDE else 0.11) else ""
            values.append(
                {
                    "place": place, "name": f"{_short(name, width)} ({tally.reviews:,})", "side": side, "order": order,
                    "from": start, "to": start + share, "middle": start + share / 2, "label": label,
                }
            )  # fmt: skip
            start += share
    down = {"field": "place", "type": "ordinal", "axis": None}
    tone = {"domain": list(COLOURS), "range": list(COLOURS.values())}
    across = {"type": "quantitative", "axis": None, "scale": {"domain": [0, 1]}}
    ink = {"condition": {"test": "datum.side == 'neutral'", "value": INK}, "value": "white"}
    bars: Spec = {
        "mark": {"type": "bar", "height": 18, "yOffset": 9},
        "encoding": {
            "x": {"field": "from", **across}, "x2": {"field": "to"}, "y": down,
            "color": {"field": "side", "type": "nominal", "scale": tone, "legend": None},
        },
    }  # fmt: skip
    labels: Spec = {
        "mark": {"type": "text", "fontSize": 12, "yOffset": 9},
        "encoding": {"x": {"field": "middle", **across}, "y": down, "text": {"field": "label"}, "color": ink},
    }
    names: Spec = {
        "transform": [{"filter": "datum.order == 0"}],
        "mark": {"type": "text", "align": "left", "fontSize": 13, "yOffset": -10, "color": INK},
        "encoding": {"x": {"datum": 0, **across}, "y": down, "text": {"field": "name"}},
    }
    return {"data": {"values": values}, "width": width - 10, "height": 48 * len(rows), "layer": [bars, labels, names]}


def _terms(keywords: Sequence[Keyword], width: int) -> Spec:
    """Reviews per term; split by polarity where it is known."""
    values: list[dict[str, object]] = []
    for keyword in keywords:
        term = _short(keyword.term, NARROW)
        if keyword.tally is None:
            values.append({"term": term, "reviews": keyword.documents, "side": "all", "order": 0})
            continue
        for order, side in enumerate(COLOURS):
            reviews = getattr(keyword.tally, side)
            values.append({"term": term, "reviews": reviews, "side": side, "order": order})
    tone = {"domain": ["all", *COLOURS], "range": [ACCENT, *COLOURS.values()]}
    beside = {"title": None, "domain": False, "ticks": False, "labelLimit": 100, "labelColor": INK, "labelFontSize": 13}
    return {
        "data": {"values": values},
        "width": width,
        "height": 28 * len(keywords) + 30,
        "autosize": {"type": "fit", "contains": "padding"},
        "mark": {"type": "bar", "height": 16},
        "encoding": {
            "y": {"field": "term", "type": "nominal", "sort": None, "axis": beside},
            "x": {
                "field": "reviews", "type": "quantitative", "stack": "zero",
                "axis": {"title": None, "tickMinStep": 1, "tickCount": 5, "domain": False, "ticks": False},
            },
            "order": {"field": "order"},
            "color": {"field": "side", "type": "nominal", "scale": tone, "legend": None},
        },
    }  # fmt: skip


def _short(name: str, width: int) -> str:
    # Vega's engine does not refuse a letter that XML cannot hold: it takes the whole process down.
    name, most = plain(name), 48 if width == WIDE else 22
    return name if len(name) <= most else name[: most - 1] + "…"


def _both(section: str, specs: Sequence[Spec], ctx: ToolContext) -> Drawing:
    wide, narrow = (_svg(spec, ctx.language) for spec in specs)
    return Drawing(_inline(wide, f"{section}-wide"), _inline(narrow, f"{section}-narrow"), wide)


def _inline(svg: str, name: str) -> str:
    """For a page that holds several: without addresses, and with ids of its own."""
    root, end, rest = svg.partition(">")
    rest = _IDS.sub(rf"\g<1>{name}-", rest)
    return _ADDRESSES.sub("", root) + end + rest


def _svg(spec: Mapping[str, object], language: str) -> str:
    _register_fonts()
    config = {
        "font": ", ".join((*fonts.families(language), "sans-serif")),
        "aria": False,  # its words are English; the page says in the reader's language what a chart shows
        "background": None,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {"labelColor": SOFT, "gridColor": GRID, "domainColor": GRID, "labelFontSize": 12},
        "title": {"color": SOFT, "fontSize": 12, "fontWeight": "normal", "anchor": "start", "offset": 6},
    }
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    svg: str = vl_convert.vegalite_to_svg({"$schema": schema, "config": config, **spec}, allowed_base_urls=[])
    return svg


@cache
def _register_fonts() -> None:
    for folder in fonts.folders():
        vl_convert.register_font_directory(str(folder))
