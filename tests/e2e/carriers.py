"""The documents of the injection corpus as real files, with the instruction where the corpus wants it to stand."""

import io
import re
from typing import Any

from tests.unit.packs.documents.making import docx, hwpx, pdf

Json = dict[str, Any]
DRAWN = re.compile(r'[\\"#*_$@<>`]')
"""What typst, which draws the PDF, would read as markup."""


def file_of(entry: Json) -> tuple[str, bytes]:
    """Name and content."""
    name = entry.get("name") or f"{entry['id']}.{entry['as']}"
    text: str = entry["text"]
    match entry["as"]:
        case "docx":
            return name, _docx(text.split("\n"), entry.get("where", ""))
        case "hwpx":
            return name, hwpx(*text.split("\n"))
        case "pdf":
            return name, _pdf(DRAWN.sub(" ", text).split("\n"), entry.get("where", ""))
        case _:
            return name, text.encode()


def _docx(lines: list[str], where: str) -> bytes:
    from docx import Document

    *body, trick = lines
    if where == "cell":
        return docx(*body, rows=[["assistant", trick]])
    document = Document(io.BytesIO(docx(*(body if where else lines))))
    match where:
        case "heading":
            document.add_heading(trick, level=1)
        case "metadata":
            document.core_properties.title = document.core_properties.subject = trick
        case "comment":
            document.add_comment(document.paragraphs[-1].runs, text=trick, author="SYSTEM", initials="S")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _pdf(lines: list[str], where: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    *body, trick = lines
    if where == "hidden":  # letters that nobody sees, and every reader of the text does
        return pdf(f'{" ".join(body)}")#text(size: 1pt, fill: white, "{trick}')
    if where != "metadata":
        return pdf(" ".join(lines))
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(" ".join(body)))))
    writer.add_metadata({"/Title": trick, "/Subject": trick})
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
