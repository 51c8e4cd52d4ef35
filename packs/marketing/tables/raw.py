"""A table as it was found: names, records with their line numbers, and the lines that are no records."""

from dataclasses import dataclass, field

MOST_COLUMNS = 5_000
MOST_ROWS = 1_048_576
"""Of a spreadsheet, as the format has them."""


class Unreadable(Exception):
    """The bytes are no table. `reason` is a key of the pack's texts under `collector.unreadable`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Record:
    """One row; `line` counts from 1 as an editor or a spreadsheet does."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not become a row. `reason` is a key under `collector.reason`."""

    line: int
    reason: str
    value: str


@dataclass(frozen=True, slots=True)
class RawTable:
    """Every record has as many cells as there are columns."""

    columns: tuple[str, ...]
    records: tuple[Record, ...]
    bad: tuple[BadLine, ...] = ()
    format: str = "csv"
    encoding: str | None = None
    delimiter: str | None = None
    sheets: tuple[tuple[str, int], ...] = ()
    """Of a workbook, with their full rows."""
    sheet: str | None = None
    """The one that these rows are of."""
    notes: tuple[str, ...] = field(default=(), metadata={"doc": "keys under collector.note"})
