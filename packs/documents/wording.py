"""A question about figures: what is to be computed, and how plainly it names a row, a column, a thing."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from packs.documents.alike import Said, groups_in, has, said
from packs.documents.asking import is_empty, names, words_of
from packs.documents.evidence import Meanings
from packs.documents.grids import MONEY, Cell, bare, cues, unit_of

FIGURES = re.compile(r"\d[\d,.:]{0,20}")
COUNTED = re.compile(r"\d{1,9}\s?[^\W\d_]")
PLAIN, PARTLY, WHOLE = 0.6, 0.7, 0.9
"""So plainly a name is said, and not only a word for the same thing; a good part of it, and all of it."""
ALIKE = 0.5
COMPUTED = ("most", "least", "more", "difference", "than", "how_much", "total", "together", "average")
PARTNER = 0.5
"""The cosine of two words, one of which stands for the other here."""


class Task(NamedTuple):
    """What is to be computed (computed.yaml), and whether that is said plainly and not only likely."""

    kind: str
    plainly: bool = True


class Wording:
    """A question, as figures are looked for by it."""

    def __init__(self, text: str, meanings: Meanings) -> None:
        self.asked: Said = said(text)
        self.groups = frozenset(groups_in(self.asked))
        self.words = tuple(words_of(text))
        self._meanings = meanings

    @property
    def compares(self) -> bool:
        """Whether one of two is asked for."""
        return stands_any(self.asked, cues()["more"])

    @property
    def leaves_out(self) -> bool:
        """Whether what is named is not meant."""
        return stands_any(self.asked, cues()["but"])

    @property
    def spans(self) -> bool:
        """Whether what stands between two that are named is meant as well."""
        return stands_any(self.asked, cues()["span"])

    @property
    def place(self) -> int:
        """Which of a ranking is asked for; 1 for the first."""
        places: dict[int, list[str]] = cues()["place"]  # type: ignore[assignment]
        return next((place for place, some in places.items() if stands_any(self.asked, some)), 1)

    @cached_property
    def measures(self) -> frozenset[str]:
        """What kinds of figures are compared: the dearest is of money, the longest of time."""
        named: dict[str, dict[str, list[str]]] = cues()["measures"]  # type: ignore[assignment]
        return frozenset(name for name, some in named.items() if stands_any(self.asked, some["asked"]))

    def wants(self, column: str, cells: Sequence[Cell]) -> float:
        """More for a column of what is compared."""
        named: dict[str, dict[str, list[str]]] = cues()["measures"]  # type: ignore[assignment]
        there = said(f"{column} {' '.join(dict.fromkeys(map(unit_of, cells)))}")
        for measure in self.measures:
            if measure == "money" and (MONEY.search(column) or all(MONEY.search(cell.text) for cell in cells)):
                return 1.0
            if any(has(there, word) for word in named[measure]["shown"]):
                return 1.0
        return 0.0

    def named(self, name: str, common: frozenset[str] = frozenset()) -> float:
        """How plainly the question has a name, 0..1: its letters, a part of them that is not `common` to others, a word
        for the same thing."""
        there = said(bare(name))
        if not there.text.strip():
            return 0.0
        if has(self.asked, there.text.strip()):
            return 1.0
        parts = [part for part in there.tokens if not is_empty(part) and part not in common]
        own = sum(any(_alike(part, word) for word in self.words) or has(self.asked, part) for part in parts)
        if parts and own:
            return 0.6 + 0.3 * own / len(parts)
        return ALIKE if self.groups & set(groups_in(there)) else 0.0

    def touches(self, text: str) -> bool:
        """Whether a text has two figures and the beginning of a word of the question: most of a book has not."""
        low = text.casefold()
        return len(FIGURES.findall(low)) > 1 and any(word[: 4 if word.isascii() else 2] in low for word in self.words)

    def counts(self, label: str) -> bool:
        """Whether the question has all figures of a name, with what they count."""
        figures = COUNTED.findall(label)
        return bool(figures) and all(figure.replace(" ", "") in self.asked.text.replace(" ", "") for figure in figures)

    def like(self, names: Sequence[str]) -> list[float]:
        """How much each is about the same as the question; 0 without vectors."""
        vectors = self._meanings([self.asked.text, *names])
        if len(vectors) != len(names) + 1:
            return [0.0] * len(names)
        return [_dot(vectors[0], one) for one in vectors[1:]]

    def unsaid(self, told: Sequence[str]) -> float:
        """The share of the question's words that say nothing of what is `told`, nor of what is computed."""
        there = said(" ".join(told))
        own = [word for word in self.words if not is_empty(word) and names(word) and not _computes(word)]
        rest = [word for word in own if not _says(there, word)]
        if not rest:
            return 0.0
        tokens = [token for token in there.tokens if not is_empty(token) and not token.isdigit()]
        vectors = self._meanings([*rest, *tokens])
        if len(vectors) == len(rest) + len(tokens):
            others = vectors[len(rest) :]
            rest = [
                word
                for word, vector in zip(rest, vectors, strict=False)
                if max((_dot(vector, other) for other in others), default=0.0) < PARTNER
            ]
        return len(rest) / max(len(own), 1)


