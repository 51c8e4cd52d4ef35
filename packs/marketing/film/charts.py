"""The scenes with a chart: those of the report and the answers, large enough for a telephone."""

import io
from collections.abc import Sequence

from PIL import Image

from contracts.tools import ToolContext
from packs.marketing.charts.course import trend
from packs.marketing.charts.drawing import Spec, fitted
from packs.marketing.charts.rows import ring, shares, terms
from packs.marketing.charts.style import ACCENT, INK
from packs.marketing.film.cards import paper
from packs.marketing.film.lettering import Style, block, label
from packs.marketing.film.palette import CARD, EDGE
from packs.marketing.film.shapes import rounded, shadowed
from packs.marketing.film.stage import Format, Layer, Scene
from packs.marketing.shapes import Keyword, NamedTally, Tally, Trend
from packs.marketing.shapes_competitor import Brand

_SPREAD = 14
_WIDTHS = (340, 440, 580, 720)


def sentiment_scene(overall: Tally, caption: str, size: Format, ctx: ToolContext) -> Scene:
    drawn = [ring(overall, ctx, beside=not size.tall)]
    return _scene("sentiment", "report.heading.sentiment", drawn, caption, size, ctx)


def products_scene(products: Sequence[NamedTally], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(product.name, product) for product in products]
    return _scene("products", "report.chart.sentiment", _shares(tallies, size, ctx), caption, size, ctx)


def brands_scene(brands: Sequence[Brand], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(brand.name, brand.tally) for brand in brands if brand.tally.reviews]
    return _scene("competitor", "competitor.chart.shares", _shares(tallies, size, ctx), caption, size, ctx)


def keywords_scene(keywords: Sequence[Keyword], caption: str, size: Format, ctx: ToolContext) -> Scene:
    drawn = [terms(keywords[: 9 if size.tall else 5], ctx, across) for across in _WIDTHS]
    return _scene("keywords", "report.chart.keywords", drawn, caption, size, ctx)


def trend_scene(found: Trend, caption: str, size: Format, ctx: ToolContext) -> Scene:
    drawn = [trend(found, ctx, across, 2 if size.tall else 1) for across in _WIDTHS]
    return _scene("trend", "report.chart.trend", drawn, caption, size, ctx)


def _shares(tallies: Sequence[tuple[str, Tally]], size: Format, ctx: ToolContext) -> list[Spec]:
    return [shares(tallies[: 8 if size.tall else 5], ctx, across) for across in _WIDTHS]


def _scene(name: str, heading: str, charts: Sequence[Spec], caption: str, size: Format, ctx: ToolContext) -> Scene:
    """Heading and caption above, a white card below, and on it the chart, which comes in from the left."""
    head = label(ctx.text(heading), Style(size.letters(38), ACCENT, bold=True, language=ctx.language), size.inner)
    room = 232 if size.tall else 104 if size.wide else 120
    words = block(
        caption, Style(size.letters(32), INK, leading=1.44, language=ctx.language), (size.inner, room), smallest=22
    )
    y = size.top + head.height + 4
    top = y + words.height + 20
    card = shadowed(rounded((size.inner, size.bottom - top), 18, CARD, EDGE), _SPREAD)
    inset = 32 if size.wide else 28
    free = (size.inner - 2 * inset, size.bottom - top - 2 * inset)
    drawn = Image.open(io.BytesIO(fitted(charts, ctx.language, free))).convert("RGBA")
    place = ((size.width - drawn.width) // 2, (top + size.bottom - drawn.height) // 2)
    layers = [
        Layer(head, (size.margin, size.top)),
        Layer(card, (size.margin - 2 * _SPREAD, top - 2 * _SPREAD)),
        Layer(words, (size.margin, y), "fade", 0.25, 0.6),
        Layer(drawn, place, "rightwards", 0.5, 1.4),
    ]
    return Scene(name, paper(size), layers, caption)
