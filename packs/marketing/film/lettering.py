"""Text as pictures: fonts that hold the characters, lines that break where a reader would, sizes that fit."""

import unicodedata
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from packs.marketing.charts.style import INK
from packs.marketing.film.breaking import atoms, may_begin
from packs.marketing.film.palette import rgb
from packs.marketing.reporting import fonts

Align = Literal["left", "centre"]
_FILES = {"ko": "NotoS{kind}KR-Regular.otf", "ja": "NotoS{kind}JP-Regular.otf"}
# The packaged fonts have one weight: a thin outline in the same colour makes it heavier.
_BOLD = 0.02
_PROBE = 32
_NO_CHARACTER = "\U0010fffe"
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Style:
    """How a text looks. `leading` is the distance between baselines in sizes."""

    size: int
    colour: str = INK
    bold: bool = False
    serif: bool = False
    leading: float = 1.42
    align: Align = "left"
    language: str = "ko"


@cache
def _paths(language: str, serif: bool) -> tuple[Path, ...]:  # noqa: FBT001 - the key of a cache
    """Font files, the reader's language first; the other one stands in for what the first lacks."""
    kind = "erif" if serif else "ans"
    order = ("ja", "ko") if language == "ja" else ("ko", "ja")
    names = [_FILES[name].format(kind=kind) for name in order]
    found = [folder / name for name in names for folder in fonts.folders() if (folder / name).exists()]
    return tuple(found)


@cache
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), size)


@lru_cache(maxsize=20_000)
def _holds(path: Path, character: str) -> bool:
    """Whether a font has the character, that is, draws it otherwise than one that nobody has."""
    font = _font(path, _PROBE)
    mask, nothing = font.getmask(character), font.getmask(_NO_CHARACTER)
    return mask.size != nothing.size or bytes(mask) != bytes(nothing)


def drawable(text: str) -> str:
    """The text without what no packaged font can draw: emoji, scripts from right to left, control characters."""
    paths = _paths("ko", serif=False)
    kept = (
        character if not character.isspace() else " "
        for character in unicodedata.normalize("NFC", text)
        if character.isspace()
        or (unicodedata.category(character)[0] != "C" and any(_holds(path, character) for path in paths))
    )
    return " ".join("".join(kept).split())


def _runs(text: str, style: Style) -> list[tuple[ImageFont.FreeTypeFont, str]]:
    """The text cut where another font has to take over."""
    paths = _paths(style.language, style.serif)
    runs: list[tuple[Path, str]] = []
    for character in text:
        path = next((path for path in paths if _holds(path, character)), paths[0])
        if runs and (runs[-1][0] == path or character == " "):
            runs[-1] = (runs[-1][0], runs[-1][1] + character)
        else:
            runs.append((path, character))
    return [(_font(path, style.size), run) for path, run in runs]


@lru_cache(maxsize=8_000)
def width(text: str, style: Style) -> float:
    """Pixels from the first character to the last."""
    return sum(font.getlength(run) for font, run in _runs(text, style))


def wrap(text: str, style: Style, limit: int) -> list[str]:
    """Lines no wider than the limit; a word that is wider than a whole line is cut."""
    lines = [""]
    for atom, spaced in atoms(text):
        joined = lines[-1] + (" " if spaced and lines[-1] else "") + atom
        if width(joined, style) <= limit:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for character in atom:
            if lines[-1] and width(lines[-1] + character, style) > limit:
                # What may not begin a line takes the character before it along.
                kept = len(lines[-1]) - (not may_begin(character) and len(lines[-1]) > 1)
                lines[-1:] = [lines[-1][:kept], lines[-1][kept:]]
            lines[-1] += character
    return lines


def balanced(text: str, style: Style, limit: int) -> list[str]:
    """As few lines as wrap, of lengths as even as they can be: no single word on the last line."""
    lines = wrap(text, style, limit)
    low, high = limit // 2, limit
    while len(lines) > 1 and high - low > style.size // 4:
        middle = (low + high) // 2
        narrower = wrap(text, style, middle)
        if len(narrower) == len(lines):
            lines, high = narrower, middle
        else:
            low = middle
    return lines


def fit(text: str, style: Style, box: tuple[int, int], *, smallest: int = 18) -> tuple[list[str], Style]:
    """Lines and the style, smaller if need be, with which they stay in the box; at the smallest size they are cut."""
    limit, height = box
    size = style.size
    while True:
        sized = replace(style, size=size)
        lines = balanced(text, sized, limit)
        rows = max(1, int(height / (size * style.leading)))
        if len(lines) <= rows:
            return lines, sized
        if size <= smallest:
            return [*lines[: rows - 1], _cut(" ".join(lines[rows - 1 :]), sized, limit)], sized
        size = max(smallest, size - max(1, size // 16))


def _cut(text: str, style: Style, limit: int) -> str:
    while text and width(text + _ELLIPSIS, style) > limit:
        text = text[:-1]
    return text.rstrip() + _ELLIPSIS


def one_line(text: str, style: Style, limit: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if width(text, style) <= limit else _cut(text, style, limit)


def picture(lines: list[str], style: Style, limit: int | None = None) -> Image.Image:
    """The lines on a transparent ground. Centred lines need the limit to be centred in."""
    across = limit or max(1, round(max(width(line, style) for line in lines)) + style.size // 4)
    step = style.size * style.leading
    mask = Image.new("L", (across, round(step * len(lines) + style.size * 0.1)), 0)
    pen = ImageDraw.Draw(mask)
    for number, line in enumerate(lines):
        x = (across - width(line, style)) / 2 if style.align == "centre" else 0.0
        baseline = step * number + step * 0.5 + style.size * 0.37
        for font, run in _runs(line, style):
            pen.text((x, baseline), run, font=font, fill=255, anchor="ls", stroke_width=_stroke(style))
            x += font.getlength(run)
    image = Image.new("RGB", mask.size, rgb(style.colour))
    image.putalpha(mask)
    return image


def _stroke(style: Style) -> float:
    return style.size * _BOLD if style.bold else 0


def block(text: str, style: Style, box: tuple[int, int], *, smallest: int = 18) -> Image.Image:
    """A text fitted into a box, as a picture that is as wide as the box."""
    lines, sized = fit(drawable(text), style, box, smallest=smallest)
    return picture(lines, sized, box[0])


def label(text: str, style: Style, limit: int = 10_000) -> Image.Image:
    """One line, cut at the limit."""
    return picture([one_line(drawable(text), style, limit)], style)