def _says(there: Said, word: str) -> bool:
    return any(_alike(token, word) or token in (word, word[:-1]) for token in there.tokens) or bool(
        set(groups_in(said(word))) & set(groups_in(there))
    )


def _computes(word: str) -> bool:
    """Whether a word says what is to be computed, or what is compared."""
    measures: dict[str, dict[str, list[str]]] = cues()["measures"]  # type: ignore[assignment]
    every = (*(cues()[name] for name in COMPUTED), *(some["asked"] for some in measures.values()))
    return any(word == one or (not one.isascii() and word.startswith(one)) for some in every for one in some)


def is_cue(word: str, names: Sequence[str]) -> bool:
    """Whether it is in some lists of words of computed.yaml; a particle of one letter begins other words as well."""
    every = [one for name in names for one in cues()[name]]
    return any(word == one or (not one.isascii() and len(one) > 1 and word.startswith(one)) for one in every)


def _alike(part: str, word: str) -> bool:
    if part.isascii() and word.isascii():
        return len(word) > 3 and (part.startswith(word[:-1]) or word.startswith(part))
    return len(part) > 1 and len(word) > 1 and (part in word or word in part or part[:2] == word[:2])


def task_of(asked: Said) -> Task | None:
    """Of two that are compared the lower one is meant by the words of the lowest."""
    words = cues()
    for kind in ("difference", "average", "total"):
        if stands_any(asked, words[kind]):
            return Task(kind)
    if stands_any(asked, words["than"]) and stands_any(asked, words["how_much"]):
        return Task("difference", plainly=False)
    if stands_any(asked, words["together"]):
        return Task("total", plainly=False)
    if stands_any(asked, (*words["most"], *words["more"])):
        return Task("least" if is_low(asked) else "most")
    lowest = [word for word in words["least"] if word.isascii() and word.endswith("st")]
    return Task("least") if stands_any(asked, (*lowest, "꼴찌", "최저", "최소", "最低", "最小")) else None


def is_low(asked: Said) -> bool:
    rest = asked.text
    for word in sorted(cues()["most"], key=len, reverse=True):
        rest = rest if word.isascii() else rest.replace(word, " ")  # what is dear has the letters of what is cheap
    return stands_any(said(rest), cues()["least"])


def stands_any(asked: Said, words: Sequence[str]) -> bool:
    return any(stands(asked, word) for word in words)


def stands(asked: Said, word: str) -> bool:
    return f" {word} " in asked.words if word.isascii() else word in asked.text


def common_of(names: Sequence[str]) -> frozenset[str]:
    """Words that half of the names have tell none from the others."""
    tokens = [said(bare(name)).tokens for name in names]
    every = {token for some in tokens for token in some}
    return frozenset(
        token for token in every if len(names) > 2 and 2 * sum(token in some for some in tokens) >= len(names)
    )


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(map(float.__mul__, map(float, one), map(float, other)))
