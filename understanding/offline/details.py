"""Details of a request that no list of names can hold: a length, a level, a title in quotes, a new product's name."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from backbone.packs import Pack, read_yaml
from contracts.cognitive import Entity
from contracts.patterns import bounded
from contracts.shape import JsonValue
from understanding.grammar.words import words

Kind = Literal["number", "text"]
CERTAIN, LIKELY = 0.9, 0.7


@dataclass(frozen=True, slots=True)
class Detail:
    """A kind of detail as a pack describes it (details.yaml). `words` hold a group `value`."""

    type: str
    kind: Kind
    words: tuple[re.Pattern[str], ...]
    unless: tuple[re.Pattern[str], ...] = ()
    scale: float = 1.0
    goals: frozenset[str] = frozenset()
    instead_of: str | None = None

    def asked(self, goals: Collection[str]) -> bool:
        return not self.goals or not self.goals.isdisjoint(goals)

    def find(self, text: str) -> Entity | None:
        """The first one in the text that is none of what it must not be."""
        found = [match for pattern in self.words for match in pattern.finditer(text) if self._is_one(match["value"])]
        if not found:
            return None
        first = min(found, key=lambda match: match.start("value"))
        start, end = first.span("value")
        said = text[start:end]
        # What was found by the words around it alone may be something else.
        confidence = LIKELY if self.unless else CERTAIN
        return Entity(type=self.type, text=said, value=self._value(said), start=start, end=end, confidence=confidence)

    def _is_one(self, said: str) -> bool:
        return bool(said.strip()) and not any(pattern.search(said) for pattern in self.unless)

    def _value(self, said: str) -> JsonValue:
        if self.kind == "text":
            return said.strip()
        named = words().number(said.strip())
        number = round(float(said if named is None else named) * self.scale, 6)
        return int(number) if number.is_integer() else number


def read_details(path: Path) -> tuple[Detail, ...]:
    """Reads details.yaml; a file that is not there is one without details."""
    found = read_yaml(path) if path.exists() else []
    return tuple(_detail(**one) for one in found)


def _detail(
    words: dict[str, list[str]],
    unless: dict[str, list[str]] | None = None,
    goals: Sequence[str] = (),
    **fields: Any,  # type, kind, scale, instead_of: as they stand
) -> Detail:
    patterns = _patterns(words)
    if lacking := next((one.pattern for one in patterns if "value" not in one.groupindex), None):
        raise ValueError(f"{lacking!r} has no group (?P<value>…)")
    return Detail(words=patterns, unless=_patterns(unless or {}), goals=frozenset(goals), **fields)


def _patterns(words: dict[str, list[str]]) -> tuple[re.Pattern[str], ...]:
    return tuple(bounded(word, 0) for some in words.values() for word in some)


class DetailFinder:
    """Built once from all packs' details."""

    def __init__(self, details: Sequence[Detail]) -> None:
        self._details = details

    def find(self, text: str, goals: Collection[str], known: Collection[str] = ()) -> list[Entity]:
        """One of each type at most, without overlaps; the earlier in the packs' files wins. Types that are `known` by
        name already are not looked for."""
        found: dict[str, Entity] = {}
        for detail in self._details:
            if detail.type in found or detail.type in known or not detail.asked(goals):
                continue
            one = detail.find(text)
            if one is not None and not any(overlap(one, other) for other in found.values()):
                found[detail.type] = one
        return list(found.values())

    def spared(self, goals: Collection[str], said: Collection[str]) -> Iterator[str]:
        """What need not be brought for goals, because a detail that was said takes its place."""
        for detail in self._details:
            if detail.instead_of and detail.type in said and detail.goals.issuperset(goals):
                yield detail.instead_of


def finder_of(packs: Iterable[Pack]) -> DetailFinder:
    """Of packs of which some may have a file that is wrong: who understands sentences names it in the log."""
    found: list[Detail] = []
    for pack in packs:
        with suppress(re.error, KeyError, ValueError, TypeError, AttributeError):
            found += read_details(pack.folder / "details.yaml")
    return DetailFinder(found)


def overlap(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end


def without(text: str, entities: Sequence[Entity]) -> str:
    """The text with spaces in place of the entities, so that positions stay true."""
    for one in entities:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text
