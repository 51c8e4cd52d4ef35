"""Where in a sentence a name stands that no list has: a song, a film, a place. Learned from labelled sentences: what
surrounds a name, and which words are never part of one. The names themselves change places while it is learned."""

import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understanding.kit.ngrams import Vectors
from understanding.offline import surroundings
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.sentences import Sentence
from understanding.offline.surroundings import SIZE, Numbers, Ordinary

LONGEST = 160
"""Letters that are looked at: a sentence with a name is short, and a page of data has no name to be found."""
COPIES = 3
"""Times that a sentence is learned with other names in it, beside itself."""
ROUNDS, RATE, RIDGE = 5, 0.3, 1e-5
LEAST, NONE = 0.15, 0.5
"""Of less probability a span is no name; and where it is as likely as this that there is none, there is none."""
_WIDEST = 48
_SOURCES = (Path(__file__), Path(surroundings.__file__))

StandIns = Mapping[str, Mapping[str, Sequence[str]]]
"""Names by slot and language."""


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name for a slot, as it stands at `start`."""

    slot: str
    text: str
    start: int
    likely: float

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class SpanFinder:
    """Learns from sentences with `spans`, or reads back what was learned. Without such sentences it finds nothing."""

    def __init__(
        self, sentences: Sequence[Sentence], stand_ins: StandIns | None = None, others: Sequence[str] = ()
    ) -> None:
        """`stand_ins` are more names, to be put in the place of those of the sentences while it is learned; `others` is
        what people say about other things."""
        taught = {one.intent for one in sentences if one.spans and one.intent}
        told = [one for one in sentences if one.intent in taught]
        self._slots = tuple(sorted({slot for one in told for slot in one.spans}))
        self._of = {intent: _slots_of(intent, told) for intent in taught}
        self._ordinary = Ordinary(np.zeros(1, dtype=np.uint8))
        self._weights = self._learned(told, stand_ins or {}, others) if self._slots else None

    def _learned(self, told: Sequence[Sentence], stand_ins: StandIns, others: Sequence[str]) -> Vectors:
        lines = [*others, *(f"{one.lang} {one.intent} {sorted(one.spans.items())} {one.text}" for one in told)]
        lines += [f"{slot} {lang} {name}" for slot, some in stand_ins.items() for lang in some for name in some[lang]]
        made_by = (*(path.read_bytes() for path in _SOURCES), *(one.encode("utf-8", "surrogatepass") for one in lines))

        def learn() -> Arrays:
            ordinary = Ordinary.of([*others, *(surroundings.bare_of(one.text, one.spans) for one in told)])
            weights = _fit(list(_examples(told, stand_ins)), self._slots, self._of, ordinary)
            return {"spans": weights.astype(np.float16), "words": ordinary.counts}

        learned = kept(key_of(made_by), learn)
        self._ordinary = Ordinary(learned["words"])
        return learned["spans"].astype(np.float32)

    def slots_of(self, intent: str) -> tuple[str, ...]:
        """The slots whose names are learned."""
        return self._of.get(intent, ())

    def find(self, text: str, intent: str | None) -> tuple[FoundName, ...]:
        """The names in the text for the slots of an intent that are learned, at most one of each, the surest first."""
        slots = self._of.get(intent or "")
        if self._weights is None or not slots or not text.strip():
            return ()
        laid = _Laid(text[:LONGEST], intent or "", self._ordinary)
        found = (self._best(laid, slot) for slot in slots)
        kept_: list[FoundName] = []
        for one in sorted((one for one in found if one), key=lambda one: -one.likely):
            if all(one.end <= other.start or other.end <= one.start for other in kept_):
                kept_.append(one)
        return tuple(kept_)

    def _best(self, laid: "_Laid", slot: str) -> FoundName | None:
        if self._weights is None or not len(laid.starts):
            return None
        chances, none = laid.chances(self._weights[self._slots.index(slot)])
        at = int(chances.argmax())
        start, end = laid.edges[laid.starts[at]], laid.edges[laid.ends[at]]
        likely = float(chances[at])
        return FoundName(slot, laid.text[start:end], start, likely) if likely >= LEAST and none < NONE else None


def _slots_of(intent: str | None, told: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(sorted({slot for one in told if one.intent == intent for slot in one.spans}))


class _Laid:
    """A sentence with all the spans that may be a name. `edges` are letters where one may begin or end; span n goes
    from edge `starts[n]` to edge `ends[n]`."""

    def __init__(self, text: str, intent: str, ordinary: Ordinary, own: frozenset[str] = frozenset()) -> None:
        self.text = text
        begins, stops = surroundings.edges(text)
        self.edges = sorted(begins | stops)
        numbers = range(len(self.edges))
        first = [at for at in numbers if self.edges[at] in begins]
        last = [at for at in numbers if self.edges[at] in stops]
        pairs = [(a, b) for a in first for b in last if b > a and self.edges[b] - self.edges[a] <= _WIDEST]
        self.starts = np.array([a for a, _ in pairs], dtype=np.int32)
        self.ends = np.array([b for _, b in pairs], dtype=np.int32)
        low = unicodedata.normalize("NFKC", text).lower()
        low = low if len(low) == len(text) else text.lower()[: len(text)].ljust(len(text))
        kinds = [surroundings.kind_of(one) for one in text]
        known = surroundings.Known(low, ordinary, own)
        self.left = surroundings.rows(surroundings.before(low, kinds, edge, known) for edge in self.edges)
        self.right = surroundings.rows(surroundings.behind(low, kinds, edge, known) for edge in self.edges)
        self.inner = surroundings.rows(surroundings.within(low, kinds, a, b, known) for a, b in pairwise(self.edges))
        self.none = surroundings.row([f"0{intent}", *(f"0{word}" for word in low.split()), f"0{low[-4:]}"])
        lengths = [self.edges[b] - self.edges[a] for a, b in pairs]
        spaces = [text.count(" ", self.edges[a], self.edges[b]) for a, b in pairs]
        self.size = surroundings.rows((f"#{min(n, 12)}", f"_{min(m, 5)}") for n, m in zip(lengths, spaces, strict=True))

    def chances(self, weights: Vectors) -> tuple[Vectors, float]:
        """How likely each span is the name, and that there is none."""
        inner = np.concatenate([[0.0], np.cumsum(weights[self.inner].sum(axis=1))]) if len(self.inner) else np.zeros(1)
        scores = weights[self.left].sum(axis=1)[self.starts] + weights[self.right].sum(axis=1)[self.ends]
        scores = scores + inner[self.ends] - inner[self.starts] + weights[self.size].sum(axis=1)
        none = float(weights[self.none].sum())
        top = max(float(scores.max()), none)
        raised = np.exp(scores - top)
        whole = raised.sum() + np.exp(none - top)
        shares: Vectors = (raised / whole).astype(np.float32)
        return shares, float(np.exp(none - top) / whole)

    @cached_property
    def _used(self) -> tuple[Numbers, Numbers]:
        """The weights that the features of the sentence have, each once; and for each feature which of them."""
        features = (self.left, self.right, self.inner, self.size)
        numbers = np.concatenate([*(rows.ravel() for rows in features), self.none])
        used, places = np.unique(numbers, return_inverse=True)
        return used, places.astype(np.int32)

    def place(self, span: tuple[int, int] | None) -> int | None:
        """The number of a span, if it is one of those that may be a name."""
        if span is None:
            return None
        for number, (a, b) in enumerate(zip(self.starts, self.ends, strict=True)):
            if (self.edges[a], self.edges[b]) == span:
                return number
        return None

    def learn(self, weights: Vectors, seen: Vectors, span: tuple[int, int] | None) -> None:
        """One step of AdaGrad towards the span, or towards none."""
        if not len(self.starts):
            return
        wanted = self.place(span)
        if span is not None and wanted is None:
            return
        shares, none = self.chances(weights)
        error = shares.astype(np.float64)
        if wanted is None:
            none -= 1.0
        else:
            error[wanted] -= 1.0
        edges = len(self.edges)
        left = np.bincount(self.starts, error, edges)
        right = np.bincount(self.ends, error, edges)
        # a span holds what lies between its edges
        inner = np.cumsum(left - right)[: edges - 1]
        parts = [(self.left, left), (self.right, right), (self.inner, inner), (self.size, error)]
        shared = [np.repeat(one, rows.shape[1]) for rows, one in parts]
        values = np.concatenate([*shared, np.full(len(self.none), none)])
        used, places = self._used
        gradient = np.bincount(places, values, len(used)) + RIDGE * weights[used]
        seen[used] += gradient**2
        weights[used] -= RATE * gradient / np.sqrt(seen[used])


class _Example(NamedTuple):
    """A sentence, its intent, where its spans are, and the words of it that are no name."""

    text: str
    intent: str
    places: Mapping[str, tuple[int, int]]
    own: frozenset[str]


def _examples(told: Sequence[Sentence], stand_ins: StandIns) -> Iterator[_Example]:
    """The sentences with their intents and where their spans are, and copies of them with other names there."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in told:
        for slot, name in one.spans.items():
            names.setdefault((slot, one.lang), []).append(name)
    for slot, some in stand_ins.items():
        for lang, more in some.items():
            names.setdefault((slot, lang), []).extend(more)
    chance = random.Random(len(told))  # noqa: S311  # no secret: the same copies in every process
    for one in told:
        own = surroundings.words_of(surroundings.bare_of(one.text, one.spans))
        yield _Example(one.text, one.intent or "", _places(one.text, one.spans), own)
        for _ in range(COPIES if one.spans else 0):
            text, places = _with_others(one, names, chance)
            yield _Example(text, one.intent or "", places, own)


