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
from understanding.grammar import read
from understanding.kit.ngrams import CharNgrams, Vectors
from understanding.kit.softmax import Softmax, fit_softmax
from understanding.offline.cues import Cue, CueFinder
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.sentences import Sentence

SPELLING = 1.5
"""How much spelling counts beside meaning. Out of fold 0.5 gives 0.954, 0.8 0.959, 1 0.966, 1.5 0.968 right."""
PENALTY = 0.15
"""Ridge on the weights."""
SURE = 0.3
"""Of less probability than this the person is asked. Chosen out of fold: about 3 % of what is known is asked about."""
RIVAL = 1.1
"""So much more likely than the next one the best has to be: of two that fit alike neither is guessed."""
WORDS_SPEAK = 1.0
"""Log odds from cues that say of their own what is meant."""
SUBCATEGORY_SHARE = 0.6
# A long text is data with a request around it; requests stand at the beginning or at the end.
HEAD, TAIL = 200, 100
NO_DAY = datetime(2000, 1, 3, tzinfo=UTC)
"""That there is a date or a time says something of the intent, which day it is does not."""
_SENTENCE_END = re.compile(r"[\n.!?。\uff01\uff1f]+")
_SPACE = re.compile(r"\s+")
_FILE = re.compile(
    r"(?<![\w()-])[\w()-]{1,80}\.(?:md|txt|pdf|docx?|xlsx?|csv|tsv|hwpx?|pptx?|html?|json)(?![a-z0-9])", re.IGNORECASE
)
"""A name of a file says that there is one; its letters say nothing of what is wanted."""
_KIT = Path(__file__).parents[1] / "kit"
_SOURCES = (Path(__file__), _KIT / "ngrams.py", _KIT / "softmax.py")


@dataclass(frozen=True, slots=True)
class Reading:
    """Intents by category, best first; the probability that it is nothing anybody here could do (`nothing`); whether
    the best one can be relied on, and whether cues speak for it."""

    intents: tuple[Intent, ...]
    nothing: float
    sure: bool
    spoken: bool = False

    @property
    def best(self) -> Intent:
        return self.intents[0]

    def chance(self, intent: Intent) -> float:
        """How likely this category is."""
        return self.chance_of(intent.name)

    def chance_of(self, name: str) -> float:
        """How likely the category of that name is."""
        return next((one.confidence for one in self.intents if one.name == name), 0.0)


class IntentModel:
    """Reads intents. Fitting and the first reading load the encoder's weights; `read` is safe in any thread."""

    def __init__(
        self,
        specs: Sequence[IntentSpec],
        encoder: SentenceEncoder,
        cues: Sequence[Cue] = (),
        sentences: Sequence[Sentence] = (),
        *,
        penalty: float = PENALTY,
        learner: SentenceEncoder | None = None,
    ) -> None:
        """`learner` is the same encoder, which has the vectors of sentences that others learn from too."""
        if not specs:
            raise ValueError("no intents to learn: the packs bring none")
        self._encoder = encoder
        self._names = [spec.intent for spec in specs]
        self._cues = CueFinder(self._names, cues)
        examples = _labelled(specs, sentences)
        texts = [text for text, _ in examples]

        def learn() -> Arrays:
            ngrams = CharNgrams()
            rows = np.hstack([(learner or encoder).encode(texts), SPELLING * ngrams.fit_encode(texts)])
            labels = [label for _, label in examples]
            fitted = fit_softmax(rows, labels, len(specs) + 1, penalty=penalty)
            return {"idf": ngrams.idf, "weights": fitted.weights.astype(np.float16), "bias": fitted.bias}

        # our own source says how we learn
        made_by = (encoder.name.encode(), *(path.read_bytes() for path in _SOURCES))
        asked = (f"{SPELLING} {penalty} {len(specs)}", *(f"{label} {text}" for text, label in examples))
        learned = kept(key_of((*made_by, *(one.encode("utf-8", "surrogatepass") for one in asked))), learn)
        self._ngrams = CharNgrams(learned["idf"])
        self._softmax = Softmax(weights=learned["weights"].astype(np.float32), bias=learned["bias"])

    def read(self, text: str) -> Reading:
        """The intents of one sentence."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Reading]:
        """The intents of each; quicker than one by one."""
        pieces = [requests_in(text) for text in texts]
        flat = [piece for some in pieces for piece in some]
        rows = np.hstack([self._encoder.encode(flat), SPELLING * self._ngrams.encode(flat)])
        readings = iter([self._reading(piece, row) for piece, row in zip(flat, rows, strict=True)])
        # of the pieces of a long text, the one that is a request
        return [max((next(readings) for _ in some), key=lambda one: one.best.confidence) for some in pieces]

    def _reading(self, sentence: str, row: Vectors) -> Reading:
        odds = self._odds(sentence)
        chances = self._softmax.predict(row, np.append(odds, np.float32(0)))
        intents, nothing = _by_category(self._names, chances[:-1]), float(chances[-1])
        spoken = _spoken_for(self._names, odds)
        best, *others = (intent.confidence for intent in intents)
        rival = max([nothing, *(RIVAL * other for other in others[:1])])
        sure = any(char.isalnum() for char in sentence) and best >= SURE and best > rival
        return Reading(intents, nothing, sure, intents[0].name in spoken)

    def spoken_for(self, text: str) -> frozenset[str]:
        """The categories that words in the text speak for."""
        return _spoken_for(self._names, self._odds(request_of(text)))

    def _odds(self, sentence: str) -> Vectors:
        return self._cues.find(sentence, frozenset(one.type for one in read(sentence, NO_DAY)))


def _labelled(specs: Sequence[IntentSpec], sentences: Sequence[Sentence]) -> list[tuple[str, int]]:
    """Each sentence with the number of its intent; the number behind the last one is that of no intent."""
    numbers: dict[str | None, int] = {spec.intent: number for number, spec in enumerate(specs)} | {None: len(specs)}
    examples = [(text, number) for number, spec in enumerate(specs) for text in _sentences(spec)]
    more = [(request_of(one.text), numbers[one.intent]) for one in sentences if one.intent in numbers]
    return list(dict.fromkeys([*examples, *more]))


def _spoken_for(names: Sequence[str], odds: Vectors) -> frozenset[str]:
    """The categories that cues speak for."""
    return frozenset(_category(name)[0] for name, more in zip(names, odds.tolist(), strict=True) if more >= WORDS_SPEAK)


def request_of(text: str) -> str:
    """The part of a message that says what is wanted, in one line."""
    sentence = _FILE.sub("file", _SPACE.sub(" ", unicodedata.normalize("NFKC", text))).strip()
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
