"""Which scenes a film has, in which order, how long each stands, and what is said in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.artifacts import COMPETITOR, read_json
from packs.marketing.brands.sentences import headline
from packs.marketing.film.results import (
    brands_scene,
    closing_scene,
    keywords_scene,
    products_scene,
    quote_scene,
    sentiment_scene,
    title_scene,
    trend_scene,
)
from packs.marketing.film.stage import FPS, Format, Scene
from packs.marketing.reporting.fonts import drawable
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import course, keywords, polarity, products
from packs.marketing.shapes import Quote
from packs.marketing.shapes_competitor import Competitor

USUAL_SECONDS = 4.0
SHORTEST_SECONDS = 2.0
LEAST, MOST = 6.0, 60.0
# A chart needs more time to be read than a title.
_WEIGHTS = {"title": 0.75, "closing": 0.85, "quotes": 1.2}
# What stays when there is no time for everything, dearest first.
_ORDER = ("title", "closing", "sentiment", "trend", "keywords", "quotes", "competitor", "products")
_SHOWN = ("title", "sentiment", "products", "competitor", "trend", "keywords", "quotes", "closing")


@dataclass(frozen=True, slots=True)
class Shot:
    """A scene that can be drawn, given the seconds it will stand. `weight` is its share of the time; when there is no
    time for everything the lowest `rank` stays."""

    name: str
    draw: Callable[[float], Scene]
    weight: float
    rank: int


def _shot(name: str, draw: Callable[[float], Scene]) -> Shot:
    return Shot(name, draw, _WEIGHTS.get(name, 1.0), _ORDER.index(name))


def shots(material: Material, title: str, size: Format, ctx: ToolContext) -> list[Shot]:
    """A shot for everything there is: the results as a film."""
    found = [
        _shot("title", lambda seconds: title_scene(title, material, size, ctx, seconds)),
        _shot("closing", lambda seconds: closing_scene(title, material, size, ctx, seconds)),
    ]
    sentiment, trend = material.sentiment, material.trend
    said = _said(material, ctx)
    if sentiment is not None and sentiment.overall.reviews:
        overall = sentiment.overall
        found.append(_shot("sentiment", lambda _: sentiment_scene(overall, said["sentiment"], size, ctx)))
        if len(material.products) > 1 and "products" in said:
            found.append(_shot("products", lambda _: products_scene(material.products, said["products"], size, ctx)))
        if quotes := _quotes(sentiment.quotes):
            found.append(_shot("quotes", lambda _: quote_scene(quotes, size, ctx)))
    if (compared := _compared(material, ctx)) is not None:
        facts = compared
        found.append(_shot("competitor", lambda _: brands_scene(facts.brands, headline(ctx, facts)[0], size, ctx)))
    if trend is not None and len(trend.points) > 1:
        course = trend
        found.append(_shot("trend", lambda _: trend_scene(course, said["trend"], size, ctx)))
    if terms := [word for word in material.keywords.keywords if drawable(word.term)] if material.keywords else []:
        found.append(_shot("keywords", lambda _: keywords_scene(terms, said["keywords"], size, ctx)))
    return sorted(found, key=lambda shot: _SHOWN.index(shot.name))


def _compared(material: Material, ctx: ToolContext) -> Competitor | None:
    """The comparison, if it compares anything else than the products, which have a scene of their own."""
    facts = read_json(ctx, COMPETITOR, Competitor)
    if facts is None or len(facts.brands) < 2:
        return None
    known = {product.name for product in material.products}
    return None if all(brand.name in known for brand in facts.brands) else facts


def _quotes(quotes: Sequence[Quote]) -> list[Quote]:
    """The praise, or what there is; nothing that no font can draw."""
    readable = [quote for quote in quotes if len(drawable(quote.text)) > len(quote.text) // 2]
    return [quote for quote in readable if quote.polarity == "positive"][:2] or readable[:2]


def _said(material: Material, ctx: ToolContext) -> dict[str, str]:
    """The sentence of the report's summary that belongs to each chart."""
    charts = {"sentiment": polarity(material, ctx), "products": products(material, ctx),
              "trend": course(material, ctx), "keywords": keywords(material, ctx)}  # fmt: skip
    return {name: first for name, said in charts.items() if (first := next(said, None)) is not None}


def chosen(
    found: Sequence[Shot], seconds: float | None, shortest: float = SHORTEST_SECONDS
) -> tuple[list[Shot], list[int]]:
    """The shots that there is time for, and how many frames each stands."""
    shown = list(found)
    total = min(MOST, max(LEAST, seconds if seconds is not None else USUAL_SECONDS * len(shown)))
    fitting = max(3, int(total / shortest))
    kept = sorted(shown, key=lambda shot: shot.rank)[:fitting]
    shown = [shot for shot in shown if shot in kept]
    weights = [shot.weight for shot in shown]
    ends = [round(total * FPS * sum(weights[: number + 1]) / sum(weights)) for number in range(len(shown))]
    return shown, [end - start for start, end in zip([0, *ends], ends, strict=False)]


def subtitles(scenes: Sequence[Scene], lengths: Sequence[int]) -> str:
    """WebVTT: what each scene says, for those who cannot see it."""
    cues = ["WEBVTT"]
    start = 0
    for scene, length in zip(scenes, lengths, strict=True):
        # A blank line or an arrow in a text would end the cue.
        text = " ".join(scene.caption.replace("-->", "→").replace("&", "&amp;").replace("<", "&lt;").split())
        cues.append(f"{_clock(start)} --> {_clock(start + length)}\n{text}")
        start += length
    return "\n\n".join(cues) + "\n"


def _clock(frames: int) -> str:
    milliseconds = round(1000 * frames / FPS)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
