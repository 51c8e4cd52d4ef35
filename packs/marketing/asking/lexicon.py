"""Words for the same thing in three languages (lexicon.yaml): what headings and values are called by whoever speaks
another language."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from packs.marketing.asking.phrasing import plain, plain_words, words
from understanding.kit.data import read_data

_MOST_WORDS = 3
"""Latin words of a heading that are one name together."""
_NO_PLURALS = frozenset({"times"})
"""How often something was is no plural of how long it took."""
_SHORTEST = {True: 3, False: 2}
"""Letters of a Latin name, and of any other."""


@lru_cache(1 << 10)
def called(heading: str) -> tuple[str, ...]:
    """What a column with this heading may be called as well: the longest parts of it that are known, in other words.
    Words for any row at all are none."""
    return tuple(one for one in in_other_words(heading) if says_something(one))


@lru_cache(1 << 10)
def in_other_words(heading: str) -> tuple[str, ...]:
    """All words for the parts of a heading, those for any row as well: a unit may be one of them."""
    found: dict[str, None] = {}
    for part in _parts(unicodedata.normalize("NFKC", heading)):
        found.update(dict.fromkeys(_rows()[part]))
    return tuple(found)


def same_as(name: str) -> tuple[str, ...]:
    """All words for what a word stands for."""
    return _rows().get(_one(name), ())


def alike(value: str) -> tuple[str, ...]:
    """Other words for a value; Korean ones may be of one letter (앱)."""
    others = (one for one in same_as(value) if _one(one) != _one(value))
    return tuple(one for one in others if says_something(one) or re.fullmatch("[가-힣]", one))


def says_something(name: str) -> bool:
    """Whether a word names anything more than any row or figure."""
    return len(name) >= _SHORTEST[name.isascii()] and not {plain(name), _one(name)} & _said_of_any_row()


@cache
def _said_of_any_row() -> frozenset[str]:
    rows = frozenset(_one(name) for line in words()["rows"] for name in line)
    return plain_words() | rows | frozenset(map(_one, plain_words()))


def _one(name: str) -> str:
    return plain(name).rstrip("s") if name.isascii() and name.casefold() not in _NO_PLURALS else plain(name)


@cache
def _rows() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for row in read_data(Path(__file__).with_name("lexicon.yaml")):
        for name in row:
            found.setdefault(_one(name), {}).update(dict.fromkeys(row))
    return {name: tuple(row) for name, row in found.items()}


def _parts(heading: str) -> Iterator[str]:
    """The parts of a heading that the lexicon has, none of which lies within another."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading)
    latin = [re.findall(r"[A-Za-z]+", spaced)]
    for said in latin:
        at = 0
        while at < len(said):
            some = (said[at : at + many] for many in range(min(_MOST_WORDS, len(said) - at), 0, -1))
            longest = next((one for one in some if _one("".join(one)) in _rows()), None)
            if longest is not None:
                yield _one("".join(longest))
            at += len(longest) if longest else 1
    for run in re.findall(r"[^\W\d_A-Za-z]+", heading):
        if len(run) == 1 and run in _rows():
            yield run
        at = 0
        while at < len(run):
            longest_part = next((run[at:end] for end in range(len(run), at + 1, -1) if run[at:end] in _rows()), "")
            if longest_part:
                yield longest_part
            at += len(longest_part) or 1
