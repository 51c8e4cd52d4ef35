"""Intervals of shares and of their differences, which hold for small numbers too.

Wilson (1927) for one share; Newcombe (1998, "Interval estimation for the difference between independent proportions",
method 10) for the difference of two, which squares and adds the two Wilson distances.
"""

from math import sqrt
from statistics import NormalDist

import polars as pl

from packs.marketing.shapes import Difference, Tally

LEVEL = 0.95


def wilson(part: int, whole: int, confidence: float = LEVEL) -> tuple[float, float]:
    """Low and high; everything is possible for nothing of nothing."""
    if not whole:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = part / whole
    middle = share + z * z / (2 * whole)
    spread = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    # Rounding must not put an interval beyond the share that it surrounds.
    low, high = (middle - spread) / (1 + z * z / whole), (middle + spread) / (1 + z * z / whole)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def joint(comparisons: int) -> float:
    """The confidence of one of several intervals that are to be right together (Bonferroni)."""
    return 1 - (1 - LEVEL) / max(1, comparisons)


def difference(one: Tally, other: Tally, confidence: float) -> Difference:
    """The positive share of one minus that of the other."""
    share, against = one.positive_share, other.positive_share
    low, high = wilson(one.positive, one.reviews, confidence)
    other_low, other_high = wilson(other.positive, other.reviews, confidence)
    value = share - against
    down = value - sqrt((share - low) ** 2 + (other_high - against) ** 2)
    up = value + sqrt((high - share) ** 2 + (against - other_low) ** 2)
    return _difference(value, max(-1.0, down), min(1.0, up), confidence)


def difference_of_means(one: pl.Series, other: pl.Series, confidence: float) -> Difference:
    """The mean of one minus that of the other (Welch 1947, by the normal quantile). A handful of equal values looks
    perfectly sure and is not: a side that does not vary counts as varying like the other, one alone tells nothing."""
    spreads = [_spread(one), _spread(other)]
    widest = max(spreads)
    error = sqrt(sum((spread or widest) ** 2 / len(side) for spread, side in zip(spreads, (one, other), strict=True)))
    value = float(one.sum()) / len(one) - float(other.sum()) / len(other)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return _difference(value, value - reach, value + reach, confidence)


def _spread(values: pl.Series) -> float:
    found = values.std()
    return found if isinstance(found, float) else 0.0


def _difference(value: float, low: float, high: float, confidence: float) -> Difference:
    return Difference(
        value=round(value, 4),
        low=round(low, 4),
        high=round(high, 4),
        confidence=round(confidence, 4),
        significant=low > 0 or high < 0,
    )
