"""The dashboard as a PNG, set by typst from picture.typ: no browser is needed to make it, none to look at it."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from contracts.tools import ToolContext
from packs.marketing.board.content import Board
from packs.marketing.board.page import Drawing
from packs.marketing.reporting import fonts, typesetting
from packs.marketing.reporting.brand import Branding

TEMPLATE = Path(__file__).parent / "picture.typ"
_DENSITY = 120.0
# Source and rows; the limits of the method are for the page.
_QUALITY_SENTENCES = 3


def typeset(board: Board, drawings: Mapping[str, Drawing], brand: Branding, ctx: ToolContext) -> bytes:
    """1600 pixels wide, as high as its content."""
    for name, drawing in drawings.items():
        (ctx.workdir / f"{name}.svg").write_text(drawing.file, encoding="utf-8")
    own = {"colour": brand.colour or "#14304f", "logo": brand.png is not None}
    content = _content(board, drawings, ctx) | own
    return typesetting.typeset(TEMPLATE, "board.json", content, brand.png, ctx, format="png", ppi=_DENSITY)


def _content(board: Board, drawings: Mapping[str, Drawing], ctx: ToolContext) -> dict[str, object]:
    return {
        "language": ctx.language,
        "fonts": fonts.families(ctx.language),
        "title": board.title,
        "period": board.period,
        "cards": [asdict(card) for card in board.cards],
        "panels": [
            asdict(panel) | {"file": f"{panel.section}.svg"} for panel in board.panels if panel.section in drawings
        ],
        "quotes": [asdict(quote) for quote in board.quotes],
        "headings": {"quotes": ctx.text("dashboard.heading.quotes"), "orders": ctx.text("dashboard.heading.orders")},
        "orders": _orders(board, ctx),
        "quality": board.quality[:_QUALITY_SENTENCES],
    }


def _orders(board: Board, ctx: ToolContext) -> dict[str, object] | None:
    if board.orders is None:
        return None
    hidden = board.orders.hidden
    return {
        "head": board.orders.head,
        "rows": board.orders.rows,
        "numeric": board.orders.numeric,
        "none": ctx.text("dashboard.orders.none"),
        "more": ctx.text("dashboard.orders.more", number=hidden) if hidden > 0 else "",
    }
