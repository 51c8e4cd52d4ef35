"""The film that promotes a product: its name, what people praise in their own words, how many agree, where to go."""

from collections.abc import Callable, Sequence

from PIL import Image
from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.advert.copywriting import Brief, Variant, write
from packs.marketing.advert.evidence import Evidence, Praise
from packs.marketing.advert.phrasebook import phrasebook
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.film.cards import night, pill
from packs.marketing.film.lettering import Style, block, drawable, fit, label, picture
from packs.marketing.film.palette import NIGHT, PALE, WHITE
from packs.marketing.film.shapes import rounded
from packs.marketing.film.stage import Format, Layer, Scene
from packs.marketing.film.storyboard import Shot
from packs.marketing.reporting.figures import count, source

SHORTEST_SECONDS = 2.8
_QUOTES, _POINTS = 5, 3
_WARM, _LIGHT = "#ffd479", "#5fd0b5"


def shots(evidence: Evidence, title: str | None, call: str | None, size: Format, ctx: ToolContext) -> list[Shot]:
    """The shots in the order in which they are shown; none without a sentence of praise to show."""
    brief = Brief(ctx.language, "friendly", call_to_action=call)
    advert = write(brief, evidence, ctx.language)[0]
    name = title or drawable(evidence.product or "")
    spoken = [quote for quote in evidence.quotes if quote.language == ctx.language] or list(evidence.quotes)
    if not spoken:
        return []
    # What is said first stays longest in mind, and is kept when the film is short.
    quotes = [
        Shot(f"quote_{number}", _quoted(quote, number, size, ctx), 1.15, rank)
        for number, (quote, rank) in enumerate(zip(spoken[:_QUOTES], (2, 3, 6, 7, 8), strict=False), 1)
    ]
    found = [Shot("title", lambda seconds: _title(name, advert, evidence, size, ctx, seconds), 0.85, 0), *quotes[:2]]
    if points := _points(evidence, ctx):
        found.append(Shot("points", lambda _: _praised(points, size, ctx), 1.0, 4))
    found += quotes[2:]
    if evidence.tenths is not None:
        found.append(Shot("share", lambda _: _share(evidence, size, ctx), 0.9, 5))
    found.append(Shot("call", lambda _: _call(name, advert, evidence, size, ctx), 1.0, 1))
    return found


def _quoted(quote: Praise, number: int, size: Format, ctx: ToolContext) -> Callable[[float], Scene]:
    return lambda _: _quote(quote, number, size, ctx)


def _title(name: str, advert: Variant, evidence: Evidence, size: Format, ctx: ToolContext, seconds: float) -> Scene:
    """Readable in the very first frame, which players show as a preview."""
    heading = _text(name or advert.headline, _strong(96 if size.wide else 82, ctx), size, 0.4)
    line = _text(
        advert.headline if name else advert.body, Style(40, PALE, leading=1.26, language=ctx.language), size, 0.2
    )
    facts = pill(_basis(evidence, ctx), ctx.language)
    x, y = size.margin, (size.height - heading.height - line.height - facts.height - 60) // 2
    layers = [
        Layer(rounded((88, 6), 3, _LIGHT), (x + 2, y - 34), "rightwards", 0.1, 0.8),
        Layer(heading, (x, y)),
        Layer(line, (x + 2, y + heading.height + 24), "rise", 0.2, 0.6),
        Layer(facts, (x, y + heading.height + line.height + 60), "rise", 0.5, 0.6),
    ]
    caption = f"{name} – {advert.headline}" if name else advert.headline
    return Scene("title", night(size, seconds), layers, caption, dark=True, drift=True)


def _quote(quote: Praise, number: int, size: Format, ctx: ToolContext) -> Scene:
    """One sentence as large as it can be: a film is read in passing."""
    tone = (_WARM, _LIGHT, PALE)[(number - 1) % 3]
    mark = label("“", Style(130, tone, serif=True, leading=0.8, language=ctx.language))
    words = _text(quote.text, _strong(66 if size.wide else 78 if size.tall else 60, ctx), size, 0.5)
    said = source(ctx.text("video.reviewer"), None, quote.rating, ctx)
    foot = label(said, Style(size.letters(28), PALE, language=ctx.language), size.inner)
    y = (size.height - mark.height - words.height - foot.height - 40) // 2
    below = y + mark.height + words.height
    layers = [
        Layer(mark, (size.margin - 8, y), "fade", 0.0, 0.4),
        Layer(words, (size.margin, y + mark.height), "rise", 0.1, 0.6),
        Layer(rounded((44, 4), 2, tone), (size.margin, below + 22), "rightwards", 0.6, 0.4),
        Layer(foot, (size.margin, below + 38), "fade", 0.6, 0.5),
    ]
    return Scene(f"quote_{number}", night(size, 0), layers, f"“{quote.text}”", dark=True)


def _points(evidence: Evidence, ctx: ToolContext) -> list[tuple[str, Sentence]]:
    """What is praised, in the reader's language, and how many praising reviews name it."""
    terms = phrasebook(ctx.language).terms
    of: dict[str, JsonValue] = {"product": evidence.product} if evidence.product else {}
    known = [
        (
            terms[liked.quality][0] if liked.quality else liked.word,
            say(ctx, "video.point", liked.positive, of=of | {"term": liked.word}, reviews=count(liked.positive)),
        )
        for liked in evidence.liked
        if liked.quality or liked.language == ctx.language
    ]
    return known[:_POINTS]


