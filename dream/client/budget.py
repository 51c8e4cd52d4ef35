"""A budget as it is typed: tool_calls=10,seconds=60,tokens=20000,money=0.5. Pure."""

import math
from collections.abc import Callable, Mapping

KINDS: Mapping[str, Callable[[str], float]] = {"tokens": int, "money": float, "tool_calls": int, "seconds": float}


class BudgetUnclear(ValueError):
    """That is no budget; the message carries the part that is wrong."""


def budget_of(text: str) -> dict[str, float]:
    """The limits by name; none when nothing was typed. Raises BudgetUnclear."""
    limits: dict[str, float] = {}
    for part in text.replace(",", " ").split():
        name, _, value = part.partition("=")
        try:
            limits[name] = KINDS[name](value)
        except (KeyError, ValueError):
            raise BudgetUnclear(part) from None
        if not math.isfinite(limits[name]) or limits[name] < 0:
            raise BudgetUnclear(part)
    return limits
