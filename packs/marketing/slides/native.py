"""Charts that PowerPoint draws itself: people can open their numbers, change them and restyle them."""

from dataclasses import dataclass
from typing import Any, Literal

from pptx.chart.data import CategoryChartData
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
    XL_TICK_LABEL_POSITION,
)
from pptx.util import Emu, Pt

from packs.marketing.letters import plain
from packs.marketing.slides.canvas import Box
from packs.marketing.slides.theme import BAD, CALM, DARK, GOOD, LIGHT, MAIN, MUTED, PAPER

_INCH = 914_400
_Data: Any = CategoryChartData  # its constructor has no types
_TONES = {"positive": GOOD, "neutral": CALM, "negative": BAD, "main": MAIN, "light": LIGHT}
# A share that does not fit its bar is left out of the picture, not out of the numbers.
_SHARE_IN_BAR = '[<0.06]"";0%'
_SHARE = "0%"
_LARGE, _RATED = 100, 10
Tone = Literal["positive", "neutral", "negative", "main", "light"]
ChartKind = Literal["shares", "counts", "line", "columns"]


@dataclass(frozen=True, slots=True)
class SlideSeries:
    """One series of a chart."""

    name: str
    tone: Tone
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """`told` says what it shows to people who do not see it."""

    kind: ChartKind
    categories: tuple[str, ...]
    rows: tuple[SlideSeries, ...]
    told: str
    percent: bool = False


def draw(slide: Any, chart: Chart, box: Box, *, size: float = 13) -> Any:
    """Returns the graphic frame."""
    data: Any = _Data(number_format=_SHARE if chart.percent else "#,##0.##")
    data.categories = [plain(name) for name in chart.categories]
    for row in chart.rows:
        data.add_series(row.name, row.values)
    place = [Emu(int(value * _INCH)) for value in box]
    frame = slide.shapes.add_chart(_KINDS[chart.kind], *place, data)
    named = frame._element.nvGraphicFramePr.cNvPr  # noqa: SLF001  # python-pptx has no door for alternative text
    named.set("descr", plain(chart.told))
    drawn = frame.chart
    drawn.has_title = False
    drawn.font.size = Pt(size)
    drawn.font.color.theme_color = DARK
    _legend(drawn, shown=chart.kind == "shares")
    for row, series in zip(chart.rows, drawn.plots[0].series, strict=True):
        _paint(series, chart, row)
    _axes(drawn, chart)
    _labels(drawn, chart)
    return frame


_KINDS = {
    "shares": XL_CHART_TYPE.BAR_STACKED,
    "counts": XL_CHART_TYPE.BAR_CLUSTERED,
    "line": XL_CHART_TYPE.LINE_MARKERS,
    "columns": XL_CHART_TYPE.COLUMN_CLUSTERED,
}


def _legend(drawn: Any, *, shown: bool) -> None:
    drawn.has_legend = shown
    if shown:
        drawn.legend.position = XL_LEGEND_POSITION.TOP
        drawn.legend.include_in_layout = False


def _paint(series: Any, chart: Chart, row: SlideSeries) -> None:
    if chart.kind == "line":
        series.smooth = False
        series.format.line.width = Pt(3)
        series.format.line.color.theme_color = _TONES[row.tone]
        series.marker.style = XL_MARKER_STYLE.CIRCLE
        series.marker.size = 8
        series.marker.format.fill.solid()
        series.marker.format.fill.fore_color.theme_color = _TONES[row.tone]
        series.marker.format.line.color.theme_color = PAPER
        return
    series.invert_if_negative = False
    series.format.fill.solid()
    series.format.fill.fore_color.theme_color = _TONES[row.tone]


def _axes(drawn: Any, chart: Chart) -> None:
    names, values = drawn.category_axis, drawn.value_axis
    names.has_major_gridlines = False
    names.format.line.color.theme_color = CALM
    names.tick_labels.font.color.theme_color = DARK
    values.has_major_gridlines = chart.kind == "line"
    values.format.line.fill.background()
    values.tick_labels.font.color.theme_color = MUTED
    values.minimum_scale = 0
    if chart.kind == "line":
        values.major_gridlines.format.line.color.theme_color = CALM
        values.major_gridlines.format.line.width = Pt(0.5)
        values.tick_labels.number_format = _SHARE if chart.percent else _figures(chart.rows[0], axis=True)
        values.tick_labels.number_format_is_linked = False
        if chart.percent:
            values.maximum_scale, values.major_unit = 1, 0.25
        names.tick_label_position = XL_TICK_LABEL_POSITION.LOW
        return
    values.visible = False
    if chart.kind in ("shares", "counts"):
        names.reverse_order = True
    if chart.kind == "shares":
        values.maximum_scale = 1


def _labels(drawn: Any, chart: Chart) -> None:
    plot = drawn.plots[0]
    if chart.kind != "line":
        plot.gap_width = 55
    if chart.kind == "shares":
        plot.overlap = 100
    # More labels than this lie on each other.
    if chart.kind in ("line", "columns") and len(chart.categories) > 13:
        return
    for series, row in zip(plot.series, chart.rows, strict=True):
        labels = series.data_labels
        labels.show_value = True
        labels.number_format = _SHARE_IN_BAR if chart.kind == "shares" else _SHARE if chart.percent else _figures(row)
        labels.number_format_is_linked = False
        inside = chart.kind == "shares"
        labels.font.color.theme_color = PAPER if inside and row.tone != "neutral" else DARK
        labels.font.bold = True
        labels.position = {
            "shares": XL_LABEL_POSITION.CENTER,
            "counts": XL_LABEL_POSITION.OUTSIDE_END,
            "line": XL_LABEL_POSITION.ABOVE,
            "columns": XL_LABEL_POSITION.OUTSIDE_END,
        }[chart.kind]


def _figures(row: SlideSeries, *, axis: bool = False) -> str:
    """How numbers are written: those of a rating with what is behind the point, thousands apart."""
    known = [abs(value) for value in row.values if value is not None]
    small = max(known, default=0.0) < _LARGE and any(value != round(value) for value in known)
    return ("0.0" if axis else "0.0#") if small or (axis and max(known, default=0.0) <= _RATED) else "#,##0"
