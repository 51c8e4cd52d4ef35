"""The chart of the stock check: how many days each item's stock lasts, and where its reorder point lies."""

from collections.abc import Mapping

from contracts.tools import ToolContext
from packs.marketing.charts.drawing import Spec, titled
from packs.marketing.charts.rows import BAR, Across, Row, bars
from packs.marketing.charts.style import INK, distinct
from packs.marketing.stock.policy import Status
from packs.marketing.stock.shapes import STATUSES, Checked, Line

COLOURS: Mapping[Status, str] = {"out": "#8f2d1d", "order_now": "#d9822b", "ok": "#1b7f6b", "overstock": "#8fa3bd"}
_BARS = 20
# An empty shelf still shows its colour.
_LEAST = 0.006


def chart(checked: Checked, ctx: ToolContext, width: int) -> Spec:
    """The most urgent items. Bars longer than everything that matters are cut; their labels are not."""
    lines = checked.lines[:_BARS]
    points = [line.advice.reorder_point / line.item.rate.demand for line in lines if line.item.rate.demand > 0]
    limit = max([checked.policy.horizon_days, *(1.1 * point for point in points)])
    names = distinct([line.item.name for line in lines], 24)
    values = [_row(line, name, limit, ctx) for line, name in zip(lines, names, strict=True)]
    scale = {"domain": [ctx.text(f"inventory.status.{status}") for status in STATUSES], "range": list(COLOURS.values())}
    across = Across(0, limit, ctx.text("inventory.chart.days"), {"values": _ticks(limit)})
    drawn = bars(values, across, width, {"field": "status", "type": "nominal", "scale": scale})
    marks = {
        "transform": [{"filter": "datum.point != null"}],
        "mark": {"type": "tick", "thickness": 2, "size": BAR + 6, "color": INK, "opacity": 1, "yOffset": BAR // 2},
        "encoding": {"x": across.at("point")},
    }
    key = "inventory.chart.part" if len(checked.lines) > _BARS else "inventory.chart.note"
    told = ctx.text(key, shown=_BARS, items=f"{len(checked.lines):,}")
    return titled({**drawn, "layer": [*drawn["layer"], marks]}, ctx.text("inventory.chart.title"), told)


def _row(line: Line, name: str, limit: float, ctx: ToolContext) -> Row:
    cover, demand = line.advice.cover_days, line.item.rate.demand
    if cover is None:
        said = ctx.text("inventory.chart.no_demand")
    elif line.advice.order:
        said = ctx.text("inventory.chart.order", days=f"{cover:,.0f}", order=f"{line.advice.order:,}")
    else:
        said = ctx.text("inventory.chart.lasts", days=f"{cover:,.0f}")
    return {
        "name": f"{name} · {said}",
        "value": limit if cover is None else min(max(cover, _LEAST * limit), limit),
        "point": line.advice.reorder_point / demand if demand > 0 else None,
        "status": ctx.text(f"inventory.status.{line.advice.status}"),
    }


def _ticks(limit: float) -> list[float]:
    step = next((step for step in (7, 15, 30, 60, 90, 180, 365) if limit / step <= 7), limit / 5)
    return [step * number for number in range(int(limit / step) + 1)]
