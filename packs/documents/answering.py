"""Which passage answers a question, and whether it does: by letters, by meaning where there are vectors, and by what is
asked for. The figures were chosen on bench/data/documents/development.jsonl and bench/data/dialogues.jsonl."""

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from packs.documents.asking import Question, is_empty, read_question
from packs.documents.passages import Passage
from packs.documents.ranking import Letters, grams, plain
from packs.documents.sentences import is_ended

Vectors = Sequence[Sequence[float]]
Meanings = Callable[[Sequence[str]], Vectors]
NAMED = 0.35
"""What the words count that an answer is called by ("period" for "how long"), beside those of the question."""
AROUND = 0.4
"""The same of the words around those that it is about."""
ENOUGH = 0.3
"""The share of the question's letters from which a passage is believed to be about it."""
SHOWN = 0.3
"""For what is asked for: a time, a sum of money."""
TITLE = 0.5
COMPARED = 64
"""Passages, the best by letters, that are compared by meaning."""
STRANGE = 0.15
"""A word with less has no partner in the passage."""
LEAST_LETTERS = 0.3
"""Without vectors the share of the letters that an answer has to have."""


class Evidence(NamedTuple):
    """That a passage answers a question: how alike the two are; what the passage has of the question's words, in the
    mean and of the least; whether it has what is asked for (0 or 1); how far it is before the next; how many words have
    no partner in it."""

    likeness: float
    mean: float
    least: float
    shown: float
    ahead: float
    strange: float

    @property
    def odds(self) -> float:
        """Over 0 it does."""
        return math.fsum(map(float.__mul__, map(float, self), _WEIGHTS)) + _BIAS


_WEIGHTS, _BIAS = Evidence(1.75, 1.25, 1.1, 3.2, 0.35, -1.45), -5.3
"""Of a logistic regression over those questions; documents left out one by one, it held 0.86 of the answers and refused
0.88 of the near misses."""
ALIKE_FROM, ALIKE_TO = 0.4, 0.8
"""Cosines of two words: of strangers, and of two names for one thing."""
_WORD = re.compile(r"[一-龯々〆ヵヶ]+|[ァ-ヴー]+|[a-z0-9]+|[가-힣]+")
WORDS = 60


class Scored(NamedTuple):
    """A passage of the document named, with its score and how alike it is to the question."""

    document: str
    passage: Passage
    score: float
    likeness: float


class Answer(NamedTuple):
    """Passages, the best first. `holds`: the first answers the question; else `missing` are the words of the question
    that it does not speak of; none of them: it speaks of the thing, and not of what is asked."""

    best: tuple[Scored, ...]
    holds: bool = False
    missing: tuple[str, ...] = ()


def answered(passages: Sequence[tuple[str, Passage]], text: str, meanings: Meanings, number: int = 5) -> Answer:
    """`passages` with the names of their documents."""
    question = read_question(text)
    wanted = _wanted(question)
    letters = Letters([passage for _, passage in passages])
    fits = letters.fit(wanted)
    shown = [_shows(question, passage) for _, passage in passages]
    extra = [SHOWN if asked and question.asks else 0.0 for asked in shown]
    likely = sorted(range(len(passages)), key=lambda at: (-fits[at] - extra[at], at))[:COMPARED]
    alike = _likeness(question.text, [passages[at][1] for at in likely], meanings)
    trust = _trust(fits, letters, _asked(question) or wanted) if alike else 1.0
    scored = []
    for at, likeness in zip(likely, alike or [0.0] * len(likely), strict=True):
        name, passage = passages[at]
        score = (trust * fits[at] + extra[at] + likeness) * (TITLE if passage.is_title else 1.0)
        scored.append((Scored(name, passage, round(score, 4), round(likeness, 4)), at))
    scored.sort(key=lambda one: (-one[0].score, one[1]))
    if not scored:
        return Answer(())
    best = tuple(one for one, _ in scored[:number])
    if not alike:
        holds = letters.share(_asked(question) or wanted, scored[0][1]) >= LEAST_LETTERS and shown[scored[0][1]]
        return Answer(best, holds)
    return _judged(question, best, meanings, shown=shown[scored[0][1]])


