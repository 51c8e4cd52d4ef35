"""The stock check as a CSV that a spreadsheet opens: with a byte order mark, and columns in the person's language."""

import csv
import io

from contracts.tools import ToolContext
from packs.marketing.stock.shapes import Checked, Line

COLUMNS = (
    "sku", "name", "status", "on_hand", "incoming", "daily_demand", "sigma", "variation", "lead_time_days",
    "safety_stock", "reorder_point", "order_up_to", "order_quantity", "method", "days_of_cover", "runs_out",
    "horizon_demand", "unit_cost", "order_value", "file", "line",
)  # fmt: skip
# A cell that begins like this is a formula to a spreadsheet; the apostrophe makes it text again.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(checked: Checked, ctx: ToolContext) -> bytes:
    """Every usable item, most urgent first."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    days = f"{checked.policy.horizon_days:g}"
    writer.writerow([ctx.text(f"inventory.column.{column}", days=days) for column in COLUMNS])
    for line in checked.lines:
        writer.writerow([_cell(value) for value in _values(line, checked, ctx)])
    return buffer.getvalue().encode("utf-8-sig")


def _values(line: Line, checked: Checked, ctx: ToolContext) -> list[str | float | None]:
    item, advice = line.item, line.advice
    runs_out = line.runs_out(checked.today)
    return [
        item.key,
        item.name,
        ctx.text(f"inventory.status.{advice.status}"),
        item.on_hand,
        item.incoming,
        item.rate.demand,
        line.sigma,
        ctx.text(f"inventory.variation.{item.variation}"),
        item.lead_days,
        advice.safety_stock,
        advice.reorder_point,
        advice.order_up_to,
        advice.order,
        ctx.text(f"inventory.method.{advice.method}"),
        advice.cover_days,
        runs_out.isoformat() if runs_out else None,
        checked.expected(line)[0],
        item.unit_cost,
        line.order_value,
        item.file,
        item.line,
    ]


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return f"{value:.2f}".rstrip("0").rstrip(".")
