"""Where a series changes level, and which way it leans (least squares both)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from packs.marketing.shapes import Measure, Slope

# Below this a level cannot be told from noise.
_FEWEST = 6
_LEAST_SEGMENT = 4
# A period's number of reviews is one figure alone, not the mean of many: two busy months are no level.
_LEAST_OF_COUNTS = 6
# A change must explain more than this many ln(n) of squared noise; four keeps random series quiet (see the tests).
_PENALTY = 4.0
# A short series is held to the standard of a longer one, because its noise is poorly known.
_SHORT = 12
# Time grows with the square of the length; this is more than five years of days.
_LONGEST = 2_000


def starts(measure: Measure, pairs: Sequence[tuple[str, float]]) -> list[str]:
    """The periods at which a new level begins."""
    if len(pairs) < _FEWEST or len(pairs) > _LONGEST:
        return []
    values = np.array([value for _, value in pairs])
    # Neighbours that happen to be equal must not make every small step look large.
    noise = max(_noise(values), 0.25 * float(values.std()))
    if noise == 0.0:
        return []
    least = _LEAST_OF_COUNTS if measure == "reviews" else _LEAST_SEGMENT
    found = segment_starts(values / noise, _PENALTY * float(np.log(max(_SHORT, len(values)))), least)
    return [pairs[start][0] for start in found[1:]]


def segment_starts(values: NDArray[np.float64], penalty: float, least: int) -> list[int]:
    """Where the segments of the cheapest split begin: squared errors around the means, plus a penalty per segment.

    Exact, by dynamic programming. The same answer as ruptures' Pelt("l2"), which the tests hold it to; ruptures itself
    takes two seconds and 70 MB to import, more than everything else in this tool.
    """
    length = len(values)
    if length < least:
        return [0]
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    best = np.full(length + 1, np.inf)
    best[0] = -penalty
    origin = np.zeros(length + 1, dtype=np.int64)
    for end in range(least, length + 1):
        begin = np.arange(0, end - least + 1)
        errors = squares[end] - squares[begin] - (sums[end] - sums[begin]) ** 2 / (end - begin)
        totals = best[begin] + errors + penalty
        origin[end] = int(totals.argmin())
        best[end] = totals[origin[end]]
    found = [int(origin[length])]
    while found[0] > 0:
        found.insert(0, int(origin[found[0]]))
    return found


def slope(measure: Measure, pairs: Sequence[tuple[str, float]]) -> Slope | None:
    """None for fewer than three points."""
    if len(pairs) < 3:
        return None
    values = np.array([value for _, value in pairs])
    place = np.arange(len(values)) - (len(values) - 1) / 2
    spread = float((place**2).sum())
    per_period = float((place * values).sum() / spread)
    rest = values - values.mean() - per_period * place
    error = float(np.sqrt((rest**2).sum() / (len(values) - 2) / spread))
    # Student's quantile for 95 in 100, a little on the safe side; few points hardly know their own noise.
    reach = max((1.96 + 3.3 / (len(values) - 2)) * error, 1e-9)
    direction: Literal["rising", "falling", "flat"] = "flat"
    if len(values) >= _FEWEST and abs(per_period) > reach:
        direction = "rising" if per_period > 0 else "falling"
    return Slope(
        measure=measure,
        per_period=round(per_period, 4),
        low=round(per_period - reach, 4),
        high=round(per_period + reach, 4),
        periods=len(values),
        direction=direction,
    )


def _noise(values: NDArray[np.float64]) -> float:
    """The standard deviation between neighbours, by the median, which a few jumps between levels do not move."""
    steps = np.abs(np.diff(values))
    return float(np.median(steps) / 0.6745 / np.sqrt(2.0))
