"""Character n-grams, hashed and weighted by TF-IDF: spelling, where sentence vectors know only meaning."""

import re
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
_SPACE = re.compile(r"\s+")


class CharNgrams:
    """n-grams of 1-3 characters inside word borders, as unit vectors. Hashed by CRC-32: the same in every process."""

    def __init__(self, idf: Vectors | None = None, *, size: int = 4096, longest: int = 3) -> None:
        self.idf: Vectors = np.ones(size, dtype=np.float32) if idf is None else idf
        """[size]: how rare each n-gram is."""
        self.size = len(self.idf)
        self._longest = longest

    def fit(self, texts: Sequence[str]) -> "CharNgrams":
        """Learns which n-grams are rare."""
        self.fit_encode(texts)
        return self

    def fit_encode(self, texts: Sequence[str]) -> Vectors:
        """Learns which n-grams are rare, and encodes the texts: it counts them once."""
        counted = [self._counts(text) for text in texts]
        seen = Counter(number for counts in counted for number in counts)
        frequency = np.zeros(self.size, dtype=np.float32)
        frequency[list(seen.keys())] = list(seen.values())
        self.idf = (np.log((1 + len(texts)) / (1 + frequency)) + 1).astype(np.float32)
        return self._rows(counted)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """[n, size], rows of length 1, or 0 for a text without letters."""
        return self._rows([self._counts(text) for text in texts])

    def _rows(self, counted: Sequence[Counter[int]]) -> Vectors:
        rows = np.zeros((len(counted), self.size), dtype=np.float32)
        for row, counts in zip(rows, counted, strict=True):
            if counts:
                row[list(counts.keys())] = 1 + np.log(np.fromiter(counts.values(), dtype=np.float32))
        rows *= self.idf
        units: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return units

    def _counts(self, text: str) -> Counter[int]:
        marked = f" {_SPACE.sub(' ', text.lower()).strip()} "
        return Counter(
            zlib.crc32(marked[at : at + length].encode("utf-8", "surrogatepass")) % self.size
            for length in range(1, self._longest + 1)
            for at in range(len(marked) - length + 1)
            if not marked[at : at + length].isspace()
        )