def _judged(question: Question, best: tuple[Scored, ...], meanings: Meanings, *, shown: bool) -> Answer:
    first, ahead = best[0], best[0].score - best[1].score if len(best) > 1 else 1.0
    known = _partners(question.words, first.passage, meanings) or [1.0]
    missing = tuple(word for word, strength in zip(question.words, known, strict=False) if strength < STRANGE)
    evidence = Evidence(
        first.likeness, sum(known) / len(known), min(known), float(shown), min(ahead, 1.0), float(len(missing))
    )
    holds = evidence.odds >= 0
    return Answer(best, holds, () if holds else missing)


def _wanted(question: Question) -> dict[str, float]:
    wanted = dict.fromkeys(grams(question.text), AROUND) | _asked(question)
    for word in question.called:
        for gram in grams(word):
            wanted.setdefault(gram, NAMED)
    return wanted


def _trust(fits: Sequence[float], letters: Letters, asked: dict[str, float]) -> float:
    """Of letters, 0..1: little where even the best has few of those that matter."""
    best = max(range(len(fits)), key=lambda at: fits[at], default=None)
    return min(letters.share(asked, best) / ENOUGH, 1.0) if best is not None else 0.0


def _asked(question: Question) -> dict[str, float]:
    return {gram: 1.0 for word in question.words for gram in grams(word)}


def _shows(question: Question, passage: Passage) -> bool:
    return question.is_shown(plain(f"{passage.text} {passage.context}" if passage.is_row else passage.text))


def _likeness(text: str, passages: Sequence[Passage], meanings: Meanings) -> list[float]:
    vectors = meanings([text, *map(_said, passages)])
    return [_dot(vectors[0], one) for one in vectors[1:]] if len(vectors) == len(passages) + 1 else []


def _said(passage: Passage) -> str:
    """A line of a table that a page has as text says little without the headings above it."""
    alone = passage.is_row or is_ended(passage.text) or passage.is_title
    return passage.text if alone else f"{passage.context}: {passage.text}"


def _partners(words: Sequence[str], passage: Passage, meanings: Meanings) -> list[float]:
    """Of each word what the passage has of it, 0..1: the same letters, or a word of about the same meaning."""
    there = [word for word in _WORD.findall(plain(f"{passage.text} {passage.context}")) if not is_empty(word)]
    there = list(dict.fromkeys(there))[:WORDS]
    strange = [word for word in words if not any(map(_same(word), there))]
    if not strange:
        return [1.0] * len(words)
    vectors = meanings([*strange, *there])
    if len(vectors) != len(strange) + len(there):
        return [0.0 if word in strange else 1.0 for word in words]
    near = {
        word: max((_dot(vector, other) for other in vectors[len(strange) :]), default=0.0)
        for word, vector in zip(strange, vectors, strict=False)
    }
    return [_strength(near[word]) if word in near else 1.0 for word in words]


def _strength(cosine: float) -> float:
    return min(max((cosine - ALIKE_FROM) / (ALIKE_TO - ALIKE_FROM), 0.0), 1.0)


def _same(word: str) -> Callable[[str], bool]:
    """Whether two words begin with the same letters, or one is in the other."""

    def test(other: str) -> bool:
        if word == other:
            return True
        if word.isascii() or other.isascii():
            kept = max(4, len(word) - 3)
            return len(word) > 3 and word[:kept] == other[:kept]
        if "가" <= word[0] <= "힣":
            return word[:2] == other[:2] or word in other or (len(other) > 1 and other in word)
        pairs = (word[at : at + 2] for at in range(len(word) - 1))
        return word in other or other in word or any(pair in other for pair in pairs)

    return test


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(map(float.__mul__, map(float, one), map(float, other)))
