"""Which intent a sentence has: learned from the packs' example sentences, at the first start with these."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from contracts.cognitive import Intent
from contracts.packs import IntentSpec
from understanding.offline.cues import Cue, CueFinder
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.ngrams import CharNgrams, Vectors
from understanding.offline.quantities import find_quantities
from understanding.offline.softmax import Softmax, fit_softmax

# How much spelling counts beside meaning; 0.5 was best of 0, 0.25, 0.5, 1 in the library comparison.
SPELLING = 0.5
# Chosen on tests/unit/understanding/dev_sentences.jsonl: below these the person is asked.
SURE_CONFIDENCE = 0.5
SURE_MARGIN = 0.15
LEADING_CONFIDENCE = 0.4
LEAD = 2.5
AHEAD_CONFIDENCE = 0.3
AHEAD = 4.0
# Where cues speak for the best intent and no other likely one, less will do.
WORDS_SPEAK = 1.0
SPOKEN_CONFIDENCE = 0.2
SPOKEN_LEAD = 1.2
UNSPOKEN_NEARER = 1.15
"""Where no cue speaks for it, a sentence has to be so much nearer to an example."""
SUBCATEGORY_SHARE = 0.6
# A long text is data with a request around it; requests stand at the beginning or at the end.
HEAD, TAIL = 200, 100
NO_DAY = datetime(2000, 1, 3, tzinfo=UTC)
"""That there is a date or a time says something of the intent, which day it is does not."""
_SENTENCE_END = re.compile(r"[\n.!?。\uff01\uff1f]+")
_SPACE = re.compile(r"\s+")
_SOURCES = tuple(Path(__file__).with_name(name) for name in ("intent.py", "ngrams.py", "softmax.py"))


@dataclass(frozen=True, slots=True)
class Reading:
    """Intents by category, best first; the cosine to the nearest example; whether the best one can be relied on, and
    whether cues speak for it."""

    intents: tuple[Intent, ...]
    nearest: float
    sure: bool
    spoken: bool = False

    @property
    def best(self) -> Intent:
        return self.intents[0]


class IntentModel:
    """Reads intents. Fitting and the first reading load the encoder's weights; `read` is safe in any thread."""

    def __init__(
        self,
        specs: Sequence[IntentSpec],
        encoder: SentenceEncoder,
        cues: Sequence[Cue] = (),
        *,
        penalty: float = 0.1,
    ) -> None:
        if not specs:
            raise ValueError("no intents to learn: the packs bring none")
        examples = [(text, label) for label, spec in enumerate(specs) for text in _sentences(spec)]
        texts = [text for text, _ in examples]
        self._encoder = encoder
        self._names = [spec.intent for spec in specs]
        self._cues = CueFinder(self._names, cues)

        def learn() -> Arrays:
            ngrams = CharNgrams().fit(texts)
            vectors = encoder.encode(texts)
            rows = np.hstack([vectors, SPELLING * ngrams.encode(texts)])
            fitted = fit_softmax(rows, [label for _, label in examples], len(specs), penalty=penalty)
            return {"examples": vectors, "idf": ngrams.idf, "weights": fitted.weights, "bias": fitted.bias}

        # a vector says which weights the encoder has, and our own source how we learn
        made_by = (encoder.encode(["."]).tobytes(), *(path.read_bytes() for path in _SOURCES))
        asked = (f"{SPELLING} {penalty} {len(specs)}", *(f"{label} {text}" for text, label in examples))
        learned = kept(key_of((*made_by, *(one.encode("utf-8", "surrogatepass") for one in asked))), learn)
        self._examples: Vectors = learned["examples"]
        self._ngrams = CharNgrams(learned["idf"])
        self._softmax = Softmax(weights=learned["weights"], bias=learned["bias"])

    def read(self, text: str) -> Reading:
        """The intents of one sentence."""
        sentences = requests_in(text)
        vectors = self._encoder.encode(sentences)
        # Not by BLAS: its threads would wait for each other longer than the sum takes.
        cosines = np.max(np.einsum("ed,sd->es", self._examples, vectors), axis=0)
        likest = int(np.argmax(cosines))  # of the pieces of a long text, the one that is a request
        sentence, vector, nearest = sentences[likest], vectors[likest], float(cosines[likest])
        row: Vectors = np.hstack([vector, SPELLING * self._ngrams.encode([sentence])[0]])
        odds = self._odds(sentence)
        intents = _by_category(self._names, self._softmax.predict(row, odds))
        spoken = intents[0].name in (words := _spoken_for(self._names, odds))
        near = self._encoder.unsure_below * (1.0 if spoken else UNSPOKEN_NEARER)
        like_an_example = any(char.isalnum() for char in sentence) and nearest >= near
        sure = like_an_example and _is_sure(intents, words)
        return Reading(intents=intents, nearest=nearest, sure=sure, spoken=spoken)

    def spoken_for(self, text: str) -> frozenset[str]:
        """The categories that words in the text speak for."""
        return _spoken_for(self._names, self._odds(request_of(text)))

    def _odds(self, sentence: str) -> Vectors:
        return self._cues.find(sentence, frozenset(one.type for one in find_quantities(sentence, NO_DAY)))


