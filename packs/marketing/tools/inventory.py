"""marketing.inventory: what is in stock, what to order now and how much."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.arrivals import mapping_of, unreadable_table
from packs.marketing.artifacts import TABLE
from packs.marketing.charts.style import NARROW, short
from packs.marketing.evidence import summed_up
from packs.marketing.stock.again import keep_stock
from packs.marketing.stock.export import to_csv
from packs.marketing.stock.items import Given, read_items
from packs.marketing.stock.policy import Policy
from packs.marketing.stock.sentences import told
from packs.marketing.stock.shapes import Checked, Line, check
from packs.marketing.stock.sources import Fault, Faults, StockTable, understand
from packs.marketing.tables.raw import Unreadable
from packs.marketing.tables.read import read_table

INVENTORY = "ops.inventory"
# What the file says of itself.
_KEPT = ("items", "counts", "orders", "order_value", "rows_left_out", "files", "service_level", "review_period_days",
         "horizon_days")  # fmt: skip
_SHOWN = 50
_SHOWN_COLUMNS = 40
_SHOWN_CHARACTERS = 80


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises TABLE_UNREADABLE when no table holds stock, TABLE_EMPTY when no row of it can be used."""
    # Imported here: reading tables must not pay for the drawing engine.
    from packs.marketing.charts.reviews import save_picture
    from packs.marketing.stock.chart import chart

    sources, unreadable = _open(ctx.inputs(TABLE), mapping_of(params), ctx)
    _require_stock(sources, unreadable, params, ctx)
    ctx.progress(0.4, ctx.text("inventory.checking"))
    faults = Faults()
    items = read_items(sources, _given(params), ctx.now.date(), faults)
    if not items:
        raise _nothing_usable(faults, ctx)
    policy = Policy(
        service_level=_number(params, "service_level", 0.95),
        review_days=_number(params, "review_period_days", 7.0),
        horizon_days=_number(params, "horizon_days", 90.0),
        variation=_number(params, "assumed_variation", 0.5),
    )
    checked = check(items, policy, ctx.now.date(), faults.found, faults.rows_left_out())
    result = _result(checked, sources, unreadable, ctx)
    ctx.save(
        to_csv(checked, ctx),
        name=f"inventory_{ctx.now:%Y-%m-%d}.csv",
        media_type="text/csv",
        type_=INVENTORY,
        **{key: result[key] for key in _KEPT},
    )
    keep_stock(checked, [source.file for source in sources if source.kind != "other"], ctx)
    ctx.progress(0.7, ctx.text("report.drawing"))
    save_picture(chart(checked, ctx, NARROW), "inventory", ctx)
    return result


def _number(params: JsonObject, name: str, otherwise: float) -> float:
    given = params.get(name, otherwise)
    return float(given) if isinstance(given, int | float) else otherwise


def _given(params: JsonObject) -> Given:
    def optional(name: str) -> float | None:
        return _number(params, name, 0.0) if name in params else None

    return Given(
        _number(params, "sales_days", 30.0),
        optional("lead_time_days"),
        optional("ordering_cost"),
        optional("holding_rate"),
    )


def _open(
    inputs: Sequence[ToolInput], mapping: Mapping[str, str], ctx: ToolContext
) -> tuple[list[StockTable], dict[str, str]]:
    """The tables, and the files that are none with their reason: one bad file must not cost the others."""
    if not inputs:
        raise ToolError(Code.INPUT_MISSING, ctx.text("inventory.error.input_missing"), type=TABLE)
    sources: list[StockTable] = []
    unreadable: dict[str, str] = {}
    for number, item in enumerate(inputs):
        name = item.attachment.name
        ctx.progress(0.4 * number / len(inputs), ctx.text("collector.reading", file=name))
        try:
            sources.append(understand(name, read_table(item.path.read_bytes(), name), mapping))
        except Unreadable as error:
            unreadable[name] = error.reason
    return sources, unreadable


