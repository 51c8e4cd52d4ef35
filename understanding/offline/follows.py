"""Whether a sentence goes on about what was asked for before it ("make it five", "and Lisbon?"): learned for each pack
from its follows.jsonl, beside what all packs teach. It counts only where the last request was one of that pack's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contracts.cognitive import Intent
from contracts.context import Requested
from contracts.packs import IntentSpec
from contracts.shape import JsonObject
from understanding.kit.ngrams import CharNgrams, Vectors
from understanding.kit.softmax import Softmax, fit_softmax
from understanding.offline.catalogue import IntentCatalogue
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.intent import Reading, request_of
from understanding.offline.learned import Arrays, kept, key_of, sample
from understanding.offline.pack import PackUnderstanding

SPELLING = 1.0
PENALTY = 0.1
GOES_ON = 0.35
"""How likely a sentence has to be one that goes on, where its own intent is not clear."""
GOES_ON_UNSURE = 0.2
"""Where the only other thing would be to ask what is meant."""
SURELY = 0.7
"""So likely it goes on about the last one itself, though another intent of that pack is a little likelier."""
PLAINLY = 0.9
"""So likely it goes on about the last one, whatever else of its category there is."""
OWN_KIND = 0.6
UNLESS_OWNED = 0.75
"""How likely an intent of another pack has to be to own a sentence that goes on; OWNED is enough for any other."""
OWNED = 0.5
OWNED_BEYOND = 0.95
"""So likely it goes on that whoever is less likely than BEYOND_DOUBT does not own it: of 520 whole sentences about
something else that nothing has learned, 5 were over it, and of these only what nobody here does would be lost."""
BEYOND_DOUBT = 0.9
SAME_PACK, SAME_INTENT = 3.0, 1.5
"""So much more likely the pack and the intent of the last request are than without it: people stay with a thing."""
LEAST = 0.1
"""Of less probability nothing is meant, however likely it was before."""
VARIES, VARIES_OWNED, VARIES_NOT = 0.3, 0.5, 0.6
"""How likely a sentence has to be one that varies a request: where nobody knows what it means; where another intent
would have it; and how likely that one has to be to own it all the same."""
MOST_OTHERS = 1500
"""Sentences of other packs that it is told from, evenly taken: learning takes as long as the cube of their number."""
LONGEST = 200
NEAREST = 3


@dataclass(frozen=True, slots=True)
class _Learned:
    ngrams: CharNgrams
    head: Softmax
    going: tuple[str | None, ...]
    """The intents of the sentences that go on."""
    vectors: Vectors
    """Of these sentences."""

    def likely(self, text: str, vector: Vectors) -> float:
        row: Vectors = np.hstack([vector, SPELLING * self.ngrams.encode([text])[0]])
        return float(self.head.predict(row)[1])

    def which(self, text: str, vector: Vectors) -> str:
        """The intent of those sentences that are most like it: of the three nearest, each by how near it is."""
        row: Vectors = np.hstack([vector, SPELLING * self.ngrams.encode([request_of(text)])[0]])
        near = self.vectors @ row
        shares: dict[str, float] = {}
        for at in np.argsort(-near)[:NEAREST]:
            name = str(self.going[at])
            shares[name] = shares.get(name, 0.0) + float(near[at])
        return max(shares, key=lambda name: shares[name])


class FollowReader:
    """Fitting encodes the sentences, or reads back what was learned."""

    def __init__(
        self,
        packs: Sequence[PackUnderstanding],
        catalogue: IntentCatalogue,
        encoder: SentenceEncoder,
        others: Mapping[str, str | None],
        *,
        learner: SentenceEncoder | None = None,
    ) -> None:
        """`others`: sentences with their intents, or none; those of other packs are what does not go on."""
        self._encoder = encoder
        self._catalogue = catalogue
        self._learned = {
            pack.name: _learn(pack, _of_others(pack, others), learner or encoder) for pack in packs if pack.follows
        }

    def likely(self, last: Requested, text: str) -> float:
        """How likely a sentence goes on about the last request, 0..1."""
        spec = self._catalogue.named(last.intent)
        learned = self._learned.get(self._catalogue.pack(spec)) if spec else None
        said = request_of(text)
        if learned is None or len(said) > LONGEST:
            return 0.0
        return learned.likely(said, self._encoder.encode([said])[0])

    def goes_on(self, last: Requested, text: str, reading: Reading) -> IntentSpec | None:
        """The intent of the pack of the last request that the sentence is meant for; None: it is what it is anyway."""
        spec = self._catalogue.named(last.intent)
        if spec is None or spec.varies or not (likely := self.likely(last, text)):
            return None
        ours = self._is_ours(spec, reading.best)
        if reading.sure and not ours and self._is_owned(reading, likely):
            return None
        if len(self._learned[self._catalogue.pack(spec)].vectors):
            return self._asked(spec, text, reading) if likely >= SURELY else None
        if reading.sure and ours and likely < SURELY:
            return None
        best, chance = self._likeliest(spec, reading, stays=not reading.sure or likely >= PLAINLY)
        others = [one.confidence for one in reading.intents if not self._is_ours(spec, one)][:1]
        if best is not None and chance > max([reading.nothing, *others]):
            # what plainly goes on is of the last kind, unless another is surely meant
            return spec if likely >= PLAINLY and reading.best.confidence < OWN_KIND else best
        least = GOES_ON if reading.sure else GOES_ON_UNSURE
        return spec if likely >= least and not (reading.sure and ours) else None

    def _is_owned(self, reading: Reading, likely: float) -> bool:
        """Whether what it surely is of another pack counts more than that it goes on."""
        best = reading.best.confidence
        if likely >= OWNED_BEYOND:  # what can be done is meant, rather than what nobody here does
            owner = self._catalogue.spec(reading.best)
            return best >= BEYOND_DOUBT and not (owner.declines or owner.answer)
        return best >= (UNLESS_OWNED if likely >= GOES_ON else OWNED)

    def _asked(self, spec: IntentSpec, text: str, reading: Reading) -> IntentSpec | None:
        """What is asked about a dialogue that was led: no sentence that goes on begins another by itself. None where it
        is surely one of the pack's own."""
        if reading.sure and self._is_ours(spec, reading.best):
            return None
        which = self._learned[self._catalogue.pack(spec)].which(text, self._encoder.encode([request_of(text)])[0])
        return self._catalogue.named(which)

    def _likeliest(self, spec: IntentSpec, reading: Reading, *, stays: bool) -> tuple[IntentSpec | None, float]:
        """Of the pack's intents, with how likely each is after the last request."""
        category = _category(spec)
        found = [
            (one.confidence * SAME_PACK * (SAME_INTENT if one.name == category else 1.0), one)
            for one in reading.intents
            if one.confidence >= LEAST and self._is_ours(spec, one)
        ]
        if not found:
            return None, 0.0
        chance, best = max(found, key=lambda each: each[0])
        same = stays and best.name == category and best.subcategory is None
        return (spec if same else self._catalogue.spec(best)), chance

    def _is_ours(self, spec: IntentSpec, intent: Intent) -> bool:
        return self._catalogue.is_of(spec, self._catalogue.spec(intent).intent)


