"""Real documents, made by the libraries of their formats where there are any, and byte by byte where there are none."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

SECTION = (
    '<?xml version="1.0" encoding="UTF-8"?><hs:sec xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph">{}</hs:sec>'
)


def pdf(*pages: str, password: str = "", table: Sequence[Sequence[str]] = ()) -> bytes:
    """A page for each text; the last has the table below it."""
    import pylopdf_fonts_ko
    import typst
    from pypdf import PdfReader, PdfWriter

    source = "#pagebreak()\n".join(f'#text("{page}")\n' for page in pages)
    if table:
        cells = ", ".join(f"[{cell}]" for row in table for cell in row)
        source += f"#table(columns: {len(table[0])}, {cells})\n"
    fonts = [str(path) for path in pylopdf_fonts_ko.__path__]
    compiled: Any = typst.compile  # its overloads leave the kind of input open
    made: bytes = compiled(source.encode(), font_paths=fonts)
    if not password:
        return made
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(made)))
    writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(*lines: str, rows: Sequence[Sequence[str]] = ()) -> bytes:
    from docx import Document

    document = Document()
    for line in lines:
        document.add_paragraph(line)
    if rows:
        table = document.add_table(rows=len(rows), cols=len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
        document.add_paragraph("끝")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def hwpx(*lines: str, rows: Sequence[Sequence[str]] = (), section: str = "", manifest: str = "<m/>") -> bytes:
    body = "".join(f"<hp:p><hp:run><hp:t>{line}</hp:t></hp:run></hp:p>" for line in lines)
    if rows:
        cells = "".join(
            "<hp:tr>" + "".join(
                f"<hp:tc><hp:subList><hp:p><hp:run><hp:t>{cell}</hp:t></hp:run></hp:p></hp:subList></hp:tc>" for cell in row
            ) + "</hp:tr>"
            for row in rows
        )  # fmt: skip
        body += f"<hp:p><hp:run><hp:tbl>{cells}</hp:tbl></hp:run></hp:p>"
    return zipped(
        {
            "mimetype": "application/hwp+zip",
            "META-INF/manifest.xml": manifest,
            "Contents/section0.xml": section or SECTION.format(body),
        }
    )


def zipped(members: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def hwp(*lines: str, flags: int = 1) -> bytes:
    """HWP 5.0: an OLE compound file with a header and one compressed section of paragraph records."""
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, flags)
    records = b"".join(_record(66, 0, b"\0" * 24) + _record(67, 1, f"{line}\r".encode("utf-16-le")) for line in lines)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    section = packer.compress(records) + packer.flush()
    return _compound({"FileHeader": header.ljust(256, b"\0"), "DocInfo": b"", "BodyText/Section0": section})


def _record(tag: int, level: int, payload: bytes) -> bytes:
    return struct.pack("<I", tag | level << 10 | len(payload) << 20) + payload


FREE, END, FAT, NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
SECTOR, CUTOFF = 512, 4096


def _compound(streams: dict[str, bytes]) -> bytes:
    """A compound file, version 3. Streams are padded over the cutoff, so that no mini stream is needed."""
    entries = [_entry("Root Entry", 5, child=1)]
    chain: list[int] = []
    data = b""
    first = 2  # sector 0 is the FAT, sector 1 the directory

    def put(content: bytes) -> int:
        nonlocal data
        start = first + 1 + len(chain)  # after a second sector of the directory
        sectors = -(-max(len(content), CUTOFF) // SECTOR)
        chain.extend([*range(start + 1, start + sectors), END])
        data += content.ljust(sectors * SECTOR, b"\0")
        return start

    header, info, section = (streams[name] for name in ("FileHeader", "DocInfo", "BodyText/Section0"))
    size = CUTOFF
    entries += [
        _entry("FileHeader", 2, put(header), size, left=2, right=3),
        _entry("DocInfo", 2, put(info), size),
        _entry("BodyText", 1, child=4),
        _entry("Section0", 2, put(section), max(len(section), size)),
    ]
    entries += [_entry("", 0)] * (8 - len(entries))
    fat = [FAT, 2, END, *chain]
    fat += [FREE] * (128 - len(fat))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, CUTOFF, END, 0, END, 0)
    head += struct.pack("<109I", 0, *[FREE] * 108)
    return head + struct.pack("<128I", *fat) + b"".join(entries) + data


def _entry(
    name: str, kind: int, start: int = 0, size: int = 0, left: int = NONE, right: int = NONE, child: int = NONE
) -> bytes:
    text = f"{name}\0".encode("utf-16-le") if name else b""
    return (
        text.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(text), kind, 1, left, right, child)
        + bytes(36)
        + struct.pack("<IQ", start if kind == 2 else (END if kind == 5 else 0), size)
    )
