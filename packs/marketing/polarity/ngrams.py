"""Hashed character n-grams, with numpy alone: the features of the Korean polarity model, the same in training and use.

Words are the wrong unit for Korean reviews, which are written without spaces and with typing errors; character
n-grams need no tokenizer and no vocabulary. N-grams of jamo, the letters inside a syllable, were tried too: three
times the work for no gain on films that the model had not seen.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
