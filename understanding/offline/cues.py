"""Cues: words, and quantities found, that speak for an intent. A few say more than many example sentences could."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from backbone.packs import read_yaml
from contracts.patterns import bounded
from understanding.grammar import read
from understanding.kit.bounds import BOUND, is_bound
from understanding.kit.ngrams import Vectors

MONEY = "money"
NO_DAY = datetime(2000, 1, 3, tzinfo=UTC)
"""Sums are the same on every day."""
WEIGHT = 2.0
"""What the words of one intent add to its log odds, however many of them are there."""
_PLAIN = re.compile(r"[\w ]+")


@dataclass(frozen=True, slots=True)
class Cue:
    """One intent's. `finds` maps a type of quantity (contracts.reading.Clause) to its weight; `plain` are words, and
    `words` those that are patterns, each a millisecond to compile; of `pairs` both have to be there, in any order."""

    intent: str
    plain: tuple[str, ...] = ()
    words: tuple[re.Pattern[str], ...] = ()
    pairs: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = ()
    finds: Mapping[str, float] | None = None
    weight: float = WEIGHT

    def speaks(self, text: str, found: frozenset[str]) -> float:
        """`text` is in lower case."""
        there = any(word in text for word in self.plain) or any(pattern.search(text) for pattern in self.words)
        there = there or any(one.search(text) and other.search(text) for one, other in self.pairs)
        said = self.weight if there else 0.0
        return said + sum(weight for kind, weight in (self.finds or {}).items() if kind in found)


def read_cues(path: Path) -> tuple[Cue, ...]:
    """Reads a pack's cues.yaml; a file that is not there is one without cues."""
    entries = read_yaml(path) if path.exists() else []
    return tuple(_cue(entry) for entry in entries)


def _cue(entry: Mapping[str, object]) -> Cue:
    words, pairs = entry.get("words"), entry.get("pairs")
    said = [word for some in words.values() for word in some] if isinstance(words, Mapping) else []
    return Cue(
        intent=str(entry["intent"]),
        plain=tuple(word.lower() for word in said if _PLAIN.fullmatch(word)),
        words=tuple(bounded(word) for word in said if not _PLAIN.fullmatch(word)),
        pairs=tuple(
            (bounded("|".join(one)), bounded("|".join(other)))
            for one, other in (pairs.values() if isinstance(pairs, Mapping) else ())
        ),
        finds=finds if isinstance(finds := entry.get("finds"), Mapping) else None,
        weight=float(str(entry.get("weight", WEIGHT))),
    )


class CueFinder:
    """The cues of all packs over the intents of a model, in its order."""

    def __init__(self, names: Sequence[str], cues: Sequence[Cue]) -> None:
        self._names = names
        self._cues = [(cue, [at for at, name in enumerate(names) if _within(name, cue.intent)]) for cue in cues]

    def find(self, text: str, found: frozenset[str]) -> Vectors:
        """[intents]: what is added to the log odds of each."""
        odds = np.zeros(len(self._names), dtype=np.float32)
        low = text.lower()
        found = _with_bounds(text, found)
        for cue, at in self._cues:
            if at and (weight := cue.speaks(low, found)):
                odds[at] += np.float32(weight)
        return odds


def _with_bounds(text: str, found: frozenset[str]) -> frozenset[str]:
    """With BOUND in the place of money, where all sums are what something is compared with."""
    if MONEY not in found:
        return found
    sums = [one for one in read(text, NO_DAY) if one.type == MONEY]
    bounds = [one for one in sums if is_bound(text, one)]
    left = found - {MONEY} if len(bounds) == len(sums) else found
    return left | {BOUND} if bounds else left


def _within(name: str, intent: str) -> bool:
    return name == intent or name.startswith(f"{intent}.")
