"""What is to be ordered, from a stock check."""

from dataclasses import dataclass
from datetime import date

from contracts.tools import ToolContext
from packs.marketing.charts.style import short
from packs.marketing.reporting.figures import count
from packs.marketing.stock.again import read_stock
from packs.marketing.stock.sentences import number
from packs.marketing.stock.shapes import Line

_ROWS, _LONGEST = 8, 60
_COLUMNS, _NUMERIC = ("name", "on_hand", "order_quantity", "runs_out"), (False, True, True, False)


@dataclass(frozen=True, slots=True)
class Orders:
    """`number` counts all items to order, `rows` are the first of them; `numeric` says which columns are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    number: int

    @property
    def hidden(self) -> int:
        return self.number - len(self.rows)


def read_orders(ctx: ToolContext) -> Orders | None:
    """Of the newest stock check; none where there is none."""
    stock = read_stock(ctx)
    if stock is None:
        return None
    checked = stock.checked
    head = tuple(ctx.text(f"inventory.column.{name}") for name in _COLUMNS)
    rows = tuple(_row(line, checked.today) for line in checked.to_order[:_ROWS])
    return Orders(head, rows, _NUMERIC, len(checked.to_order))


def _row(line: Line, today: date) -> tuple[str, ...]:
    runs_out = line.runs_out(today)
    ordered = (number(line.item.on_hand), count(line.advice.order), runs_out.isoformat() if runs_out else "")
    return (short(line.item.name, _LONGEST), *ordered)
