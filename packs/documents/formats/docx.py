"""DOCX: paragraphs and tables in their order, a row of a table as one line."""

from pathlib import Path
from typing import Any

from packs.documents.formats import zipped
from packs.documents.formats.pages import Page, Unreadable

BODY = "word/document.xml"
BETWEEN = " | "


def read(path: Path) -> list[Page]:
    """Raises Unreadable."""
    from docx import Document
    from docx.opc.exceptions import PackageNotFoundError

    with zipped.opened(path) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                zipped.refuse_entities(zipped.member(archive, name))
    try:
        document = Document(str(path))
        lines = [line for part in document.iter_inner_content() for line in _lines(part)]
    except (PackageNotFoundError, SyntaxError, KeyError, ValueError, AttributeError, OSError) as error:
        # lxml's errors of syntax are SyntaxErrors
        raise Unreadable("broken") from error
    return [Page(None, "\n".join(lines))]


def _lines(part: Any) -> list[str]:
    rows = getattr(part, "rows", None)
    return [part.text] if rows is None else [_row(row) for row in rows]


def _row(row: Any) -> str:
    # a cell that spans several columns comes once for each of them
    cells = {id(cell._tc): " ".join(cell.text.split()) for cell in row.cells}  # noqa: SLF001  # its only identity
    return BETWEEN.join(cells.values())
