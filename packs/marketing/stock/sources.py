"""The uploaded tables sorted by what they are: stock, a history of sales, or something else that is left alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from packs.marketing.stock.columns import Columns, Role, find_columns
from packs.marketing.tables.raw import RawTable, Record
from packs.marketing.tables.values import is_empty

Kind = Literal["stock", "history", "other"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that was not used. `left_out`: the whole row was not."""

    file: str
    line: int
    column: str
    value: str
    reason: str
    left_out: bool


@dataclass(slots=True)
class Faults:
    """Everything that was refused, in the order of reading."""

    found: list[Fault] = field(default_factory=list)

    def add(self, row: "StockRow", role: Role, reason: str, *, left_out: bool) -> None:
        column = row.source.columns.name(role)
        self.found.append(Fault(row.source.file, row.line, column, row.cell(role), reason, left_out))

    def rows_left_out(self) -> int:
        return len({(fault.file, fault.line) for fault in self.found if fault.left_out})


@dataclass(frozen=True, slots=True)
class StockTable:
    """One table with its columns understood."""

    file: str
    table: RawTable
    columns: Columns

    @property
    def kind(self) -> Kind:
        where = self.columns.where
        named = "item" in where or "name" in where
        if named and "stock" in where:
            return "stock"
        return "history" if named and "date" in where and ("sold" in where or "daily" in where) else "other"

    @property
    def rows(self) -> list["StockRow"]:
        return [StockRow(self, record.line, record.cells) for record in self.table.records]

    @property
    def is_long(self) -> bool:
        """A stock table with a row per item and day: most items stand in it several times, each with a date."""
        if "date" not in self.columns.where or not {"sold", "daily"} & set(self.columns.where):
            return False
        keys = [row.key for row in self.rows if row.key]
        return len(keys) >= 2 * len(set(keys)) > 0


@dataclass(frozen=True, slots=True)
class StockRow:
    """A line of a source, its cells by role."""

    source: StockTable
    line: int
    cells: Sequence[str]

    def cell(self, role: Role) -> str:
        where = self.source.columns.where
        return self.cells[where[role]].strip() if role in where else ""

    def has(self, role: Role) -> bool:
        return not is_empty(self.cell(role))

    @property
    def key(self) -> str:
        """The item's code, or its name where there is none."""
        return self.cell("item") if self.has("item") else self.cell("name") if self.has("name") else ""


def understand(file: str, table: RawTable, mapping: Mapping[str, str]) -> StockTable:
    """The reader of tables knows the columns of reviews; where it saw no header, the names of stock columns may show
    one."""
    source = StockTable(file, table, find_columns(table.columns, mapping))
    if "no_header" not in table.notes or not table.records:
        return source
    first = table.records[0].cells
    promoted = find_columns([cell.strip() for cell in first], mapping)
    if len(promoted.where) <= max(1, len(source.columns.where)):
        return source
    rest: tuple[Record, ...] = table.records[1:]
    return StockTable(file, RawTable(tuple(first), rest, table.bad, table.format, table.encoding), promoted)
