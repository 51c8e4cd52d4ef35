"""Whether what is said beside a yes leaves it one ("yes, my tea is cold"), or takes something of it back ("yes, once
she has called"): learned from labelled remarks, each without the yes that it stood beside."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import Field

from contracts.shape import Contract, Language
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.ngrams import CharNgrams, Vectors
from understanding.offline.softmax import Softmax, fit_softmax

PENALTY = 0.05
_MADE = b"remarks 1"


class LabelledRemark(Contract):
    """A line of flows/<flow>.remarks.jsonl."""

    lang: Language
    harmless: bool
    text: str = Field(min_length=1)


def read_remarks(path: Path) -> tuple[LabelledRemark, ...]:
    """None of them where there is no such file. Raises ValidationError."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return tuple(LabelledRemark.model_validate_json(line) for line in lines if line.strip())


class LearnedRemarkHead:
    """Learns at once, or takes what was learned from the same remarks before. Without any, nothing is harmless."""

    def __init__(self, remarks: Sequence[LabelledRemark], encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        texts = [one.text for one in remarks]
        labels = (f"{one.harmless} {one.text}".encode() for one in remarks)

        def learn() -> Arrays:
            ngrams = CharNgrams()
            rows = np.hstack([ngrams.fit_encode(texts), encoder.encode(texts)]).astype(np.float32)
            head = fit_softmax(rows, [int(one.harmless) for one in remarks], 2, penalty=PENALTY)
            return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias}

        self._learned: tuple[CharNgrams, Softmax] | None = None
        if remarks:
            found: Mapping[str, Vectors] = kept(key_of((_MADE, encoder.name.encode(), *labels)), learn)
            self._learned = CharNgrams(found["idf"]), Softmax(weights=found["weights"], bias=found["bias"])

    def harmless(self, text: str) -> float:
        """How likely the remark changes nothing about the yes beside it."""
        if self._learned is None:
            return 0.0
        ngrams, head = self._learned
        row = np.hstack([ngrams.encode([text])[0], self._encoder.encode([text])[0]])
        return float(head.predict(row.astype(np.float32))[1])
