"""Makes the documents of bench/data/documents/shelf.yaml: PDF by Typst, DOCX by python-docx, HWPX and text by hand."""

import io
import zipfile
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import yaml

SHELF = Path(__file__).parent / "data" / "documents" / "shelf.yaml"
PAGE = "---"
_SECTION = (
    '<?xml version="1.0" encoding="UTF-8"?><hs:sec xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph">{}</hs:sec>'
)
Block = str | Sequence[Sequence[str]]


@cache
def shelf() -> dict[str, bytes]:
    """Every document by its name."""
    entries: list[dict[str, Any]] = yaml.safe_load(SHELF.read_text(encoding="utf-8"))
    return {str(entry["name"]): made(str(entry["name"]), [_block(one) for one in entry["blocks"]]) for entry in entries}


def _block(block: Any) -> Block:
    """Cells as they are written: YAML takes some for numbers."""
    return block if isinstance(block, str) else [[str(cell) for cell in row] for row in block]


def made(name: str, blocks: Sequence[Block]) -> bytes:
    """The document in the format that its name says. Raises KeyError for a format that is not made here."""
    return _MAKERS[name.rpartition(".")[2]](blocks)


def _pdf(blocks: Sequence[Block]) -> bytes:
    import pylopdf_fonts_jp
    import pylopdf_fonts_ko
    import typst

    fonts = [str(path) for package in (pylopdf_fonts_ko, pylopdf_fonts_jp) for path in package.__path__]
    source = "\n\n".join(map(_typst, blocks))
    pdf: Any = typst.compile  # its overloads leave the kind of input open
    document: bytes = pdf(source.encode(), font_paths=fonts)
    return document


def _typst(block: Block) -> str:
    if block == PAGE:
        return "#pagebreak()"
    if not isinstance(block, str):
        cells = ", ".join(f"[{_literal(cell)}]" for row in block for cell in row)
        return f"#table(columns: {len(block[0])}, {cells})"
    text = block.lstrip("# ")
    return f"#heading({_literal(text)[1:]})" if block.startswith("#") else _literal(text)


def _literal(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'#"{quoted}"'


def _docx(blocks: Sequence[Block]) -> bytes:
    from docx import Document

    document = Document()
    for block in blocks:
        if not isinstance(block, str):
            table = document.add_table(rows=len(block), cols=len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        elif block.startswith("#"):
            document.add_heading(block.lstrip("# "), 1)
        else:
            document.add_paragraph(block)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _hwpx(blocks: Sequence[Block]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/hwp+zip")
        archive.writestr("META-INF/manifest.xml", "<m/>")
        archive.writestr("Contents/section0.xml", _SECTION.format("".join(map(_paragraph, blocks))))
    return out.getvalue()


def _paragraph(block: Block) -> str:
    if isinstance(block, str):
        return f"<hp:p><hp:run><hp:t>{escape(block.lstrip('# '))}</hp:t></hp:run></hp:p>"
    rows = "".join(f"<hp:tr>{''.join(map(_cell, row))}</hp:tr>" for row in block)
    return f"<hp:p><hp:run><hp:tbl>{rows}</hp:tbl></hp:run></hp:p>"


def _cell(text: str) -> str:
    return f"<hp:tc><hp:subList><hp:p><hp:run><hp:t>{escape(text)}</hp:t></hp:run></hp:p></hp:subList></hp:tc>"


def _markdown(blocks: Sequence[Block]) -> bytes:
    return "\n\n".join(block if isinstance(block, str) else _piped(block) for block in blocks).encode()


def _piped(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *rest])


def _plain(blocks: Sequence[Block]) -> bytes:
    return "\n".join(block if isinstance(block, str) else _piped(block) for block in blocks).encode()


_MAKERS = {"pdf": _pdf, "docx": _docx, "hwpx": _hwpx, "md": _markdown, "txt": _plain}
