"""PDF, page by page. A hundred pages take a third of a second: nothing read is kept, so nothing outlives its file."""

import re
from pathlib import Path
from typing import Any

from packs.documents.formats.pages import TEXT_LIMIT, Page, Unreadable

MAX_PAGES = 3000
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
            text: str = words.get_text_range()
        finally:
            words.close()
    finally:
        page.close()
    return _HYPHEN.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
