"""The sentences of a text that say most about a question; without a question, those that the rest revolves around."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_PIECE = re.compile(r"[^.!?\u3002\uff01\uff1f\n]+(?:[.!?\u3002\uff01\uff1f]+(?!\w))?|[.!?]")
_WORD = re.compile(r"[\w%]+")
SHORT, LONG = 4, 300
"""Characters: what is shorter says nothing; what is longer is cut."""


class Excerpt(NamedTuple):
    """A sentence and where it stands."""

    text: str
    page: int | None
    score: float


def excerpts(pages: Sequence[tuple[int | None, str]], question: str, number: int) -> list[Excerpt]:
    """The best, in the order of the text. `score` is 0 where nothing in it fits the question."""
    pieces = [(piece, page) for page, text in pages for piece in sentences(text)]
    asked = _grams(question)
    counts = Counter(gram for piece, _ in pieces for gram in _grams(piece))
    common = math.log(1 + len(pieces))

    def score(piece: str) -> float:
        grams = _grams(piece)
        if not asked:
            return sum(math.log(1 + counts[gram]) for gram in grams) / math.sqrt(20 + len(grams))
        # a pair of letters that every sentence has says little about this one
        return sum(common - math.log(1 + counts[gram]) + 0.1 for gram in grams & asked) / math.sqrt(20 + len(grams))

    scored = [Excerpt(piece[:LONG], page, round(score(piece), 6)) for piece, page in pieces]
    best = sorted(range(len(scored)), key=lambda place: (-scored[place].score, place))[:number]
    return [scored[place] for place in sorted(best)]


def sentences(text: str) -> list[str]:
    """Lines, and sentences within lines; the same one once."""
    found = (" ".join(match.group().split()) for line in text.splitlines() for match in _PIECE.finditer(line))
    return list(dict.fromkeys(piece for piece in found if len(piece) >= SHORT))


def likeness(one: str, other: str) -> float:
    """How alike two short texts are, 0..1, by pairs of letters."""
    first, second = _grams(one), _grams(other)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def share(asked: str, text: str) -> float:
    """How much of what is asked the text holds, 0..1."""
    grams = _grams(asked)
    return len(grams & _grams(text)) / len(grams) if grams else 0.0


def _grams(text: str) -> frozenset[str]:
    """Pairs of letters within words: particles and endings then do little harm, in any of the three languages."""
    words = _WORD.findall(text.casefold())
    return frozenset(word[at : at + 2] for word in words for at in range(max(len(word) - 1, 1)))
