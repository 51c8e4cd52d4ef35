"""Estimates how much room a text takes, without a font: slides are opened with fonts that we do not choose.

Widths are in em and a little generous, so that a text that fits here fits in Noto Sans, Malgun Gothic and Yu Gothic.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# Lines are set this many times the size apart, exactly; fonts differ much in what they would take by themselves.
LEADING: Final = 1.36
_HANGUL = ("\u1100", "\ud7ff")
_NARROW = frozenset(" .,;:!'|ijlI()[]{}‘’·")
_BROAD = frozenset("mwMW%@—")
# Kana, Han and full-width forms break anywhere; everything else at spaces.
_PIECES = re.compile(
    r"\n|[^\S\n]+|[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]+"
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text with the size at which it fits; cut if even the smallest size was too large."""

    text: str
    size: float
    lines: int


def width(text: str, size: float) -> float:
    """In points, for a size in points."""
    return size * sum(_em(letter) for letter in text)


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.32
    if letter in _BROAD:
        return 0.96
    if unicodedata.east_asian_width(letter) in "WF":
        return 0.95 if _HANGUL[0] <= letter <= _HANGUL[1] and not "\u3000" <= letter <= "\u9fff" else 1.02
    if letter.isdigit():
        return 0.58
    return 0.68 if letter.isupper() else 0.56


def lines(text: str, size: float, room: float) -> int:
    """Into how many lines a text breaks in `room` points."""
    number, used = 1, 0.0
    for piece in _PIECES.findall(text):
        if piece == "\n":
            number, used = number + 1, 0.0
            continue
        needed = width(piece, size)
        if used + needed <= room:
            used += needed
        elif piece.isspace():
            used = room
        elif needed <= room:
            number, used = number + 1, needed
        else:
            # A word longer than a line begins on one of its own and is broken wherever that ends.
            number += int(needed // room) + (used > 0)
            used = needed % room
    return number


def fit(text: str, room: tuple[float, float], sizes: Sequence[float]) -> Fitted:
    """The largest of `sizes` at which the text stays inside width and height (points); the smallest one may cut it."""
    across, down = room
    for size in sorted(sizes, reverse=True):
        needed = lines(text, size, across)
        if needed * size * LEADING <= down:
            return Fitted(text, size, needed)
    size = min(sizes)
    most = max(1, int(down / (size * LEADING)))
    return Fitted(_cut(text, size, across, most), size, most)


def _cut(text: str, size: float, across: float, most: int) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if lines(text[:middle].rstrip() + "…", size, across) <= most:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"
