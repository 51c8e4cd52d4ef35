"""Figures that something is compared with: "over 100,000 won" is a condition, and no sum that is to go anywhere."""

import re

from contracts.cognitive import Entity

_BEHIND = re.compile(
    r"\s?(?:원|won|ウォン|円)?\s?(?:이상|이하|미만|초과|넘|보다|or (?:more|less|over|under)|and (?:over|above|up|under)"
    r"|以上|以下|未満|超|より|を(?:超|越|下回|上回))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\b(?:over|above|under|below|beyond|exceed(?:s|ing|ed)?|at least|at most"
    r"|(?:more|less|fewer|greater|higher|lower) than)|[<>≥≤]=?)\s?[₩$¥]?\s?$",
    re.IGNORECASE,
)
BOUND = "bound"
"""What such a sum is to cues, in the place of "money"."""
BEFORE = 20
"""Characters before a figure that may make a bound of it."""


def is_bound(text: str, figure: Entity) -> bool:
    """Whether the text says more or less than the figure."""
    before = text[max(0, figure.start - BEFORE) : figure.start]
    return _BEHIND.match(text, figure.end) is not None or _BEFORE.search(before) is not None
