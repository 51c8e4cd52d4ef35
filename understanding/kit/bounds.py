"""Figures that something is compared with: "over 100,000 won" is a condition, and no sum that is to go anywhere."""

import re
from functools import cache
from pathlib import Path

from contracts.cognitive import Entity
from understanding.kit.data import read_data

BOUND = "bound"
"""What such a sum is to cues, in the place of "money"."""
BEFORE = 20
"""Characters before a figure that may make a bound of it."""


def is_bound(text: str, figure: Entity) -> bool:
    """Whether the text says more or less than the figure."""
    before = text[max(0, figure.start - BEFORE) : figure.start]
    return _words("behind").match(text, figure.end) is not None or _words("before").search(before) is not None


@cache
def _words(name: str) -> re.Pattern[str]:
    return re.compile(read_data(Path(__file__).with_name("bounds.yaml"))[name], re.IGNORECASE)
