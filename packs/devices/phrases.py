"""Cuts a sentence down to the thing that is wanted: what surrounds that, per language, is in words.yaml. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from contracts.patterns import bounded
from understanding.kit.data import read_data

FALLBACK = "en"
ROUNDS = 12
"""Cuts at most: a sentence is short, and what is left after so many is what it is about."""
_EDGES = re.compile(r"\A[^\w(\[]+|[^\w)\]!?]+\Z")
_QUOTED = re.compile(
    "(?<!\\w)[\"\u201c\u2018'](?P<said>[^\"\u201d\u2019']{1,200})[\"\u201d\u2019'](?!\\w)"
    "|[\u300c\u300e](?P<named>[^\u300d\u300f]{1,200})[\u300d\u300f]"
)


@cache
def _words() -> dict[str, Any]:
    path = Path(__file__).with_name("words.yaml")
    words: dict[str, Any] = read_data(path)
    return words


def _section(of: str, language: str) -> Mapping[str, Any]:
    languages: dict[str, Any] = _words()[of]
    section: dict[str, Any] = languages.get(language) or languages[FALLBACK]
    return section


def shared(of: str, name: str) -> str:
    """An expression for all languages."""
    return str(_words()[of][name])


def whole(of: str, name: str, text: str) -> bool:
    """Whether the text is what the expression for all languages says, and nothing else."""
    return _whole(shared(of, name)).fullmatch(text.strip()) is not None


def of_language(of: str, language: str, name: str) -> str:
    return str(_section(of, language)[name])


@cache
def patterns(of: str, language: str) -> tuple[re.Pattern[str], ...]:
    """In the order in which they are tried. Letters are as written: a name in English begins with a capital."""
    flags = re.NOFLAG if of == "weather" else re.IGNORECASE
    return tuple(bounded(one, flags) for one in _section(of, language)["patterns"])


def says_nothing(text: str, of: str, language: str) -> bool:
    """Whether what is left names no thing."""
    return _whole(of_language(of, language, "nothing")).fullmatch(text.strip()) is not None


@cache
def _whole(rule: str) -> re.Pattern[str]:
    return bounded(rf"(?:{rule})")


def trimmed(text: str) -> str:
    """Without the signs around it."""
    return _EDGES.sub("", text)


def quoted(text: str) -> str:
    """What stands in quotation marks."""
    found = _QUOTED.search(text)
    return (found["said"] or found["named"]).strip() if found else ""


def core(text: str, of: str, language: str, is_known: Callable[[str], bool]) -> str:
    """What is left when nothing fits any more, or when what is left has that name."""
    text = _EDGES.sub("", text)
    for _ in range(ROUNDS):
        before = text
        for cut in _cuts(of, language):
            if is_known(text):
                return text
            text = _EDGES.sub("", cut.sub("", text, count=1))
        if text == before:
            break
    return text


@cache
def _cuts(of: str, language: str) -> Sequence[re.Pattern[str]]:
    common, own = _section("common", language), _section(of, language)
    heads = [rf"\A\s*(?:{rule})" for rule in (*common["heads"], *own["heads"])]
    tails = [rf"(?:{rule})\s*\Z" for rule in (*common["tails"], *own["tails"])]
    return tuple(bounded(rule) for rule in (*heads, *tails))


def describes(text: str) -> bool:
    """Whether it says what is to be seen, and not what that is called ("a clip of the sea")."""
    return any(word in text.casefold() for word in _words()["described"])