def _places(text: str, spans: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    return {slot: (at, at + len(name)) for slot, name in spans.items() if (at := text.find(name)) >= 0}


def _with_others(
    one: Sentence, names: Mapping[tuple[str, str], Sequence[str]], chance: random.Random
) -> tuple[str, Mapping[str, tuple[int, int]]]:
    text, before, moved = "", 0, {}
    for slot, (start, end) in sorted(_places(one.text, one.spans).items(), key=lambda item: item[1]):
        other = chance.choice(names[slot, one.lang])
        text += one.text[before:start]
        moved[slot] = (len(text), len(text) + len(other))
        text, before = text + other, end
    text += one.text[before:]
    return (text.lower() if one.lang == "en" and chance.random() < 1 / 3 else text), moved


def _fit(
    told: Sequence[_Example], slots: Sequence[str], of: Mapping[str, Sequence[str]], ordinary: Ordinary
) -> Vectors:
    """[slots, SIZE]: a softmax over the spans of a sentence for each slot, learned one sentence after the other."""
    weights = np.zeros((len(slots), SIZE), dtype=np.float32)
    seen = np.full((len(slots), SIZE), 1e-3, dtype=np.float32)
    laid = [(_Laid(one.text[:LONGEST], one.intent, ordinary, one.own), one) for one in told]
    order = random.Random(0)  # noqa: S311  # no secret: the same order in every process
    for _ in range(ROUNDS):
        order.shuffle(laid)
        for sentence, one in laid:
            for slot in of[one.intent]:
                number = slots.index(slot)
                sentence.learn(weights[number], seen[number], one.places.get(slot))
    return weights
