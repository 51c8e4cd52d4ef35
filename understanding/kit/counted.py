"""Things that are counted, with the number in figures or in words: "네 명", "five people", "三人", "스물세 개"."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from understanding.grammar.words import words
from understanding.kit.data import read_data

LARGEST = 6
"""Figures of a count: what has more is a code, not a number of things."""


class Counted(NamedTuple):
    """`value` things of the kind `noun` ("명", "people", "人"), at `text[start:end]`."""

    value: int
    noun: str
    start: int
    end: int


def counted(text: str, language: str) -> tuple[Counted, ...]:
    """In reading order, without overlaps. Positions are those of `text`; `language` is one of ko, en, ja.

    Lengths of time ("두 시간 반") are entities of type span already, and sums of money of type money."""
    same = unicodedata.normalize("NFKC", text)
    plain = same if len(same) == len(text) else text  # positions stay true
    found = (_read(match, language) for match in _pattern(language).finditer(plain))
    return tuple(one for one in found if one is not None)


def count_of(text: str, language: str, *nouns: str) -> int | None:
    """The first count of one of the nouns, or of anything where none is named."""
    kinds = {noun.casefold() for noun in nouns}
    return next((one.value for one in counted(text, language) if not kinds or one.noun.casefold() in kinds), None)


def _read(match: re.Match[str], language: str) -> Counted | None:
    value = _value(match["count"].casefold(), language)
    return None if value is None else Counted(value, match["noun"], *match.span())


def _value(said: str, language: str) -> int | None:
    if said.isdecimal():
        return int(said)
    numbers = _numbers(language)
    if said in numbers:
        return numbers[said]
    head = next((one for one in sorted(_tens(language), key=len, reverse=True) if said.startswith(one)), "")
    rest = said.removeprefix(head).lstrip("- ")
    return _tens(language)[head] + numbers[rest] if head and rest in numbers else None


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return dict(read_data(Path(__file__).with_name("counted.yaml")))


@cache
def _numbers(language: str) -> Mapping[str, int]:
    """Words for numbers: those of quantities, and those that only count things."""
    shared = {word: value for word, value in words().tables["number"].items() if _is_of(word, language)}
    own: Mapping[str, int] = _tables()[language]["numbers"]
    return {**shared, **own, **_tens(language)}


def _tens(language: str) -> Mapping[str, int]:
    tens: Mapping[str, int] = _tables()[language]["tens"]
    return tens


def _is_of(word: str, language: str) -> bool:
    return word.isascii() if language == "en" else not word.isascii()


@cache
def _pattern(language: str) -> re.Pattern[str]:
    table = _tables()[language]
    ones = "|".join(sorted(map(re.escape, _numbers(language)), key=len, reverse=True))
    tens = "|".join(sorted(map(re.escape, _tens(language)), key=len, reverse=True)) or "(?!)"
    number = rf"(?P<count>[0-9]{{1,{LARGEST}}}|(?:{tens})[- ]?(?:{ones})|{ones})"
    if language == "en":
        return re.compile(rf"\b{number}\s(?:{'|'.join(table['between'])}\s)?(?P<noun>{_nouns(table)})\b", re.IGNORECASE)
    return re.compile(
        rf"(?<![0-9.,:\w]){number}\s?(?P<noun>{_nouns(table)})"
        if language == "ko"
        else rf"(?<![0-9.,:]){number}(?P<noun>{_nouns(table)})"
    )


def _nouns(table: Mapping[str, Any]) -> str:
    return "|".join(sorted(map(re.escape, table["nouns"]), key=len, reverse=True))
