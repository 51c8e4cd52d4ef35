"""Text boxes and cards on a slide. A box is (left, top, width, height) in inches; what is written in it fits it.
Estimates how much room a text takes, without a font: slides are opened with fonts that we do not choose. Widths are
in em and a little generous, so that a text that fits here fits in Noto Sans, Malgun Gothic and Yu Gothic."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Emu, Pt

from packs.marketing.letters import plain
from packs.marketing.slides.theme import DARK, LANGUAGES, PAPER

Box = tuple[float, float, float, float]
_INCH = 914_400
# Of each side, so that a letter that is wider than thought does not touch the edge.
_PAD = 0.04


@dataclass(frozen=True, slots=True)
class Ink:
    """How a text is written: its sizes, best first, in points; its colour in the theme."""

    sizes: Sequence[float]
    colour: Any = DARK
    bold: bool = False
    middle: bool = False


class Canvas:
    """One slide and the language of what is written on it."""

    def __init__(self, slide: Any, language: str) -> None:
        self.slide = slide
        self.lang = LANGUAGES[language]

    def title(self, text: str, size: float) -> None:
        """Into the slide's own title, so that outline and screen readers find it."""
        holder = self.slide.shapes.title
        self._write(holder.text_frame, text, _room(holder), sizes=(size, size - 2, size - 4, size - 8, size - 12))

    def subtitle(self, text: str) -> None:
        """On the cover."""
        holder = self.slide.placeholders[1]
        self._write(holder.text_frame, text, _room(holder), sizes=(20, 18, 16, 14))

    def text(self, text: str, box: Box, ink: Ink) -> None:
        """The largest of the ink's sizes at which it fits."""
        shape = self.slide.shapes.add_textbox(*_emu(box))
        frame = shape.text_frame
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE if ink.middle else MSO_ANCHOR.TOP
        self._write(frame, text, _room(shape), sizes=ink.sizes)
        for run in (run for paragraph in frame.paragraphs for run in paragraph.runs):
            run.font.bold = ink.bold
            run.font.color.theme_color = ink.colour

    def row(self, written: Sequence[tuple[str, Box]], ink: Ink) -> None:
        """Texts of the same rank, all in the size at which the longest of them fits."""
        size = min((self.size(text, box[2:], ink.sizes) for text, box in written), default=min(ink.sizes))
        for text, box in written:
            self.text(text, box, replace(ink, sizes=(size,)))

    @staticmethod
    def size(text: str, room: tuple[float, float], sizes: Sequence[float]) -> float:
        """At which the text fits into width and height, in inches."""
        return fit(text, ((room[0] - 2 * _PAD) * 72, (room[1] - 2 * _PAD) * 72), sizes).size

    def card(self, box: Box, colour: Any, *, edge: Any = None) -> None:
        """A plain area behind texts, with a stripe in the colour of what it says."""
        self._area(box, colour)
        if edge is not None:
            left, top, _, down = box
            self._area((left, top, 0.07, down), edge)

    def bullet(self, text: str, box: Box, colour: Any) -> None:
        """A round mark with a short text in it, such as a number, or with none."""
        shape = self.slide.shapes.add_shape(MSO_SHAPE.OVAL, *_emu(box))
        _plain(shape, colour)
        if not text:
            return
        frame = shape.text_frame
        frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        self._write(frame, text, _room(shape), sizes=(18,))
        frame.paragraphs[0].alignment = PP_ALIGN.CENTER
        for run in frame.paragraphs[0].runs:
            run.font.bold, run.font.color.theme_color = True, PAPER

    def _area(self, box: Box, colour: Any) -> None:
        shape = self.slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, *_emu(box))
        _plain(shape, colour)

    def _write(self, frame: Any, text: str, room: tuple[float, float], *, sizes: Sequence[float]) -> None:
        fitted = fit(plain(text), room, sizes)
        frame.word_wrap = True
        # Already fits; this is for the person who writes more into it.
        frame.auto_size = MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE
        frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Emu(int(_PAD * _INCH))
        for number, line in enumerate(fitted.text.split("\n")):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            paragraph.line_spacing = Pt(round(fitted.size * LEADING, 1))
            paragraph.space_before = paragraph.space_after = Pt(0)
            run = paragraph.add_run()
            run.text = line
            run.font.size = Pt(fitted.size)
            run._r.get_or_add_rPr().set("lang", self.lang)  # noqa: SLF001  # font.language_id knows no ko-KR by name


def _plain(shape: Any, colour: Any) -> None:
    shape.fill.solid()
    shape.fill.fore_color.theme_color = colour
    shape.line.fill.background()
    # Without the theme's effects: a shadow under every card is noise.
    shape._element.remove(shape._element.find(qn("p:style")))  # noqa: SLF001  # python-pptx always adds a style


def _emu(box: Box) -> tuple[Emu, Emu, Emu, Emu]:
    left, top, across, down = (Emu(int(value * _INCH)) for value in box)
    return left, top, across, down


def _room(shape: Any) -> tuple[float, float]:
    """Width and height inside a shape, in points."""
    return (shape.width / _INCH - 2 * _PAD) * 72, (shape.height / _INCH - 2 * _PAD) * 72


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
