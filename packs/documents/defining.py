"""Short names that a text gives: Northgate GmbH ("Lessor"), 새봄청소(이하 "갑"), みどり（以下「甲」）. Who asks who the
lessor is wants the passage that says so, though others speak of the lessor more often."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from packs.documents.alike import said
from packs.documents.asking import Question, words_of
from packs.documents.data import load
from packs.documents.passages import Passage

ASKED = frozenset({"person", "place", "mail", "phone"})
"""What is asked of somebody who has a short name."""
_BRACKETS = re.compile(r"\(([^()]{2,120})\)")
_QUOTED = r"[\"“”'‘’「『]\s?([^\"“”'‘’「」『』]{1,30}?)\s?[\"“”'‘’」』]"


def defining(question: Question, passages: Sequence[tuple[str, Passage]]) -> int | None:
    """The place of the passage that gives the name which the question asks about; None where it asks for more, or where
    several passages do."""
    names = {kind.name for kind in question.kinds}
    if not names or not names <= ASKED:
        return None
    besides = tuple(_data()["besides"])
    about = [word for word in question.words if not word.startswith(besides)]
    if len(about) != 1:
        return None
    found = [at for at, (_, passage) in enumerate(passages) if about[0] in _names_in(passage.text)]
    return found[0] if len(found) == 1 else None


def _names_in(text: str) -> frozenset[str]:
    """The short names that a text gives, as words of a question have them."""
    if not any(mark in text for mark in "(（"):
        return frozenset()
    flat = unicodedata.normalize("NFKC", text).casefold()
    given = (match[1] for inside in _BRACKETS.findall(flat) for match in _given().finditer(inside))
    return frozenset(word for name in given for word in _spoken(name))


def _spoken(name: str) -> tuple[str, ...]:
    return words_of(name) or tuple(said(name).tokens)


@cache
def _given() -> re.Pattern[str]:
    before = "|".join(map(re.escape, sorted(_data()["before"], key=len, reverse=True)))
    return re.compile(rf"(?:^|(?:{before}))[\s,、]{{0,2}}{_QUOTED}")


@cache
def _data() -> dict[str, Any]:
    words: dict[str, Any] = load("defined.yaml")
    return words
