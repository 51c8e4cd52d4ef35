"""Multinomial logistic regression on a few hundred examples, in numpy.

Not scikit-learn's: importing that costs 0.8-2.6 s and 100 MB, more than the fit and the sentence weights together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_SMALL = 128
"""Rows of a triangle that is inverted at once."""
Width = TypeVar("Width", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Softmax:
    """Trained weights [d, classes]; `predict` gives the probabilities of one row. `odds` are added to its log odds."""

    weights: Floats
    bias: Floats

    def predict(self, row: Floats, odds: Floats | float = 0.0) -> Floats:
        probabilities: Floats = _softmax((np.einsum("d,dc->c", row, self.weights) + self.bias + odds)[np.newaxis, :])[0]
        return probabilities


def fit_softmax(rows: Floats, labels: Sequence[int], classes: int, *, penalty: float, steps: int = 18) -> Softmax:
    """Newton steps with Böhning's fixed bound on the Hessian, and Nesterov's momentum: one factor, no line search, no
    random start.

    Of n examples with d features it runs in the smaller space: that of the examples, or that of the features.
    `penalty` is the ridge on the weights; classes weigh the same however many examples they have.
    """
    n = len(labels)
    features = np.hstack([rows, np.ones((n, 1), dtype=np.float32)])
    targets = np.zeros((n, classes), dtype=np.float32)
    targets[np.arange(n), labels] = 1.0
    sizes = targets.sum(axis=0)
    share = (targets @ (n / (np.maximum(sizes, 1) * np.count_nonzero(sizes))).astype(np.float32))[:, np.newaxis]
    fit = _by_examples if n <= features.shape[1] else _by_features
    weights = fit(features, targets, share, penalty, steps)
    return Softmax(weights=weights[:-1], bias=weights[-1])


def _by_examples(features: Floats, targets: Floats, share: Floats, penalty: float, steps: int) -> Floats:
    """[d, classes], by what each example adds to them."""
    kernel: Floats = features @ features.T
    # the bound on the Hessian, share * kernel / 2 + penalty, is the share of each row times what is symmetric
    half = _inverse_of_lower(np.linalg.cholesky(kernel / 2 + np.diag(penalty / share[:, 0])))
    dual = ahead = np.zeros_like(targets)
    for step in range(steps):
        gradient = share * (_softmax(kernel @ ahead) - targets) + penalty * ahead
        stepped: Floats = ahead - half.T @ (half @ (gradient / share))
        dual, ahead = _moved(dual, stepped, step)
    return (features.T @ dual).astype(np.float32)


def _by_features(features: Floats, targets: Floats, share: Floats, penalty: float, steps: int) -> Floats:
    """[d, classes]."""
    weighed = np.sqrt(share / 2) * features
    bound = weighed.T @ weighed
    del weighed
    bound[np.diag_indices_from(bound)] += penalty
    half = _inverse_of_lower(np.linalg.cholesky(bound))
    weights = ahead = np.zeros((features.shape[1], targets.shape[1]), dtype=np.float32)
    for step in range(steps):
        gradient = features.T @ (share * (_softmax(features @ ahead) - targets)) + penalty * ahead
        weights, ahead = _moved(weights, ahead - half.T @ (half @ gradient), step)
    return weights


def _moved(before: Floats, stepped: Floats, step: int) -> tuple[Floats, Floats]:
    """Where it stands, and where the next step looks from."""
    return stepped, stepped + np.float32(step / (step + 3)) * (stepped - before)


def _inverse_of_lower(lower: Floats) -> Floats:
    """Of a triangular matrix, by halves: nearly all of the work is the product of two blocks."""
    n = len(lower)
    if n <= _SMALL:
        return np.linalg.inv(lower)
    at = n // 2
    made = np.zeros_like(lower)
    made[:at, :at] = first = _inverse_of_lower(lower[:at, :at])
    made[at:, at:] = second = _inverse_of_lower(lower[at:, at:])
    made[at:, :at] = -(second @ lower[at:, :at]) @ first
    return made


def _softmax(scores: NDArray[Width]) -> NDArray[Width]:
    raised: NDArray[Width] = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[Width] = raised / raised.sum(axis=1, keepdims=True)
    return shares
