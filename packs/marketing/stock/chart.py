"""The chart of the stock check: how many days each item's stock lasts, and where its reorder point lies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from contracts.tools import ToolContext
from packs.marketing.reporting.charts import INK, SOFT, png
from packs.marketing.stock.policy import Status
from packs.marketing.stock.shapes import STATUSES, Checked, Line

COLOURS: Mapping[Status, str] = {"out": "#8f2d1d", "order_now": "#d9822b", "ok": "#1b7f6b", "overstock": "#8fa3bd"}
_BARS = 30
_WIDTH = 560
_LONGEST = 26
# An empty shelf still shows its colour.
_LEAST = 0.006
# Room to the right of the longest bar for its label.
_ROOM = 1.2


def draw(checked: Checked, ctx: ToolContext) -> bytes:
    """PNG of the most urgent items. Bars longer than everything that matters are cut; their labels are not."""
    lines = checked.lines[:_BARS]
    points = [line.advice.reorder_point / line.item.rate.demand for line in lines if line.item.rate.demand > 0]
    limit = max([checked.policy.horizon_days, *(1.1 * point for point in points)])
    names = _labels(lines)
    values = [_value(line, name, limit, ctx) for line, name in zip(lines, names, strict=True)]
    spoken = [ctx.text(f"inventory.status.{status}") for status in STATUSES]
    base = alt.Chart(alt.InlineData(values=values)).encode(y=alt.Y("name:N", sort=None, title=None))
    bars = base.mark_bar(height=13).encode(
        x=alt.X(
            "shown:Q",
            title=ctx.text("inventory.chart.days"),
            scale=alt.Scale(domain=[0, _ROOM * limit], nice=False),
            axis=alt.Axis(values=_ticks(limit)),
        ),
        color=alt.Color(
            "status:N",
            scale=alt.Scale(domain=spoken, range=list(COLOURS.values())),
            legend=alt.Legend(orient="top", title=None),
        ),
    )
    texts = base.mark_text(align="left", dx=6, fontSize=11, color=INK).encode(x=alt.X("end:Q"), text="label:N")
    ticks = base.transform_filter("datum.point != null").mark_tick(thickness=2, size=19, color=INK, opacity=1)
    chart = alt.layer(bars, ticks.encode(x=alt.X("point:Q")), texts)
    title = alt.TitleParams(ctx.text("inventory.chart.title"), subtitle=_subtitle(checked, ctx), subtitleColor=SOFT)
    return png(chart.properties(width=_WIDTH, height=22 * len(lines), title=title), ctx.language)


def _subtitle(checked: Checked, ctx: ToolContext) -> str:
    key = "inventory.chart.part" if len(checked.lines) > _BARS else "inventory.chart.note"
    return ctx.text(key, shown=_BARS, items=f"{len(checked.lines):,}")


def _value(line: Line, name: str, limit: float, ctx: ToolContext) -> dict[str, Any]:
    cover, demand = line.advice.cover_days, line.item.rate.demand
    shown = limit if cover is None else min(max(cover, _LEAST * limit), limit)
    point = line.advice.reorder_point / demand if demand > 0 else None
    if cover is None:
        label = ctx.text("inventory.chart.no_demand")
    elif line.advice.order:
        label = ctx.text("inventory.chart.order", days=f"{cover:,.0f}", order=f"{line.advice.order:,}")
    else:
        label = ctx.text("inventory.chart.lasts", days=f"{cover:,.0f}")
    return {
        "name": name,
        "shown": shown,
        # A label stands behind the bar and behind the mark of the reorder point, never across them.
        "end": max(shown, point or 0.0),
        "point": point,
        "label": label,
        "status": ctx.text(f"inventory.status.{line.advice.status}"),
    }


def _ticks(limit: float) -> list[float]:
    step = next((step for step in (7, 15, 30, 60, 90, 180, 365) if limit / step <= 7), limit / 5)
    return [step * number for number in range(int(limit / step) + 1)]


def _labels(lines: Sequence[Line]) -> list[str]:
    """Short names, each different: bars of one name would lie on each other."""
    short = [_short(line.item.name) for line in lines]
    twice = Counter(short)
    return [
        name if twice[name] == 1 else _short(f"{line.item.key} {line.item.name}") + f" #{number}"
        for number, (name, line) in enumerate(zip(short, lines, strict=True), start=1)
    ]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
