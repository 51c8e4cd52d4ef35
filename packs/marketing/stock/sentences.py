"""What a stock check says in words: how it stands, what to order first, what was assumed, what could not be used."""

from collections.abc import Iterator

from contracts.tools import ToolContext
from packs.marketing.stock.shapes import Checked, Line

_NAMED = 3


def told(ctx: ToolContext, checked: Checked) -> list[str]:
    """The summary, in the person's language."""
    return [*headline(ctx, checked), *details(ctx, checked)]


def headline(ctx: ToolContext, checked: Checked) -> list[str]:
    """The most important of it, for a summary that tells of other things too."""
    return [*_standing(checked, ctx), *_orders(checked, ctx)]


def details(ctx: ToolContext, checked: Checked) -> list[str]:
    """What the headline leaves out."""
    return [*_overstock(checked, ctx), *_horizon(checked, ctx), *_caution(checked, ctx)]


def number(value: float) -> str:
    """Whole from ten on; below, as exact as it takes."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.1f}".removesuffix(".0")


def _standing(checked: Checked, ctx: ToolContext) -> Iterator[str]:
    counts = {status: f"{count:,}" for status, count in checked.counts.items()}
    yield ctx.text("inventory.summary.standing", items=f"{len(checked.lines):,}", **counts)


def _orders(checked: Checked, ctx: ToolContext) -> Iterator[str]:
    orders = checked.to_order
    if not orders:
        yield ctx.text("inventory.summary.nothing")
        return
    named = ctx.text("inventory.summary.joiner").join(_named(line, ctx) for line in orders[:_NAMED])
    more = len(orders) - _NAMED
    key = "inventory.summary.orders_more" if more > 0 else "inventory.summary.orders"
    yield ctx.text(key, number=f"{len(orders):,}", named=named, more=f"{max(0, more):,}")
    if checked.order_value is not None:
        yield ctx.text("inventory.summary.value", value=number(checked.order_value))


def _named(line: Line, ctx: ToolContext) -> str:
    cover = number(line.advice.cover_days or 0.0)
    return ctx.text("inventory.summary.order", name=line.item.name, order=f"{line.advice.order:,}", days=cover)


def _overstock(checked: Checked, ctx: ToolContext) -> Iterator[str]:
    over = [line for line in checked.lines if line.advice.status == "overstock"]
    if not over:
        return
    most = max(over, key=lambda line: line.item.on_hand * (line.item.unit_cost or 1.0))
    days = f"{checked.policy.horizon_days:g}"
    key = "inventory.summary.overstock" if most.advice.cover_days is not None else "inventory.summary.unmoved"
    yield ctx.text(
        key,
        number=f"{len(over):,}",
        horizon=days,
        name=most.item.name,
        units=number(most.item.on_hand),
        days=number(most.advice.cover_days or 0.0),
    )


def _horizon(checked: Checked, ctx: ToolContext) -> Iterator[str]:
    total = sum(checked.expected(line)[0] for line in checked.lines)
    yield ctx.text("inventory.summary.horizon", days=f"{checked.policy.horizon_days:g}", units=number(total))


def _caution(checked: Checked, ctx: ToolContext) -> Iterator[str]:
    if checked.assumed:
        share = f"{100 * checked.policy.variation:g}%"
        yield ctx.text("inventory.summary.assumed", items=f"{checked.assumed:,}", share=share)
    if checked.rows_left_out:
        first = next(fault for fault in checked.faults if fault.left_out)
        reason = ctx.text(f"inventory.reason.{first.reason}")
        yield ctx.text("inventory.summary.bad_rows", rows=f"{checked.rows_left_out:,}", line=first.line, reason=reason)
    kept = sum(not fault.left_out for fault in checked.faults)
    if kept:
        yield ctx.text("inventory.summary.bad_values", values=f"{kept:,}")
