"""Sentences of customers that speak of a term: judged one by one, since a bad review may praise the filter."""

import re
from collections.abc import Collection

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.artifacts import read_judged
from packs.marketing.polarity.insults import insults
from packs.marketing.polarity.judge import judge
from packs.marketing.shapes import Polarity

_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*")
_LENGTH = (8, 110)
_MOST_READ = 60
# "The film is a little long" is found to be neither praise nor blame, and stands for neither.
_CLEAR = 0.4


class Voices:
    """`said` has the columns text, language, product, polarity; empty when reviews or their polarity are missing."""

    def __init__(self, said: pl.DataFrame) -> None:
        self.said = said
        self._taken: set[str] = set()

    def about(self, term: str, side: Polarity) -> str | None:
        """The clearest sentence on this side that holds the term; never the same one twice."""
        reviews = self.said.filter(pl.col("polarity") == side).head(20 * _MOST_READ)
        found: dict[str, str] = {}
        for text, language in reviews.select("text", "language").iter_rows():
            for sentence in _SENTENCE.split(text):
                if _holds(sentence, term) and _LENGTH[0] <= len(sentence) <= _LENGTH[1] and sentence not in self._taken:
                    found.setdefault(sentence, language)
            if len(found) >= _MOST_READ:
                break
        if not found:
            return None
        judged = judge(list(found), list(found.values()), lambda done: None)
        sign = 1 if side == "positive" else -1
        ranked = [
            (sign * score, sentence)
            for sentence, (polarity, score) in zip(found, judged, strict=True)
            if polarity == side and abs(score) >= _CLEAR and not insults(sentence)
        ]
        if not ranked:
            return None
        self._taken.add(best := max(ranked)[1])
        return best


def _holds(sentence: str, term: str) -> bool:
    if term.isascii():
        return re.search(rf"\b{re.escape(term)}\b", sentence, re.IGNORECASE) is not None
    return term in sentence.lower()


def listen(ctx: ToolContext, products: Collection[str] | None = None) -> Voices:
    """The judged reviews with their texts, clearest first; of some products only, if they are named."""
    judged = read_judged(ctx)
    if judged is None:
        return Voices(pl.DataFrame(schema=dict.fromkeys(("text", "language", "product", "polarity"), pl.String)))
    said, summary = judged
    if (scale := summary.about.quality.rating_scale) is not None:
        # Whoever gave three of five stars neither praises nor blames, whatever a sentence of theirs sounds like.
        rating, side = pl.col("rating"), pl.col("polarity")
        praise = (rating >= scale.positive_from) & (side == "positive")
        blame = (rating <= scale.negative_to) & (side == "negative")
        said = said.filter(rating.is_null() | praise | blame)
    if products is not None:
        said = said.filter(pl.col("product").is_in(list(products)))
    return Voices(said.sort(pl.col("score").abs(), "row", descending=[True, False]))
