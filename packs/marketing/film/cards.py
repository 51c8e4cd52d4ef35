"""The scenes without a chart: title, quotes, closing."""

from collections.abc import Sequence

from PIL import Image

from contracts.tools import ToolContext
from packs.marketing.charts.style import ACCENT, COLOURS, INK, SOFT
from packs.marketing.film.lettering import Style, block, drawable, fit, label, picture
from packs.marketing.film.palette import CARD, DEEP, EDGE, NIGHT, PALE, PAPER, WHITE
from packs.marketing.film.shapes import glow, gradient, rounded, shadowed
from packs.marketing.film.stage import FPS, Format, Layer, Scene
from packs.marketing.reporting.figures import count, days, out_of, percent, source
from packs.marketing.reporting.material import Material
from packs.marketing.shapes import Quote

_CARD_SPREAD = 14
_INSET, _QUOTE_TOP, _QUOTE_FOOT = 44, 122, 92


def night(size: Format, seconds: float) -> Image.Image:
    """The dark ground, wide enough to drift over for so long; of no seconds, for a scene that stands."""
    across = size.width + (round(seconds * FPS) + 1 if seconds else 0)
    ground = gradient((across, size.height), NIGHT, DEEP, slant=0.6)
    unit = min(size.width, size.height)
    glow(ground, (round(across * 0.88), round(size.height * 0.12)), round(unit * 0.62), "#3f7fc4", 0.55)
    glow(ground, (round(across * 0.12), round(size.height * 1.0)), round(unit * 0.55), COLOURS["positive"], 0.5)
    return ground


def paper(size: Format) -> Image.Image:
    return Image.new("RGB", (size.width, size.height), PAPER)


def title_scene(title: str, material: Material, size: Format, ctx: ToolContext, seconds: float) -> Scene:
    """Title, period and number of reviews; readable in the very first frame, which players show as a preview."""
    about = material.about
    lines, style = fit(
        drawable(title) or ctx.text("report.title"),
        Style(84 if size.wide else 74, WHITE, bold=True, leading=1.24, language=ctx.language),
        (size.inner, round(size.height * 0.4)),
        smallest=30,
    )
    heading = picture(lines, style, size.inner)
    period = label(days(about, ctx), Style(32, PALE, language=ctx.language), size.inner)
    facts = pill(ctx.text("video.reviews", reviews=count(about.reviews)), ctx.language)
    height = heading.height + 34 + period.height + 30 + facts.height
    x, y = size.margin, (size.height - height) // 2
    layers = [
        Layer(rounded((88, 6), 3, "#5fd0b5"), (x + 2, y - 34), "rightwards", 0.1, 0.8),
        Layer(heading, (x, y)),
        Layer(period, (x + 2, y + heading.height + 34)),
        Layer(facts, (x, y + height - facts.height), "rise", 0.5, 0.7),
    ]
    return Scene("title", night(size, seconds), layers, title, dark=True, drift=True)


def pill(text: str, language: str) -> Image.Image:
    words = label(text, Style(28, NIGHT, bold=True, leading=1.3, language=language))
    image = rounded((words.width + 52, words.height + 22), 60, "#e8f1fb")
    image.alpha_composite(words, (28, 11))
    return image


def quote_scene(quotes: Sequence[Quote], size: Format, ctx: ToolContext) -> Scene:
    """One or two customers in their own words."""
    head = label(
        ctx.text("report.heading.quotes"), Style(size.letters(38), ACCENT, bold=True, language=ctx.language), size.inner
    )
    top = size.top + head.height + 28
    gap = 26
    shown = quotes[:2] if size.width != size.height else quotes[:1]
    across = (size.inner - gap) // 2 if size.wide and len(shown) == 2 else size.inner
    down = size.bottom - top if size.wide else (size.bottom - top - gap * (len(shown) - 1)) // len(shown)
    layers = [Layer(head, (size.margin, size.top))]
    # All quotes in the size of the longest, or they would seem to differ in weight.
    letters = min(_quote_letters(quote, (across, down), size, ctx) for quote in shown)
    for number, quote in enumerate(shown):
        card = _quote_card(quote, (across, down), letters, ctx)
        x = size.margin + (number * (across + gap) if size.wide else 0)
        y = top + (0 if size.wide else number * (down + gap))
        layers.append(Layer(card, (x - 2 * _CARD_SPREAD, y - 2 * _CARD_SPREAD), "rise", 0.3 + 0.5 * number, 0.8))
    return Scene("quotes", paper(size), layers, " / ".join(quote.text for quote in shown))


def _quote_room(size: tuple[int, int]) -> tuple[int, int]:
    return size[0] - 2 * _INSET, size[1] - _QUOTE_TOP - _QUOTE_FOOT


