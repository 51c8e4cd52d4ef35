"""Which terms customers praise and which they blame, beyond what chance and frequency explain."""

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.keywords.terms import is_class
from packs.marketing.reporting.figures import count, share
from packs.marketing.reporting.material import FEWEST, Material
from packs.marketing.shapes import Keyword

# Of a term's reviews, so many must lean to a side for the term to stand on that side's slide.
_LEANS = 0.5
_COVERED = 0.8


def praised(material: Material) -> list[Keyword]:
    """Most positive reviews first."""
    return _leaning(material, "positive")


def blamed(material: Material) -> list[Keyword]:
    """Most negative reviews first."""
    return _leaning(material, "negative")


def praise(term: Keyword, ctx: ToolContext) -> Sentence:
    """How many of the reviews that hold the term are good."""
    positive = term.tally.positive if term.tally else 0
    return _counted("sales_material.lead.likes", term, positive, ctx, term=term.term, positive=count(positive))


def blame(term: Keyword, ctx: ToolContext) -> Sentence:
    """How many of them are bad."""
    negative = term.tally.negative if term.tally else 0
    return _counted("sales_material.objection.evidence", term, negative, ctx, negative=count(negative))


def _counted(says: str, found: Keyword, part: int, ctx: ToolContext, **values: str) -> Sentence:
    n = found.documents
    of: dict[str, JsonValue] = {"term": found.term}
    return say(ctx, says, n, of=of, interval=wilson(part, n), documents=count(n), share=share(part, n), **values)


def _leaning(material: Material, side: Literal["positive", "negative"]) -> list[Keyword]:
    if material.keywords is None:
        return []

    def number(keyword: Keyword) -> int:
        return getattr(keyword.tally, side, 0)

    usual = getattr(material.sentiment.overall, f"{side}_share") if material.sentiment else 0.0
    least = max(_LEANS, usual)
    found = [
        keyword
        for keyword in material.keywords.keywords
        if number(keyword) >= FEWEST
        and number(keyword) > least * keyword.documents
        and not is_class(keyword.term, keyword.language)
    ]
    found.sort(key=lambda keyword: (-number(keyword), keyword.term))
    return _distinct(found)


def _distinct(keywords: Sequence[Keyword]) -> list[Keyword]:
    """Of "dust", "bin" and "dust bin" one is enough: the phrase, if the words hardly occur without it."""
    words = {keyword.term: set(keyword.term.split()) for keyword in keywords}
    kept: list[Keyword] = []
    for keyword in keywords:
        mine = words[keyword.term]
        covered = any(mine < words[one.term] and one.documents >= _COVERED * keyword.documents for one in keywords)
        if not covered and not any(mine & words[one.term] for one in kept):
            kept.append(keyword)
    return kept
