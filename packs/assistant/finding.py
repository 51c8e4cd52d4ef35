"""Which of the things that have a title a person means, by words of their own. Pure."""

import difflib
import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol, TypeVar

from packs.assistant import actions

ALIKE = 0.72
"""Likeness of two titles, letter for letter (0..1), from which on one may be a slip of the other."""
SHARED = 0.5
"""Share of the words asked for that a title which may be meant has."""
NEAR = 3
_BETWEEN = re.compile(
    r"\s+|(?<=[一-龯々ァ-ヶー])の(?=[一-龯ァ-ヶ])|(?<=[一-龯々ァ-ヶーん])との(?=\S)|(?<=さん|くん)と(?=[一-龯ァ-ヶ])"
)
"""What stands between words; Japanese has no spaces, and ties a thing to somebody by "with"."""
_PARTICLES = (
    "님이랑",
    "님하고",
    "님과의",
    "님과",
    "님",
    "씨랑",
    "씨",
    "이랑의",
    "랑의",
    "과의",
    "와의",
    "에서",
    "하고",
    "이랑",
    "의",
    "랑",
    "을",
    "를",
    "은",
    "는",
    "이",
    "가",
    "와",
    "과",
    "에",
    "s",
)

_ENDINGS = ("는", "기", "던", "을", "라고", "으라고", "ed", "d", "ing")
"""Of a verb, behind what a title may have of it ("약 먹는" of "약 먹기", "called" of "call")."""


class Titled(Protocol):
    """What a person calls by its title."""

    @property
    def title(self) -> str: ...


N = TypeVar("N", bound=Titled)


def best(found: Sequence[N], asked: str) -> list[N]:
    """Those whose title is the words asked for; when there are none, those that have them in it one after the other;
    when there are none either, those that have each of them. A single letter, as a short Korean word is, has to begin a
    word of it."""
    want = plain(asked)
    exact = [one for one in found if plain(one.title) == want]
    if len(want) == 1:
        return exact or [one for one in found if any(word.startswith(want) for word in map(plain, one.title.split()))]
    words = telling(asked)
    return (
        exact
        or [one for one in found if want and want in plain(one.title)]
        or [one for one in found if words and all(_has(one.title, word) for word in words)]
    )


def near(found: Sequence[N], asked: str) -> list[N]:
    """Those that may be meant, for the person to say: they share words with what was asked for, or most letters."""
    scored = [(_score(one.title, asked), one) for one in found]
    first: dict[str, N] = {}
    for score, one in sorted(scored, key=lambda each: -each[0]):
        if score > 0:
            first.setdefault(plain(one.title), one)
    return list(first.values())[:NEAR]


def among(found: Sequence[N], said: str) -> list[N]:
    """Those of which a telling word stands in a sentence, if it is one alone."""
    text = plain(said)
    there = [one for one in found if any(len(word) > 1 and word in text for word in telling(one.title))]
    return there if len({plain(one.title) for one in there}) == 1 else []


def telling(text: str, *, spaced: bool = False) -> list[str]:
    """The words that tell one from another: not those for any appointment, unless there are no others. `spaced`: as
    they are written."""
    said = [word if spaced else plain(word) for word in _BETWEEN.split(text) if plain(word)]
    return [word for word in said if plain(word) not in actions.every("kinds")] or said


def plain(text: str) -> str:
    """Without case, width and spaces."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _score(title: str, asked: str) -> float:
    words = telling(asked)
    shared = sum(_has(title, word) for word in words) / len(words) if words else 0.0
    one, other = (unicodedata.normalize("NFD", plain(text)) for text in (title, asked))
    alike = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return max(shared if shared >= SHARED else 0.0, alike if alike >= ALIKE else 0.0)


def _has(title: str, word: str) -> bool:
    said = plain(title)
    if len(word) == 1:
        return any(plain(one).startswith(word) for one in title.split())
    stems = tuple(word.removesuffix(end) for end in _ENDINGS if word.endswith(end) and word != end)
    if stems and any(plain(one).startswith(stems) for one in title.split()):
        return True
    return word in said or any(
        word.endswith(end) and len(word) - len(end) > 1 and word[: -len(end)] in said for end in _PARTICLES
    )
