"""The dashboard as one HTML file: no address, one script that its hash allows, and every text from outside escaped. The
font of the page, with no more letters than the page has: a machine without a Korean font shows boxes. The charts of
the dashboard as SVG, each in two widths: a chart made for a desk has tiny letters on a telephone."""

import io
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.board.content import Board
from packs.marketing.board.live import allowed, embedded
from packs.marketing.charts.drawing import svg
from packs.marketing.charts.reviews import charts
from packs.marketing.charts.style import ACCENT, COLOURS, GRID, INK, NARROW, SOFT, VOLUME, WIDE
from packs.marketing.letters import plain
from packs.marketing.reporting import fonts
from packs.marketing.reporting.brand import Branding
from packs.marketing.reporting.material import Material

# Addresses in an SVG are names of its vocabulary; a browser does not need them inside HTML, and a page without a single
# address is easier to trust.
_ADDRESSES = re.compile(r'(?<!\s)\s+xmlns(?::\w+)?="[^"]*"')
# Vega calls what it refers to clip0, gradient_0 and so on, in every drawing anew.
_IDS = re.compile(r'( id="|="url\(#)(?=(?:clip|gradient)_?\d)')


@dataclass(frozen=True, slots=True)
class Drawing:
    """`wide` and `narrow` are SVG elements for HTML, `file` is a whole SVG file of the wide one."""

    wide: str
    narrow: str
    file: str


def draw(material: Material, ctx: ToolContext) -> dict[str, Drawing]:
    """By section: trend, sentiment, keywords; those that have something to show."""
    narrow = charts(material, ctx, NARROW, lines=1)
    return {
        name: drawing(name, spec, narrow[name], ctx.language)
        for name, spec in charts(material, ctx, WIDE, lines=1).items()
    }


def drawing(name: str, wide: Mapping[str, object], narrow: Mapping[str, object], language: str) -> Drawing:
    """Of the two specifications of a chart."""
    drawn = svg(wide, language)
    return Drawing(_inline(drawn, f"{name}-wide"), _inline(svg(narrow, language), f"{name}-narrow"), drawn)


def _inline(drawn: str, name: str) -> str:
    """For a page that holds several: without addresses, and with ids of its own."""
    root, end, rest = drawn.partition(">")
    rest = _IDS.sub(rf"\g<1>{name}-", rest)
    return _ADDRESSES.sub("", root) + end + rest


_FOLDER = Path(__file__).parent
_FONT = "/* font */"
# The charts' colours, and the names under which the style sheet knows them.
_TONES = {INK: "ink", SOFT: "soft", GRID: "line", ACCENT: "accent", VOLUME: "volume"} | {
    colour: name for name, colour in COLOURS.items()
}


def render(
    board: Board, drawings: Mapping[str, Drawing], data: JsonObject | None, brand: Branding, ctx: ToolContext
) -> bytes:
    """`data` is what the page counts anew when somebody filters it."""
    shown = [(panel, drawings[panel.section]) for panel in board.panels if panel.section in drawings]
    head = f"\n:root {{ --head: {brand.colour}; }}" if brand.colour else ""
    page = _templates().get_template("page.html").render(
        language=ctx.language,
        board=board,
        panels=[
            (panel, _labelled(drawn.wide, "wide", panel.told), _labelled(drawn.narrow, "narrow", panel.told))
            for panel, drawn in shown
        ],
        brand=brand,
        style=f"{_FONT}\n{_style()}{head}",
        live=embedded(data) if data else "",
        allowed=allowed(),
        text=ctx.text,
    )  # fmt: skip
    page = plain(page)
    return page.replace(_FONT, font_face(page, ctx.language)).encode("utf-8")


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)


@cache
def _style() -> str:
    """The sheet, and rules that let the charts' fixed colours follow it; a rule is stronger than an attribute."""
    rules = [
        f'figure svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for colour, name in _TONES.items()
        for part in ("fill", "stroke")
    ]
    return "\n".join([(_FOLDER / "page.css").read_text(encoding="utf-8").rstrip(), *rules])


def _labelled(svg: str, width: str, told: str) -> Markup:
    """The drawing as one picture with a description, in place of its many parts."""
    named = svg.replace("<svg", f'<svg role="img" aria-label="{escape(told)}"', 1)
    return Markup(named.replace('class="marks"', f'class="{width}"', 1))  # noqa: S704  # vl-convert's, and escaped


_FILES = {"ja": "NotoSansJP-Regular.otf"}
_USUAL = "NotoSansKR-Regular.otf"
NAME = "Dream Sans"


def font_face(page: str, language: str) -> str:
    """A rule with the letters inside; none where the font is not installed."""
    path = _path(_FILES.get(language, _USUAL)) or _path(_USUAL)
    if path is None:
        return ""
    data = b64encode(_subset(path, page)).decode()
    return f'@font-face {{ font-family: "{NAME}"; src: url(data:font/woff;base64,{data}) format("woff"); }}'


def _path(name: str) -> Path | None:
    return next((folder / name for folder in fonts.folders() if (folder / name).exists()), None)


def _subset(path: Path, text: str) -> bytes:
    # Imported here: it takes longer than all the rest of the page.
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["kern", "palt"], hinting=False, notdef_outline=True)
    cutter, kept = subset.Subsetter(options), io.BytesIO()
    # what the script counts needs all figures
    cutter.populate(text=text + "0123456789.,%/–")
    with subset.load_font(str(path), options) as font:
        cutter.subset(font)
        subset.save_font(font, kept, options)
    return kept.getvalue()
