"""Letters: pairs and triples within words, so that particles and endings do little harm, in any of the three languages;
and how well they fit a question (BM25)."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from packs.documents.passages import Passage

K1, B = 1.2, 0.5
ABOUT = 0.4
"""What letters of a passage's context count beside those of the passage itself."""
_WORD = re.compile(r"[^\W_]+|[%€$£¥₩]")
_BROKEN = re.compile(r"(?<=\d)\s+(?=[^\W\da-zA-Z])|(?<=[^\W\da-zA-Z_가-힣])\s+(?=\d)")
"""A blank that a PDF puts between figures and wide letters."""


def plain(text: str) -> str:
    """In one width and case."""
    return _BROKEN.sub("", unicodedata.normalize("NFKC", text).casefold())


def grams(text: str) -> Counter[str]:
    """How often each pair and triple of letters is there; a word of one letter is itself."""
    found: Counter[str] = Counter()
    for word in _WORD.findall(plain(text)):
        for size in (2, 3):
            found.update(word[at : at + size] for at in range(len(word) - size + 1))
        if len(word) == 1:
            found[word] += 1
    return found


class Letters:
    """The letters of passages, by which they are ranked."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._grams: list[dict[str, float]] = [_weighed(one) for one in passages]
        counts = Counter(gram for own in self._grams for gram in own)
        number = len(passages)
        self._rare = {gram: math.log(1 + (number - count + 0.5) / (count + 0.5)) for gram, count in counts.items()}
        self._unseen = math.log(1 + (number + 0.5) / 0.5)
        self._lengths = [sum(own.values()) for own in self._grams]
        self._usual = sum(self._lengths) / max(number, 1) or 1.0

    def fit(self, wanted: Mapping[str, float]) -> list[float]:
        """Of each passage, 0..1: the best has 1, unless none has any of the wanted letters."""
        found = [self._bm25(wanted, own, length) for own, length in zip(self._grams, self._lengths, strict=True)]
        best = max(found, default=0.0)
        return [one / best for one in found] if best else found

    def _bm25(self, wanted: Mapping[str, float], own: Mapping[str, float], length: float) -> float:
        norm = K1 * (1 - B + B * length / self._usual)
        return sum(
            weight * self._rare[gram] * times * (K1 + 1) / (times + norm)
            for gram, weight in wanted.items()
            if (times := own.get(gram, 0.0))
        )

    def share(self, wanted: Mapping[str, float], at: int) -> float:
        """How much of the wanted letters a passage has, 0..1; rare ones weigh more."""
        whole = sum(weight * self._rare.get(gram, self._unseen) for gram, weight in wanted.items())
        there = sum(weight * self._rare[gram] for gram, weight in wanted.items() if gram in self._grams[at])
        return there / whole if whole else 0.0


def _weighed(passage: Passage) -> dict[str, float]:
    found: dict[str, float] = dict(grams(passage.text))
    for gram, times in grams(passage.context).items():
        found[gram] = found.get(gram, 0.0) + ABOUT * times
    return found
