"""The report's part about the stock: key figures, how the items stand, what to order, how it was worked out."""

from collections.abc import Sequence

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.evidence import say
from packs.marketing.reporting.figures import count, share, table
from packs.marketing.stock.again import Stock
from packs.marketing.stock.sentences import details, money, number
from packs.marketing.stock.shapes import Checked, Line

_ROWS = 15


def facts(stock: Stock, ctx: ToolContext) -> list[list[str]]:
    """Label and value of the boxes on top."""
    checked = stock.checked
    found = [
        [ctx.text("report.stock.items"), count(len(checked.lines))],
        [ctx.text("report.stock.to_order"), count(len(checked.to_order))],
        [ctx.text("inventory.status.out"), count(checked.counts["out"])],
    ]
    if checked.order_value is None:
        return found
    named, value = ctx.text("report.stock.order_value"), number(checked.order_value)
    if not checked.currency:  # a box has room for a number
        return [*found, [ctx.text("inventory.value_unnamed", value=named), value]]
    return [*found, [named, money(checked, ctx)]]


def stocktaking(stock: Stock | None, ctx: ToolContext) -> JsonObject | None:
    if stock is None:
        return None
    checked = stock.checked
    standing = [
        [ctx.text(f"inventory.status.{status}"), count(items), share(items, len(checked.lines))]
        for status, items in checked.counts.items()
    ]
    hidden = len(checked.to_order) - _ROWS
    return {
        "notes": list[JsonValue](details(ctx, checked)),
        "standing": table(ctx, ("status", "items", "portion"), standing),
        "orders_title": ctx.text("report.stock.orders" if checked.to_order else "inventory.summary.nothing"),
        "orders": _orders(checked, ctx) if checked.to_order else None,
        "remark": say(ctx, "report.stock.more", hidden, number=count(hidden)) if hidden > 0 else "",
    }


def _orders(checked: Checked, ctx: ToolContext) -> JsonObject:
    names = ("name", "status", "on_hand", "reorder_point", "order_quantity", "days_of_cover", "runs_out")
    head: list[JsonValue] = [ctx.text(f"inventory.column.{name}") for name in names]
    rows: list[JsonValue] = [list[JsonValue](_order(line, checked, ctx)) for line in checked.to_order[:_ROWS]]
    return {"head": head, "rows": rows}


def _order(line: Line, checked: Checked, ctx: ToolContext) -> list[str]:
    runs_out, cover = line.runs_out(checked.today), line.advice.cover_days
    return [
        line.item.name,
        ctx.text(f"inventory.status.{line.advice.status}"),
        number(line.item.on_hand),
        number(line.advice.reorder_point),
        count(line.advice.order),
        "–" if cover is None else number(cover),
        "–" if runs_out is None else runs_out.isoformat(),
    ]


def quality(stock: Stock | None, ctx: ToolContext) -> tuple[Sequence[str], Sequence[list[str]]]:
    """How the numbers came about, and rows for the table of data quality."""
    if stock is None:
        return [], []
    policy = stock.checked.policy
    level, days = f"{100 * policy.service_level:g}%", f"{policy.review_days:g}"
    rows = [
        [ctx.text("report.stock.rows_used"), count(len(stock.checked.lines))],
        [ctx.text("report.stock.rows_left_out"), count(stock.rows_left_out)],
        [ctx.text("report.stock.assumed"), count(stock.checked.assumed)],
    ]
    return [say(ctx, "report.stock.method", len(stock.checked.lines), level=level, days=days)], rows
