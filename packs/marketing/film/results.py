"""The scenes of a film that tells the results: title, charts as in the report and the answers, quotes, closing."""

from collections.abc import Sequence

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.charts.course import trend
from packs.marketing.charts.drawing import Spec, fitted
from packs.marketing.charts.rows import ring, shares, terms
from packs.marketing.charts.style import ACCENT, COLOURS, INK, SOFT
from packs.marketing.film.scenes import (
    ON_PAPER,
    PALE,
    STILL,
    WHITE,
    Move,
    ScenePart,
    bar,
    cards,
    heading,
    paint,
    pill,
    remark,
)
from packs.marketing.film.stage import Format, Scene
from packs.marketing.reporting.figures import count, days, out_of, percent, source
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.typesetting import words
from packs.marketing.shapes import Keyword, NamedTally, Quote, Tally, Trend
from packs.marketing.shapes_competitor import Brand

_WIDTHS = (340, 440, 580, 720)


def title_scene(title: str, material: Material, size: Format, ctx: ToolContext, seconds: float) -> Scene:
    """Title, period and number of reviews; readable in the very first frame, which players show as a preview."""
    about = material.about
    parts = [
        bar((88, 6), "#5fd0b5", ("rightwards", 0.1, 0.8)),
        heading(title, 84 if size.wide else 74, round(size.height * 0.4), above=28),
        remark(days(about, ctx), 32, above=30),
        pill(ctx.text("video.reviews", reviews=count(about.reviews)), 28, "#e8f1fb", (26, 11), ("rise", 0.5, 0.7), 30),
    ]
    return paint("title", parts, title, size, ctx, drift=seconds)


def sentiment_scene(overall: Tally, caption: str, size: Format, ctx: ToolContext) -> Scene:
    return _chart(
        "sentiment", "report.heading.sentiment", [ring(overall, ctx, beside=not size.tall)], caption, size, ctx
    )


def products_scene(products: Sequence[NamedTally], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(product.name, product) for product in products]
    return _chart("products", "report.chart.sentiment", _shares(tallies, size, ctx), caption, size, ctx)


def brands_scene(brands: Sequence[Brand], caption: str, size: Format, ctx: ToolContext) -> Scene:
    tallies = [(brand.name, brand.tally) for brand in brands if brand.tally.reviews]
    return _chart("competitor", "competitor.chart.shares", _shares(tallies, size, ctx), caption, size, ctx)


def keywords_scene(keywords: Sequence[Keyword], caption: str, size: Format, ctx: ToolContext) -> Scene:
    drawn = [terms(keywords[: 9 if size.tall else 5], ctx, across) for across in _WIDTHS]
    return _chart("keywords", "report.chart.keywords", drawn, caption, size, ctx)


def trend_scene(found: Trend, caption: str, size: Format, ctx: ToolContext) -> Scene:
    drawn = [trend(found, ctx, across, 2 if size.tall else 1) for across in _WIDTHS]
    return _chart("trend", "report.chart.trend", drawn, caption, size, ctx)


def _shares(tallies: Sequence[tuple[str, Tally]], size: Format, ctx: ToolContext) -> list[Spec]:
    return [shares(tallies[: 8 if size.tall else 5], ctx, across) for across in _WIDTHS]


def _chart(name: str, title: str, charts: Sequence[Spec], caption: str, size: Format, ctx: ToolContext) -> Scene:
    """Heading and caption above, a white card below, and on it the chart, which comes in from the left."""
    room, inset = 232 if size.tall else 104 if size.wide else 120, 32 if size.wide else 28
    told = words(caption, size.letters(32), INK, room=room, smallest=22)
    parts = [
        heading(ctx.text(title), size.letters(38), size.letters(54), colour=ACCENT),
        ScenePart("words", ("fade", 0.25, 0.6), above=4, words=told),
        ScenePart("chart", STILL, ("rightwards", 0.5, 1.4), above=20, inset=inset, look=ON_PAPER),
    ]
    free = (size.inner - 2 * inset, size.bottom - size.top - size.letters(54) - room // 2 - 24 - 2 * inset)
    drawn = fitted(charts, ctx.language, free)
    return paint(name, parts, caption, size, ctx, dark=False, chart=drawn)


def quote_scene(quotes: Sequence[Quote], size: Format, ctx: ToolContext) -> Scene:
    """One or two customers in their own words."""
    shown = quotes[:2] if size.width != size.height else quotes[:1]
    beside = size.wide and len(shown) == 2
    room = (size.bottom - size.top - 80) // (1 if size.wide else len(shown)) - 214
    items: list[JsonValue] = [
        {
            "mark": words("\u201c", 110, COLOURS[quote.polarity], serif=True, leading=0.7),
            "words": words(quote.text, size.letters(38), INK, serif=True, leading=1.55, room=room, smallest=20),
            "source": words(source(quote.product, None, quote.rating, ctx), 23, SOFT),
        }
        for quote in shown
    ]
    moves: list[Move] = [("rise", 0.3 + 0.5 * number, 0.8) for number in range(len(shown))]
    parts = [
        heading(ctx.text("report.heading.quotes"), size.letters(38), size.letters(54), colour=ACCENT),
        ScenePart("quotes", *moves, above=28, columns=2 if beside else 1, gap=26, look=ON_PAPER, items=items),
    ]
    return paint("quotes", parts, " / ".join(quote.text for quote in shown), size, ctx, dark=False)


def closing_scene(title: str, material: Material, size: Format, ctx: ToolContext, seconds: float) -> Scene:
    """The figures to remember, and whose opinions they are."""
    facts = _facts(material, ctx)
    items = [
        [
            words(figure, 62, WHITE, bold=True, leading=1.2, room=76),
            words(name, 26, PALE, leading=1.3, room=58, smallest=16),
        ]
        for name, figure in facts
    ]
    moves: list[Move] = [("rise", 0.4 + 0.18 * number, 0.6) for number in range(len(facts))]
    parts = [
        heading(title, 46, 130, ("rise", 0.2, 0.6)),
        cards(items, moves, 1 if size.tall else len(facts), 176 if size.tall else 190, 34),
        remark(ctx.text("report.limit.sample"), 24, ("fade", 1.1, 0.6), above=44, room=110),
        remark(ctx.text("report.made", date=ctx.now.date().isoformat()), 22, ("fade", 1.2, 0.6), above=14),
    ]
    return paint("closing", parts, " · ".join(map(" ".join, facts)), size, ctx, drift=seconds)


def _facts(material: Material, ctx: ToolContext) -> list[tuple[str, str]]:
    about = material.about
    facts = [(ctx.text("report.fact.reviews"), count(about.reviews))]
    if about.mean_rating is not None:
        facts.append((ctx.text("report.fact.rating"), out_of(about.mean_rating, about.quality.rating_scale)))
    if material.sentiment is not None:
        facts.append((ctx.text("report.fact.positive"), percent(material.sentiment.overall.positive_share)))
    return facts
