"""marketing.dashboard: the key figures on one page, as HTML that needs no network and as a picture."""

from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import read_json
from packs.marketing.board.content import compose
from packs.marketing.board.measures import as_json
from packs.marketing.board.orders import read_orders
from packs.marketing.evidence import say, summed_up
from packs.marketing.overview.shape import TABLE_INSIGHT, Overview
from packs.marketing.reporting.brand import read_brand
from packs.marketing.reporting.material import Material, gather

PAGE, PICTURE = "document.dashboard", "image.dashboard"
_OF_REVIEWS = ("trend", "sentiment", "keywords")


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Needs an insight or an order list. Raises NOTHING_TO_REPORT."""
    # Imported here: a pack that only counts must not pay for the drawing engine.
    from packs.marketing.board import tabular
    from packs.marketing.board.live import live
    from packs.marketing.board.page import draw, render
    from packs.marketing.board.picture import typeset

    orders, table = read_orders(ctx), read_json(ctx, TABLE_INSIGHT, Overview)
    material = _gathered(ctx, needed=orders is None and table is None)
    given = params.get("title")
    brand = read_brand(ctx)
    usual = ctx.text("dashboard.title" if material or orders else "dashboard.title_table")
    title = given.strip() if isinstance(given, str) and given.strip() else brand.title or usual
    board = compose(title, material, orders, ctx)
    if table is not None:
        board = tabular.added(board, table, ctx)
    ctx.progress(0.2, ctx.text("report.drawing"))
    drawings = (draw(material, ctx) if material else {}) | tabular.drawings(table, ctx.language)
    ctx.progress(0.6, ctx.text("dashboard.writing"))
    name, picture = f"dashboard_{ctx.now:%Y-%m-%d}.html", f"dashboard_{ctx.now:%Y-%m-%d}.png"
    page = render(board, drawings, live(material, ctx) if material else None, brand, ctx)
    ctx.save(page, name=name, media_type="text/html", type_=PAGE)
    ctx.progress(0.8, ctx.text("dashboard.picture"))
    ctx.save(typeset(board, drawings, brand, ctx), name=picture, media_type="image/png", type_=PICTURE)
    sections: list[JsonValue] = [panel.section for panel in board.panels if panel.section in _OF_REVIEWS]
    sections += ["table"] if table is not None else []
    sections += [name for name, there in (("quotes", board.quotes), ("orders", board.orders)) if there]
    said = [f"{card.label}: {card.change}" for card in board.cards if card.change]
    if orders is not None:
        said.append(say(ctx, "dashboard.summary.to_order", orders.number, number=orders.number))
    summary = summed_up([*board.summary[:3], *said, *board.summary[3:]], board)
    return {"name": name, "picture": picture, "sections": sections, "kpis": as_json(material, orders), **summary}


def _gathered(ctx: ToolContext, *, needed: bool) -> Material | None:
    try:
        return gather(ctx)
    except ToolError as error:
        if needed or error.code is not Code.NOTHING_TO_REPORT:
            raise
        return None
