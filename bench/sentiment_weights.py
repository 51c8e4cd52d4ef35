"""Trains the Korean polarity weights: python -m bench.sentiment_weights --data PATH [--exclude PATH].

Reviews are split by film: no film that is tested on was learned from, because a review that names an actor would
otherwise be judged by what others said of the same film. `--exclude` names a file whose films and exact texts are
kept out of training altogether, so that it stays an honest test for the weights that ship.
"""

import argparse
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from packs.marketing.polarity import korean
from packs.marketing.polarity.korean import BUCKET_BITS, BUCKETS, features

HELD_OUT_PERCENT = 15
MIN_DOCUMENTS = 3
STRENGTH = 0.3
POSITIVE_FROM, NEGATIVE_TO = 9, 4
# Weights nearer to zero than this many int8 steps change nothing that can be measured and cost most of the file.
PRUNE_STEPS = 3

Matrix = Any  # scipy.sparse.csr_matrix, which has no types


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="CSV with product, rating, text")
    parser.add_argument("--exclude", type=Path, help="CSV whose films and texts are never learned from")
    parser.add_argument("--out", type=Path, default=korean.WEIGHTS)
    given = parser.parse_args()

    reviews = _polar(given.data)
    test = _polar(given.exclude) if given.exclude else None
    if test is not None:
        everything = pl.read_csv(given.exclude)
        reviews = reviews.filter(
            ~pl.col("product").is_in(everything["product"].unique().to_list())
            & ~pl.col("text").is_in(everything["text"].unique().to_list())
        )
    matrix, labels = _matrix(reviews["text"].to_list()), _labels(reviews)
    held = np.array([_is_held_out(film) for film in reviews["product"]])

    print(f"data sha256 {hashlib.sha256(given.data.read_bytes()).hexdigest()}")
    weights, bias = _train(matrix[~held], labels[~held])
    share = _accuracy(matrix[held], labels[held], weights, bias)
    print(f"held-out films: {share:.4f} of {held.sum()} reviews (learned from {(~held).sum()})")

    weights, bias = _train(matrix, labels)
    _write(given.out, weights, bias)
    print(f"wrote {given.out}, {given.out.stat().st_size:,} bytes, learned from {len(labels)} reviews")
    if test is not None:
        right = np.equal(korean.log_odds(test["text"].to_list(), given.out) >= 0, _labels(test))
        print(f"excluded films, by the weights as written: {right.mean():.4f} of {len(right)} reviews")
    return 0


def _polar(path: Path) -> pl.DataFrame:
    rating = pl.col("rating")
    return pl.read_csv(path).filter((rating <= NEGATIVE_TO) | (rating >= POSITIVE_FROM))


def _labels(reviews: pl.DataFrame) -> NDArray[np.bool_]:
    return (reviews["rating"] >= POSITIVE_FROM).to_numpy()


def _is_held_out(film: str) -> bool:
    """By hash, so that the split does not depend on the order of rows."""
    return int(hashlib.sha256(film.encode()).hexdigest(), 16) % 100 < HELD_OUT_PERCENT


def _matrix(texts: list[str]) -> Matrix:
    found = features(texts)
    shape = (len(texts), BUCKETS)
    return normalize(sparse.csr_matrix((found.value, (found.text, found.bucket)), shape=shape))


def _train(matrix: Matrix, labels: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Scaling by inverse document frequency comes after normalising: then the weights can swallow it, and the model
    needs one array at run time instead of two."""
    documents = np.asarray((matrix > 0).sum(axis=0)).ravel()
    kept = np.flatnonzero(documents >= MIN_DOCUMENTS)
    rarity = np.log((1 + matrix.shape[0]) / (1 + documents[kept])) + 1.0
    model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=500, random_state=0)
    model.fit(matrix[:, kept] @ sparse.diags(rarity), labels)
    weights = np.zeros(BUCKETS)
    weights[kept] = model.coef_[0] * rarity
    return weights, float(model.intercept_[0])


def _accuracy(matrix: Matrix, labels: NDArray[np.bool_], weights: NDArray[np.float64], bias: float) -> float:
    return float((((matrix @ weights) + bias >= 0) == labels).mean())


def _write(path: Path, weights: NDArray[np.float64], bias: float) -> None:
    """int8 weights, and the gaps between the buckets that have one: small numbers compress, positions do not."""
    step = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / 127
    steps = np.clip(np.round(weights / step), -127, 127).astype(np.int8)
    buckets = np.flatnonzero(np.abs(steps) >= PRUNE_STEPS)
    gaps = np.diff(buckets, prepend=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        bits=np.int64(BUCKET_BITS),
        gaps=gaps.astype(np.uint16),
        weights=steps[buckets],
        step=np.float32(step),
        bias=np.float32(bias),
    )


if __name__ == "__main__":
    raise SystemExit(main())
