"""English polarity: VADER with a supplement for product reviews (lexicons/en.yaml)."""

import html
import math
from collections.abc import Sequence
from functools import cache
from typing import Protocol

from packs.marketing.polarity.lexicon import load

# One expression of the supplement counts as much as one clear word of VADER's ("good" is 1.9).
_SUPPLEMENT = 2.0
# VADER's own constant: compound = sum / sqrt(sum² + 15).
_ALPHA = 15.0


class _Analyzer(Protocol):
    def polarity_scores(self, text: str) -> dict[str, float]: ...


@cache
def _analyzer() -> _Analyzer:
    # Imported here: its lexicon and emoji table take a moment that only English reviews should pay for.
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    found: _Analyzer = SentimentIntensityAnalyzer()
    return found


def scores(texts: Sequence[str]) -> list[float]:
    """-1..1 per text; 0 where neither VADER nor the supplement knows a word."""
    return [_score(text) for text in texts]


def _score(text: str) -> float:
    text = html.unescape(text).replace("’", "'")
    compound = _analyzer().polarity_scores(text)["compound"]
    # VADER's sum, regained from its compound, so that both lexicons add up on the same scale.
    bounded = max(-0.999, min(0.999, compound))
    total = bounded * math.sqrt(_ALPHA / (1.0 - bounded**2)) + _SUPPLEMENT * load("en").total(text)
    return round(total / math.sqrt(total**2 + _ALPHA), 4)