def _spoken_for(names: Sequence[str], odds: Vectors) -> frozenset[str]:
    """The categories that cues speak for."""
    return frozenset(_category(name)[0] for name, more in zip(names, odds.tolist(), strict=True) if more >= WORDS_SPEAK)


def _is_sure(intents: Sequence[Intent], spoken: frozenset[str]) -> bool:
    best, second = intents[0].confidence, intents[1].confidence if len(intents) > 1 else 0.0
    if best >= SURE_CONFIDENCE and best - second >= SURE_MARGIN:
        return True
    if (best >= LEADING_CONFIDENCE and best >= LEAD * second) or (best >= AHEAD_CONFIDENCE and best >= AHEAD * second):
        return True
    # Words that speak for the best intent, and for no other that is likely, are evidence of their own.
    rivals = {one.name for one in intents[1:4]} & spoken
    return intents[0].name in spoken and not rivals and best >= SPOKEN_CONFIDENCE and best >= SPOKEN_LEAD * second


def request_of(text: str) -> str:
    """The part of a message that says what is wanted, in one line."""
    sentence = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    return sentence if len(sentence) <= HEAD + TAIL else f"{sentence[:HEAD]} {sentence[-TAIL:]}"


def requests_in(text: str) -> list[str]:
    """What may be the request: the whole of a short text; of a long one its beginning, its first and last sentence."""
    whole = request_of(text)
    sentences = [sentence for part in _SENTENCE_END.split(text) if (sentence := request_of(part))]
    if len(whole) < HEAD + TAIL or not sentences:
        return [whole]
    return list(dict.fromkeys([whole, sentences[0], sentences[-1]]))


def _sentences(spec: IntentSpec) -> list[str]:
    return [request_of(text) for texts in spec.examples.values() for text in texts]


def _by_category(names: Sequence[str], probabilities: Vectors) -> tuple[Intent, ...]:
    """Adds the subcategories up. One of them is named only if it holds most of its category."""
    totals: dict[str, float] = {}
    leaves: dict[str, tuple[str | None, float]] = {}
    for name, probability in zip(names, probabilities.tolist(), strict=True):
        key, rest = _category(name)
        totals[key] = totals.get(key, 0.0) + probability
        if probability > leaves.get(key, (None, -1.0))[1]:
            leaves[key] = (rest, probability)
    ranked = sorted(totals, key=lambda key: (-totals[key], key))
    return tuple(_intent(key, totals[key], *leaves[key]) for key in ranked)


def _category(name: str) -> tuple[str, str | None]:
    """ANALYSIS.trend.review_trend -> ANALYSIS.trend, review_trend. A domain may stand alone: TRANSFER."""
    domain, *rest = name.split(".")
    return ".".join([domain, *rest[:1]]), rest[1] if len(rest) > 1 else None


def _intent(key: str, total: float, subcategory: str | None, probability: float) -> Intent:
    strong = probability >= SUBCATEGORY_SHARE * total
    return intent_of(key, round(min(max(total, 0.0), 1.0), 4), subcategory if strong else None)


def intent_of(name: str, confidence: float, subcategory: str | None = None) -> Intent:
    """The intent of a name with one part or two ("TRANSFER", "ANALYSIS.trend")."""
    domain, _, category = name.partition(".")
    return Intent(domain=domain, category=category or None, subcategory=subcategory, confidence=confidence)
