"""Charts of named rows, each name above its mark: beside it there is no room on a telephone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.charts.drawing import Spec
from packs.marketing.charts.style import ACCENT, COLOURS, INK, SOFT, short
from packs.marketing.reporting.figures import count, share
from packs.marketing.shapes import Keyword, Tally

_STEP, BAR = 46, 18
ACCENTED: Spec = {"value": ACCENT}
# A letter of a label is about so wide, and a label that does not fit its part is worse than none.
_LETTER = 9
Row = dict[str, object]
"""What is drawn of a row; it must have a `name`."""


@dataclass(frozen=True, slots=True)
class Across:
    """The horizontal scale: from where to where, what it measures, and whether it is shown at all."""

    low: float
    high: float
    title: str = ""
    axis: Mapping[str, object] | None = None

    def at(self, field: str) -> Spec:
        axis = {"title": self.title or None, "tickCount": 6, **self.axis} if self.axis is not None else None
        scale = {"domain": [self.low, self.high], "nice": False, "zero": False}
        return {"field": field, "type": "quantitative", "axis": axis, "scale": scale}


def stacked(rows: Sequence[tuple[str, Tally, float]], ctx: ToolContext, width: int, *, percent: bool) -> Spec:
    """A bar per row: its name, its tally, and how long the bar is; split by polarity with the figures inside."""
    longest = max(length for _, _, length in rows)
    values: list[Row] = []
    for place, (name, tally, length) in enumerate(rows):
        start = 0.0
        for order, side in enumerate(COLOURS):
            number = getattr(tally, side)
            part = number / tally.reviews * length if tally.reviews else 0.0
            figure = f"{100 * number / tally.reviews:.0f}%" if percent and tally.reviews else count(number)
            fits = number and part / longest * width >= _LETTER * len(figure) + 4
            values.append(
                {"place": place, "name": name if order == 0 else "", "side": ctx.text(f"report.polarity.{side}"),
                 "dark": side == "neutral", "from": start, "to": start + part, "middle": start + part / 2,
                 "label": figure if fits else ""}
            )  # fmt: skip
            start += part
    across = Across(0, longest)
    domain = [ctx.text(f"report.polarity.{side}") for side in COLOURS]
    colour = {"field": "side", "type": "nominal", "scale": {"domain": domain, "range": list(COLOURS.values())}}
    ink = {"condition": {"test": "datum.dark", "value": INK}, "value": "white"}
    parts = {"mark": bar(), "encoding": {"x": across.at("from"), "x2": {"field": "to"}, "color": colour}}
    figures = label("middle", across, ink, align="center", dx=0)
    return named(values, [parts, figures], len(rows), width)


def shares(rows: Sequence[tuple[str, Tally]], ctx: ToolContext, width: int) -> Spec:
    """One full bar per row, with the percentages inside."""
    return stacked(
        [(f"{short(name, 30)} ({count(tally.reviews)})", tally, 1.0) for name, tally in rows], ctx, width, percent=True
    )


def terms(keywords: Sequence[Keyword], ctx: ToolContext, width: int) -> Spec:
    """Reviews per term; split by polarity where it is known."""
    names = [f"{short(word.term)} ({count(word.documents)})" for word in keywords]
    if all(word.tally is not None for word in keywords):
        split = [(name, word.tally, float(word.documents)) for name, word in zip(names, keywords, strict=True)]
        return stacked([(name, tally, size) for name, tally, size in split if tally], ctx, width, percent=False)
    values = [{"name": name, "value": word.documents} for name, word in zip(names, keywords, strict=True)]
    return bars(values, Across(0, max(word.documents for word in keywords)), width)


def bars(rows: Sequence[Row], across: Across, width: int, colour: Spec | None = None) -> Spec:
    """`value` long, and a `label` behind the bar if there is one."""
    placed = [{"label": "", **row, "place": place} for place, row in enumerate(rows)]
    drawn = {"mark": bar(), "encoding": {"x": {**across.at("value"), "stack": None}, "color": colour or ACCENTED}}
    return named(placed, [drawn, label("value", across, {"value": INK})], len(rows), width)


def dots(rows: Sequence[Row], across: Across, width: int, colour: Spec | None = None) -> Spec:
    """`value` with its `label`, and the interval from `low` to `high` where it is known."""
    placed = [{"low": row["value"], "high": row["value"], **row, "place": place} for place, row in enumerate(rows)]
    colour = colour or ACCENTED
    drop = BAR // 2
    spans = {"mark": {"type": "rule", "strokeWidth": 3, "yOffset": drop},
             "encoding": {"x": across.at("low"), "x2": {"field": "high"}, "color": colour}}  # fmt: skip
    points = {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "yOffset": drop},
              "encoding": {"x": across.at("value"), "color": colour}}  # fmt: skip
    return named(placed, [spans, points, label("high", across, {"value": INK})], len(rows), width)


def bar() -> Spec:
    return {"type": "bar", "height": BAR, "yOffset": BAR // 2}


def label(x: str, across: Across, colour: Spec, **mark: object) -> Spec:
    written = {"type": "text", "fontSize": 12, "align": "left", "dx": 8, "yOffset": BAR // 2, **mark}
    return {"mark": written, "encoding": {"x": across.at(x), "text": {"field": "label"}, "color": colour}}


def named(values: Sequence[Row], layers: Sequence[Spec], rows: int, width: int) -> Spec:
    """The layers, and above each row its name."""
    names = {
        "mark": {"type": "text", "align": "left", "fontSize": 13, "yOffset": -10, "color": INK},
        "encoding": {"x": {"value": 0}, "text": {"field": "name"}},
    }
    return {
        "data": {"values": list(values)},
        "width": width,
        "height": _STEP * rows,
        "encoding": {"y": {"field": "place", "type": "ordinal", "axis": None}},
        "layer": [*layers, names],
    }


def ring(tally: Tally, ctx: ToolContext, *, beside: bool) -> Spec:
    """A ring of the three polarities around the share of positive reviews; the legend holds the figures."""
    across, whole = 220, max(1, tally.reviews)
    names = [
        f"{ctx.text(f'report.polarity.{side}')}  {share(getattr(tally, side), whole)}  ({count(getattr(tally, side))})"
        for side in COLOURS
    ]
    values = [{"side": name, "part": getattr(tally, side), "order": order}
              for order, (name, side) in enumerate(zip(names, COLOURS, strict=True))]  # fmt: skip
    legend = {"orient": "right" if beside else "bottom", "direction": "vertical", "labelFontSize": 15, "rowPadding": 14,
              "symbolSize": 180, "offset": 28}  # fmt: skip
    scale = {"domain": names, "range": list(COLOURS.values())}
    arcs = {
        "mark": {"type": "arc", "innerRadius": 0.66 * across / 2, "outerRadius": across / 2},
        "encoding": {
            "theta": {"field": "part", "type": "quantitative", "stack": True},
            "order": {"field": "order", "type": "ordinal"},
            "color": {"field": "side", "type": "nominal", "scale": scale, "legend": legend},
        },
    }
    middle = [
        {"mark": {"type": "text", "text": told, "fontSize": size, "color": colour, "dy": down}}
        for told, size, colour, down in (
            (share(tally.positive, whole), 34, INK, -8), (ctx.text("report.polarity.positive"), 15, SOFT, 22)
        )
    ]  # fmt: skip
    return {"data": {"values": values}, "width": across, "height": across, "layer": [arcs, *middle]}
