"""What varies the request before it: "and Lisbon?" behind the weather in Madrid. Which sentences do is learned from
the packs' `follows.jsonl`; what they vary is read by the reader of the request's own intent."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from contracts.context import Request
from contracts.packs import IntentSpec
from contracts.shape import JsonObject
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.intent import Reading, request_of
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.ngrams import CharNgrams, Vectors
from understanding.offline.sentences import Sentence
from understanding.offline.softmax import Softmax, fit_softmax
from understanding.offline.tasks import Part

SPELLING = 1.0
PENALTY = 0.1
VARIES, VARIES_OWNED = 0.3, 0.5
"""How likely a sentence has to be one that varies a request: where nobody knows what it means; where another intent
would have it."""
OWNED = 0.6
"""So likely another intent owns the sentence all the same."""
MOST_OTHERS = 1500
"""Sentences that it is told from, evenly taken."""
LONGEST = 120
"""Letters: who varies a request says little."""


class Follow(NamedTuple):
    """The request before, with what the sentence says in the place of what it said."""

    part: Part
    slots: JsonObject


class FollowModel:
    """How likely a sentence varies the request before it. Without sentences that do, none does."""

    def __init__(
        self,
        follows: Sequence[Sentence],
        others: Sequence[str],
        encoder: SentenceEncoder,
        *,
        learner: SentenceEncoder | None = None,
    ) -> None:
        """`others` are sentences that say all of what they want; `learner` as in IntentModel."""
        self._encoder = encoder
        mine = list(dict.fromkeys(request_of(one.text) for one in follows))
        known = set(mine)
        rest = [text for one in others if (text := request_of(one)) not in known]
        texts = [*mine, *rest[:: max(1, -(-len(rest) // MOST_OTHERS))]]
        teacher = learner or encoder

        def learn() -> Arrays:
            ngrams = CharNgrams().fit(texts)
            rows = np.hstack([teacher.encode(texts), SPELLING * ngrams.encode(texts)])
            head = fit_softmax(rows, [1] * len(mine) + [0] * (len(texts) - len(mine)), 2, penalty=PENALTY)
            return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias}

        self._head: tuple[CharNgrams, Softmax] | None = None
        if mine:
            made_by = (encoder.name.encode(), Path(__file__).read_bytes(), str(len(mine)).encode())
            key = key_of((*made_by, *(text.encode("utf-8", "surrogatepass") for text in texts)))
            learned: Mapping[str, Vectors] = kept(key, learn)
            self._head = (CharNgrams(learned["idf"]), Softmax(weights=learned["weights"], bias=learned["bias"]))

    def likely(self, text: str) -> float:
        """0..1"""
        if self._head is None or len(text) > LONGEST:
            return 0.0
        ngrams, head = self._head
        said = request_of(text)
        row = np.hstack([self._encoder.encode([said])[0], SPELLING * ngrams.encode([said])[0]])
        return float(head.predict(row)[1])


def may_vary(likely: float, reading: Reading, settled: IntentSpec | None, spec: IntentSpec) -> bool:
    """Whether a sentence varies a request of `spec`: of what another intent surely owns none does."""
    if settled is None or settled.intent == spec.intent:
        return likely >= VARIES
    return likely >= VARIES_OWNED and not (reading.sure and reading.best.confidence >= OWNED)


def varied(last: Request, spec: IntentSpec, said: JsonObject) -> JsonObject:
    """The slots of the request as the sentence leaves them; empty if it says nothing of what may be varied. A slot that
    is said to be None is emptied."""
    new = {slot: value for slot, value in said.items() if slot in spec.varies}
    if all(value is None or last.slots.get(slot) == value for slot, value in new.items()):
        return {}
    old = {slot: value for slot, value in last.slots.items() if slot in spec.varies}
    others = {slot: value for slot, value in said.items() if slot not in spec.varies}
    return {slot: value for slot, value in {**old, **others, **new}.items() if value is not None}
