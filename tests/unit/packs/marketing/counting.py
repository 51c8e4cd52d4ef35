"""The rows that sentences about reviews are counted again from, and the register of recounts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    text: str
    rating: float | None
    day: date | None
    product: str | None
    polarity: str = "neutral"

    @property
    def positive(self) -> bool:
        return self.polarity == "positive"


@dataclass(frozen=True)
class Rows:
    """The rows that were analysed; `others` are those that were left out on request, `read` all rows of the file."""

    rows: Sequence[Row]
    scale: tuple[int, int] | None = None
    language: str = "ko"
    read: int = 0
    bad: int = 0
    others: int = 0
    sample: int | None = None
    own: str | None = None
    exact_terms: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_product(self) -> dict[str, list[Row]]:
        return grouped(self.rows, lambda row: row.product)

    @property
    def by_month(self) -> dict[str, list[Row]]:
        return grouped(self.rows, lambda row: f"{row.day:%Y-%m}" if row.day else None)

    @property
    def months(self) -> list[str]:
        """Every month from the first to the last, the empty ones too."""
        first, last = min(self.by_month), max(self.by_month)
        numbers = [12 * int(name[:4]) + int(name[5:]) - 1 for name in (first, last)]
        return [f"{number // 12}-{number % 12 + 1:02}" for number in range(numbers[0], numbers[1] + 1)]

    def span(self, since: str, until: str) -> list[Row]:
        return [row for name, part in self.by_month.items() if since <= name <= until for row in part]

    def holding(self, term: str) -> list[Row]:
        rows = self.rows[:: -(-len(self.rows) // self.sample)] if self.sample else self.rows
        ends = r"\b" if term.isascii() else ""
        return [row for row in rows if re.search(ends + re.escape(term) + ends, row.text.lower())]


def grouped(rows: Sequence[Row], key: Callable[[Row], str | None]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if (name := key(row)) is not None:
            found.setdefault(name, []).append(row)
    return found


def number(value: int) -> str:
    return f"{value:,}"


def percent(part: Sequence[Row], polarity: str = "positive") -> str:
    return f"{100 * sum(row.polarity == polarity for row in part) / len(part):.1f}%"


def share(part: Sequence[Row]) -> float:
    return sum(row.positive for row in part) / len(part)


def named_in(said: str, names: Iterable[str]) -> set[str]:
    return {name for name in names if any(f"{mark[0]}{name}{mark[1]}" in said for mark in ("‘’", "“”", "「」"))}


def rated(part: Sequence[Row]) -> list[float]:
    return [row.rating for row in part if row.rating is not None]


def interval_of_difference(one: Sequence[Row], other: Sequence[Row], comparisons: int) -> tuple[float, float]:
    """Newcombe's, wide enough for all comparisons together."""
    z = NormalDist().inv_cdf(1 - 0.025 / max(1, comparisons))

    def ends(part: Sequence[Row]) -> tuple[float, float, float]:
        p, n = share(part), len(part)
        middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return p, (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)

    (p, low, high), (q, other_low, other_high) = ends(one), ends(other)
    down, up = sqrt((p - low) ** 2 + (other_high - q) ** 2), sqrt((high - p) ** 2 + (q - other_low) ** 2)
    return max(-1.0, p - q - down), min(1.0, p - q + up)


def points(value: float, sign: str = "") -> str:
    """As a figure of four digits is shown in points."""
    return f"{100 * round(value, 4):{sign}.1f}"


def is_clear(one: Sequence[Row], other: Sequence[Row], comparisons: int) -> bool:
    low, high = interval_of_difference(one, other, comparisons)
    return low > 0 or high < 0


def means_differ(one: Sequence[float], other: Sequence[float], comparisons: int) -> bool:
    spreads = [stdev(side) if len(side) > 1 else 0.0 for side in (one, other)]
    widest = max(spreads)
    error = sqrt(sum((spread or widest) ** 2 / len(side) for spread, side in zip(spreads, (one, other), strict=True)))
    return abs(fmean(one) - fmean(other)) > NormalDist().inv_cdf(1 - 0.025 / max(1, comparisons)) * error


Recount = Callable[[Rows, str, Value, Value], tuple[int | None, Value]]
"""Rows, the text's key, what it says and of what -> the rows behind it and what it must say. Raises when even that
cannot be, as when a product is named that is not there."""
RECOUNTS: dict[str, Recount] = {}


def recounts(*keys: str) -> Callable[[Recount], Recount]:
    def keep(recount: Recount) -> Recount:
        RECOUNTS.update(dict.fromkeys(keys, recount))
        return recount

    return keep


def check(rows: Rows, key: str, values: Value, n: int | None = None, of: Value | None = None) -> None:
    """Raises AssertionError for a sentence that the rows do not bear out."""
    count, expected = RECOUNTS[key](rows, key, values, of or {})
    said = {name: str(values.get(name)) for name in expected}
    assert said == {name: str(value) for name, value in expected.items()}, (key, values)
    assert n is None or count is None or n == count, (key, n, count)
