"""What a stock check says in words: how it stands, what to order first, what was assumed, what could not be used."""

from collections import Counter
from collections.abc import Iterator

from contracts.tools import ToolContext
from packs.marketing.evidence import Sentence, say
from packs.marketing.stock.shapes import Checked, Line

_NAMED = 3
_LINES = 10


def told(ctx: ToolContext, checked: Checked) -> list[Sentence]:
    """The summary, in the person's language."""
    return [*headline(ctx, checked), *details(ctx, checked)]


def headline(ctx: ToolContext, checked: Checked) -> list[Sentence]:
    """The most important of it, for a summary that tells of other things too."""
    return [*_standing(checked, ctx), *_orders(checked, ctx)]


def details(ctx: ToolContext, checked: Checked) -> list[Sentence]:
    """What the headline leaves out."""
    return [*_overstock(checked, ctx), *_horizon(checked, ctx), *_caution(checked, ctx)]


def number(value: float) -> str:
    """Whole from ten on; below, as exact as it takes."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.1f}".removesuffix(".0")


def _standing(checked: Checked, ctx: ToolContext) -> Iterator[Sentence]:
    counts = {str(status): f"{count:,}" for status, count in checked.counts.items()}
    items = len(checked.lines)
    yield say(ctx, "inventory.summary.standing", items, of=None, interval=None, items=f"{items:,}", **counts)
    if owed := checked.owed:
        named = ", ".join(
            ctx.text("inventory.summary.owed_of", name=line.item.name, units=number(-line.item.on_hand))
            for line in owed[:_NAMED]
        )
        yield say(ctx, "inventory.summary.owed", len(owed), number=f"{len(owed):,}", named=named)


def _orders(checked: Checked, ctx: ToolContext) -> Iterator[Sentence]:
    orders = checked.to_order
    if not orders:
        yield say(ctx, "inventory.summary.nothing", len(checked.lines))
        return
    named = ctx.text("inventory.summary.joiner").join(_named(line, ctx) for line in orders[:_NAMED])
    more = len(orders) - _NAMED
    key = "inventory.summary.orders_more" if more > 0 else "inventory.summary.orders"
    yield say(ctx, key, len(orders), number=f"{len(orders):,}", named=named, more=f"{max(0, more):,}")
    if checked.order_value is not None:
        yield say(ctx, "inventory.summary.value", len(orders), value=money(checked, ctx))


def money(checked: Checked, ctx: ToolContext) -> str:
    """What all orders cost, in the file's currency where it names one."""
    value, currency = number(checked.order_value or 0.0), checked.currency
    return f"{value} {currency}" if currency else ctx.text("inventory.value_unnamed", value=value)


def _named(line: Line, ctx: ToolContext) -> str:
    cover = number(line.advice.cover_days or 0.0)
    return ctx.text("inventory.summary.order", name=line.item.name, order=f"{line.advice.order:,}", days=cover)


def _overstock(checked: Checked, ctx: ToolContext) -> Iterator[Sentence]:
    over = [line for line in checked.lines if line.advice.status == "overstock"]
    if not over:
        return
    # By what they are worth, where that is known of all.
    priced = all(line.item.unit_cost is not None for line in over)
    most = max(over, key=lambda line: line.item.on_hand * ((line.item.unit_cost or 0.0) if priced else 1.0))
    days = f"{checked.policy.horizon_days:g}"
    key = "inventory.summary.overstock" if most.advice.cover_days is not None else "inventory.summary.unmoved"
    yield say(
        ctx,
        key,
        len(over),
        number=f"{len(over):,}",
        horizon=days,
        name=most.item.name,
        units=number(most.item.on_hand),
        days=number(most.advice.cover_days or 0.0),
    )


def _horizon(checked: Checked, ctx: ToolContext) -> Iterator[Sentence]:
    total = sum(checked.expected(line)[0] for line in checked.lines)
    days = f"{checked.policy.horizon_days:g}"
    yield say(ctx, "inventory.summary.horizon", len(checked.lines), days=days, units=number(total))


def _caution(checked: Checked, ctx: ToolContext) -> Iterator[Sentence]:
    if checked.own:
        yield say(ctx, "inventory.summary.own", checked.own, items=f"{checked.own:,}")
    if checked.assumed:
        share = f"{100 * checked.policy.variation:g}%"
        yield say(ctx, "inventory.summary.assumed", checked.assumed, items=f"{checked.assumed:,}", share=share)
    if rows := checked.rows_left_out:
        # Of a row with two faults the first counts, or there would be more reasons than rows.
        first = {(fault.file, fault.line): fault for fault in reversed(checked.faults) if fault.left_out}
        counted = Counter(fault.reason for fault in first.values())
        reasons = ", ".join(
            ctx.text("inventory.reason_counted", reason=ctx.text(f"inventory.reason.{reason}"), rows=f"{found:,}")
            for reason, found in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        )
        lines = ", ".join(str(line) for _, line in sorted(first)[:_LINES])
        more = "…" if rows > _LINES else ""
        yield say(ctx, "inventory.summary.bad_rows", rows, rows=f"{rows:,}", reasons=reasons, lines=f"{lines}{more}")
    kept = sum(not fault.left_out for fault in checked.faults)
    if kept:
        yield say(ctx, "inventory.summary.bad_values", kept, values=f"{kept:,}")
