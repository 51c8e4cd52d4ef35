"""Korean polarity: logistic regression over hashed character n-grams, learned from film reviews.

Where the weights come from and how good they are: models/PROVENANCE.md.

Hashed character n-grams, with numpy alone: the features of the Korean polarity model, the same in training and use.
Words are the wrong unit for Korean reviews, which are written without spaces and with typing errors; character
n-grams need no tokenizer and no vocabulary. N-grams of jamo, the letters inside a syllable, were tried too: three
times the work for no gain on films that the model had not seen."""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from packs.marketing.polarity.lexicon import load

WEIGHTS = Path(__file__).parent.parent / "models" / "sentiment_ko.npz"

# Log-odds that one word of the supplement adds: enough to decide a text that film reviews say little about, not
# enough to overrule one that they say much about. In talk about films it adds nothing.
_SUPPLEMENT = 2.0
# Characters from which on the n-grams count in full beside a word of the supplement, and what they count at least: of
# a text as short as "밝기 조절이 편해요" they know no more than what "조절" was said of in films.
_TELLING = 30
_LEAST = 0.25
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
        value = by_ngrams
        if not supplement.is_of_films(plain) and (known := supplement.total(plain)):
            damped = by_ngrams * min(1.0, max(_LEAST, len(plain) / _TELLING))
            value = damped + _SUPPLEMENT * np.clip(known, -2.0, 2.0)
        if supplement.is_lukewarm(plain):
            value = value * _LUKEWARM
        result.append(round(float(np.tanh(value / 2.0)), 4))
    return result


SIZES = (1, 2, 3, 4)
BUCKET_BITS = 20
BUCKETS = 1 << BUCKET_BITS

_REPEATED = re.compile(r"(.)\1{2,}")
_DIGITS = re.compile(r"\d+")
_SPACES = re.compile(r"\s+")
_SEPARATOR = 0
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Features:
    """A sparse matrix of texts × buckets by coordinates; `value` is 1 + ln(count)."""

    text: NDArray[np.int64]
    bucket: NDArray[np.int64]
    value: NDArray[np.float32]


def canonical(text: str) -> str:
    """Lower case, one space, at most two of a repeated character, every number the same."""
    text = unicodedata.normalize("NFC", html.unescape(text)).lower().replace("\0", " ")
    text = _DIGITS.sub("0", _REPEATED.sub(r"\1\1", text))
    return " " + _SPACES.sub(" ", text).strip() + " "


def features(texts: Sequence[str]) -> Features:
    """Counted n-grams of every text."""
    keys, counts = np.unique(_keys([canonical(text) for text in texts]), return_counts=True)
    return Features(
        text=keys >> BUCKET_BITS,
        bucket=keys & (BUCKETS - 1),
        value=(1.0 + np.log(counts)).astype(np.float32),
    )


def _keys(texts: Sequence[str]) -> NDArray[np.int64]:
    """One number per n-gram: the text's index above the bucket."""
    # All texts in one array: hashing then is a handful of numpy operations instead of a loop over characters.
    points = np.frombuffer(chr(_SEPARATOR).join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    breaks = points == _SEPARATOR
    owner = np.cumsum(breaks, dtype=np.int64)
    keys: list[NDArray[np.int64]] = []
    for size in SIZES:
        length = len(points) - size + 1
        if length <= 0:
            continue
        hashed = np.full(length, 1 + size, dtype=np.uint64)
        broken = np.zeros(length, dtype=bool)
        for offset in range(size):
            hashed = (hashed ^ points[offset : offset + length]) * _MULTIPLIER
            hashed ^= hashed >> np.uint64(29)
            broken |= breaks[offset : offset + length]
        bucket = (hashed >> np.uint64(64 - BUCKET_BITS)).astype(np.int64)
        keys.append(((owner[:length] << BUCKET_BITS) | bucket)[~broken])
    return np.concatenate(keys) if keys else np.empty(0, dtype=np.int64)
