"""Words for one thing: a lift is an elevator, half a year six months (alike.yaml)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from packs.documents.data import load

KEPT = 12_000
"""Texts that are kept as they are looked through: a book of a hundred pages has some four thousand, looked at twice."""
_TOKEN = re.compile(r"[一-龯々〆ヵヶ]+|[ァ-ヴー]+|[ぁ-ん]+|[^\W_ぁ-んァ-ヴー一-龯々〆ヵヶ]+|㎡")


class Said(NamedTuple):
    """A text as words are looked for in it: in one case and width, with one blank around each word; and its words."""

    text: str
    words: str
    tokens: frozenset[str]


@lru_cache(maxsize=KEPT)
def said(text: str) -> Said:
    """The text, to be looked through."""
    flat = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    tokens = _TOKEN.findall(flat)
    return Said(flat, f" {' '.join(tokens)} ", frozenset(tokens))


def has(there: Said, word: str) -> bool:
    """Whether a word stands in a text: an English one by itself or in the plural, a single wide letter by itself,
    others anywhere."""
    if word.isascii():
        return f" {word} " in there.words or f" {word}s " in there.words
    return word in there.tokens if len(word) == 1 else word in there.text


@lru_cache(maxsize=KEPT)
def groups_in(there: Said) -> Mapping[int, tuple[str, ...]]:
    """The groups of which a text has words, with those words."""
    found: dict[int, list[str]] = {}
    for word in sorted({word for word in _parts(there) if word in _index()}, key=_order().__getitem__):
        if has(there, word):
            for number in _index()[word]:
                found.setdefault(number, []).append(word)
    return {number: tuple(words) for number, words in found.items()}


def _parts(there: Said) -> Iterator[str]:
    """All of a text that may be one of the words: a few hundred, where there are thousands of words."""
    words = there.words.split()
    for size in range(1, _longest()[0] + 1):
        for at in range(len(words) - size + 1):
            phrase = " ".join(words[at : at + size])
            yield phrase
            yield phrase.removesuffix("s")
    if not there.text.isascii():
        for size in range(1, _longest()[1] + 1):
            for at in range(len(there.text) - size + 1):
                yield there.text[at : at + size]


@cache
def _longest() -> tuple[int, int]:
    """How many words the longest of several English ones has, and how many letters the longest other one."""
    narrow = [len(word.split()) for word in _index() if word.isascii()]
    return max(narrow), max(len(word) for word in _index() if not word.isascii())


@cache
def _order() -> dict[str, int]:
    return {word: at for at, word in enumerate(_index())}


def any_of(there: Said, numbers: Iterable[int]) -> bool:
    """Whether a text has a word of one of the groups."""
    return any(has(there, word) for number in numbers for word in groups()[number])


def synonyms(numbers: Iterable[int]) -> set[str]:
    """The words of some groups."""
    return {word for number in numbers for word in groups()[number]}


@cache
def groups() -> tuple[tuple[str, ...], ...]:
    """Every group, in one case and width."""
    entries: list[list[str]] = load("alike.yaml")
    return tuple(tuple(_plain(word) for word in words) for words in entries)


def _plain(word: str) -> str:
    """English words as they stand between others."""
    flat = unicodedata.normalize("NFKC", word).casefold()
    return " ".join(_TOKEN.findall(flat)) if flat.isascii() else flat


@cache
def _index() -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for number, words in enumerate(groups()):
        for word in words:
            if number not in found.setdefault(word, []):
                found[word].append(number)
    return {word: tuple(numbers) for word, numbers in found.items()}
