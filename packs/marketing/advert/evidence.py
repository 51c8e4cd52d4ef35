"""What the reviews say for a product: liked qualities, whole sentences, the counted share of positive reviews."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.advert.phrasebook import claims, has_figures, quality
from packs.marketing.artifacts import CLEAN, KEYWORDS, read_json, read_reviews, read_sentiment
from packs.marketing.film.lettering import drawable
from packs.marketing.keywords.terms import is_class
from packs.marketing.polarity.summary import tally
from packs.marketing.reporting.material import FEWEST
from packs.marketing.shapes import Keyword, Keywords, Tally

# A term is liked when so many reviews that hold it are positive.
_LIKED = 0.6
_FEWEST_WITH_TERM = 4
# Fewer reviews than this make no share worth quoting.
FEWEST_FOR_SHARE = 30
_LEAST_TENTHS = 7
_QUOTE_LENGTH = (8, 60)
_MOST_QUOTES, _READ_FOR_QUOTES = 8, 60
# A sentence ends with its mark, before a space or the next Japanese sentence.
_SENTENCE = re.compile(r"(?<![^.!?\u3002\uff01\uff1f])[^.!?\u3002\uff01\uff1f]++[.!?\u3002\uff01\uff1f]+")


@dataclass(frozen=True, slots=True)
class Liked:
    """A term of the praise. `quality` is the id of a quality that ads know in every language."""

    word: str
    language: str
    quality: str | None
    positive: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """`product` is as the data or the person spell it; `overall` counts its reviews, if they were judged."""

    product: str | None
    overall: Tally | None = None
    liked: tuple[Liked, ...] = ()
    quotes: tuple[tuple[str, str], ...] = ()
    """(language, sentence), strongest first."""

    @property
    def tenths(self) -> int | None:
        """Of ten reviews so many are positive, rounded down; none where that is no argument or rests on too few."""
        if self.overall is None or self.overall.reviews < FEWEST_FOR_SHARE:
            return None
        found = 10 * self.overall.positive // self.overall.reviews
        return found if found >= _LEAST_TENTHS else None


def gather(ctx: ToolContext, wished: str | None) -> Evidence:
    """For the wished product, else for the one with the largest positive share; nothing from reviews of others."""
    judged = _judged(ctx)
    if judged is None:
        return Evidence(wished)
    names = [name for name in judged["product"].drop_nulls().unique().sort().to_list() if name.strip()]
    product = _best(judged, names) if wished is None else _matching(wished, names)
    if product is None and names and wished is not None:
        return Evidence(wished)
    mine = judged if product is None else judged.filter(pl.col("product") == product)
    keywords = read_json(ctx, KEYWORDS, Keywords)
    liked = tuple(_liked(keywords.keywords if keywords else (), mine))
    return Evidence(wished or product, tally(mine), liked, tuple(_quotes(mine, liked)))


def _judged(ctx: ToolContext) -> pl.DataFrame | None:
    """The reviews with their polarity. Sentiment has the rows of reviews.clean in the same order."""
    if not ctx.inputs(CLEAN):
        return None
    reviews = read_reviews(ctx, CLEAN)
    sentiment = read_sentiment(ctx, reviews.of)
    if sentiment is None or sentiment[0].is_empty():
        return None
    return reviews.frame.with_columns(sentiment[0]["polarity"], sentiment[0]["score"])


def _best(judged: pl.DataFrame, names: Sequence[str]) -> str | None:
    """The product with the largest positive share, among those with enough reviews to tell, else among all."""
    tallies = [(name, tally(judged.filter(pl.col("product") == name))) for name in names]
    compared = [pair for pair in tallies if pair[1].reviews >= FEWEST] or tallies
    return max(compared, key=lambda pair: (pair[1].positive_share, pair[1].reviews), default=(None, None))[0]


def _matching(wished: str, names: Sequence[str]) -> str | None:
    """The product that is meant: the same name, or the only one that holds it or is held by it."""
    plain = wished.casefold()
    same = [name for name in names if name.casefold() == plain]
    near = [name for name in names if plain in name.casefold() or name.casefold() in plain]
    return same[0] if same else near[0] if len(near) == 1 else None


def _liked(keywords: Sequence[Keyword], mine: pl.DataFrame) -> list[Liked]:
    """Known qualities before other words, each by the number of praising reviews; a quality counts once."""
    texts = mine["text"].str.to_lowercase()
    found: dict[str, Liked] = {}
    for keyword in keywords:
        if claims(keyword.term) or has_figures(keyword.term) or not drawable(keyword.term):
            continue
        if is_class(keyword.term, keyword.language):
            continue
        told = tally(mine.filter(texts.str.contains(keyword.term.lower(), literal=True)))
        if told.reviews < _FEWEST_WITH_TERM or told.positive_share < _LIKED:
            continue
        name = quality(keyword.term, keyword.language)
        liked = Liked(keyword.term, keyword.language, name, told.positive)
        known = found.get(name or keyword.term)
        if known is None or known.positive < liked.positive:
            found[name or keyword.term] = liked
    return sorted(found.values(), key=lambda liked: (liked.quality is None, -liked.positive, liked.word))


def _quotes(mine: pl.DataFrame, liked: Sequence[Liked]) -> Iterator[tuple[str, str]]:
    """Whole sentences of the strongest praise that name what is liked, promise nothing and carry no figures."""
    praise = mine.filter(pl.col("polarity") == "positive").sort("score", "row", descending=[True, False])
    # "A friend told me" holds a liked word too, but says nothing of the product.
    words = [one.word.casefold() for one in liked if one.quality] or [one.word.casefold() for one in liked]
    seen: set[str] = set()
    for language, text in praise.head(_READ_FOR_QUOTES).select("language", "text").iter_rows():
        for sentence in _sentences(text):
            if len(seen) == _MOST_QUOTES:
                return
            names = not words or any(word in sentence.casefold() for word in words)
            if names and sentence not in seen and _is_quotable(sentence):
                seen.add(sentence)
                yield language, sentence


def _is_quotable(sentence: str) -> bool:
    fits = _QUOTE_LENGTH[0] <= len(sentence) <= _QUOTE_LENGTH[1]
    return fits and drawable(sentence) == sentence and not claims(sentence) and not has_figures(sentence)


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text + ("" if text[-1:] in ".!?" else "."))]
