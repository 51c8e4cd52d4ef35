"""Cells of stock tables to numbers. What is not certain is None, and the row says so."""

import math
import re
import unicodedata

from packs.marketing.stock.columns import count_units, time_units

_SIGN = "₩￦$€£¥"
_NUMBER = re.compile(
    rf"^[{_SIGN}]?\s*+([-+]?)\s*+[{_SIGN}]?\s*(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\d+,\d{{1,2}}|\.\d+)\s*([^\d\s]{{0,6}})$"
)

_MONEY = re.compile(r"[₩$€£¥원円]|krw|jpy|usd|eur", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[（]([^)\]）]{1,10})[)\]）]")


def _parts(cell: str) -> tuple[float, str] | None:
    plain = unicodedata.normalize("NFKC", cell).strip().replace("−", "-").lower()
    # Accountants write -5 as (5).
    turned = plain.startswith("(") and plain.endswith(")")
    found = _NUMBER.match(plain[1:-1] if turned else plain)
    if found is None:
        return None
    sign, digits, unit = found[1], found[2], found[3]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", "."))
    if not math.isfinite(value):
        return None
    return (-value if turned or sign == "-" else value), unit


def quantity(cell: str) -> float | None:
    """1200, "1,200", "$12.50", "30 pcs", "(5)" for -5."""
    found = _parts(cell)
    return found[0] if found is not None and found[1] in ("", *count_units()) else None


def currency(cell: str, column: str) -> str:
    """How a sum of money is written: the sign or word of the cell, else that in the brackets of its column's name."""
    for text in (cell, "".join(_BRACKETED.findall(column))):
        if found := _MONEY.search(unicodedata.normalize("NFKC", text)):
            return found[0].lower()
    return ""


def days(cell: str, unit_days: float = 1.0) -> float | None:
    """7, "7 days", "2 weeks"; a bare number counts in the unit of its column."""
    found = _parts(cell)
    if found is None:
        return None
    value, unit = found
    if not unit:
        return value * unit_days
    return value * time_units()[unit] if unit in time_units() else None


def fraction(cell: str) -> float | None:
    """0.2, "20%" and 20 are the same rate a year."""
    found = _parts(cell)
    if found is None or found[1] not in ("", "%"):
        return None
    value = found[0] / 100 if found[1] == "%" or found[0] > 1 else found[0]
    return value if 0 <= value <= 1 else None