def _require_stock(
    sources: Sequence[StockTable], unreadable: Mapping[str, str], params: JsonObject, ctx: ToolContext
) -> None:
    columns = list(dict.fromkeys(column for source in sources for column in source.columns.names))[:_SHOWN_COLUMNS]
    listed = ", ".join(columns)
    unknown = [column for column in mapping_of(params) if column not in columns]
    if unknown:
        message = ctx.text("collector.error.unknown_columns", columns=", ".join(unknown), known=listed)
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, message, unknown=list[JsonValue](unknown))
    stock = [source for source in sources if source.kind == "stock"]
    if any(source.table.records or source.table.bad for source in stock):
        return
    if stock or (sources and not columns):
        file = (stock or sources)[0].file
        raise ToolError(Code.TABLE_EMPTY, ctx.text("inventory.error.empty", file=file), file=file)
    if not sources:
        raise unreadable_table(*next(iter(unreadable.items())), ctx)
    names = ", ".join(source.file for source in sources)
    message = ctx.text("inventory.error.no_stock", files=names, columns=listed)
    raise ToolError(Code.TABLE_UNREADABLE, message, columns=list[JsonValue](columns))


def _nothing_usable(faults: Faults, ctx: ToolContext) -> ToolError:
    counted = Counter(fault.reason for fault in faults.found if fault.left_out)
    reasons = ", ".join(
        ctx.text("inventory.reason_counted", reason=ctx.text(f"inventory.reason.{reason}"), rows=f"{rows:,}")
        for reason, rows in counted.most_common()
    )
    message = ctx.text("inventory.error.nothing_usable", rows=f"{faults.rows_left_out():,}", reasons=reasons)
    return ToolError(Code.TABLE_EMPTY, message, bad_rows=[_fault(fault) for fault in faults.found[:_SHOWN]])


def _result(
    checked: Checked, sources: Sequence[StockTable], unreadable: Mapping[str, str], ctx: ToolContext
) -> JsonObject:
    others = {source.file: "no_stock_column" for source in sources if source.kind == "other"}
    policy, value = checked.policy, checked.order_value
    return {
        "items": len(checked.lines),
        "counts": {str(status): count for status, count in checked.counts.items()},
        "orders": len(checked.to_order),
        "order_value": None if value is None else round(value, 2),
        "to_order": [_order(line, checked) for line in checked.to_order[:_SHOWN]],
        "service_level": policy.service_level,
        "z": round(policy.z, 4),
        "review_period_days": policy.review_days,
        "horizon_days": policy.horizon_days,
        "horizon_demand": round(sum(checked.expected(line)[0] for line in checked.lines), 2),
        "assumed_variation": checked.assumed,
        "files": list[JsonValue]([source.file for source in sources if source.kind != "other"]),
        "ignored": [{"file": file, "reason": reason} for file, reason in {**unreadable, **others}.items()],
        "rows_left_out": checked.rows_left_out,
        "bad_rows": [_fault(fault) for fault in checked.faults[:_SHOWN]],
        **summed_up(told(ctx, checked)),
    }


def _order(line: Line, checked: Checked) -> JsonObject:
    item, advice = line.item, line.advice
    runs_out = line.runs_out(checked.today)
    mean, margin = checked.expected(line)
    return {
        "sku": short(item.key, _SHOWN_CHARACTERS),
        "name": short(item.name, _SHOWN_CHARACTERS),
        "status": advice.status,
        "on_hand": item.on_hand,
        "incoming": item.incoming,
        "daily_demand": round(item.rate.demand, 4),
        "sigma": round(line.sigma, 4),
        "variation": item.variation,
        "lead_time_days": round(item.lead_days, 2),
        "safety_stock": round(advice.safety_stock, 2),
        "reorder_point": round(advice.reorder_point, 2),
        "order_quantity": advice.order,
        "method": advice.method,
        "days_of_cover": None if advice.cover_days is None else round(advice.cover_days, 1),
        "runs_out": runs_out.isoformat() if runs_out else None,
        "horizon_demand": round(mean, 2),
        "horizon_margin": round(margin, 2),
        "order_value": None if line.order_value is None else round(line.order_value, 2),
    }


def _fault(fault: Fault) -> JsonObject:
    column, value = short(fault.column, _SHOWN_CHARACTERS), short(fault.value, _SHOWN_CHARACTERS)
    return {**asdict(fault), "column": column, "value": value}
