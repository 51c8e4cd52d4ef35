"""Key phrases of English texts: yake proposes them, the reviews are then searched for each."""

import re
from collections.abc import Sequence
from typing import Any

from packs.marketing.keywords.terms import Term, stopwords

# yake reads one long text and its time grows faster than the text; more adds no new phrases at the top.
_LONGEST = 60_000
_CANDIDATES = 4


def phrases(texts: Sequence[str], top: int) -> list[Term]:
    """Phrases of one or two words. The weight is yake's, turned so that more is stronger, and its reach."""
    from yake import KeywordExtractor

    extractor: Any = KeywordExtractor(lan="en", n=2, top=_CANDIDATES * top, dedupLim=0.8)
    found: list[tuple[str, float]] = extractor.extract_keywords(_sample(texts))
    folded = [text.lower() for text in texts]
    terms: dict[str, Term] = {}
    for phrase, score in found:
        term = phrase.lower()
        words = set(term.split())
        if words & stopwords("en") or len(term) < 3 or term in terms:
            continue
        pattern = re.compile(rf"\b{re.escape(term)}\b")
        counts = [(index, len(pattern.findall(text))) for index, text in enumerate(folded) if term in text]
        holders = tuple(index for index, count in counts if count)
        if len(holders) >= (2 if len(texts) >= 20 else 1):
            reach = len(holders) ** 0.5
            terms[term] = Term(term, sum(count for _, count in counts), holders, reach / (1e-4 + score) ** 0.5)
    return sorted(terms.values(), key=lambda term: (-term.weight, term.term))[:top]


def _sample(texts: Sequence[str]) -> str:
    """Evenly spread texts up to the length that yake reads in a second or two."""
    total = sum(map(len, texts))
    every = max(1, -(-total // _LONGEST))
    # Each review ends with a stop, so that no phrase runs over from one into the next.
    return "\n".join(text if text.endswith((".", "!", "?")) else text + "." for text in texts[::every])