def _category(spec: IntentSpec) -> str:
    return ".".join(spec.intent.split(".")[:2])


def known_texts(specs: Sequence[IntentSpec]) -> dict[str, str | None]:
    """The examples, with their intents."""
    return {text: spec.intent for spec in specs for some in spec.examples.values() for text in some}


def may_vary(likely: float, reading: Reading, settled: IntentSpec | None, spec: IntentSpec) -> bool:
    """Whether a sentence varies a request of `spec`: of what another intent surely owns none does. What nobody here
    does owns no sentence that surely goes on."""
    if settled is None or settled.intent == spec.intent:
        return likely >= VARIES
    if likely >= OWNED_BEYOND and not settled.declines:
        return reading.best.confidence < BEYOND_DOUBT
    if settled.declines and likely >= SURELY:
        return True
    return likely >= VARIES_OWNED and not (reading.sure and reading.best.confidence >= VARIES_NOT)


def varied(last: Requested, spec: IntentSpec, said: JsonObject) -> JsonObject:
    """The slots of the request as the sentence leaves them; empty if it says nothing of what may be varied. A slot that
    is said to be None is emptied."""
    new = {slot: value for slot, value in said.items() if slot in spec.varies}
    if all(value is None or last.slots.get(slot) == value for slot, value in new.items()):
        return {}
    old = {slot: value for slot, value in last.slots.items() if slot in spec.varies}
    others = {slot: value for slot, value in said.items() if slot not in spec.varies}
    return {slot: value for slot, value in {**old, **others, **new}.items() if value is not None}


def _of_others(pack: PackUnderstanding, others: Mapping[str, str | None]) -> list[str]:
    """What does not go on. Where requests may be varied, a whole request of the pack's own is a new one."""
    mine = {spec.intent for spec in pack.intents if not any(one.varies for one in pack.intents)}
    return [request_of(text) for text, intent in others.items() if intent not in mine]


def _learn(pack: PackUnderstanding, others: Sequence[str], encoder: SentenceEncoder) -> _Learned:
    going = [request_of(one.text) for one in pack.follows]
    leads = any(one.flow is not None for one in pack.intents)
    texts = going + sample(others, MOST_OTHERS)

    def learn() -> Arrays:
        ngrams = CharNgrams()
        rows = np.hstack([encoder.encode(texts), SPELLING * ngrams.fit_encode(texts)])
        labels = [1] * len(going) + [0] * (len(texts) - len(going))
        head = fit_softmax(rows, labels, 2, penalty=PENALTY)
        own = rows[: len(going)].astype(np.float16) if leads else rows[:0]
        return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias, "own": own}

    made_by = (encoder.name.encode(), Path(__file__).read_bytes())
    key = key_of((*made_by, str(len(going)).encode(), *(text.encode("utf-8", "surrogatepass") for text in texts)))
    learned: Mapping[str, Vectors] = kept(key, learn)
    head = Softmax(weights=learned["weights"], bias=learned["bias"])
    own = learned["own"].astype(np.float32)
    return _Learned(CharNgrams(learned["idf"]), head, tuple(one.intent for one in pack.follows), own)
