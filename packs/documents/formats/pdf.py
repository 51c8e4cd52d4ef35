"""PDF, page by page. A hundred pages take a third of a second: nothing read is kept, so nothing outlives its file."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from packs.documents.formats.pages import TEXT_LIMIT, Page, Unreadable, width

MAX_PAGES = 3000
NARROW = 0.8
"""A line of so much of the longest one is a text's."""
GAP, LETTER = 0.75, 0.5
"""Beside the height of a letter: the least gap between two columns, and how wide a letter is."""
Box = Callable[..., tuple[float, float, float, float]]
"""Left, bottom, right and top of a letter of the page."""
_HYPHEN = re.compile("[\ufffe\x02]\\r?\\n?")
"""What the library gives for the hyphen of a word that a line breaks."""


def read(path: Path) -> list[Page]:
    """Raises Unreadable: encrypted with a password, broken, or too long. A file that is encrypted with an empty one,
    only so that it cannot be edited, opens."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise Unreadable("encrypted" if "password" in str(error).casefold() else "broken") from error
    try:
        return _pages(document)
    except pypdfium2.PdfiumError as error:
        raise Unreadable("broken") from error
    finally:
        document.close()


def _pages(document: Any) -> list[Page]:
    if len(document) > MAX_PAGES:
        raise Unreadable("too_long", limit=f"{MAX_PAGES:,}", length=f"{len(document):,}")
    if not len(document):
        raise Unreadable("broken")
    found: list[Page] = []
    length = 0
    for number in range(1, len(document) + 1):
        text = _text(document, number - 1)
        length += len(text)
        if length > TEXT_LIMIT:
            raise Unreadable("too_long", limit=f"{TEXT_LIMIT:,}", length=f"{length:,}")
        found.append(Page(number, text))
    return found


def _text(document: Any, index: int) -> str:
    page = document[index]
    try:
        words = page.get_textpage()
        try:
            text = "\r\n".join(_placed(words.get_text_range().split("\r\n"), words.get_charbox))
        finally:
            words.close()
    finally:
        page.close()
    return joined(text)


def _placed(lines: Sequence[str], box: Box) -> list[str]:
    """Lines of a page; with wide gaps as blanks in those whose words stand in columns, as many as the page has room
    for. The library says where a letter stands, and gives one blank for every gap."""
    start, found = 0, list[str]()
    widest = max(map(width, lines), default=0)
    for line in lines:
        gaps = _gaps(line, start, box) if width(line) < NARROW * widest else []
        found.append(_spaced(line, gaps, start, box) if gaps else line)
        start += len(line) + len("\r\n")
    return found


def _gaps(line: str, start: int, box: Box) -> list[int]:
    """Where a line has a blank that is wider than a letter is high."""
    found = []
    for at in range(1, len(line) - 1):
        if line[at] == " ":
            _, bottom, end, top = box(start + at - 1, loose=True)
            if box(start + at + 1, loose=True)[0] - end > GAP * (top - bottom):
                found.append(at)
    return found


def _spaced(line: str, gaps: Sequence[int], start: int, box: Box) -> str:
    """Each piece as far to the right as it stands on the page."""
    text = ""
    for begin, end in pairwise((-1, *gaps, len(line))):
        left, bottom, _, top = box(start + begin + 1, loose=True)
        place = round(left / ((top - bottom) * LETTER))
        text += " " * max(place - width(text), 2 if text else 0) + line[begin + 1 : end]
    return text


def joined(text: str) -> str:
    """Lines as they are, and a word that a line breaks in one piece."""
    return _HYPHEN.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
