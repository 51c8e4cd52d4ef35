"""Charts of time: a line for each measure, and below it how many rows each period rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.charts.drawing import Spec
from packs.marketing.charts.style import ACCENT, COLOURS, VOLUME
from packs.marketing.reporting.material import FEWEST
from packs.marketing.shapes import Trend

# Room for the figures beside the axis, always the same, so that charts above each other share one axis of time.
_AXIS = 44
_LABEL = 72
_MOST_PERIODS = 48
_LARGE = 10_000
"""From here on figures have no room beside the axis: 20k, 1.5M."""


@dataclass(frozen=True, slots=True)
class Series:
    """A measure over the periods; `low` and `high` end its axis, `marked` are periods at which its level changes."""

    title: str
    values: Sequence[float | None]
    low: float = 0.0
    high: float | None = None
    percent: bool = False
    marked: Sequence[str] = ()


def course(
    periods: Sequence[str], rows: Sequence[int], lines: Sequence[Series], counted: str, ctx: ToolContext, width: int
) -> Spec:
    """`counted` names what `rows` counts. A point that rests on few rows is hollow, and the chart says so."""
    # By name, not by time: every period is there, and a time axis repeats its labels when there are few.
    # The labels are chosen here: leaving it to Vega costs seconds, since it measures every one of them.
    shown = list(periods)[:: -(-len(periods) * _LABEL // width)]
    axis = {"title": None, "labelAngle": 0, "labelOverlap": False, "grid": False, "values": shown, "labelPadding": 6}
    across = {"field": "period", "type": "ordinal", "sort": None}
    inner = width - _AXIS - 8
    few = any(number < FEWEST for number in rows)
    panels = [
        {
            "data": {"values": [{"period": period, "value": value, "few": number < FEWEST}
                                for period, number, value in zip(periods, rows, line.values, strict=True)]},
            "width": inner, "height": 110,
            "title": _title(line.title, ctx.text("report.chart.few", fewest=FEWEST) if few else ""),
            "layer": _line(line, across),
        }
        for line in lines
    ]  # fmt: skip
    panels.append(
        {
            "data": {"values": [{"period": one, "rows": number} for one, number in zip(periods, rows, strict=True)]},
            "width": inner, "height": 60, "title": _title(counted),
            "mark": {"type": "bar", "color": VOLUME, "cornerRadiusEnd": 2},
            "encoding": {"x": {**across, "axis": axis},
                         "y": _upright("rows", 0, None, {"tickCount": 3, "tickMinStep": 1})},
        }
    )  # fmt: skip
    return {"vconcat": panels}


def _title(title: str, note: str = "") -> Spec:
    return {"text": title, "fontSize": 12, "offset": 6} | ({"subtitle": note} if note else {})


def _upright(field: str, low: float, high: float | None, axis: Mapping[str, object]) -> Spec:
    scale = {"domain": [low, high], "nice": False} if high is not None else {"domainMin": low, "nice": True}
    fixed = {"minExtent": _AXIS, "maxExtent": _AXIS, "title": None, **axis}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": fixed}


def _line(line: Series, across: Spec) -> list[Spec]:
    large = any(abs(value or 0) >= _LARGE for value in line.values)
    written = "%" if line.percent else "~s" if large else ",.2~f"
    upright = _upright("value", line.low, line.high, {"format": written, "tickCount": 5})
    x = {**across, "axis": {"labels": False, "title": None, "grid": False}}
    fill = {"condition": {"test": "datum.few", "value": "white"}, "value": ACCENT}
    drawn: list[Spec] = [
        {"mark": {"type": "line", "color": ACCENT, "strokeWidth": 2.2}, "encoding": {"x": x, "y": upright}},
        {"mark": {"type": "point", "size": 34, "opacity": 1, "stroke": ACCENT, "strokeWidth": 1.4},
         "encoding": {"x": x, "y": upright, "fill": fill}},
    ]  # fmt: skip
    if line.marked:
        rule = {"type": "rule", "color": COLOURS["negative"], "strokeDash": [5, 4], "strokeWidth": 1.5}
        data = {"values": [{"period": period} for period in line.marked]}
        drawn.append({"data": data, "mark": rule, "encoding": {"x": across}})
    return drawn


def trend(found: Trend, ctx: ToolContext, width: int, most: int = 2) -> Spec:
    """At most so many measures as lines: the share of positive reviews first, then the rating."""
    points = found.points[-_MOST_PERIODS:]
    scale = found.about.quality.rating_scale
    lines = [
        Series(ctx.text("report.measure.positive_share"), [point.positive_share for point in points], high=1.0,
             percent=True, marked=_marked(found, "positive_share")),
        Series(ctx.text("report.measure.mean_rating"), [point.mean_rating for point in points],
             low=scale.low if scale else 0.0, high=scale.high if scale else None, marked=_marked(found, "mean_rating")),
    ]  # fmt: skip
    drawn = [line for line in lines if any(value is not None for value in line.values)][:most]
    periods, rows = [point.period for point in points], [point.reviews for point in points]
    return course(periods, rows, drawn, ctx.text("report.measure.reviews"), ctx, width)


def _marked(found: Trend, measure: str) -> list[str]:
    periods = {point.period for point in found.points[-_MOST_PERIODS:]}
    return [change.period for change in found.changes if change.measure == measure and change.period in periods]
