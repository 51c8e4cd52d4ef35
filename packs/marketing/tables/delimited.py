"""CSV and its relatives to a RawTable: delimiter, quoting and header are guessed, ragged lines are kept apart."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from packs.marketing.tables.columns import is_header
from packs.marketing.tables.raw import MOST_COLUMNS, BadLine, RawTable, Record, Unreadable

DELIMITERS = (",", "\t", ";", "|")
# csv.QUOTE_MINIMAL and csv.QUOTE_NONE.
Quoting = Literal[0, 3]
_SAMPLE_LINES = 200
_GUESSED = 20_000
"""Characters of a line that the delimiter is guessed from."""
_TITLES = 10
"""Lines in which titles above the table are looked for."""
_TABLE = 3
"""Columns of a table that titles can be told from."""
# A quote that is opened and never closed swallows the rest of the file into one cell.
_SWALLOWED_LINES = 100
# The csv module's own limit of 128 KiB would turn one long cell into an unreadable file.
_FIELD_LIMIT = 16 * 1024 * 1024


def parse_delimited(text: str, encoding: str, notes: tuple[str, ...] = ()) -> RawTable:
    """Lines without any cell are not rows; a line with too few or too many cells is a bad row, never shifted."""
    lines = text.splitlines(keepends=True) if "\n" not in text else text.replace("\r\n", "\n").split("\n")
    delimiter = guess_delimiter([line[:_GUESSED] for line in lines[:_SAMPLE_LINES] if line.strip()])
    if any(line.count(delimiter) >= MOST_COLUMNS for line in lines[:_TITLES]):
        raise Unreadable("columns")
    rows = _rows(lines, delimiter, csv.QUOTE_MINIMAL)
    if rows is None:
        notes = (*notes, "quotes_ignored")
        rows = _rows(lines, delimiter, csv.QUOTE_NONE) or []
    if not rows:
        return RawTable((), (), encoding=encoding, delimiter=delimiter, notes=notes)
    rows = rows[_titles(rows) :]
    width = _width(rows)
    columns, start = _header(rows, width)
    if start == 0:
        notes = (*notes, "no_header")
    records, bad = [], []
    for number, cells in rows[start:]:
        if len(cells) == width:
            records.append(Record(number, tuple(cells)))
        elif len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            # Spreadsheets leave empty cells behind the last column; nothing is shifted by them.
            records.append(Record(number, tuple(cells[:width])))
        else:
            bad.append(BadLine(number, "ragged", delimiter.join(cells)))
    format_ = "tsv" if delimiter == "\t" else "csv"
    return RawTable(columns, tuple(records), tuple(bad), format_, encoding, delimiter, notes=notes)


def _titles(rows: Sequence[tuple[int, list[str]]]) -> int:
    """Rows above the table with one full cell: titles and notes, where what follows has more."""
    width = Counter(len(cells) for _, cells in rows[:_SAMPLE_LINES]).most_common(1)[0][0]
    for at, (_, cells) in enumerate(rows[:_TITLES]):
        if width < _TABLE or sum(bool(cell.strip()) for cell in cells) > 1:
            return at
    return 0


def guess_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that splits most lines into the same number of cells, more than one; a comma if none does."""

    def consistency(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells)
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
        return (count / widths.total(), width) if width > 1 else (0.0, 1)

    csv.field_size_limit(_FIELD_LIMIT)
    rated = []
    for delimiter in DELIMITERS:
        try:
            rated.append((*consistency(delimiter), -DELIMITERS.index(delimiter), delimiter))
        except csv.Error:
            continue
    return max(rated)[-1] if rated else ","


def _rows(lines: Sequence[str], delimiter: str, quoting: Quoting) -> list[tuple[int, list[str]]] | None:
    """Rows with the line they begin on; None when quoting went wrong."""
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        rows = list(_numbered(lines, delimiter, quoting))
    except csv.Error:
        return None
    if quoting != csv.QUOTE_NONE and any(
        cell.count("\n") > _SWALLOWED_LINES for _, cells in rows for cell in cells if len(cell) > _SWALLOWED_LINES
    ):
        return None
    return rows


def _numbered(lines: Sequence[str], delimiter: str, quoting: Quoting) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, quoting=quoting)
    begin = 1
    for cells in reader:
        if len(cells) > 1 or any(cell.strip() for cell in cells):
            yield begin, cells
        begin = reader.line_num + 1


def _width(rows: Sequence[tuple[int, list[str]]]) -> int:
    """The header's width if there is one, since a file may hold more ragged lines than whole ones."""
    first = rows[0][1]
    if is_header(first):
        return len(first)
    return Counter(len(cells) for _, cells in rows[:_SAMPLE_LINES]).most_common(1)[0][0]


def _header(rows: Sequence[tuple[int, list[str]]], width: int) -> tuple[tuple[str, ...], int]:
    first = [cell.strip() for cell in rows[0][1]]
    if not is_header(first):
        return tuple(f"column_{number}" for number in range(1, width + 1)), 0
    return unique_names(first), 1


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Empty names get a number, repeated ones a suffix: a column is addressed by its name."""
    seen: Counter[str] = Counter()
    result = []
    for number, name in enumerate(names, start=1):
        plain = name.strip() or f"column_{number}"
        seen[plain] += 1
        result.append(plain if seen[plain] == 1 else f"{plain}_{seen[plain]}")
    return tuple(result)
