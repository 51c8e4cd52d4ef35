"""Excel workbooks to a RawTable: the first sheet that holds rows."""

import fastexcel

from packs.marketing.tables.delimited import unique_names
from packs.marketing.tables.raw import RawTable, Record, Unreadable

# Titles and notes may stand above the table; its header is looked for in the first rows only.
_HEADER_WITHIN = 10


def parse_sheet(data: bytes) -> RawTable:
    """Raises Unreadable for a broken or protected workbook."""
    try:
        book = fastexcel.read_excel(data)
        sheets = [
            # skip_rows=0 keeps empty rows at the top, so that our line numbers are the spreadsheet's.
            book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
            for name in book.sheet_names
        ]
    except (fastexcel.FastExcelError, ValueError) as error:
        raise Unreadable("workbook") from error
    for sheet in sheets:
        records = [
            Record(number, tuple("" if cell is None else str(cell) for cell in row))
            for number, row in enumerate(sheet.to_polars().rows(), start=1)
            if any(cell is not None and str(cell).strip() for cell in row)
        ]
        if records:
            return _with_header(records)
    return RawTable((), (), format="xlsx")


def _with_header(records: list[Record]) -> RawTable:
    head = records[:_HEADER_WITHIN]
    filled = [sum(bool(cell.strip()) for cell in record.cells) for record in head]
    start = filled.index(max(filled))
    return RawTable(unique_names(head[start].cells), tuple(records[start + 1 :]), format="xlsx")
