"""What a request wants of a document beside an answer: how many points of it, or the text in another language."""

import re
import unicodedata
from functools import cache
from typing import Any

from contracts.patterns import bounded
from packs.documents.data import load

MOST = 30
"""Points at most."""


def wanted_points(said: str) -> int | None:
    """How many points, lines or sentences the request wants ("in three bullets", 세 줄로, 3行で); None where it
    does not say."""
    numbers: dict[str, int] = _words()["numbers"]
    found = next(filter(None, (pattern.search(_plain(said)) for pattern in _patterns("points"))), None)
    if found is None:
        return None
    number = int(found["number"]) if found["number"].isdecimal() else numbers[found["number"]]
    return min(number, MOST) or None


def is_translation(said: str) -> bool:
    """Whether the text is wanted in another language; what a text says of translating is another question."""
    return any(pattern.search(_plain(said)) for pattern in _patterns("translates"))


def _plain(said: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", said).casefold().split())


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    numbers = "|".join(sorted(map(re.escape, _words()["numbers"]), key=len, reverse=True))
    number = rf"(?P<number>(?<![\d.])\d{{1,2}}|(?<![가-힣a-z])(?:{numbers}))"
    return tuple(bounded(one.replace("NUMBER", number)) for one in _words()[name])


@cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = load("wishes.yaml")
    return words
