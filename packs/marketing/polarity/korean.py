"""Korean polarity: logistic regression over hashed character n-grams, learned from film reviews.

Where the weights come from and how good they are: models/PROVENANCE.md.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from packs.marketing.polarity.lexicon import load
from packs.marketing.polarity.ngrams import BUCKET_BITS, BUCKETS, canonical, features

WEIGHTS = Path(__file__).parent.parent / "models" / "sentiment_ko.npz"

# Log-odds that one word of the supplement adds: enough to decide a text that film reviews say little about, not
# enough to overrule one that they say much about.
_SUPPLEMENT = 1.5
# What a phrase of indifference leaves of the odds.
_LUKEWARM = 0.2
# Bounds the arrays of one step: 2,000 texts of 40 characters are some 300,000 n-grams.
_STEP = 2_000


@cache
def _model(path: Path) -> tuple[NDArray[np.float32], float]:
    with np.load(path, allow_pickle=False) as stored:
        if int(stored["bits"]) != BUCKET_BITS:
            message = f"weights for {int(stored['bits'])} bits, features have {BUCKET_BITS}: train again"
            raise ValueError(message)
        weights = np.zeros(BUCKETS, dtype=np.float32)
        weights[np.cumsum(stored["gaps"], dtype=np.int64)] = stored["weights"] * stored["step"]
        return weights, float(stored["bias"])


def log_odds(texts: Sequence[str], weights_file: Path = WEIGHTS) -> NDArray[np.float64]:
    """ln(P(positive) / P(negative)) by the n-grams alone, one per text."""
    weights, bias = _model(weights_file)
    parts = [_step(texts[start : start + _STEP], weights) + bias for start in range(0, len(texts), _STEP)]
    return np.concatenate(parts) if parts else np.empty(0)


def _step(texts: Sequence[str], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    found = features(texts)
    summed = np.bincount(found.text, weights=found.value * weights[found.bucket], minlength=len(texts))
    squares = np.bincount(found.text, weights=found.value**2, minlength=len(texts))
    return np.asarray(summed / np.sqrt(np.maximum(squares, 1e-12)))


def scores(texts: Sequence[str]) -> list[float]:
    """-1..1 per text; 0 for one without a letter."""
    supplement = load("ko")
    odds = log_odds(texts)
    result = []
    for text, by_ngrams in zip(texts, odds, strict=True):
        if not any(character.isalpha() for character in text):
            result.append(0.0)
            continue
        plain = canonical(text)
        value = by_ngrams + _SUPPLEMENT * np.clip(supplement.total(plain), -2.0, 2.0)
        if supplement.is_lukewarm(plain):
            value = value * _LUKEWARM
        result.append(round(float(np.tanh(value / 2.0)), 4))
    return result
