"""The picture of an answer: a line over time, bars for counts and sums, dots for means on their whole scale."""

from typing import Any

import altair as alt

from contracts.tools import ToolContext
from packs.marketing.asking.answering import Figures
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.asking.sentences import figure, group_name, measure_name, shown
from packs.marketing.reporting.charts import ACCENT, png

WIDTH = 360
"""Pixels: readable on a phone."""
FIRST, LAST = 10, 5
"""Of many groups those that are drawn; all are in the table."""
MOST = 20
_LONGEST = 18
_TICKS = 6


def draw(profile: Profile, request: Request, figures: Figures, ctx: ToolContext) -> bytes | None:
    """PNG; None where there are not two groups to look at, or two kinds of them."""
    if len(request.groups) != 1 or len(figures.rows) < 2:
        return None
    measure = next((one for one in request.measures if one.kind != "count"), request.measures[0])
    at = request.measures.index(measure)
    values = [
        {"name": _short(names[0]), "value": value[at], "rows": rows, "label": figure(measure, value[at] or 0.0)}
        for names, rows, value in figures.rows
        if value[at] is not None
    ]
    group = request.groups[0]
    title = measure_name(measure, ctx)
    if scope := " · ".join(shown(one, ctx) for one in request.filters):
        title = f"{title} ({scope})"
    if group.grain and len(values) > 2:
        chart = _line(values, measure_name(measure, ctx))
    else:
        if len(values) > MOST:
            values = [*values[:FIRST], *values[-LAST:]]
        column = profile.column(measure.column) if measure.column else None
        scale = column.scale if column is not None and measure.kind in ("mean", "median") else None
        ends = (float(scale.low), float(scale.high)) if scale else None
        chart = _bars(values, measure_name(measure, ctx), ends)
    return png(
        chart.properties(width=WIDTH, title=alt.Title(title, subtitle=_of(group_name(group, ctx), figures, ctx))),
        ctx.language,
    )


def warm() -> None:
    """Draws what nobody looks at."""
    for language in ("ko", "ja", "en"):
        png(_bars([{"name": "가かa", "value": 1.0, "rows": 1, "label": "1"}], "", None), language)


def _of(by: str, figures: Figures, ctx: ToolContext) -> str:
    return ctx.text("ask.chart.of", by=by, rows=f"{figures.left:,}")


def _bars(
    values: list[dict[str, Any]], title: str, ends: tuple[float, float] | None
) -> Any:  # altair's types share no base
    base = alt.Chart(alt.InlineData(values=values)).encode(y=alt.Y("name:N", sort=None, title=None))
    scale = alt.Scale(domain=list(ends)) if ends else alt.Scale(zero=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=_TICKS))
    marks = base.mark_point(filled=True, size=90, color=ACCENT) if ends else base.mark_bar(height=16, color=ACCENT)
    labels = base.mark_text(align="left", dx=8, fontSize=11).encode(x=x, text="label:N")
    return alt.layer(marks.encode(x=x), labels).properties(height=26 * len(values))


def _line(values: list[dict[str, Any]], title: str) -> Any:  # as _bars
    every = -(-len(values) // _TICKS)
    axis = alt.Axis(
        title=None, labelAngle=0, labelOverlap=False, grid=False, values=[one["name"] for one in values][::every]
    )
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("name:O", axis=axis, sort=None),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5)),
    )
    return base.mark_line(color=ACCENT, strokeWidth=2.2, point=alt.OverlayMarkDef(color=ACCENT, size=26)).properties(
        height=200
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
