"""The dashboard as one HTML file: no address, one script that its hash allows, and every text from outside escaped."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.board.content import Board, Card, Panel, Table
from packs.marketing.board.drawings import Drawing
from packs.marketing.board.lettering import font_face
from packs.marketing.board.live import allowed, embedded
from packs.marketing.board.orders import Orders
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
    cards = "\n".join(map(_card, board.cards))
    main = [
        *_filters(data, ctx),
        f'<ul class="figures">\n{cards}\n</ul>',
        *_summary(board.summary, ctx),
        '<div class="parts">',
    ]
    main += [_panel(panel, drawings[panel.section], ctx) for panel in board.panels if panel.section in drawings]
    main += [*_quotes(board, ctx), *_orders(board.orders, ctx), "</div>"]
    page = _template().substitute(
        language=escape(ctx.language),
        title=escape(board.title),
        period=escape(board.period),
        style=f"{_FONT}\n{_style()}\n:root {{ --head: {brand.colour}; }}" if brand.colour else f"{_FONT}\n{_style()}",
        logo=f'<img alt="" src="data:image/png;base64,{brand.logo}">' if brand.logo else "",
        main="\n".join(main),
        scripts=f"; script-src {allowed()}" if data else "",
        live=embedded(data) if data else "",
        footer=f"<h2>{escape(ctx.text('dashboard.heading.quality'))}</h2>\n{_list(board.quality)}",
    )
    page = plain(page)
    return page.replace(_FONT, font_face(page, ctx.language)).encode("utf-8")


def _filters(data: JsonObject | None, ctx: ToolContext) -> Iterator[str]:
    """Hidden until the script runs: without it nobody could use them."""
    if data is None:
        return
    everything = escape(ctx.text("dashboard.filter.all"))
    boxes = "".join(
        f"<label>{escape(ctx.text(f'dashboard.filter.{name}'))} "
        f'<select name="{name}"><option value="">{everything}</option></select></label>'
        for name in ("product", "from", "to")
    )
    reset = escape(ctx.text("dashboard.filter.reset"))
    yield f'<form class="filters" hidden>{boxes}<button type="reset" name="reset" disabled>{reset}</button></form>'


@cache
def _template() -> Template:
    return Template((_FOLDER / "page.html").read_text(encoding="utf-8"))


@cache
def _style() -> str:
    """The sheet, and rules that let the charts' fixed colours follow it; a rule is stronger than an attribute."""
    rules = [
        f'figure svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for colour, name in _TONES.items()
        for part in ("fill", "stroke")
    ]
    return "\n".join([(_FOLDER / "page.css").read_text(encoding="utf-8").rstrip(), *rules])


def _card(card: Card) -> str:
    change = f'<p class="{"up" if card.good else "down"}">{escape(card.change)}</p>' if card.change else ""
    note = f"<p>{escape(card.note)}</p>" if card.note else ""
    value = f"<strong>{escape(card.value)}</strong>"
    return f'<li class="{card.tone}" data-card="{card.name}"><h2>{escape(card.label)}</h2>{value}{change}{note}</li>'


def _summary(sentences: Sequence[str], ctx: ToolContext) -> Iterator[str]:
    if sentences:
        heading = escape(ctx.text("report.heading.summary"))
        told = f'<h2 id="summary">{heading}</h2>{_list(sentences)}'
        yield f'<section class="summary" aria-labelledby="summary">{told}</section>'


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def _panel(panel: Panel, drawing: Drawing, ctx: ToolContext) -> str:
    name = panel.section
    note = f'<p class="note">{escape(panel.note)}</p>' if panel.note else ""
    charts = _labelled(drawing.wide, "wide", panel.told) + _labelled(drawing.narrow, "narrow", panel.told)
    shown = escape(ctx.text("dashboard.as_table"))
    table = f"<details><summary>{shown}</summary>{_table(panel.table, panel.title)}</details>"
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(panel.title)}</h2>'
        f"<figure>{charts}</figure>{note}{table}</section>"
    )


def _labelled(svg: str, width: str, told: str) -> str:
    """The drawing as one picture with a description, in place of its many parts."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(told)}"', 1).replace(
        'class="marks"', f'class="{width}"', 1
    )


def _table(table: Table, caption: str, numeric: Sequence[bool] = ()) -> str:
    flags = numeric or [place > 0 for place in range(len(table.head))]
    kinds = [' class="number"' if flag else "" for flag in flags]
    head = "".join(f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(table.head, kinds, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroll"><table aria-label="{escape(caption)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _quotes(board: Board, ctx: ToolContext) -> Iterator[str]:
    if not board.quotes:
        return
    heading = escape(ctx.text("dashboard.heading.quotes"))
    quotes = "".join(
        f"<blockquote><p>{escape(quote.text)}</p><cite>{escape(quote.source)}</cite></blockquote>"
        for quote in board.quotes
    )
    yield f'<section aria-labelledby="quotes"><h2 id="quotes">{heading}</h2>{quotes}</section>'


def _orders(orders: Orders | None, ctx: ToolContext) -> Iterator[str]:
    if orders is None:
        return
    heading = escape(ctx.text("dashboard.heading.orders"))
    if orders.rows:
        body = _table(Table(orders.head, orders.rows), ctx.text("dashboard.heading.orders"), orders.numeric)
    else:
        body = f"<p>{escape(ctx.text('dashboard.orders.none'))}</p>"
    hidden = orders.number - len(orders.rows)
    more = f'<p class="note">{escape(ctx.text("dashboard.orders.more", number=hidden))}</p>' if hidden > 0 else ""
    yield f'<section aria-labelledby="orders"><h2 id="orders">{heading}</h2>{body}{more}</section>'
