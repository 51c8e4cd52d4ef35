"""What is there when somebody speaks: with a file in the session whose content an intent tells, a question that nothing
else surely owns is about it, and so is a sentence that names it."""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from contracts.cognitive import Route
from contracts.context import Context
from contracts.packs import IntentSpec
from understanding.kit.ngrams import CharNgrams, Vectors
from understanding.kit.softmax import Softmax, fit_softmax
from understanding.offline.clauses import beside_a_file
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.intent import Reading, request_of
from understanding.offline.learned import Arrays, kept, key_of, sample
from understanding.offline.sentences import Sentence

SPELLING = 0.5
PENALTY = 0.1
NOT_AT_ALL = 0.1
"""A sentence that names a file and is less likely one says what else is to be done with it."""
BESIDE, BESIDE_OWNED = 0.5, 0.7
"""How likely a sentence has to be a question about a file that another intent reads, too, and makes something of; how
likely that one has to be to own it all the same."""
NARROWS = -0.5
"""The odds from which a piece that stands beside a question about a file belongs to it. Of pieces that ask for other
work none of those tried came nearer than -0.7."""
_ASKS = ("?", "\uff1f")
MOST_OTHERS = 1500
"""Sentences about no file that it is told from: learning takes as long as the cube of their number."""
LONGEST = 300
SHORTEST = 3
_SEPARATORS = str.maketrans("", "", " \t_-.()[]")


@dataclass(frozen=True, slots=True)
class _Learned:
    """The head of one intent: what its examples and its open questions have in common beside all other examples."""

    spec: IntentSpec
    ngrams: CharNgrams
    head: Softmax

    def likely(self, text: str, vector: Vectors) -> float:
        row: Vectors = np.hstack([vector, SPELLING * self.ngrams.encode([text])[0]])
        return float(self.head.predict(row)[1])


class ContextReader:
    """The intents that tell what stands in files. Fitting encodes all examples, or reads back what was learned."""

    def __init__(
        self,
        specs: Sequence[IntentSpec],
        encoder: SentenceEncoder,
        others: Mapping[str, str | None] | None = None,
        beside: Mapping[str, Sequence[Sentence]] | None = None,
        *,
        learner: SentenceEncoder | None = None,
    ) -> None:
        """`others`: more sentences with their intents, or none; they are what is not about a file. `beside`: by intent
        what people said with such a file there, about it or not. `learner`: as in IntentModel."""
        self._encoder = encoder
        known = {text: spec.intent for spec in specs for some in spec.examples.values() for text in some}
        said = {**(others or {}), **known}
        self._learned = [
            _learn(spec, said, (beside or {}).get(spec.intent, ()), learner or encoder)
            for spec in specs
            if spec.reads and spec.opens
        ]

    def about(self, context: Context, text: str, reading: Reading, settled: IntentSpec | None) -> IntentSpec | None:
        """The intent whose file the sentence is about; None: it is about no file, or the settled one reads it too."""
        types = {file.type for file in context.files}
        beside = settled is not None and _reads(settled, types) and not settled.opens
        if beside and reading.best.confidence >= BESIDE_OWNED:
            return None
        absent = settled is not None and bool(settled.reads or settled.instead) and not _reads(settled, types)
        if absent:
            settled = None  # it tells of files that are not there, or shows what they would say
        said = request_of(text)[-LONGEST:]
        vector = self._encoder.encode([said])[0]
        found: list[tuple[float, IntentSpec]] = []
        for learned in self._learned:
            files = [file for file in context.files if file.type in learned.spec.reads]
            if not files or learned.spec is settled:
                continue
            likely = learned.likely(said, vector)
            if beside:
                if likely >= BESIDE:
                    found.append((likely, learned.spec))
                continue
            if any(is_named(file.name, text) for file in files):
                return learned.spec if likely >= NOT_AT_ALL or absent or not reading.sure else None
            odds = _owner(settled).odds(likely, reading)
            going_on = self._goes_on(context, learned.spec)
            now = any(file.now for file in files)
            declined = settled is not None and settled.declines  # who would decline does not own it
            if (declined and now and likely >= BESIDE) or odds >= _least(
                said, settled, AT_ONCE if now else GOING_ON if going_on else LATER
            ):
                found.append((likely, learned.spec))
        return max(found, key=lambda one: one[0])[1] if found else None

    def tells_of(self, context: Context, spec: IntentSpec) -> bool:
        """Whether the intent tells what stands in a file that came just now, or of which one was just asked."""
        types = {file.type for file in context.files if file.now or self._goes_on(context, spec)}
        return any(one.spec is spec for one in self._learned) and bool(types & set(spec.reads))

    def may_narrow(self, context: Context, text: str, reading: Reading, spec: IntentSpec) -> bool:
        """Whether a piece beside a question about a file, read as `spec`, is none of another intent for sure: then it
        may say what the question is about."""
        if self.tells_of(context, spec) or reading.best.confidence >= BESIDE_OWNED:
            return False
        said = request_of(text)[-LONGEST:]
        vector = self._encoder.encode([said])[0]
        return any(
            _owner(spec).odds(learned.likely(said, vector), reading) >= NARROWS
            for learned in self._learned
            if self.tells_of(context, learned.spec)
        )

    @staticmethod
    def _goes_on(context: Context, spec: IntentSpec) -> bool:
        return context.last is not None and context.last.intent == spec.intent


