"""A question with two words that ask is two questions ("who signed it and when?"): parts.yaml."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from packs.documents.data import load

LONGEST, MOST = 200, 3
"""Characters of a text that is looked at, and questions of one."""
_TOGETHER = frozenset({"who", "when", "where", "money", "number"})
"""What may be asked side by side of one and the same."""


class Part(NamedTuple):
    """`said`: the question as it was said; `text`: with what it leaves to the one before it."""

    said: str
    text: str


class _Asks(NamedTuple):
    kind: str
    start: int
    end: int
    said: str


@dataclass(frozen=True, slots=True)
class _Words:
    """Of one language: see parts.yaml."""

    asks: Mapping[str, re.Pattern[str]]
    joins: re.Pattern[str]
    beside: re.Pattern[str]
    before: re.Pattern[str]
    topic: re.Pattern[str]
    points: re.Pattern[str]
    spaced: bool


def parts_of(text: str) -> tuple[Part, ...]:
    """The questions of a text, two or more; else none."""
    flat = " ".join(unicodedata.normalize("NFKC", text).split())
    if len(flat) > LONGEST:
        return ()
    for words in _languages():
        asks = _asks(flat, words)
        if len(asks) > 1:
            parts = _parts(flat, asks, words)
            return parts if 1 < len(parts) <= MOST else ()
    return ()


def _asks(text: str, words: _Words) -> list[_Asks]:
    """In reading order, none within another."""
    found = [_Asks(kind, *match.span(), match[0]) for kind, one in words.asks.items() for match in one.finditer(text)]
    kept: list[_Asks] = []
    for one in sorted(found, key=lambda it: (it.start, -it.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _parts(text: str, asks: Sequence[_Asks], words: _Words) -> tuple[Part, ...]:
    """One for each word that asks: cut where a join stands between two of them; words that stand side by side share
    the rest of their sentence."""
    parts: list[Part] = []
    start, together = 0, [asks[0]]
    for one, after in zip(asks, [*asks[1:], None], strict=True):
        if after is None:
            parts += _of_one(text, start, len(text), together, words, parts)
            break
        cut = _cut(text, one, after, words)
        alike = one.kind == after.kind or not {one.kind, after.kind} <= _TOGETHER
        if (
            words.beside.fullmatch(text, one.end, after.start)
            and not (alike or _ends(text, after))
            and (words.spaced or cut is None)
        ):
            together.append(after)
        elif cut is not None:
            parts += _of_one(text, start, cut[0] if words.spaced else cut[1], together, words, parts)
            start, together = cut[1], [after]
        else:
            return ()  # a question within another one
    return tuple(parts)


def _ends(text: str, asks: _Asks) -> bool:
    """Whether nothing stands behind it: it asks for more of what came before ("who signed it and when?")."""
    return not text[asks.end :].strip(" ?？.。!")


def _cut(text: str, one: _Asks, after: _Asks, words: _Words) -> tuple[int, int] | None:
    """The last join between two words that ask."""
    joins = [found for found in words.joins.finditer(text, one.start, after.end) if found.end() <= after.start]
    return joins[-1].span() if joins else None


def _of_one(  # a stretch of text, and all that is known of it
    text: str, start: int, end: int, asks: Sequence[_Asks], words: _Words, before: Sequence[Part]
) -> list[Part]:
    parts: list[Part] = []
    for one in asks:
        said = text[start : asks[0].start] + text[one.start : one.end] + text[asks[-1].end : end]
        first = before[0].text if before else ""
        parts.append(Part(said.strip(" ,，、"), _whole(said, one, start, first, words).strip(" ,，、")))
    return parts


def _whole(said: str, asks: _Asks, start: int, first: str, words: _Words) -> str:
    """With what the first question is about, where this one does not say it."""
    alone = said.strip(" ?？.。!,、")
    if not first:
        return said
    empty = len(alone) <= asks.end - asks.start + 3
    own = words.before.search(said.partition(asks.said)[0]) is not None
    if words.points.search(said) is None and not empty and (own or words.spaced):
        return said
    rest = _unasked(first, words)
    topics = "" if empty else " ".join(words.topic.findall(rest))
    return f"{alone} {topics or rest}?" if rest else said


def _unasked(text: str, words: _Words) -> str:
    for one in reversed(_asks(text, words)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return " ".join(text.split()).strip(" ?？.。!,、")


@cache
def _languages() -> tuple[_Words, ...]:
    return tuple(_words(one) for one in load("parts.yaml").values())


def _words(given: Mapping[str, Any]) -> _Words:
    first, last = given["bounds"]
    asks = {kind: re.compile(f"{first}(?:{one}){last}", re.IGNORECASE) for kind, one in given["asks"].items()}
    names = ("joins", "beside", "before", "topic", "points")
    return _Words(asks=asks, spaced=given["spaced"], **{name: re.compile(given[name], re.IGNORECASE) for name in names})
