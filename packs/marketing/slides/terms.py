"""Which terms customers praise and which they blame, beyond what chance and frequency explain."""

from collections.abc import Sequence
from typing import Literal

from packs.marketing.keywords.terms import is_class
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
