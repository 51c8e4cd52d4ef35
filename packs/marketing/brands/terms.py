"""What only one brand hears: its liked and disliked terms against those of the others.

Log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi, Quinn 2008, "Fightin' Words"), over reviews
instead of words, so that one long review counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

from packs.marketing.brands.names import folded, spellings
from packs.marketing.keywords import english, japanese, korean
from packs.marketing.keywords.terms import Term, is_class, weigh
from packs.marketing.shapes import Polarity
from packs.marketing.shapes_competitor import BrandTerm

_CANDIDATES = 250
# The prior weighs this share of all reviews. A light one would let a term that everybody uses beat one that only this
# brand hears, because counts of zero would be all noise.
_PRIOR = 0.5
_FEWEST = 2
_FEWEST_SHARE, _FEWEST_REVIEWS = 0.02, 100
# 95 % to the one side that is asked about.
_CLEAR = 1.645


@dataclass(frozen=True, slots=True)
class Candidate:
    """A term of one language and the reviews (by their place) that hold it."""

    term: str
    language: str
    documents: frozenset[int]


def candidates(texts: Sequence[str], languages: Sequence[str], names: Sequence[str]) -> list[Candidate]:
    """Terms of every language that has an extractor, without the brands' own names."""
    skipped = {word for name in names for form in spellings(name) for word in (folded(form), *folded(form).split())}
    found: list[Candidate] = []
    for language in ("ko", "en", "ja"):
        places = [place for place, spoken in enumerate(languages) if spoken == language]
        # A handful of reviews in another language has no terms that stand out, only words.
        worth = len(places) >= _FEWEST_SHARE * len(texts) or len(places) >= _FEWEST_REVIEWS
        for term in _terms(language, [texts[place] for place in places]) if places and worth else ():
            if is_class(term.term, language) or any(folded(term.term) in word for word in skipped):
                continue
            documents = frozenset(places[index] for index in term.documents)
            found.append(Candidate(term.term, language, documents))
    return found


def _terms(language: str, texts: Sequence[str]) -> list[Term]:
    if language == "en":
        return english.phrases(texts, _CANDIDATES // 2)
    words = japanese.words(texts) if language == "ja" else korean.settle(list(korean.nouns(texts)))
    return weigh(words, _CANDIDATES)


def specific(
    found: Sequence[Candidate], brand: frozenset[int], others: frozenset[int], polarities: Sequence[Polarity], top: int
) -> tuple[tuple[BrandTerm, ...], tuple[BrandTerm, ...]]:
    """The brand's liked and disliked terms, clearest first."""
    sides = {
        side: frozenset(place for place in brand | others if polarities[place] == side)
        for side in ("positive", "negative")
    }
    liked = _side(found, brand, others, sides["positive"], sides["negative"])
    disliked = _side(found, brand, others, sides["negative"], sides["positive"])
    return tuple(liked[:top]), tuple(disliked[:top])


def _side(
    found: Sequence[Candidate],
    brand: frozenset[int],
    others: frozenset[int],
    side: frozenset[int],
    opposite: frozenset[int],
) -> list[BrandTerm]:
    terms = []
    for candidate in found:
        held = candidate.documents & brand
        mine, theirs = len(held & side), len(candidate.documents & others & side)
        # A term that the same brand is praised for as often is a subject, no complaint.
        if mine < _FEWEST or mine <= len(held & opposite):
            continue
        z = log_odds(mine, len(brand), theirs, len(others))
        if z >= _CLEAR:
            share = round(mine / len(brand), 4)
            terms.append(
                BrandTerm(
                    term=candidate.term,
                    language=candidate.language,
                    documents=mine,
                    others=theirs,
                    share=share,
                    z=round(z, 2),
                )
            )
    return _distinct(sorted(terms, key=lambda term: (-term.z, term.term)))


def log_odds(mine: int, brand: int, theirs: int, others: int) -> float:
    """The z-score of the log-odds ratio; the prior is the share of the term in everything."""
    reviews = brand + others
    with_term = _PRIOR * (mine + theirs)
    # A term in every single review leaves the prior without its other half.
    without = max(_PRIOR * (reviews - mine - theirs), 1e-3)
    own = log((mine + with_term) / (brand - mine + without))
    other = log((theirs + with_term) / (others - theirs + without))
    variance = 1 / (mine + with_term) + 1 / (theirs + with_term)
    return (own - other) / sqrt(variance)


def _distinct(terms: Sequence[BrandTerm]) -> list[BrandTerm]:
    """Of terms that hold each other, such as "battery" and "battery drains", the stronger one stays."""
    kept: list[BrandTerm] = []
    for term in terms:
        if not any(term.term in other.term or other.term in term.term for other in kept):
            kept.append(term)
    return kept
