"""Letters: pairs and triples within words, so that particles and endings do little harm, in any of the three languages;
and how well they fit a question (BM25)."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from packs.documents.numerals import in_figures
from packs.documents.passages import Passage

K1, B = 1.2, 0.5
ABOUT = 0.4
"""What letters of a passage's context count beside those of the passage itself."""
_WORD = re.compile(r"[^\W_]+|[%€$£¥₩]")
_SEAM = "\ue000"
_BESIDE, _SIGN = re.compile(rf"[^\w%$€£¥₩{_SEAM}]+|_+"), re.compile("[%$€£¥₩]")
_BROKEN = re.compile(r"(?<=\d)\s+(?=[^\W\da-zA-Z])|(?<=[^\W\da-zA-Z_가-힣])\s+(?=\d)")
"""A blank that a PDF puts between figures and wide letters."""


def level(text: str) -> str:
    """In one width, without blanks between figures and their units, and numbers in figures (八十六万円 is 86万円)."""
    return in_figures(_BROKEN.sub("", unicodedata.normalize("NFKC", text)))


def plain(text: str) -> str:
    """In one width and case."""
    return level(text).casefold()


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
    """The words of passages, ranked by the letters that are wanted. Only those are counted: a book takes a tenth of a
    second."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._texts = _flat([one.text for one in passages])
        self._contexts = _flat([one.context for one in passages])
        self._lengths = [
            _length(text) + ABOUT * _length(about) for text, about in zip(self._texts, self._contexts, strict=True)
        ]
        self._known: dict[str, tuple[list[float], float]] = {}
        self._usual = sum(self._lengths) / max(len(passages), 1) or 1.0

    def fit(self, wanted: Mapping[str, float]) -> list[float]:
        """Of each passage, 0..1: the best has 1, unless none has any of the wanted letters."""
        found = [0.0] * len(self._texts)
        for gram, weight in wanted.items():
            times, rare = self._times(gram)
            for at, count in enumerate(times):
                if count:
                    norm = K1 * (1 - B + B * self._lengths[at] / self._usual)
                    found[at] += weight * rare * count * (K1 + 1) / (count + norm)
        best = max(found, default=0.0)
        return [one / best for one in found] if best else found

    def share(self, wanted: Mapping[str, float], at: int) -> float:
        """How much of the wanted letters a passage has, 0..1; rare ones weigh more."""
        whole = there = 0.0
        for gram, weight in wanted.items():
            times, rare = self._times(gram)
            worth = weight * rare
            whole += worth
            there += worth if times[at] else 0.0
        return there / whole if whole else 0.0

    def _times(self, gram: str) -> tuple[list[float], float]:
        """How often each passage has it, and how rare it is."""
        known = self._known.get(gram)
        if known is None:
            times = self._counted(gram)
            known = self._known[gram] = times, self._rarity(times)
        return known

    def _counted(self, gram: str) -> list[float]:
        sought = gram if len(gram) > 1 else f" {gram} "
        return [
            text.count(sought) + (ABOUT * about.count(sought) if about else 0.0)
            for text, about in zip(self._texts, self._contexts, strict=True)
        ]

    def _rarity(self, times: Sequence[float]) -> float:
        number, having = len(times), sum(1 for count in times if count)
        return math.log(1 + (number - having + 0.5) / (having + 0.5))


def _flat(texts: Sequence[str]) -> list[str]:
    """Their words with blanks around them: no pair of letters reaches from one into the next. All in one pass."""
    whole = plain(_SEAM.join(text.replace(_SEAM, " ") for text in texts))
    whole = _SIGN.sub(r"  \g<0>  ", _BESIDE.sub("  ", whole))
    return [f" {text} " if text else "" for text in whole.split(_SEAM)]


def _length(flat: str) -> int:
    """About how many pairs and triples there are."""
    return sum(max(2 * len(word) - 3, 1) for word in flat.split())
