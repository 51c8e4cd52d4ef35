"""Finds things by the names that people call them, in whatever language and spelling; and the ones that are meant."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Generic, TypeVar

T = TypeVar("T")

LIKE = 0.5
"""From this likeness on a name is worth being proposed (0..1)."""
_TIES = "이랑|랑|하고|와|과|도|을|를"
"""What may hang on a name that is said with others."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
INSIDE = 0.75
"""Likeness of a name that is a part of what was said, or the other way round."""


def folded(text: str) -> str:
    """Without case, width, accents, spaces and punctuation. Letters of Hangul are taken apart, so that one wrong
    letter is a small difference."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in apart if one.isalnum() or unicodedata.category(one) == "Mc")


class Names(Generic[T]):
    """Things by all their names; the first thing of a name has it."""

    def __init__(self, things: Iterable[tuple[T, Iterable[str]]]) -> None:
        self._things: dict[str, T] = {}
        self._spelled: dict[str, T] = {}
        for thing, names in things:
            for name in names:
                self._things.setdefault(folded(name), thing)
                self._spelled.setdefault(name, thing)
        self._longest_first = sorted(self._spelled, key=len, reverse=True)

    def find(self, text: str) -> T | None:
        """The thing that is called so."""
        return self._things.get(folded(text))

    def similar(self, text: str, limit: int = 5) -> list[T]:
        """Things whose names are like the text, the likest first, each once."""
        said = folded(text)
        scored: dict[int, tuple[float, T]] = {}
        for name, thing in self._things.items():
            score = _likeness(said, name)
            if score >= LIKE and score > scored.get(id(thing), (0.0, thing))[0]:
                scored[id(thing)] = (score, thing)
        best = sorted(scored.values(), key=lambda one: -one[0])
        return [thing for _, thing in best[:limit]]

    def within(self, text: str, before: str, after: str) -> str:
        """The longest name in the text; `before` looks behind, `after` is a pattern of what may follow it."""
        for name in self._longest_first:
            if name.casefold() in text.casefold() and _word(name, before, after).search(text):
                return name
        return ""

    def all_within(self, text: str) -> list[str]:
        """The names in the text, each thing once and in the order of the text; of two that overlap the longer."""
        found: dict[int, str] = {}
        for name in self._longest_first:
            if len(name) > 1 and (match := _alone(name).search(text)):
                thing = self._spelled[name]
                if all(self._spelled[other] is not thing for other in found.values()):
                    found[match.start()] = name
                text = f"{text[: match.start()]}{' ' * len(match.group())}{text[match.end() :]}"
        return [found[at] for at in sorted(found)]

    def begun_within(self, text: str) -> str:
        """The only name with which a word of the text begins, however short ("비 오는 …"); where words are written
        without spaces, the only longest one. For a text that names nothing else: empty where two things do."""
        found: dict[int, str] = {}
        for name in self._longest_first:
            if _begins(name).search(text):
                found.setdefault(id(self._spelled[name]), name)
        return next(iter(found.values())) if len(found) == 1 else ""


@cache
def _begins(name: str) -> re.Pattern[str]:
    if _UNSPACED.search(name):
        return re.compile(re.escape(name))
    # a name of one letter stands alone: "비", not "비밀"
    behind = r"(?:가|는|을|를|도|이)?(?!\w)" if len(name) == 1 else r"(?![a-z])"
    return re.compile(rf"(?<!\w){re.escape(name)}{behind}", re.IGNORECASE)


@cache
def _alone(name: str) -> re.Pattern[str]:
    """The name by itself, or tied to the next. Where words are written without spaces, anywhere."""
    if _UNSPACED.search(name):
        return re.compile(re.escape(name))
    return re.compile(rf"(?<!\w){re.escape(name)}(?=(?:{_TIES})?(?!\w))", re.IGNORECASE)


def _word(name: str, before: str, after: str) -> re.Pattern[str]:
    # a short name in capitals is one only in capitals: "LA" is a city, "la" is not
    flags = re.NOFLAG if len(name) <= len("JFK") and name.isascii() else re.IGNORECASE
    return re.compile(rf"{before}{re.escape(name)}(?={after})", flags)


def _likeness(said: str, name: str) -> float:
    if not said or not name:
        return 0.0
    contained = INSIDE if min(len(said), len(name)) > 1 and (said in name or name in said) else 0.0
    matcher = difflib.SequenceMatcher(None, said, name, autojunk=False)
    return max(contained, matcher.ratio()) if matcher.real_quick_ratio() >= LIKE else contained


def listed(names: Sequence[str]) -> str:
    """Names one after the other, as in a sentence of any of the languages."""
    return ", ".join(names)
