"""Charts of two kinds of groups: over time a line for each name, otherwise bars of each name side by side."""

from collections.abc import Sequence

from packs.marketing.charts.drawing import Spec
from packs.marketing.charts.style import KINDS, distinct

Cell = tuple[str, str, float]
"""A period or a name, the name that has a colour, and the figure of both together."""
_MOST_PERIODS, _MOST_NAMES = 48, 8
_LABEL = 72
_BAR, _GAP = 16, 14
_LARGE = 10_000
"""From here on figures have no room beside the axis: 20k, 1.5M."""


def crossed(cells: Sequence[Cell], width: int, *, over_time: bool) -> Spec | None:
    """None where there are more of them than can be told apart."""
    along, names = (list(dict.fromkeys(each)) for each in zip(*((one[0], one[1]) for one in cells), strict=True))
    if not 1 < len(names) <= len(KINDS) or not 1 < len(along) <= (_MOST_PERIODS if over_time else _MOST_NAMES):
        return None
    shown = dict(zip(names, distinct(names, 16), strict=True))
    values = [{"along": one, "name": shown[name], "value": value} for one, name, value in cells]
    scale = {"domain": list(shown.values()), "range": list(KINDS[: len(names)])}
    colour = {"field": "name", "type": "nominal", "scale": scale, "legend": {"columns": 3}}
    written = "~s" if any(abs(one[2]) >= _LARGE for one in cells) else ",.2~f"
    figure = {"field": "value", "type": "quantitative", "axis": {"title": None, "format": written, "tickCount": 5}}
    if over_time:
        # the labels are chosen here, as in every chart of time
        axis = {"title": None, "labelAngle": 0, "grid": False, "values": along[:: -(-len(along) * _LABEL // width)]}
        mark = {"type": "line", "point": {"size": 30}, "strokeWidth": 2}
        encoding = {"x": {"field": "along", "type": "ordinal", "sort": None, "axis": axis}, "y": figure}
        return {"data": {"values": values}, "width": width - 40, "height": 190, "mark": mark,
                "encoding": {**encoding, "color": colour}}  # fmt: skip
    each = {"field": "along", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 110}}
    beside = {"field": "name", "type": "nominal", "sort": list(shown.values())}
    return {
        "data": {"values": values},
        "width": width - 110,
        "height": len(along) * (len(names) * _BAR + _GAP),
        "mark": {"type": "bar", "cornerRadiusEnd": 2},
        "encoding": {"y": each, "yOffset": beside, "x": figure, "color": colour},
    }
