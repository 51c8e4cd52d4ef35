"""What is to be ordered, from a stock check of whatever making: its CSV is read by the names of its columns."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contracts.tools import ToolContext
from packs.marketing.charts.style import short
from understanding.kit.data import read_data

INVENTORY = "ops.inventory"
_ROWS, _COLUMNS, _LONGEST = 8, 4, 60
# A list is short; a file this long is something else.
_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Orders:
    """`number` counts all items to order, `rows` are the first of them; `numeric` says which columns are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    number: int


def read_orders(ctx: ToolContext) -> Orders | None:
    """From the newest stock check that is a CSV with an order column; none otherwise."""
    for found in reversed(ctx.inputs(INVENTORY)):
        if found.path.stat().st_size > _MOST_BYTES:
            continue
        try:
            table = list(csv.reader(io.StringIO(found.path.read_bytes().decode("utf-8-sig"))))
        except (UnicodeDecodeError, csv.Error):
            continue
        orders = _orders(table)
        if orders is not None:
            return orders
    return None


def _orders(table: Sequence[Sequence[str]]) -> Orders | None:
    if not table:
        return None
    head = [cell.strip() for cell in table[0]]
    places = {role: place for role in _roles() if (place := _find(head, role)) is not None}
    if "order" not in places or "name" not in places:
        return None
    due = [row for row in table[1:] if len(row) == len(head) and _number(row[places["order"]]) > 0]
    shown = list(dict.fromkeys(places[role] for role in ("name", "stock", "order", "when", "status") if role in places))
    shown = shown[:_COLUMNS]
    rows = tuple(tuple(_cell(row[place]) for place in shown) for row in due[:_ROWS])
    numeric = tuple(place in (places.get("stock"), places["order"]) for place in shown)
    return Orders(tuple(_cell(head[place]) for place in shown), rows, numeric, len(due))


@cache
def _roles() -> dict[str, list[str]]:
    roles: dict[str, list[str]] = read_data(Path(__file__).parent / "columns.yaml")
    return roles


def _find(head: Sequence[str], role: str) -> int | None:
    folded = [name.casefold() for name in head]
    return next((folded.index(word) for word in _roles()[role] if word in folded), None)


def _number(cell: str) -> float:
    try:
        value = float(cell.replace(",", ""))
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0


def _cell(written: str) -> str:
    # The apostrophe tells a spreadsheet that this is no formula; here it would be noise.
    return short(written.strip().removeprefix("'"), _LONGEST)
