"""Figures as people write them."""

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from packs.marketing.asking.request import Measure


def figure(measure: Measure, value: float, decimals: int = 2) -> str:
    """Means and shares always with two decimals, or with as many as are asked for."""
    if measure.since or measure.stepped:
        sign = "+" if value > 0 else "−" if value < 0 else ""
        return f"{sign}{figure(replace(measure, since=(), stepped=False), abs(value), decimals)}"
    if measure.kind == "ratio" and abs(value) < 1:
        return f"{rounded(value, 4):.4f} ({rounded(100 * value, decimals):.{decimals}f} %)"
    if measure.kind not in ("mean", "share", "portion"):
        return number(value) if decimals else f"{rounded(value, 0):,.0f}"
    return f"{rounded(value, decimals):,.{decimals}f}"


def rounded(value: float, decimals: int) -> float:
    """Halves up, as people do: 3.425 is 3.43."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def number(value: float) -> str:
    """Whole numbers with separators, others with two decimals."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def value_of(measure: Measure, value: float | None, decimals: int) -> str:
    """With its sign, or a dash where there is none."""
    if value is None:
        return "–"
    said = figure(measure, value, decimals)
    return f"{said} %" if measure.kind in ("share", "portion") else said
