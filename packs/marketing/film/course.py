"""The scene of the trend: how many reviews there were, and how well they spoke, period by period."""

import math
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw

from contracts.tools import ToolContext
from packs.marketing.film.cards import paper
from packs.marketing.film.charts import Area, frame
from packs.marketing.film.lettering import Style, label, width
from packs.marketing.film.palette import ACCENT, GRID, SOFT, TONES, VOLUME, rgb
from packs.marketing.film.shapes import polyline, rounded
from packs.marketing.film.stage import Format, Layer, Scene
from packs.marketing.reporting.figures import count
from packs.marketing.shapes import Point, Trend

_MOST_POINTS = 48
_LEFT, _FOOT, _TITLE = 84, 40, 44
_MOST_STEPS, _NEARLY = 4, 1e-9
Value = Callable[[Point], float | None]


def trend_scene(trend: Trend, caption: str, size: Format, ctx: ToolContext) -> Scene:
    """Above a line of the positive share (or the rating where nothing was judged), below a bar per period."""
    layers, area = frame(ctx.text("report.chart.trend"), caption, size, ctx.language)
    points = trend.points[-_MOST_POINTS:]
    judged = any(point.positive_share is not None for point in points)
    measure = "positive_share" if judged else "mean_rating"
    value: Value = (lambda point: point.positive_share) if judged else (lambda point: point.mean_rating)
    has_line = any(value(point) is not None for point in points)
    volume_height = round(area.height * (0.44 if has_line else 1.0))
    upper = Area(area.x, area.y, area.width, area.height - volume_height)
    lower = Area(area.x, area.y + upper.height, area.width, volume_height)
    layers += _volume(points, lower, ctx)
    if has_line:
        marked = [change.period for change in trend.changes if change.measure == measure]
        layers += _line(points, value, upper, ctx, measure, marked)
    return Scene("trend", paper(size), layers, caption)


def _title(measure: str, area: Area, ctx: ToolContext) -> Layer:
    return Layer(label(ctx.text(f"report.measure.{measure}"), Style(22, SOFT, language=ctx.language)), (area.x, area.y))


def _centres(number: int, area: Area) -> list[float]:
    step = (area.width - _LEFT) / number
    return [_LEFT + step * (place + 0.5) for place in range(number)]


def _volume(points: Sequence[Point], area: Area, ctx: ToolContext) -> list[Layer]:
    """Bars that rise one after the other, with the periods below."""
    most = max(1, *(point.reviews for point in points))
    floor = area.y + area.height - _FOOT
    tallest = area.height - _FOOT - _TITLE - 26
    centres = _centres(len(points), area)
    thick = max(3, round((area.width - _LEFT) / len(points) * 0.56))
    style = Style(20, SOFT, language=ctx.language)
    layers = [_title("reviews", area, ctx), _rule(area, floor)]
    for number, (point, centre) in enumerate(zip(points, centres, strict=True)):
        if not point.reviews:
            continue
        tall = max(3, round(tallest * point.reviews / most))
        start = 0.4 + 0.6 * number / len(points)
        bar = rounded((thick, tall), 5, VOLUME)
        layers.append(Layer(bar, (area.x + round(centre - thick / 2), floor - tall), "upwards", start, 0.7))
        figure = label(count(point.reviews), style)
        if figure.width < (area.width - _LEFT) / len(points):
            place = (area.x + round(centre - figure.width / 2), floor - tall - figure.height)
            layers.append(Layer(figure, place, "fade", start + 0.4, 0.4))
    shown = max(1, int((area.width - _LEFT) / (max(width(point.period, style) for point in points) + 22)))
    every = -(-len(points) // shown)
    for point, centre in list(zip(points, centres, strict=True))[::every]:
        words = label(point.period, style)
        layers.append(Layer(words, (area.x + round(centre - words.width / 2), floor + 8)))
    return layers


def _rule(area: Area, y: int) -> Layer:
    return Layer(Image.new("RGBA", (area.width - _LEFT, 2), (*rgb(GRID), 255)), (area.x + _LEFT, y))


def _line(
    points: Sequence[Point], value: Value, area: Area, ctx: ToolContext, measure: str, marked: Sequence[str]
) -> list[Layer]:
    """A line that is drawn from left to right; a dashed one where the level changes."""
    found = [(place, known) for place, point in enumerate(points) if (known := value(point)) is not None]
    low, high, steps = _ends([known for _, known in found], measure)
    top, bottom = area.y + _TITLE + 8, area.y + area.height - 22
    centres = _centres(len(points), area)
    layers = [_title(measure, area, ctx)]
    for number in range(steps + 1):
        y = round(bottom - (bottom - top) * number / steps)
        step = low + (high - low) * number / steps
        words = label(f"{100 * step:.0f}%" if measure == "positive_share" else f"{step:.1f}", Style(20, SOFT))
        layers += [_rule(area, y), Layer(words, (area.x + _LEFT - 14 - words.width, y - words.height // 2))]
    space = 16
    places = [
        (centres[place], space + (bottom - top) * (1 - (known - low) / ((high - low) or 1))) for place, known in found
    ]
    for period in marked[-1:]:
        place = next((number for number, point in enumerate(points) if point.period == period), None)
        if place is not None:
            dashes = _dashes(bottom - top)
            layers.append(Layer(dashes, (area.x + round(centres[place]) - 1, top), "fade", 1.6, 0.6))
    drawn = polyline((area.width, bottom - top + 2 * space), places, ACCENT, 4.0)
    layers.append(Layer(drawn, (area.x, top - space), "rightwards", 0.7, 1.5))
    return layers


def _ends(values: Sequence[float], measure: str) -> tuple[float, float, int]:
    """The axis around the values, and how many round steps it has."""
    units = (0.05, 0.1, 0.2, 0.25, 0.5) if measure == "positive_share" else (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0)
    unit = next((unit for unit in units if (max(values) - min(values)) / unit <= _MOST_STEPS - 1), units[-1])
    first, last = math.floor(min(values) / unit + _NEARLY), math.ceil(max(values) / unit - _NEARLY)
    last = max(last, first + 1)
    return first * unit, last * unit, last - first


def _dashes(height: int) -> Image.Image:
    image = Image.new("RGBA", (3, max(1, height)), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    for y in range(0, height, 14):
        pen.rectangle((0, y, 2, y + 8), fill=(*rgb(TONES["negative"]), 255))
    return image
