"""The film that promotes a product: its name, what people praise in their own words, how many agree, where to go."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.advert.copywriting import Brief, Variant, write
from packs.marketing.advert.evidence import Evidence, Praise
from packs.marketing.advert.phrasebook import phrasebook
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.film.scenes import PALE, Move, ScenePart, bar, cards, heading, paint, pill, remark
from packs.marketing.film.stage import Format, Scene
from packs.marketing.film.storyboard import Shot
from packs.marketing.reporting.figures import count, source
from packs.marketing.reporting.fonts import drawable
from packs.marketing.reporting.typesetting import words

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
    parts = [
        bar((88, 6), _LIGHT, ("rightwards", 0.1, 0.8)),
        heading(name or advert.headline, 96 if size.wide else 82, round(size.height * 0.4), above=28),
        remark(
            advert.headline if name else advert.body, 40, ("rise", 0.2, 0.6), above=24, room=round(size.height * 0.2)
        ),
        pill(_basis(evidence, ctx), 28, "#e8f1fb", (26, 11), ("rise", 0.5, 0.6), 36),
    ]
    caption = f"{name} – {advert.headline}" if name else advert.headline
    return paint("title", parts, caption, size, ctx, drift=seconds)


def _quote(quote: Praise, number: int, size: Format, ctx: ToolContext) -> Scene:
    """One sentence as large as it can be: a film is read in passing."""
    tone, said = (_WARM, _LIGHT, PALE)[(number - 1) % 3], source(ctx.text("video.reviewer"), None, quote.rating, ctx)
    parts = [
        ScenePart("words", ("fade", 0.0, 0.4), words=words("“", 130, tone, serif=True, leading=0.8)),
        heading(quote.text, 66 if size.wide else 78 if size.tall else 60, size.height // 2, ("rise", 0.1, 0.6)),
        bar((44, 4), tone, ("rightwards", 0.6, 0.4), 22),
        remark(said, size.letters(28), ("fade", 0.6, 0.5), above=12),
    ]
    return paint(f"quote_{number}", parts, f"“{quote.text}”", size, ctx)


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
    down = 250 if size.wide else (148 if size.tall else 128)
    items = [
        [words(term, 52, bold=True, leading=1.2, room=down - 80), words(praise, 26, PALE, room=40, smallest=18)]
        for term, praise in points
    ]
    moves: list[Move] = [("rise", 0.25 + 0.25 * number, 0.6) for number in range(len(points))]
    parts = [
        heading(ctx.text("video.points"), 46, size.height // 5, ("rise", 0.0, 0.5)),
        cards(items, moves, len(points) if size.wide else 1, down, 36),
    ]
    told = ", ".join(f"{term} ({praise})" for term, praise in points)
    return paint("points", parts, f"{ctx.text('video.points')}: {told}", size, ctx)


def _share(evidence: Evidence, size: Format, ctx: ToolContext) -> Scene:
    """Ten marks, as many of them bright as of ten reviews are positive."""
    tenths = evidence.tenths or 0
    reviews, positive = (evidence.overall.reviews, evidence.overall.positive) if evidence.overall else (0, 0)
    of: dict[str, JsonValue] = {"product": evidence.product} if evidence.product else {}
    said = say(ctx, "video.share", reviews, of=of, interval=wilson(positive, reviews), tenths=tenths)
    fills: list[JsonValue] = [_LIGHT if number < tenths else "#38597f" for number in range(10)]
    moves: list[Move] = [("fade", 0.2 + 0.06 * number, 0.3) for number in range(10)]
    parts = [
        heading(said, 72 if size.wide else 62, round(size.height * 0.35), ("rise", 0.0, 0.5)),
        ScenePart("discs", *moves, above=36, columns=10 if size.wide else 5, fills=fills),
        remark(_basis(evidence, ctx), 26, ("fade", 0.9, 0.4), above=36),
    ]
    return paint("share", parts, said, size, ctx)


def _call(name: str, advert: Variant, evidence: Evidence, size: Format, ctx: ToolContext) -> Scene:
    """The name again, what to do, and what all this rests on."""
    parts = [
        heading(name or advert.headline, 84 if size.wide else 74, round(size.height * 0.35), ("rise", 0.0, 0.5)),
        pill(advert.call_to_action, size.letters(38), _WARM, (46, 20), ("rise", 0.35, 0.5), 40),
        remark(_basis(evidence, ctx), 24, ("fade", 0.8, 0.5), above=44),
    ]
    caption = " · ".join(part for part in (name, advert.call_to_action) if part)
    return paint("call", parts, caption, size, ctx)


def _basis(evidence: Evidence, ctx: ToolContext) -> str:
    return phrasebook(ctx.language).rests_on(evidence.overall, ctx.now)
