"""Cuts a clause down to the thing it is about: what surrounds that, per language, is in words.yaml."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from contracts.cognitive import Entity
from contracts.patterns import bounded
from understanding.kit.data import read_data

FALLBACK = "en"
ROUNDS = 12
"""Cuts at most: a clause is short, and what is left after so many is what it is about."""


_EDGES = re.compile(r"\A[\W_]+|[^\w)\]%]+\Z")


@cache
def _words() -> dict[str, Any]:
    path = Path(__file__).with_name("words.yaml")
    words: dict[str, Any] = read_data(path)
    return words


@cache
def pattern(of: str, language: str, name: str) -> re.Pattern[str]:
    """One expression of words.yaml; one that is not there matches nothing."""
    section = _section(of, language)
    return bounded(section.get(name) or r"(?!)")


def listed(of: str, language: str, name: str) -> list[str]:
    """Words of words.yaml, in their order."""
    return list(_section(of, language).get(name) or ())


@cache
def turns(of: str, language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What an ending becomes when the thing stands alone."""
    return tuple((bounded(found, 0), by) for found, by in _section(of, language).get("turns") or ())


@cache
def _cuts(of: str, language: str, name: str) -> tuple[re.Pattern[str], ...]:
    rules = [*(_section(of, language).get(name) or ()), *(_section("common", language).get(name) or ())]
    around = {
        "heads": r"\A\s*(?:{})",
        "opening": r"\A\s*(?:{})",
        "left": r"(?<!\w)(?:{})\s*\Z",
        "right": r"\A\s*(?:{})",
    }.get(name, r"(?:{})\s*\Z")
    return tuple(bounded(around.format(rule)) for rule in rules)


def _section(of: str, language: str) -> dict[str, Any]:
    languages: dict[str, Any] = _words()[of]
    section: dict[str, Any] = languages.get(language) or languages[FALLBACK]
    return section


def without(text: str, cut: Sequence[Entity], language: str) -> str:
    """The text without what was found in it, and without the small words that went with that."""
    for entity in sorted(cut, key=lambda one: -one.start):
        left, right = text[: entity.start], text[entity.end :]
        text = f"{_once(left, 'common', language, 'left')} {_once(right, 'common', language, 'right')}"
    return " ".join(text.split())


def _once(text: str, of: str, language: str, name: str) -> str:
    for cut in _cuts(of, language, name):
        text = cut.sub("", text, count=1)
    return text


def core(text: str, of: str, language: str, *last: str) -> str:
    """What is left when nothing fits any more; `last` names rules of which one fits once."""
    for _ in range(ROUNDS):
        before = text
        for name in ("heads", "tails"):
            text = _once(text, of, language, name).strip()
        if text == before:
            break
    for name in last:
        for cut in _cuts(of, language, name):
            if cut.search(text):
                text = cut.sub("", text, count=1)
                break
    return _EDGES.sub("", text)
