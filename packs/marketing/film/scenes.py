"""Scenes as data: their parts below each other, which typst sets (scenes.typ); what moves is a picture of its own."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.film.stage import FPS, Format, Layer, Motion, Scene
from packs.marketing.reporting.typesetting import families, pages, words

TEMPLATE = Path(__file__).parent / "scenes.typ"
WHITE, NIGHT, PALE = "#ffffff", "#10243d", "#c9d8ea"
ON_DARK: JsonObject = {"fill": "#254b78", "edge": "#3d6796"}
ON_PAPER: JsonObject = {"fill": "#ffffff", "edge": "#dfe4ea"}
Move = tuple[Motion, float, float]
"""How a part comes in, and when and for how long, in seconds."""
STILL: Move = ("still", 0.0, 0.6)


class ScenePart:
    """What stands in a scene: one or several things that move, each by itself."""

    def __init__(self, kind: str, *moves: Move, above: int = 0, **content: JsonValue) -> None:
        self.moves = moves or (STILL,)
        self.content: JsonObject = {"kind": kind, "above": above, **content}


def heading(text: str, size: int, room: int, *move: Move, above: int = 0, colour: str = WHITE) -> ScenePart:
    """Strong words."""
    told = words(text, size, colour, bold=True, leading=1.26, room=room)
    return ScenePart("words", *move, above=above, words=told)


def remark(text: str, size: int, *move: Move, above: int = 0, room: int | None = None, colour: str = PALE) -> ScenePart:
    """Quiet words."""
    told = words(text, size, colour, room=room, leading=1.5 if room else 1.42, smallest=18)
    return ScenePart("words", *move, above=above, words=told)


def bar(size: tuple[int, int], colour: str, move: Move, above: int = 0) -> ScenePart:
    return ScenePart("bar", move, above=above, width=size[0], height=size[1], fill=colour)


def pill(text: str, size: int, fill: str, pad: tuple[int, int], move: Move, above: int = 0) -> ScenePart:
    """A line on a ground with round ends."""
    told = words(text, size, NIGHT, bold=True, leading=1.3)
    return ScenePart("pill", move, above=above, words=told, fill=fill, pad=list(pad))


def cards(
    items: Sequence[Sequence[JsonObject]], moves: Sequence[Move], columns: int, height: int, above: int
) -> ScenePart:
    """Words on cards of one size, in so many columns."""
    rows: list[JsonValue] = [list[JsonValue](item) for item in items]
    look: JsonObject = {"columns": columns, "gap": 24, "height": height, "inset": 32, "look": ON_DARK, "items": rows}
    return ScenePart("cards", *moves, above=above, **look)


def paint(  # noqa: PLR0913  # what a scene is made of
    name: str,
    parts: Sequence[ScenePart],
    caption: str,
    size: Format,
    ctx: ToolContext,
    *,
    dark: bool = True,
    drift: float = 0.0,
    chart: str | None = None,
) -> Scene:
    """`drift` is for how many seconds the view moves over the ground; `chart` is the SVG of the part "chart"."""
    moves = [move for part in parts for move in part.moves]
    firsts = [sum(len(before.moves) for before in parts[:number]) for number in range(len(parts))]
    content = {
        "language": ctx.language,
        "fonts": families(ctx.language),
        "size": (size.width, size.height),
        "margin": size.margin,
        "top": 0 if dark else size.top,
        "bottom": 0 if dark else size.height - size.bottom,
        "drift": round(drift * FPS) + 1 if drift else 0,
        "dark": dark,
        "layers": len(moves),
        "parts": [part.content | {"first": first} for part, first in zip(parts, firsts, strict=True)],
    }
    if chart is not None:
        (ctx.workdir / "chart.svg").write_text(chart, encoding="utf-8")
    ground, *drawn = pages(TEMPLATE, "scene.json", content, ctx, format="png", ppi=72.0)
    layers = [layer for page, move in zip(drawn, moves, strict=True) if (layer := _layer(page, move)) is not None]
    backdrop = Image.open(io.BytesIO(ground)).convert("RGB")
    return Scene(name, backdrop, layers, caption, dark=dark, drift=drift > 0)


def _layer(page: bytes, move: Move) -> Layer | None:
    """What is to be seen of a page; none where nothing is."""
    picture = Image.open(io.BytesIO(page)).convert("RGBA")
    box = picture.getbbox()
    return None if box is None else Layer(picture.crop(box), box[:2], *move)