class _Owner(NamedTuple):
    """Whose a sentence is without the file, and what speaks for the file then: log odds of being about it, of the best
    other intent, of being nothing at all."""

    about: float
    other: float
    nothing: float
    bias: float

    def odds(self, likely: float, reading: Reading) -> float:
        """Over 0 it is rather about the file, were both as frequent."""
        other = self.other * _log_odds(reading.best.confidence) + self.nothing * _log_odds(reading.nothing)
        return self.about * _log_odds(likely) + other + self.bias


NOBODY, ANSWERED, OWNED = (
    _Owner(0.88, -1.06, -0.9, -3.33),
    _Owner(1.19, -1.09, 0.07, 1.49),
    _Owner(0.43, -0.96, 0.0, 2.26),
)
"""Nobody knows what is meant; there is an answer without work (small talk, "that I cannot do"); another intent is
meant. Logistic regressions over questions about documents that none of this has learned from (bench/data/documents),
and sentences of other intents and of none."""
AT_ONCE = (-3.0, -1.0, 0.0)
GOING_ON = (-3.2, -1.5, 1.0)
LATER = (-1.0, 0.0, 1.5)
"""The odds from which a sentence is about a file that came with it, one that was asked about just before, or another of
the session: where nobody else owns it, where it would be answered, where another intent does."""
LED = 1.5
"""So much more where a dialogue would be led."""
ASKED = -1.5
"""What nobody else answers is better looked up than asked back, if it is a question."""


def _owner(settled: IntentSpec | None) -> _Owner:
    if settled is None:
        return NOBODY
    return ANSWERED if settled.route is Route.ANSWER else OWNED


def _least(said: str, settled: IntentSpec | None, least: tuple[float, float, float]) -> float:
    nobody, answered, owned = least
    if settled is None:
        return nobody + ASKED if said.rstrip().endswith(_ASKS) else nobody
    if settled.route is Route.ANSWER:
        return answered
    return owned + (LED if settled.route is Route.FLOW else 0.0)


def _log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def is_named(name: str, text: str) -> bool:
    """Whether a sentence has the file's name, with or without extension, whatever stands around it."""
    said = _flat(text)
    stem = _flat(PurePosixPath(name).stem)
    wide = sum(1 if letter.isascii() else 2 for letter in stem)
    return _flat(name) in said or (wide >= SHORTEST and not stem.isdigit() and stem in said)


def is_named_alone(name: str, text: str) -> bool:
    """Whether a piece of a sentence has the file's name and says no more ("in plan.docx, …")."""
    said, names = _flat(text).strip(",:、，："), (_flat(name), _flat(PurePosixPath(name).stem))
    around = {"", *map(_flat, beside_a_file())}
    return any(one in said and said.replace(one, "", 1) in around for one in names if one)


def _flat(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATORS)


def _reads(spec: IntentSpec, types: set[str]) -> bool:
    return bool(types & {*spec.reads, *spec.needs})


def _learn(
    spec: IntentSpec, said: Mapping[str, str | None], beside: Sequence[Sentence], encoder: SentenceEncoder
) -> _Learned:
    opens = [request_of(text) for some in spec.opens.values() for text in some]
    opens += [request_of(text) for text, intent in said.items() if intent == spec.intent]
    opens += [request_of(one.text) for one in beside if one.intent == spec.intent]
    mine = len(opens)
    others = [request_of(text) for text, intent in said.items() if intent != spec.intent]
    texts = opens + [request_of(one.text) for one in beside if one.intent != spec.intent]
    texts += sample(others, MOST_OTHERS)

    def learn() -> Arrays:
        ngrams = CharNgrams()
        rows = np.hstack([encoder.encode(texts), SPELLING * ngrams.fit_encode(texts)])
        labels = [1] * mine + [0] * (len(texts) - mine)
        head = fit_softmax(rows, labels, 2, penalty=PENALTY)
        return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias}

    made_by = (encoder.name.encode(), Path(__file__).read_bytes())
    key = key_of((*made_by, str(mine).encode(), *(text.encode("utf-8", "surrogatepass") for text in texts)))
    learned: Mapping[str, Vectors] = kept(key, learn)
    head = Softmax(weights=learned["weights"], bias=learned["bias"])
    return _Learned(spec, CharNgrams(learned["idf"]), head)
