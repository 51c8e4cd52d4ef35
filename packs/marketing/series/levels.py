"""Where a series changes level: the period at which a new level begins, by least squares.

Each period counts for as much as the rows behind its mean, so that one with a handful of reviews moves nothing and need
not be left out. A level may be as short as its evidence bears out: with a least length the beginning of a short one was
put where it is not. One odd period is no level, unless it is the last. A straight line that explains more than
the steps do is a drift: it has no month at which something happened.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

FEWEST_PERIODS = 6
"""Periods: below this a level cannot be told from noise."""
# A change must explain more than this many ln(n) of squared noise; five keeps random series quiet (see the tests).
_PENALTY = 5.0
# A short series is held to the standard of a longer one, because its noise is poorly known.
_SHORT = 12
# Time grows with the square of the length; this is more than five years of days.
_LONGEST = 2_000
_MOST_LOOKS = 5
"""For odd periods: each look may find others."""


def level_starts(means: Numbers, weights: Numbers, spread: float = 0.0, least: int = 1) -> list[int]:
    """The places at which a new level begins. `weights` are the rows behind each mean, all above zero, `spread` the
    variance of one row within its period, `least` the periods that a level has at least."""
    if not FEWEST_PERIODS <= len(means) <= _LONGEST:
        return []
    noise = _noise(means, weights, spread)
    if noise == 0.0:
        return []
    penalty = noise * _PENALTY * float(np.log(max(_SHORT, len(means))))
    trusted, found = weights.astype(np.float64), [0]
    for _ in range(_MOST_LOOKS):
        found = segment_starts(means, penalty, least, trusted)
        odd = [start for start, end in zip(found, [*found[1:], len(means)], strict=True) if _is_odd(start, end, means)]
        if least > 1 or not odd:
            break
        trusted[odd] = 0.0
    if len(found) > 1 and _is_drift(means, trusted, found, penalty, noise):
        return []
    placed = _placed(means, weights, found)
    lengths = np.diff([*placed, len(means)])
    # Where a level began later or earlier than it could be looked for, it is shorter than one has to be.
    return [start for at, start in enumerate(placed[1:]) if least <= min(lengths[at], lengths[at + 1])]


def segment_starts(values: Numbers, penalty: float, least: int, weights: Numbers | None = None) -> list[int]:
    """Where the segments of the cheapest split begin: squared errors around the means, plus a penalty per segment.

    Exact, by dynamic programming. Without weights the same answer as ruptures' Pelt("l2"), which the tests hold it to;
    ruptures itself takes two seconds and 70 MB to import, more than everything else in this tool.
    """
    length = len(values)
    if length < least:
        return [0]
    costs = _Costs(values, np.ones(length) if weights is None else weights)
    best = np.full(length + 1, np.inf)
    best[0] = -penalty
    origin = np.zeros(length + 1, dtype=np.int64)
    for end in range(least, length + 1):
        begin = np.arange(0, end - least + 1)
        totals = best[begin] + costs.of(begin, np.array(end)) + penalty
        origin[end] = int(totals.argmin())
        best[end] = totals[origin[end]]
    found = [int(origin[length])]
    while found[0] > 0:
        found.insert(0, int(origin[found[0]]))
    return found


class _Costs:
    """Squared errors of any stretch around its mean, in no time."""

    def __init__(self, values: Numbers, weights: Numbers) -> None:
        shifted = values - values.mean()
        sums = ((weights * shifted**power).cumsum() for power in range(3))
        self._weights, self._sums, self._squares = (np.concatenate([[0.0], part]) for part in sums)

    def of(self, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Numbers:
        weight = self._weights[end] - self._weights[begin]
        square = (self._sums[end] - self._sums[begin]) ** 2 / np.where(weight > 0, weight, 1.0)
        errors: Numbers = self._squares[end] - self._squares[begin] - square
        return errors


def _noise(means: Numbers, weights: Numbers, spread: float) -> float:
    """The variance of one row: within its period, or between neighbours where periods differ by more than that."""
    steps = np.abs(np.diff(means)) / np.sqrt(1.0 / weights[1:] + 1.0 / weights[:-1])
    # By the median, which a few jumps between levels do not move.
    between = float(np.median(steps) / 0.6745) ** 2
    around = means - np.average(means, weights=weights)
    whole = spread + float(np.average(around**2, weights=weights))
    # Neighbours that happen to be equal must not make every small step look large.
    return max(between, spread, whole / 16)


def _is_odd(start: int, end: int, means: Numbers) -> bool:
    """One period alone, and not the last: what comes after it shows that it was no level."""
    return end - start == 1 and end < len(means)


def _is_drift(means: Numbers, weights: Numbers, found: list[int], penalty: float, noise: float) -> bool:
    """Whether a straight line explains more than the steps do, for what each of them costs, by more than a row's noise:
    a step in the middle of a short series and a line are nearly the same."""
    costs = _Costs(means, weights)
    ends = np.array([*found[1:], len(means)])
    steps = float(costs.of(np.array(found), ends).sum()) + penalty * (len(found) - 2)
    place = np.arange(len(means)) - np.average(np.arange(len(means)), weights=weights)
    around = means - np.average(means, weights=weights)
    slope = float((weights * place * around).sum() / (weights * place**2).sum())
    return float((weights * (around - slope * place) ** 2).sum()) + noise <= steps


def _placed(means: Numbers, weights: Numbers, found: list[int]) -> list[int]:
    """Each beginning at its best place between its neighbours, whatever could not be looked at before."""
    costs, placed = _Costs(means, weights), [*found, len(means)]
    for at in range(1, len(found)):
        first, last = placed[at - 1], placed[at + 1]
        between = np.arange(first + 1, last)
        errors = costs.of(np.array(first), between) + costs.of(between, np.array(last))
        placed[at] = int(between[errors.argmin()])
    return placed[:-1]
