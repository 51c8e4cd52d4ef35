"""CSV and its relatives to a RawTable: delimiter, quoting and header are guessed, ragged lines are kept apart."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
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
_SHORT, _MOST_KNOWN = 24, 50_000
"""Characters of cells that are kept once however often they come, and how many such."""
# A quote that is opened and never closed swallows the rest of the file into one cell.
_SWALLOWED_LINES = 100
# The csv module's own limit of 128 KiB would turn one long cell into an unreadable file.
_FIELD_LIMIT = 16 * 1024 * 1024


def parse_delimited(text: str, encoding: str, notes: tuple[str, ...] = ()) -> RawTable:
    """Lines without any cell are not rows; a line with too few or too many cells is a bad row, never shifted."""
    first = list(islice(_lines(text), _SAMPLE_LINES))
    delimiter = guess_delimiter([line[:_GUESSED] for line in first if line.strip()])
    if any(line.count(delimiter) >= MOST_COLUMNS for line in first[:_TITLES]):
        raise Unreadable("columns")
    try:
        return _parsed(text, encoding, delimiter, csv.QUOTE_MINIMAL, notes)
    except csv.Error:
        notes = (*notes, "quotes_ignored")
    try:
        return _parsed(text, encoding, delimiter, csv.QUOTE_NONE, notes)
    except csv.Error:
        return RawTable((), (), encoding=encoding, delimiter=delimiter, notes=notes)


def _parsed(text: str, encoding: str, delimiter: str, quoting: Quoting, notes: tuple[str, ...]) -> RawTable:
    """Row by row, so that a large table is in memory once. Raises csv.Error when quoting went wrong."""
    rows = _rows(text, delimiter, quoting)
    sample = list(islice(rows, _SAMPLE_LINES + _TITLES))
    if not sample:
        return RawTable((), (), encoding=encoding, delimiter=delimiter, notes=notes)
    sample = sample[_titles(sample) :]
    width = _width(sample)
    columns, start = _header(sample, width)
    if start == 0:
        notes = (*notes, "no_header")
    records: list[Record] = []
    bad: list[BadLine] = []
    known: dict[str, str] = {}
    for number, cells in chain(sample[start:], rows):
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            # Spreadsheets leave empty cells behind the last column; nothing is shifted by them.
            del cells[width:]
        if len(cells) != width:
            bad.append(BadLine(number, "ragged", delimiter.join(cells)))
            continue
        for at, cell in enumerate(cells):
            if len(cell) <= _SHORT:
                # Days, shops and ratings come again and again: each is in memory once.
                cells[at] = known.setdefault(cell, cell) if len(known) < _MOST_KNOWN else known.get(cell, cell)
        records.append(Record(number, tuple(cells)))
    format_ = "tsv" if delimiter == "\t" else "csv"
    return RawTable(columns, tuple(records), tuple(bad), format_, encoding, delimiter, notes=notes)


def _lines(text: str) -> Iterator[str]:
    """Without their ends. Not a list: one of a million lines is as large as the text again."""
    if "\n" not in text:
        yield from text.splitlines()
        return
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at : end - 1 if end > at and text[end - 1] == "\r" else end]
        at = end + 1
    yield text[at:]


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


def _rows(text: str, delimiter: str, quoting: Quoting) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line they begin on. Raises csv.Error when quoting went wrong."""
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.reader((line + "\n" for line in _lines(text)), delimiter=delimiter, quoting=quoting)
    begin = 1
    for cells in reader:
        if quoting != csv.QUOTE_NONE and any(
            len(cell) > _SWALLOWED_LINES and cell.count("\n") > _SWALLOWED_LINES for cell in cells
        ):
            raise csv.Error("a quote is never closed")
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
