"""What the reviews say for a product: liked qualities, whole sentences, the counted share of positive reviews."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.advert.phrasebook import claims, has_figures, quality
from packs.marketing.artifacts import CLEAN, KEYWORDS, read_json, read_reviews, read_sentiment
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.keywords.terms import is_class
from packs.marketing.polarity.insults import insults
from packs.marketing.polarity.judge import judge
from packs.marketing.polarity.summary import tally
from packs.marketing.reporting.figures import count, share
from packs.marketing.reporting.fonts import drawable
from packs.marketing.reporting.material import FEWEST
from packs.marketing.shapes import Keyword, Keywords, RatingScale, Tally

# A term is liked when so many reviews that hold it are positive.
_LIKED = 0.6
_FEWEST_WITH_TERM = 4
# Fewer reviews than this make no share worth quoting.
FEWEST_FOR_SHARE = 30
_LEAST_TENTHS = 7
_QUOTE_LENGTH = (8, 60)
_MOST_QUOTES, _READ_FOR_QUOTES = 8, 60
_ENOUGH, _CLEAR = 2, 0.6
# A sentence ends with its mark, before a space or the next Japanese sentence.
_ENDS = ".!?\u3002\uff01\uff1f"
_LETTERS = re.compile(r"\W")
_SENTENCE = re.compile(r"(?<![^.!?\u3002\uff01\uff1f])[^.!?\u3002\uff01\uff1f]++[.!?\u3002\uff01\uff1f]+")


@dataclass(frozen=True, slots=True)
class Liked:
    """A term of the praise. `quality` is the id of a quality that ads know in every language."""

    word: str
    language: str
    quality: str | None
    positive: int


@dataclass(frozen=True, slots=True)
class Praise:
    """A whole sentence of a customer, and the review that it stands in."""

    language: str
    text: str
    row: int
    rating: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """`product` is as the data or the person spell it; `overall` counts its reviews, if they were judged. `ranked`: the
    data had several products, and this one has the largest share of positive reviews."""

    product: str | None
    overall: Tally | None = None
    liked: tuple[Liked, ...] = ()
    quotes: tuple[Praise, ...] = ()
    """Strongest first, each liked term before any has its second."""
    ranked: bool = False

    @property
    def tenths(self) -> int | None:
        """Of ten reviews so many are positive, rounded down; none where that is no argument or rests on too few."""
        if self.overall is None or self.overall.reviews < FEWEST_FOR_SHARE:
            return None
        found = 10 * self.overall.positive // self.overall.reviews
        return found if found >= _LEAST_TENTHS else None


def gather(ctx: ToolContext, wished: str | None) -> Evidence:
    """For the wished product, else for the one with the largest positive share; nothing from reviews of others."""
    found = _judged(ctx)
    if found is None:
        return Evidence(wished)
    judged, scale = found
    names = [name for name in judged["product"].drop_nulls().unique().sort().to_list() if name.strip()]
    product = _best(judged, names) if wished is None else _matching(wished, names)
    if product is None and names and wished is not None:
        return Evidence(wished)
    mine = judged if product is None else judged.filter(pl.col("product") == product)
    keywords = read_json(ctx, KEYWORDS, Keywords)
    liked = tuple(_liked(keywords.keywords if keywords else (), mine))
    ranked = wished is None and len(names) > 1
    return Evidence(wished or product, tally(mine), liked, tuple(_quotes(mine, liked, scale)), ranked)


def chosen(found: Evidence, ctx: ToolContext) -> list[Sentence]:
    """Why this product, where nobody named one."""
    if not found.ranked or found.overall is None:
        return []
    n, positive = found.overall.reviews, found.overall.positive
    return [
        say(
            ctx,
            "ad.summary.ranked",
            n,
            of={"product": found.product},
            interval=wilson(positive, n),
            product=found.product,
            share=share(positive, n),
            reviews=count(n),
            fewest=FEWEST,
        )
    ]


def _judged(ctx: ToolContext) -> tuple[pl.DataFrame, RatingScale | None] | None:
    """The reviews with their polarity, and how they rate. Sentiment has the rows of reviews.clean in the same order."""
    if not ctx.inputs(CLEAN):
        return None
    reviews = read_reviews(ctx, CLEAN)
    sentiment = read_sentiment(ctx, reviews.of)
    if sentiment is None or sentiment[0].is_empty():
        return None
    return reviews.frame.with_columns(sentiment[0]["polarity"], sentiment[0]["score"]), reviews.quality.rating_scale


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


def _quotes(mine: pl.DataFrame, liked: Sequence[Liked], scale: RatingScale | None) -> list[Praise]:
    """Whole sentences of praise that promise nothing and carry no figures; those that name what is liked come first.
    Each is judged by itself: a good review, too, may hold a sentence of blame. Whoever rated it low praises nothing."""
    words = [one.word.casefold() for one in liked]
    sentences: dict[str, Praise] = {}
    praise = mine.filter(pl.col("polarity") == "positive").sort("score", "row", descending=[True, False])
    if scale is not None:
        praise = praise.filter(pl.col("rating").is_null() | (pl.col("rating") >= scale.positive_from))
    for row in praise.head(_READ_FOR_QUOTES).select("language", "text", "row", "rating").iter_rows(named=True):
        for sentence in _sentences(row["text"]):
            if _is_quotable(sentence):
                # "Good!" and "Good." are one sentence to whoever sees both.
                sentences.setdefault(
                    _LETTERS.sub("", sentence).casefold(), Praise(row["language"], sentence, row["row"], row["rating"])
                )
    said = list(sentences.values())
    judged = zip(said, judge([one.text for one in said], [one.language for one in said]), strict=True)
    ranked = sorted(((score, one) for one, (side, score) in judged if side == "positive"), key=lambda pair: -pair[0])
    turns: dict[str, int] = {}
    placed: list[tuple[int, Praise]] = []
    for _, one in ranked:
        if named := next((word for word in words if word in one.text.casefold()), ""):
            turns[named] = turns.get(named, 0) + 1
            placed.append((turns[named], one))
    found = [one for _, one in sorted(placed, key=lambda pair: pair[0])]
    if len(found) < _ENOUGH:
        # "A friend told me" sounds well and says nothing: without a word that is liked only the clearest will do.
        found += [one for score, one in ranked if score >= _CLEAR and one not in found]
    return found[:_MOST_QUOTES]


def _is_quotable(sentence: str) -> bool:
    fits = _QUOTE_LENGTH[0] <= len(sentence) <= _QUOTE_LENGTH[1]
    return (
        fits and drawable(sentence) == sentence and not (claims(sentence) or has_figures(sentence) or insults(sentence))
    )


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text if text[-1:] in _ENDS else text + ".")]
