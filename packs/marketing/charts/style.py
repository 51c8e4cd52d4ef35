"""Colours and names that all pictures share, so that a film and a PDF of the same reviews belong together."""

from collections import Counter
from collections.abc import Sequence

INK, SOFT, GRID = "#1f2933", "#5b6775", "#e4e8ed"
ACCENT, VOLUME, PALE = "#27548a", "#b9c7d8", "#9aa5b1"
COLOURS = {"positive": "#1b7f6b", "neutral": "#c3cad3", "negative": "#c8553d"}
"""The order in which polarities stand in a bar, from the left."""
KINDS = ("#27548a", "#c8553d", "#1b7f6b", "#d9a441", "#7a5195", "#8a98a8")
"""Of names side by side, in their order; more of them nobody tells apart."""
NARROW, WIDE = 340, 660
"""Pixels: what a telephone shows without shrinking it, and what a page of paper or a desk does."""


def short(name: str, most: int = 24) -> str:
    """A name that can stand beside a bar."""
    return name if len(name) <= most else name[: most - 1] + "…"


def distinct(names: Sequence[str], most: int = 30) -> list[str]:
    """Short, and each different: of two names that begin alike nobody could tell whose bar is whose."""
    cut = [short(name, most) for name in names]
    twice = Counter(cut)
    return [name if twice[name] == 1 else f"{name} #{place}" for place, name in enumerate(cut, start=1)]
