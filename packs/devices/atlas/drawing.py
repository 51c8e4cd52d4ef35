"""A map of a route, as a PNG for the monitor: the places around, the way, and the names along it."""

import io
import math
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from packs.devices.atlas.places import Place, places
from packs.devices.atlas.routes import Leg

WIDTH, HEIGHT, MARGIN = 960, 600, 90
GROUND, GRID, OTHERS = "#eef3f7", "#d5dfe8", "#a9b8c6"
COLOURS = {"drive": "#1f6feb", "fly": "#d1495b", "sail": "#2a9d8f"}
INK, HALO = "#14202b", "#ffffff"
SMALL, LARGE = 17, 22
ARC = 40
"""Points of a flight's curve."""
GRIDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
"""Degrees between two lines of the grid: the finest that is not too dense."""

Point = tuple[float, float]


class _Chart:
    """Degrees to pixels: longitudes are counted on from the first place, so that no way jumps from edge to edge."""

    def __init__(self, points: Sequence[Point]) -> None:
        lats, lons = [lat for lat, _ in points], [lon for _, lon in points]
        self.middle = ((min(lats) + max(lats)) / 2, (min(lons) + max(lons)) / 2)
        self._narrow = max(0.2, math.cos(math.radians(self.middle[0])))
        across = max(0.02, (max(lons) - min(lons)) * self._narrow)
        along = max(0.02, max(lats) - min(lats))
        self.scale = min((WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / along)

    def at(self, point: Point) -> Point:
        lat, lon = point
        x = WIDTH / 2 + (lon - self.middle[1]) * self._narrow * self.scale
        return x, HEIGHT / 2 - (lat - self.middle[0]) * self.scale

    def near(self, lon: float) -> float:
        """The longitude, turned to where the map is."""
        return lon - 360 * round((lon - self.middle[1]) / 360)


def draw(legs: Sequence[Leg], language: str) -> bytes:
    """The map of a route that has legs."""
    lines = _lines(legs)
    chart = _Chart([point for line in lines for point in line])
    image = Image.new("RGB", (WIDTH, HEIGHT), GROUND)
    pen = ImageDraw.Draw(image)
    _grid(pen, chart)
    for place in places().values():
        _dot(pen, chart.at((place.lat, chart.near(place.lon))), 3, OTHERS)
    for leg, line in zip(legs, lines, strict=True):
        pen.line([chart.at(point) for point in line], fill=COLOURS[leg.kind], width=5, joint="curve")
    taken: list[tuple[float, float, float, float]] = []
    ends = [(legs[0].start, lines[0][0], LARGE), (legs[-1].end, lines[-1][-1], LARGE)]
    between = [(leg.end, line[-1], SMALL) for leg, line in zip(legs[:-1], lines[:-1], strict=True)]
    for place, point, size in [*ends, *between]:
        _dot(pen, chart.at(point), 8 if size == LARGE else 6, INK)
        _label(pen, place, chart.at(point), (size, language), taken)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _lines(legs: Sequence[Leg]) -> list[list[Point]]:
    """Latitudes and longitudes along each leg."""
    lines: list[list[Point]] = []
    last = legs[0].start.lon
    for leg in legs:
        line: list[Point] = []
        for lat, lon in _curve(leg):
            last = lon - 360 * round((lon - last) / 360)
            line.append((lat, last))
        lines.append(line)
    return lines


def _curve(leg: Leg) -> list[Point]:
    """A flight goes along the great circle."""
    if leg.kind != "fly":
        return [(leg.start.lat, leg.start.lon), (leg.end.lat, leg.end.lon)]
    one, other = _vector(leg.start), _vector(leg.end)
    angle = math.acos(max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True)))))
    points: list[Point] = []
    for step in range(ARC + 1):
        before, after = math.sin(angle * (1 - step / ARC)), math.sin(angle * step / ARC)
        x, y, z = (a * before + b * after for a, b in zip(one, other, strict=True))
        points.append((math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))))
    return points


def _vector(place: Place) -> tuple[float, float, float]:
    lat, lon = math.radians(place.lat), math.radians(place.lon)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def _grid(pen: ImageDraw.ImageDraw, chart: _Chart) -> None:
    gap = next((one for one in GRIDS if one * chart.scale >= MARGIN), GRIDS[-1])
    lat, lon = (math.floor(one / gap) * gap for one in chart.middle)
    for step in range(-40, 41):
        x, y = chart.at((lat + step * gap, lon + step * gap))
        pen.line([(x, 0), (x, HEIGHT)], fill=GRID)
        pen.line([(0, y), (WIDTH, y)], fill=GRID)


def _dot(pen: ImageDraw.ImageDraw, at: Point, radius: int, colour: str) -> None:
    x, y = at
    if -radius <= x <= WIDTH + radius and -radius <= y <= HEIGHT + radius:
        pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colour)


def _label(
    pen: ImageDraw.ImageDraw,
    place: Place,
    at: Point,
    how: tuple[int, str],
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Writes the name beside its dot, unless another name is there already."""
    size, language = how
    font, name = _font(language, size), place.name(language)
    wide = pen.textlength(name, font=font)
    x = at[0] + 12 if at[0] + 12 + wide < WIDTH else at[0] - 12 - wide
    box = (x, at[1] - size, x + wide, at[1] + size)
    if any(box[0] < right and left < box[2] and box[1] < low and top < box[3] for left, top, right, low in taken):
        return
    taken.append(box)
    pen.text((x, at[1]), name, font=font, fill=INK, anchor="lm", stroke_width=3, stroke_fill=HALO)


@cache
def _font(language: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The packaged fonts; without them Pillow's own, which knows Latin letters only."""
    order = ("jp", "ko") if language == "ja" else ("ko", "jp")
    for name in order:
        try:
            folder = Path(str(import_module(f"pylopdf_fonts_{name}").__file__)).parent
        except ImportError:
            continue
        letters = "JP" if name == "jp" else "KR"
        return ImageFont.truetype(str(folder / f"NotoSans{letters}-Regular.otf"), size)
    return ImageFont.load_default(size)
