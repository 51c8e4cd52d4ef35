"""Text boxes and cards on a slide. A box is (left, top, width, height) in inches; what is written in it fits it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Emu, Pt

from packs.marketing.letters import plain
from packs.marketing.slides.fit import LEADING, fit
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
