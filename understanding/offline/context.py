"""What is there when somebody speaks: with a file in the session whose content an intent tells, a question that nothing
else surely owns is about it, and so is a sentence that names it."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from contracts.cognitive import Route
from contracts.context import Context
from contracts.packs import IntentSpec
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.intent import Reading, request_of
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.ngrams import CharNgrams, Vectors
from understanding.offline.softmax import Softmax, fit_softmax
from understanding.offline.tasks import category_of

SPELLING = 0.5
PENALTY = 0.1
OPEN, OPEN_UNSURE, OPEN_AT_ONCE = 0.4, 0.2, 0.05
"""How likely a sentence has to be about what stands in a file: one of the session; where nobody knows what else is
meant; one that came with the sentence."""
NOT_AT_ALL = 0.1
"""A sentence that names a file and is less likely one says what else is to be done with it."""
OWNED, OWNED_PLAIN = 0.85, 0.97
"""How likely another intent has to be to own a sentence all the same; the second, of one plainly about a file."""
BESIDE, BESIDE_OWNED = 0.5, 0.7
"""How likely a sentence has to be a question about a file that another intent reads, too, and makes something of; how
likely that one has to be to own it all the same."""
PLAIN = 0.85
"""So likely it is plainly about a file."""
_ASKS = ("?", "\uff1f")
MOST_OTHERS = 1500
"""Sentences about no file that it is told from, evenly taken: learning takes as long as the cube of their number."""
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
        *,
        learner: SentenceEncoder | None = None,
    ) -> None:
        """`others`: more sentences with their intents, or none; they are what is not about a file. `learner`: as in
        IntentModel."""
        self._encoder = encoder
        known = {text: spec.intent for spec in specs for some in spec.examples.values() for text in some}
        said = {**(others or {}), **known}
        self._learned = [_learn(spec, said, learner or encoder) for spec in specs if spec.reads and spec.opens]

    def about(self, context: Context, text: str, reading: Reading, settled: IntentSpec | None) -> IntentSpec | None:
        """The intent whose file the sentence is about; None: it is about no file, or the settled one reads it too."""
        types = {file.type for file in context.files}
        beside = settled is not None and _reads(settled, types) and not settled.opens
        if beside and reading.best.confidence >= BESIDE_OWNED:
            return None
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
                return learned.spec if likely >= NOT_AT_ALL or not reading.sure else None
            if settled is not None and _is_owned(reading, likely):
                continue
            sure = settled is not None and reading.sure and settled.route is not Route.ANSWER
            now = any(file.now for file in files) or _was_asked(context, learned.spec)
            if likely >= _least(said, sure=sure, nobody=settled is None, now=now):
                found.append((likely, learned.spec))
        return max(found, key=lambda one: one[0])[1] if found else None


def _was_asked(context: Context, spec: IntentSpec) -> bool:
    """Whether the last thing that was asked for is of this intent: what follows may go on from it in a word or two."""
    return bool(context.asked) and context.asked[-1].intent == category_of(spec)


def _is_owned(reading: Reading, likely: float) -> bool:
    return reading.sure and reading.best.confidence >= (OWNED if likely < PLAIN else OWNED_PLAIN)


def _least(said: str, *, sure: bool, nobody: bool, now: bool) -> float:
    """What nobody else answers is better looked up than asked back, if it is a question."""
    if nobody and said.rstrip().endswith(_ASKS):
        return 0.0
    return OPEN_AT_ONCE if now else OPEN if sure else OPEN_UNSURE


def is_named(name: str, text: str) -> bool:
    """Whether a sentence has the file's name, with or without extension, whatever stands around it."""
    said = _flat(text)
    stem = _flat(PurePosixPath(name).stem)
    wide = sum(1 if letter.isascii() else 2 for letter in stem)
    return _flat(name) in said or (wide >= SHORTEST and not stem.isdigit() and stem in said)


def _flat(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATORS)


def _reads(spec: IntentSpec, types: set[str]) -> bool:
    return bool(types & {*spec.reads, *spec.needs})


def _learn(spec: IntentSpec, said: Mapping[str, str | None], encoder: SentenceEncoder) -> _Learned:
    opens = [request_of(text) for some in spec.opens.values() for text in some]
    opens += [request_of(text) for text, intent in said.items() if intent == spec.intent]
    mine = len(opens)
    others = [request_of(text) for text, intent in said.items() if intent != spec.intent]
    texts = opens + others[:: max(1, -(-len(others) // MOST_OTHERS))]

    def learn() -> Arrays:
        ngrams = CharNgrams().fit(texts)
        rows = np.hstack([encoder.encode(texts), SPELLING * ngrams.encode(texts)])
        labels = [1] * mine + [0] * (len(texts) - mine)
        head = fit_softmax(rows, labels, 2, penalty=PENALTY)
        return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias}

    made_by = (encoder.name.encode(), Path(__file__).read_bytes())
    key = key_of((*made_by, str(mine).encode(), *(text.encode("utf-8", "surrogatepass") for text in texts)))
    learned: Mapping[str, Vectors] = kept(key, learn)
    head = Softmax(weights=learned["weights"], bias=learned["bias"])
    return _Learned(spec, CharNgrams(learned["idf"]), head)
