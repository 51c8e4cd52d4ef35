"""Excel workbooks to a RawTable: the sheet that holds the table; covers and notes hold none."""

import io
import re
import zipfile
from dataclasses import replace

import fastexcel

from packs.marketing.tables.delimited import unique_names
from packs.marketing.tables.raw import MOST_COLUMNS, MOST_ROWS, RawTable, Record, Unreadable

# Titles and notes may stand above the table; its header is looked for in the first rows only.
_HEADER_WITHIN = 10
MOST_SHEETS = 50
MOST_UNPACKED = 400 * 2**20
"""Bytes of all parts: a sheet of a million rows has less."""
_MOST_PACKED_OF_ONE = 200
"""Times that a part may grow when it is unpacked, beyond what is small anyway."""
_SMALL = 8 * 2**20
_READ_AT_ONCE = 1 << 20
_COLUMN = re.compile(rb'<(?:\w{1,20}:)?c\s[^<>]{0,80}?\br=["\']([A-Z]{1,3})(\d{1,7})["\']')
_LONGEST_CELL = 140
"""Bytes from a cell's name to its place: other programs write its style and its type before that."""


def parse_sheet(data: bytes, wanted: str | None = None) -> RawTable:
    """Of several sheets the one that is `wanted`, or else that with most cells. Raises Unreadable for a broken or
    protected workbook, and before it is opened for one that would not fit into memory."""
    if data.startswith(b"PK"):
        _bounded(data)
    try:
        book = fastexcel.read_excel(data)
        names = book.sheet_names[:MOST_SHEETS]
        # skip_rows=0 keeps empty rows at the top, so that our line numbers are the spreadsheet's.
        sheets = [book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string") for name in names]
    except (fastexcel.FastExcelError, ValueError) as error:
        raise Unreadable("workbook") from error
    found: list[list[Record]] = []
    for sheet in sheets:
        records = [
            Record(number, tuple("" if cell is None else str(cell) for cell in row))
            for number, row in enumerate(sheet.to_polars().rows(), start=1)
            if any(cell is not None and str(cell).strip() for cell in row)
        ]
        found.append(records)
    best = max(range(len(found)), key=lambda at: (names[at] == wanted, _cells(found[at])), default=0)
    full = tuple(zip(names, map(len, found), strict=True))
    if not found or not found[best]:
        return RawTable((), (), format="xlsx", sheets=full)
    return replace(_with_header(found[best]), sheets=full, sheet=names[best])


def _cells(records: list[Record]) -> int:
    """Full cells of a sheet; what stands in one column alone is a note."""
    full = [sum(bool(cell.strip()) for cell in record.cells) for record in records]
    return sum(full) if max(full, default=0) > 1 else min(len(full), 1)


def _with_header(records: list[Record]) -> RawTable:
    head = records[:_HEADER_WITHIN]
    filled = [sum(bool(cell.strip()) for cell in record.cells) for record in head]
    start = filled.index(max(filled))
    used = [at for at in range(len(head[start].cells)) if any(record.cells[at].strip() for record in records[start:])]
    body = tuple(Record(one.line, tuple(one.cells[at] for at in used)) for one in records[start + 1 :])
    return RawTable(unique_names([head[start].cells[at] for at in used]), body, format="xlsx")


def _bounded(data: bytes) -> None:
    """Raises Unreadable for parts that unpack to more than they may, and for a cell far out: the reader would make
    room for all that lies before it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            parts = book.infolist()
            if sum(part.file_size for part in parts) > MOST_UNPACKED:
                raise Unreadable("too_large")
            for part in parts:
                if part.file_size > max(_SMALL, _MOST_PACKED_OF_ONE * part.compress_size):
                    raise Unreadable("too_large")
                if part.filename.startswith("xl/worksheets/"):
                    _look_at(book, part)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Unreadable("workbook") from error


def _look_at(book: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """The farthest cell of a sheet, read piece by piece."""
    right = down = read = 0
    tail = b""
    with book.open(part) as stream:
        while piece := stream.read(_READ_AT_ONCE):
            read += len(piece)
            if read > part.file_size:
                raise Unreadable("too_large")  # it holds more than its directory says
            for column, row in _COLUMN.findall(tail + piece):
                right, down = max(right, _number_of(column)), max(down, int(row))
            tail = piece[-_LONGEST_CELL:]
            if right > MOST_COLUMNS:
                raise Unreadable("columns")
            if down > MOST_ROWS or right * down > _MOST_CELLS:
                raise Unreadable("too_large")


_MOST_CELLS = 30_000_000
"""Of the rectangle from the first cell to the farthest, which the reader makes room for."""


def _number_of(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
