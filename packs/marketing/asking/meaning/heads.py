"""What was learned: which figure a question wants, in which order, by groups or not, and how features speak for a
column (models/questions.npz; `python -m bench.learn_questions` makes it)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packs.marketing.asking.meaning.sought import Floats
from understanding.kit.ngrams import CharNgrams
from understanding.kit.softmax import Softmax

KINDS = (
    "count", "mean", "sum", "median", "max", "min", "share", "portion", "distinct", "rows", "other",
)  # fmt: skip
RANKS = ("none", "high", "low")
SIDES = ("no", "yes")
HEADS = {"kind": KINDS, "rank": RANKS, "grouped": SIDES, "every": SIDES}
"""`every`: all groups are told in their order, and not the first alone."""
WEIGHTS = Path(__file__).parents[2] / "models" / "questions.npz"
DIMENSIONS, BUCKETS = 512, 2048
_SPELLING, _KNOWN_WORDS = 0.5, 0.5
"""How much spelling and known words weigh beside the sentence vector."""


class Likeliest(NamedTuple):
    """Of a softmax or of a choice among columns: what is likeliest, and how likely."""

    at: int
    sure: float


@dataclass(frozen=True, slots=True)
class Conditional:
    """A choice among candidates by their features, each [features]: mean, spread and weight."""

    mean: Floats
    spread: Floats
    weights: Floats

    def choose(self, rows: Floats) -> Likeliest:
        """Of [candidates, features]."""
        scores = ((rows - self.mean) / self.spread) @ self.weights
        shares = np.exp(scores - scores.max())
        at = int(shares.argmax())
        return Likeliest(at, float(shares[at] / shares.sum()))


@dataclass(frozen=True, slots=True)
class Heads:
    spelling: CharNgrams
    heads: dict[str, Softmax]
    number: Conditional
    group: Conditional

    def read(self, row: Floats) -> dict[str, tuple[str, float]]:
        """Each head's likeliest answer, and how likely it is; of `question_row`."""
        shares = {name: head.predict(row) for name, head in self.heads.items()}
        return {name: (HEADS[name][int(found.argmax())], float(found.max())) for name, found in shares.items()}


def question_row(vector: Floats, spelt: Floats, known: Floats) -> Floats:
    """Of a sentence's vector, its n-grams and its known words, [DIMENSIONS + BUCKETS + OF_A_QUESTION] together."""
    row: Floats = np.concatenate([vector, _SPELLING * spelt, _KNOWN_WORDS * known]).astype(np.float32)
    return row


@cache
def learned(path: Path = WEIGHTS) -> Heads:
    with np.load(path, allow_pickle=False) as stored:
        found = {name: stored[name].astype(np.float32) for name in stored.files}
    return Heads(
        CharNgrams(found["idf"]),
        {name: Softmax(found[name], found[f"{name}.bias"]) for name in HEADS},
        *(Conditional(*found[name]) for name in ("number", "group")),
    )


def save(path: Path, made: Heads) -> None:
    """In half precision: weights differ by less than what a question more or less changes."""
    arrays = {"idf": made.spelling.idf}
    for name, head in made.heads.items():
        arrays |= {name: head.weights, f"{name}.bias": head.bias}
    halved: dict[str, Any] = {name: one.astype(np.float16) for name, one in arrays.items()}
    np.savez_compressed(path, **halved, number=_stacked(made.number), group=_stacked(made.group))


def _stacked(one: Conditional) -> Floats:
    return np.stack([one.mean, one.spread, one.weights]).astype(np.float32)


def unit(rows: Sequence[Sequence[float]] | Floats) -> Floats:
    """Rows of length 1."""
    found = np.asarray(rows, dtype=np.float32)
    lengths = np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    units: Floats = found / lengths
    return units
