"""marketing.keyword: what the reviews talk about, and how they speak of it."""

from collections.abc import Sequence

import polars as pl

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import CLEAN, KEYWORDS, about, dump, read_reviews, read_sentiment, save_json
from packs.marketing.evidence import summed_up
from packs.marketing.keywords import english, japanese, korean, sides
from packs.marketing.keywords.terms import Term, weigh
from packs.marketing.polarity.summary import tally
from packs.marketing.reporting.sentences import scope, told
from packs.marketing.shapes import Keyword, Keywords, Polarity

# About a millisecond of tokenizing each; beyond this number the strongest terms no longer change.
MOST_READ = 20_000
_LANGUAGES = ("ko", "en", "ja")
_FEWEST_SHARE, _FEWEST_REVIEWS = 0.02, 100
_SHOWN = 30


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Up to params.top terms per language (default 30); polarity beside them when the same reviews were judged. With
    params.side those that stand out in complaints or praise come first, and are what is told."""
    # Imported here: reading the reviews must not pay for the drawing engine.
    from packs.marketing.charts.reviews import save

    given, side = params.get("top", 30), _side(params)
    top = given if isinstance(given, int) else 30
    reviews = read_reviews(ctx, CLEAN)
    sentiment = read_sentiment(ctx, reviews.of)
    # sentiment has the rows of reviews.clean in the same order.
    judged = sentiment[0] if sentiment else None
    of_side = judged
    if side and judged is None:
        of_side = sides.by_rating_or_words(reviews.frame, reviews.quality.rating_scale)
    frame = reviews.frame.with_row_index("index")
    found: list[Keyword] = []
    read = 0
    languages = [name for name, count in reviews.quality.languages.items() if _is_worth(name, count, frame.height)]
    for language in languages:
        part = _spread(frame.filter(pl.col("language") == language))
        terms = _terms(language, part["text"].to_list(), max(top, sides.READ) if side else top, ctx)
        found += _keywords(language, terms, part, of_side)
        read += part.height
    every = Keywords(
        about=about(reviews),
        keywords=tuple(sorted(found, key=lambda keyword: (-keyword.documents, keyword.term))),
        available=sum(reviews.quality.languages[name] for name in languages),
        read=read,
        skipped_languages=tuple(name for name in reviews.quality.languages if name not in languages),
    )
    result = every
    lines: Sequence[str] = told(ctx, every)
    if side and of_side is not None:
        mine = tuple(sides.standing_out(every.keywords, side, of_side)[:top])
        result = every.model_copy(update={"keywords": mine})
        lines = [*scope(every.about, ctx), *sides.heard(result, of_side, frame["text"], side, ctx)]
        every = _without_sides(every, top, judged=judged is not None)
    save_json(ctx, every, type_=KEYWORDS, name="keywords.json", keywords=len(every.keywords))
    save(result, ctx)
    return {
        "reviews": result.about.reviews,
        "read": read,
        "with_polarity": judged is not None,
        "skipped_languages": list(result.skipped_languages),
        "keywords": [dump(keyword) for keyword in result.keywords[:_SHOWN]],
        **summed_up(lines),
    }


def _without_sides(found: Keywords, top: int, *, judged: bool) -> Keywords:
    """As it is for whoever asks for no side: what is made of it later speaks of all reviews."""
    strongest = sorted(found.keywords, key=lambda keyword: -keyword.score)
    kept = {keyword.term for name in _LANGUAGES for keyword in [one for one in strongest if one.language == name][:top]}
    keywords = tuple(one if judged else one.model_copy(update={"tally": None}) for one in found.keywords)
    return found.model_copy(update={"keywords": tuple(one for one in keywords if one.term in kept)})


def _side(params: JsonObject) -> Polarity | None:
    match params.get("side"):
        case "negative" | "positive" as side:
            return side
    return None


def _is_worth(language: str, count: int, reviews: int) -> bool:
    """A handful of reviews in another language has no terms that stand out, only words."""
    return language in _LANGUAGES and (count >= _FEWEST_SHARE * reviews or count >= _FEWEST_REVIEWS)


def _spread(frame: pl.DataFrame) -> pl.DataFrame:
    """At most MOST_READ rows, evenly from the whole."""
    return frame if frame.height <= MOST_READ else frame.gather_every(-(-frame.height // MOST_READ))


def _terms(language: str, texts: Sequence[str], top: int, ctx: ToolContext) -> list[Term]:
    if language == "en":
        ctx.progress(0.6, ctx.text("keyword.reading", done=0, reviews=len(texts)))
        return english.phrases(texts, top)
    if language == "ja":
        return weigh(japanese.words(texts), top)
    runs: list[list[korean.Run]] = []
    for found in korean.nouns(texts):
        if len(runs) % 500 == 0:
            done = len(runs)
            ctx.progress(0.05 + 0.5 * done / len(texts), ctx.text("keyword.reading", done=done, reviews=len(texts)))
        runs.append(found)
    return weigh(korean.settle(runs), top)


def _keywords(language: str, terms: Sequence[Term], part: pl.DataFrame, judged: pl.DataFrame | None) -> list[Keyword]:
    strongest = max((term.weight for term in terms), default=1.0)
    places = part["index"].to_list()
    return [
        Keyword(
            term=term.term,
            language=language,
            count=term.count,
            documents=len(term.documents),
            score=round(term.weight / strongest, 4),
            tally=tally(judged[[places[index] for index in term.documents]]) if judged is not None else None,
        )
        for term in terms
    ]
