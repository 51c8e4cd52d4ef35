"""Where a series changes level, and which way it leans (least squares both)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from packs.marketing.shapes import Change, Measure, Slope

# Below this a level cannot be told from noise.
_FEWEST = 6
_LEAST_SEGMENT = 2
# A change must explain more than this many ln(n) of squared noise; four keeps random series quiet (see the tests).
_PENALTY = 4.0
# A short series is held to the standard of a longer one, because its noise is poorly known.
_SHORT = 12
# Time grows with the square of the length; this is more than five years of days.
_LONGEST = 2_000


def changes(measure: Measure, pairs: Sequence[tuple[str, float]]) -> list[Change]:
    """The periods at which a new level begins; levels are the means between two changes."""
    if len(pairs) < _FEWEST or len(pairs) > _LONGEST:
        return []
    values = np.array([value for _, value in pairs])
    # Neighbours that happen to be equal must not make every small step look large.
    noise = max(_noise(values), 0.25 * float(values.std()))
    if noise == 0.0:
        return []
    starts = segment_starts(values / noise, _PENALTY * float(np.log(max(_SHORT, len(values)))))
    ends = [*starts[1:], len(values)]
    levels = [float(values[start:end].mean()) for start, end in zip(starts, ends, strict=True)]
    return [
        Change(measure=measure, period=pairs[start][0], before=round(before, 4), after=round(after, 4))
        for start, before, after in zip(starts[1:], levels, levels[1:], strict=False)
    ]


def segment_starts(values: NDArray[np.float64], penalty: float) -> list[int]:
    """Where the segments of the cheapest split begin: squared errors around the means, plus a penalty per segment.

    Exact, by dynamic programming. The same answer as ruptures' Pelt("l2"), which the tests hold it to; ruptures itself
    takes two seconds and 70 MB to import, more than everything else in this tool.
    """
    length = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    best = np.full(length + 1, np.inf)
    best[0] = -penalty
    origin = np.zeros(length + 1, dtype=np.int64)
    for end in range(_LEAST_SEGMENT, length + 1):
        starts = np.arange(0, end - _LEAST_SEGMENT + 1)
        errors = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        totals = best[starts] + errors + penalty
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
    direction: Literal["rising", "falling", "flat"] = "flat"
    if abs(per_period) > max(2.0 * error, 1e-9):
        direction = "rising" if per_period > 0 else "falling"
    return Slope(measure=measure, per_period=round(per_period, 4), direction=direction)


def _noise(values: NDArray[np.float64]) -> float:
    """The standard deviation between neighbours, by the median, which a few jumps between levels do not move."""
    steps = np.abs(np.diff(values))
    return float(np.median(steps) / 0.6745 / np.sqrt(2.0))
