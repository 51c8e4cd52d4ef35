"""Which figures can be added up or held against each other, and in what unit."""

import math
from collections.abc import Sequence

from packs.documents.alike import has, said
from packs.documents.amounts import Amount, is_unit, units, words_of_unit
from packs.documents.grids import cues
from packs.documents.wording import stands_any


def together(one: Amount, two: Amount) -> tuple[float, float, str] | None:
    """Their values in one unit, and that; None of what cannot be added up: "3 | £38" are two things of one row."""
    if one.unit == two.unit:
        return one.value, two.value, one.unit
    if scale := _scale((one, two)):
        least = min(one.unit, two.unit, key=lambda unit: scale[unit])
        return one.value * scale[one.unit] / scale[least], two.value * scale[two.unit] / scale[least], least
    bare, other = (two, one) if is_unit(one.unit) or not two.unit else (one, two)
    if is_unit(bare.unit) or not (_is_like(bare, other) or _is_headed(bare, other) or _is_headed(other, bare)):
        return None
    return one.value, two.value, _unit(one, two)


def _is_like(bare: Amount, other: Amount) -> bool:
    """Whether a figure without a unit may have that of the other: in one text that says it once, or of money where what
    stands above says that it is of money. A length of time always says what it is."""
    if bare.unit or other.unit in units()["lasting"]:
        return False
    if bare.passage == other.passage:
        return not bare.column or bare.column == other.column
    return other.is_money and bool(bare.column) and stands_any(said(f"{bare.column} {bare.passage.title}"), _priced())


def _is_headed(bare: Amount, other: Amount) -> bool:
    """Whether a column is called by the word that stands behind the other figure."""
    return bool(other.unit and other.column != bare.column) and any(
        has(said(bare.column), word) for word in (other.unit, *words_of_unit(other.unit))
    )


def _priced() -> list[str]:
    measures: dict[str, dict[str, list[str]]] = cues()["measures"]  # type: ignore[assignment]
    return measures["money"]["shown"]


def _unit(one: Amount, two: Amount) -> str:
    return next((amount.unit for amount in (one, two) if is_unit(amount.unit)), one.unit or two.unit)


def summed(amounts: Sequence[Amount], unit: str) -> tuple[float, str]:
    """Their sum and its unit: the least where they are of several, else the one that is given."""
    scale = _scale(amounts)
    if scale is None:
        return math.fsum(one.value for one in amounts), unit
    least = min((one.unit for one in amounts), key=lambda name: scale[name])
    return math.fsum(one.value * scale[one.unit] for one in amounts) / scale[least], least


def _scale(some: Sequence[Amount]) -> dict[str, float] | None:
    """How large their units are beside each other: of lengths of time, of weights."""
    scales: list[dict[str, float]] = [units()["lasting"], *units()["scales"]]
    return next((scale for scale in scales if all(one.unit in scale for one in some)), None)
