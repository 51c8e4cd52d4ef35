"""A question from which what narrows the rows is taken out, and what is left of it as sentence vectors know it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from packs.marketing.asking.days import Period
from packs.marketing.asking.keeping import Kept, rows_that_are_kept
from packs.marketing.asking.leftover import row_words
from packs.marketing.asking.linking import take_whatever
from packs.marketing.asking.naming import bare_heading
from packs.marketing.asking.phrasing import AskedSentence, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.reading import Reading

Floats = NDArray[np.float32]
Vectors = Mapping[str, Floats]
"""Unit vectors of texts."""
MOST_CHUNKS = 28
VALUES, _LONGEST_VALUE = 3, 40
"""Of a column of kinds, those that show what it is about."""
_APART = re.compile(r"[\s,.?!。、？！:;()\"'“”]+")
_JAPANESE = re.compile(r"[一-龯々]+[ぁ-ん]{0,2}|[ァ-ヶー]+")
_READ = "\0"


@dataclass(frozen=True, slots=True)
class Sought:
    """`masked` has an X for each part that was read and an N for each other number; `chunks` are the words that are
    left, one by one and by twos; `rows` what a row may be called."""

    sentence: AskedSentence
    profile: Profile
    kept: Kept
    masked: str
    chunks: tuple[str, ...]
    rows: frozenset[str]

    def texts(self) -> list[str]:
        """All that there must be vectors of."""
        columns = [one for one in self.profile.columns if not one.made]
        shown = [text for one in columns for text in (heading(one), *values_of(one))]
        return list(dict.fromkeys([self.masked, *self.chunks, *shown]))

    def as_it_is_left(self) -> "Sought":
        """The same, with what has been read since."""
        return replace(self, masked=_masked(self.sentence), chunks=tuple(_chunks(self.sentence.left)))


def sought(question: str, profile: Profile, periods: Sequence[Period], file: str) -> Sought:
    reading = Reading(question, profile, periods, None, file)
    sentence, profile = reading.sentence, reading.profile
    take_whatever(sentence, profile)
    rows = row_words(profile, file)
    kept = rows_that_are_kept(sentence, profile, reading.periods, None, rows)
    return Sought(sentence, profile, kept, _masked(sentence), tuple(_chunks(sentence.left)), rows)


def heading(column: Column) -> str:
    return re.sub(r"[_\-]+", " ", bare_heading(column.name)) or column.name


def values_of(column: Column) -> list[str]:
    return [one[:_LONGEST_VALUE] for one in column.values[:VALUES]] if column.kind == "category" else []


def _masked(sentence: AskedSentence) -> str:
    pairs = zip(sentence.text, sentence.left, strict=True)
    marked = "".join(_READ if said != left else left for said, left in pairs)
    numbered = re.sub(r"\d[\d,.]*", "N", re.sub(rf"{_READ}[{_READ} ]*", " X ", marked))
    return re.sub(r"\s+", " ", numbered).strip()


def _chunks(left: str) -> list[str]:
    joined = re.compile(rf"(?:{words()['joined']})+$")
    alone: list[str] = []
    for part in filter(None, _APART.split(left)):
        if part.isascii():
            alone += [part.lower()] if len(part) > 1 else []
        elif re.search("[가-힣]", part):
            alone.append(joined.sub("", part) or part)
        else:
            alone += [match.group() for match in _JAPANESE.finditer(part)]
    twos = [f"{one} {other}" for one, other in pairwise(alone)]
    return list(dict.fromkeys([*alone, *twos]))[:MOST_CHUNKS]


class Nearness:
    """How near the words that are left come to headings and values, as cosines; of the words of a part of the sentence
    alone with `within`, and not of those `without`."""

    def __init__(
        self, asked: Sought, vectors: Vectors, within: str | None = None, without: Collection[str] = ()
    ) -> None:
        chunks = [one for one in asked.chunks if within is None or one in within.lower()]
        chunks = [one for one in chunks if one not in without]
        self._vectors = vectors
        self._chunks = np.stack([vectors[one] for one in chunks]) if chunks else None
        self._whole = vectors[asked.masked]

    def to_heading(self, column: Column) -> tuple[float, float]:
        """Of the nearest word, and of the whole sentence."""
        name = self._vectors[heading(column)]
        nearest = float((self._chunks @ name).max()) if self._chunks is not None else 0.0
        return nearest, float(self._whole @ name)

    def to_values(self, column: Column) -> float:
        values = values_of(column)
        if self._chunks is None or not values:
            return 0.0
        return float((self._chunks @ np.stack([self._vectors[one] for one in values]).T).max())
