"""Terms per review and how strongly each stands out: TF-IDF, the same for every language that has a tokenizer."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from understanding.kit.data import read_data

# A term that one review alone uses says something about that review only.
_MIN_DOCUMENTS = 2


@dataclass(frozen=True, slots=True)
class Term:
    """`documents` are the indexes of the texts that hold the term; `weight` orders terms within a language."""

    term: str
    count: int
    documents: tuple[int, ...]
    weight: float


@cache
def stopwords(language: str) -> frozenset[str]:
    return frozenset(map(str, _lists()[language]))


def is_class(term: str, language: str) -> bool:
    """Whether a term names what is reviewed ("film", "this film") and nothing about it."""
    return set(term.split()) <= frozenset(map(str, _lists()["classes"][language])) | stopwords(language)


@cache
def _lists() -> Any:  # plain YAML
    return read_data(Path(__file__).parent / "stopwords.yaml")


def weigh(tokens: Sequence[Sequence[str]], top: int) -> list[Term]:
    """The strongest terms. The weight of a term is the sum of its TF-IDF over the texts, each TF damped by a log."""
    counts: Counter[str] = Counter()
    holders: dict[str, list[int]] = {}
    damped: Counter[str] = Counter()
    for index, words in enumerate(tokens):
        for word, count in Counter(words).items():
            counts[word] += count
            holders.setdefault(word, []).append(index)
            damped[word] += 1.0 + math.log(count)  # type: ignore[assignment]  # Counter is typed for int alone
    least = _MIN_DOCUMENTS if len(tokens) >= 20 else 1
    terms = [
        Term(word, counts[word], tuple(found), damped[word] * math.log(1.0 + len(tokens) / len(found)))
        for word, found in holders.items()
        if len(found) >= least
    ]
    return sorted(terms, key=lambda term: (-term.weight, term.term))[:top]
