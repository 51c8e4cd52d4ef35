"""Every chart is one Vega-Lite specification; it becomes a picture here and nowhere else, without a browser."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from unicodedata import east_asian_width

import vl_convert

from packs.marketing.charts.style import GRID, INK, SOFT
from packs.marketing.letters import plain_spec
from packs.marketing.reporting import fonts

Spec = dict[str, Any]
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
# Twice the screen's density is sharp on a telephone and on paper.
_SCALE = 2.0
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
_QUIET = {"domain": False, "ticks": False}


def svg(spec: Mapping[str, object], language: str, ground: str | None = None) -> str:
    """Without `ground` it is transparent: a page has a colour of its own."""
    _register_fonts()
    config = {
        "font": ", ".join((*fonts.families(language), "sans-serif")),
        "aria": False,  # its words are English; whoever shows the chart says in the reader's language what it shows
        "background": ground,
        "padding": 6 if ground else 2,
        "view": {"stroke": None},
        "concat": {"spacing": 14},
        "axis": {"labelColor": SOFT, "titleColor": SOFT, "gridColor": GRID, "labelFontSize": 12, "titleFontSize": 12,
                 "titleFontWeight": "normal", "labelLimit": 220, **_QUIET},
        "legend": {"orient": "top", "title": None, "labelColor": SOFT, "labelFontSize": 12, "symbolType": "square",
                   "labelLimit": 300},
        "title": {"color": INK, "fontSize": 14, "fontWeight": "normal", "anchor": "start", "offset": 8,
                  "frame": "group", "subtitleColor": SOFT, "subtitleFontSize": 11, "subtitlePadding": 4},
        # Lines that turn sharply would stick out above 100 %.
        "line": {"strokeJoin": "round"},
    }  # fmt: skip
    drawn: str = vl_convert.vegalite_to_svg(
        # Vega's engine does not refuse a letter that XML cannot hold: it takes the whole process down.
        plain_spec({"$schema": _SCHEMA, "config": config, **spec}), allowed_base_urls=[]
    )  # fmt: skip
    return drawn


def titled(spec: Spec, title: str, note: str = "") -> Spec:
    """With a title and a remark below it, each in as many lines as it needs: Vega breaks none and cuts the rest."""
    width: int = spec["vconcat"][0]["width"] if "vconcat" in spec else spec["width"]
    told = {"text": wrapped(title, width / 7.5)} | ({"subtitle": wrapped(note, width / 6)} if note else {})
    return {**spec, "title": told}


def wrapped(text: str, most: float) -> list[str]:
    """Lines of so many narrow letters; a wide one counts for two. Broken at spaces where there are some."""
    lines, line, breaking = [], "", 0
    for letter in text:
        line += letter
        breaking = len(line) if letter in " 、。・" else breaking
        if sum(1 + (east_asian_width(one) in "WF") for one in line) > most:
            cut = breaking or len(line) - 1
            lines.append(line[:cut].strip())
            line, breaking = line[cut:], 0
    return [*lines, line.strip()]


def png(spec: Mapping[str, object], language: str) -> bytes:
    """On white, for an answer."""
    picture: bytes = vl_convert.svg_to_png(svg(spec, language, "white"), scale=_SCALE)
    return picture


def fitted(specs: Sequence[Spec], language: str, room: tuple[int, int]) -> str:
    """The SVG of the one whose letters come out largest in the room."""
    drawn = {_scale(one, room): one for one in (svg(spec, language) for spec in specs)}
    return drawn[max(drawn)]


def _scale(drawn: str, room: tuple[int, int]) -> float:
    found = _SIZE.search(drawn)
    return min(room[0] / float(found[1]), room[1] / float(found[2])) if found else 1.0


@cache
def _register_fonts() -> None:
    for folder in fonts.folders():
        vl_convert.register_font_directory(str(folder))