def _praised(points: Sequence[tuple[str, Sentence]], size: Format, ctx: ToolContext) -> Scene:
    head = _text(ctx.text("video.points"), _strong(46, ctx), size, 0.2)
    gap, columns = 24, len(points) if size.wide else 1
    across = (size.inner - gap * (columns - 1)) // columns
    down = 250 if size.wide else (148 if size.tall else 128)
    rows = -(-len(points) // columns)
    y = (size.height - head.height - 36 - rows * (down + gap)) // 2
    layers = [Layer(head, (size.margin, y), "rise", 0.0, 0.5)]
    for number, (term, praise) in enumerate(points):
        place = size.margin + number % columns * (across + gap), y + head.height + 36 + number // columns * (down + gap)
        layers.append(Layer(_point(term, praise, (across, down), ctx), place, "rise", 0.25 + 0.25 * number, 0.6))
    told = ", ".join(f"{term} ({praise})" for term, praise in points)
    caption = f"{ctx.text('video.points')}: {told}"
    return Scene("points", night(size, 0), layers, caption, dark=True)


def _point(term: str, praise: str, size: tuple[int, int], ctx: ToolContext) -> Image.Image:
    card = rounded(size, 22, "#254b78", "#3d6796")
    room = size[0] - 64
    told = label(praise, Style(26, PALE, language=ctx.language), room)
    style = Style(52, WHITE, bold=True, leading=1.2, language=ctx.language)
    words = block(term, style, (room, size[1] - told.height - 40), smallest=24)
    top = (size[1] - words.height - told.height - 8) // 2
    card.alpha_composite(words, (32, top))
    card.alpha_composite(told, (33, top + words.height + 8))
    return card


def _share(evidence: Evidence, size: Format, ctx: ToolContext) -> Scene:
    """Ten marks, as many of them bright as of ten reviews are positive."""
    tenths = evidence.tenths or 0
    reviews, positive = (evidence.overall.reviews, evidence.overall.positive) if evidence.overall else (0, 0)
    of: dict[str, JsonValue] = {"product": evidence.product} if evidence.product else {}
    said = say(ctx, "video.share", reviews, of=of, interval=wilson(positive, reviews), tenths=tenths)
    heading = _text(said, _strong(72 if size.wide else 62, ctx), size, 0.35)
    basis = label(_basis(evidence, ctx), Style(26, PALE, language=ctx.language), size.inner)
    across = 10 if size.wide else 5
    gap = 20
    disc = min(84, (size.inner - gap * (across - 1)) // across)
    rows = 10 // across
    y = (size.height - heading.height - rows * (disc + gap) - basis.height - 60) // 2
    layers = [Layer(heading, (size.margin, y), "rise", 0.0, 0.5)]
    for number in range(10):
        colour = _LIGHT if number < tenths else "#38597f"
        place = (
            size.margin + number % across * (disc + gap),
            y + heading.height + 36 + number // across * (disc + gap),
        )
        layers.append(Layer(rounded((disc, disc), disc // 2, colour), place, "fade", 0.2 + 0.06 * number, 0.3))
    foot = y + heading.height + 36 + rows * (disc + gap) + 16
    layers.append(Layer(basis, (size.margin, foot), "fade", 0.9, 0.4))
    return Scene("share", night(size, 0), layers, said, dark=True)


def _call(name: str, advert: Variant, evidence: Evidence, size: Format, ctx: ToolContext) -> Scene:
    """The name again, what to do, and what all this rests on."""
    heading = _text(name or advert.headline, _strong(84 if size.wide else 74, ctx), size, 0.35)
    button = _button(advert.call_to_action, size, ctx)
    basis = label(_basis(evidence, ctx), Style(24, PALE, language=ctx.language), size.inner)
    y = (size.height - heading.height - button.height - basis.height - 84) // 2
    layers = [
        Layer(heading, (size.margin, y), "rise", 0.0, 0.5),
        Layer(button, (size.margin, y + heading.height + 40), "rise", 0.35, 0.5),
        Layer(basis, (size.margin, y + heading.height + button.height + 84), "fade", 0.8, 0.5),
    ]
    caption = " · ".join(part for part in (name, advert.call_to_action) if part)
    return Scene("call", night(size, 0), layers, caption, dark=True)


def _button(call: str, size: Format, ctx: ToolContext) -> Image.Image:
    words = label(call, Style(size.letters(38), NIGHT, bold=True, language=ctx.language), size.inner - 96)
    image = rounded((words.width + 92, words.height + 40), 60, _WARM)
    image.alpha_composite(words, (50, 20))
    return image


def _basis(evidence: Evidence, ctx: ToolContext) -> str:
    return phrasebook(ctx.language).rests_on(evidence.overall, ctx.now)


def _strong(letters: int, ctx: ToolContext) -> Style:
    return Style(letters, WHITE, bold=True, leading=1.26, language=ctx.language)


def _text(text: str, style: Style, size: Format, share: float) -> Image.Image:
    """As large as fits into this share of the height."""
    lines, sized = fit(drawable(text), style, (size.inner, round(size.height * share)), smallest=24)
    return picture(lines, sized, size.inner)