def _quote_letters(quote: Quote, card: tuple[int, int], size: Format, ctx: ToolContext) -> int:
    style = Style(size.letters(38), INK, serif=True, leading=1.55, language=ctx.language)
    return fit(drawable(quote.text), style, _quote_room(card), smallest=20)[1].size


def _quote_card(quote: Quote, size: tuple[int, int], letters: int, ctx: ToolContext) -> Image.Image:
    card = rounded(size, 18, CARD, EDGE)
    tone = COLOURS[quote.polarity]
    mark = label("\u201c", Style(150, tone, serif=True, leading=1.0, language=ctx.language))
    card.alpha_composite(mark, (_INSET - 6, 8))
    style = Style(letters, INK, serif=True, leading=1.55, language=ctx.language)
    room = _quote_room(size)
    words = block(quote.text, style, room, smallest=20)
    card.alpha_composite(words, (_INSET, _QUOTE_TOP + max(0, (room[1] - words.height) // 3)))
    said = label(source(quote.product, None, quote.rating, ctx), Style(23, SOFT, language=ctx.language), room[0])
    foot = size[1] - _INSET - said.height + 12
    card.alpha_composite(rounded((34, 4), 2, tone), (_INSET, foot - 12))
    card.alpha_composite(said, (_INSET, foot))
    return shadowed(card, _CARD_SPREAD)


def closing_scene(title: str, material: Material, size: Format, ctx: ToolContext, seconds: float) -> Scene:
    """The figures to remember, and whose opinions they are."""
    facts = _facts(material, ctx)
    gap = 24
    columns = len(facts) if not size.tall else 1
    across = (size.inner - gap * (columns - 1)) // columns
    down = 190 if not size.tall else 176
    heading = block(title, Style(46, WHITE, bold=True, language=ctx.language), (size.inner, 130), smallest=28)
    remark = block(
        ctx.text("report.limit.sample"), Style(24, PALE, leading=1.5, language=ctx.language), (size.inner, 110)
    )
    made = label(ctx.text("report.made", date=ctx.now.date().isoformat()), Style(22, PALE, language=ctx.language))
    rows = -(-len(facts) // columns)
    height = heading.height + 34 + rows * (down + gap) + 20 + remark.height + 14 + made.height
    y = (size.height - height) // 2
    layers = [Layer(heading, (size.margin, y), "rise", 0.2, 0.6)]
    y += heading.height + 34
    letters = _fact_letters(facts, across, ctx)
    for number, fact in enumerate(facts):
        place = (size.margin + number % columns * (across + gap), y + number // columns * (down + gap))
        layers.append(Layer(_fact_card(fact, letters, (across, down), ctx), place, "rise", 0.4 + 0.18 * number, 0.6))
    y += rows * (down + gap) + 20
    layers.append(Layer(remark, (size.margin, y), "fade", 1.1, 0.6))
    layers.append(Layer(made, (size.margin, y + remark.height + 14), "fade", 1.2, 0.6))
    return Scene("closing", night(size, seconds), layers, " · ".join(map(" ".join, facts)), dark=True, drift=True)


def _facts(material: Material, ctx: ToolContext) -> list[tuple[str, str]]:
    about = material.about
    facts = [(ctx.text("report.fact.reviews"), count(about.reviews))]
    if about.mean_rating is not None:
        facts.append((ctx.text("report.fact.rating"), out_of(about.mean_rating, about.quality.rating_scale)))
    if material.sentiment is not None:
        facts.append((ctx.text("report.fact.positive"), percent(material.sentiment.overall.positive_share)))
    return facts


def _fact_card(fact: tuple[str, str], letters: int, size: tuple[int, int], ctx: ToolContext) -> Image.Image:
    """The figure above its name."""
    card = rounded(size, 18, "#254b78", "#3d6796")
    inset = _fact_inset(size[0])
    figure = label(fact[1], Style(letters, WHITE, bold=True, leading=1.2, language=ctx.language))
    name = block(fact[0], Style(26, PALE, leading=1.3, language=ctx.language), (size[0] - 2 * inset, 58), smallest=16)
    card.alpha_composite(figure, (inset, (size[1] - 58 - figure.height) // 2))
    card.alpha_composite(name, (inset, (size[1] - 58 + figure.height) // 2))
    return card


def _fact_inset(across: int) -> int:
    return 32 if across > 240 else 18


def _fact_letters(facts: Sequence[tuple[str, str]], across: int, ctx: ToolContext) -> int:
    """The size in which the widest figure fits, for all of them."""
    room = (across - 2 * _fact_inset(across) - 8, 80)
    style = Style(62, bold=True, leading=1.2, language=ctx.language)
    return min(fit(value, style, room)[1].size for _, value in facts)
