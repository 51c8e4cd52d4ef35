"""The dashboard as one HTML file: no address, one script that its hash allows, and every text from outside escaped."""

from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.board.content import Board
from packs.marketing.board.drawings import Drawing
from packs.marketing.board.lettering import font_face
from packs.marketing.board.live import allowed, embedded
from packs.marketing.charts.style import ACCENT, COLOURS, GRID, INK, SOFT, VOLUME
from packs.marketing.letters import plain
from packs.marketing.reporting.brand import Branding

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
