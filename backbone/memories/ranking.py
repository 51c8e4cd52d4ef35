"""Fusing what was found by letters with what was found by meaning."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

RRF_K = 60
DEPTH = 50
"""How far down each of the two lists is looked."""
ALIKE = 0.25
"""Cosine under which two texts have nothing to do with each other."""
ENOUGH = 10
"""Items that hold words of the query as they are; where there are fewer, words that are spelled alike count too."""
SPELLED = 0.6
"""Share of a word's trigrams that a text must have in one place, as word_similarity of pg_trgm counts them."""


class Hit(NamedTuple):
    """A word of the query in an item, and how well it matches there, 0..1."""

    word: str
    item_id: UUID
    similarity: float


def by_letters(hits: Sequence[Hit]) -> list[UUID]:
    """Items by the words they hold: a long word that few items hold says more than a short one that many do."""
    holders = Counter(hit.word for hit in hits)
    weights: defaultdict[UUID, float] = defaultdict(float)
    for hit in hits:
        rare = math.log(1 + DEPTH / holders[hit.word])
        weights[hit.item_id] += hit.similarity**2 * rare * math.sqrt(len(hit.word))
    return sorted(weights, key=lambda item_id: (-weights[item_id], item_id))[:DEPTH]


def fused(*rankings: Sequence[UUID]) -> dict[UUID, float]:
    """Item -> score by reciprocal rank fusion, best first."""
    scores: defaultdict[UUID, float] = defaultdict(float)
    for ranking in rankings:
        for place, item_id in enumerate(ranking, 1):
            scores[item_id] += 1 / (RRF_K + place)
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))
