"""PDF, page by page."""

from pathlib import Path
from typing import Any

from packs.documents.formats.pages import TEXT_LIMIT, Page, Unreadable

MAX_PAGES = 3000


def read(path: Path) -> list[Page]:
    """Raises Unreadable: encrypted with a password, broken, or too long."""
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(path)
        # many a file is encrypted with an empty password, only so that it cannot be edited
        if not reader.is_encrypted or reader.decrypt("") is not PasswordType.NOT_DECRYPTED:
            return _pages(reader)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        # a broken file breaks the library in many ways
        raise Unreadable("broken") from error
    raise Unreadable("encrypted")


def _pages(reader: Any) -> list[Page]:
    if len(reader.pages) > MAX_PAGES:
        raise Unreadable("too_long", limit=f"{MAX_PAGES:,}", length=f"{len(reader.pages):,}")
    found: list[Page] = []
    length = 0
    for number, page in enumerate(reader.pages, start=1):
        text = page.extract_text()
        length += len(text)
        if length > TEXT_LIMIT:
            raise Unreadable("too_long", limit=f"{TEXT_LIMIT:,}", length=f"{length:,}")
        found.append(Page(number, text))
    return found
