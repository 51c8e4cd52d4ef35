"""Rows of stock tables to items. A row that lacks what the arithmetic stands on is left out and says why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from typing import Literal

from packs.marketing.stock import numbers
from packs.marketing.stock.columns import MONTH, Role, days_in, is_daily
from packs.marketing.stock.history import Rate, rates, sales_of
from packs.marketing.stock.sources import Fault, Faults, StockRow, StockTable
from packs.marketing.tables.values import day_order, parse_date

Variation = Literal["given", "history", "assumed"]
_PERIODS: Mapping[Role, float] = {"daily": 1.0, "weekly": 7.0, "monthly": MONTH}
_LONGEST_LEAD = 3650.0


@dataclass(frozen=True, slots=True)
class Given:
    """What the person said for tables that do not have it."""

    sales_days: float
    lead_days: float | None = None
    ordering_cost: float | None = None
    holding_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One article, its numbers checked. `rate.sigma` is none where it has to be assumed; `ordering_cost` is per order,
    `holding_cost` per unit and year."""

    key: str
    name: str
    file: str
    line: int
    on_hand: float
    incoming: float
    lead_days: float
    rate: Rate
    variation: Variation
    unit_cost: float | None
    ordering_cost: float | None
    holding_cost: float | None
    safety: float | None = None
    """The file's own safety stock and reorder point: somebody has decided them."""
    point: float | None = None
    currency: str = ""


def read_items(sources: Sequence[StockTable], given: Given, today: date, faults: Faults) -> list[Item]:
    """Every usable item once, in file order. The first of two rows of one item stays."""
    stocks = [source for source in sources if source.kind == "stock"]
    dated = [source for source in sources if source.kind == "history" or (source.kind == "stock" and source.is_long)]
    known = rates(sales_of(dated, today, faults))
    items: dict[str, Item] = {}
    for source in stocks:
        _ragged(source, faults)
        for row in _newest(source) if source.is_long else source.rows:
            if row.key.casefold() in items:
                faults.add(row, "item" if row.has("item") else "name", "duplicate", left_out=True)
            elif (item := _item(row, known, given, faults)) is not None:
                items[row.key.casefold()] = item
    return list(items.values())


def _ragged(source: StockTable, faults: Faults) -> None:
    for bad in source.table.bad:
        faults.found.append(Fault(source.file, bad.line, "", bad.value, bad.reason, left_out=True))


def _newest(source: StockTable) -> list[StockRow]:
    """Of a table with a row per item and day, each item's last day says what is there now."""
    order, _ = day_order(row.cell("date") for row in source.rows)
    newest: dict[str, tuple[date, StockRow]] = {}
    for row in source.rows:
        day = parse_date(row.cell("date"), order)
        if day is not None and row.key and (row.key not in newest or day >= newest[row.key][0]):
            newest[row.key] = (day, row)
    return [row for _, row in newest.values()]


def _item(row: StockRow, known: Mapping[str, Rate], given: Given, faults: Faults) -> Item | None:
    if not row.key:
        faults.add(row, "item", "item_missing", left_out=True)
        return None
    # Below zero are back-orders: the most urgent of all.
    on_hand = _required(row, "stock", numbers.quantity, "stock", faults, below_zero=True)
    incoming = _required(row, "incoming", numbers.quantity, "incoming", faults) if row.has("incoming") else 0.0
    lead = _lead(row, given, faults)
    rate, variation = _rate(row, known, given, faults)
    if on_hand is None or incoming is None or lead is None or rate is None:
        return None
    cost = _optional(row, "cost", numbers.quantity, faults)
    share = _optional(row, "rate", numbers.fraction, faults)
    share = given.holding_rate if share is None else share
    holding = _optional(row, "holding", numbers.quantity, faults)
    if holding is None and cost is not None and share is not None:
        holding = cost * share
    ordering = _optional(row, "ordering", numbers.quantity, faults)
    return Item(
        key=row.key,
        name=row.cell("name") if row.has("name") else row.key,
        file=row.source.file,
        line=row.line,
        on_hand=on_hand,
        incoming=incoming,
        lead_days=lead,
        rate=rate,
        variation=variation,
        unit_cost=cost,
        ordering_cost=given.ordering_cost if ordering is None else ordering,
        holding_cost=holding,
        safety=_optional(row, "safety", numbers.quantity, faults),
        point=_optional(row, "point", numbers.quantity, faults),
        currency="" if cost is None else numbers.currency(row.cell("cost"), row.source.columns.name("cost")),
    )


def _required(
    row: StockRow,
    role: Role,
    read: Callable[[str], float | None],
    word: str,
    faults: Faults,
    *,
    below_zero: bool = False,
) -> float | None:
    """The value, or none with the reason noted: missing, no number, below zero."""
    if not row.has(role):
        faults.add(row, role, f"{word}_missing", left_out=True)
        return None
    value = read(row.cell(role))
    if value is None:
        faults.add(row, role, "not_a_number", left_out=True)
    elif value < 0 and not below_zero:
        faults.add(row, role, f"{word}_negative", left_out=True)
        return None
    return value


def _optional(row: StockRow, role: Role, read: Callable[[str], float | None], faults: Faults) -> float | None:
    """A value that the row can do without; one that cannot be read is noted and not used."""
    if not row.has(role):
        return None
    value = read(row.cell(role))
    if value is None or value < 0:
        faults.add(row, role, "not_a_number" if value is None else "value_negative", left_out=False)
        return None
    return value


def _lead(row: StockRow, given: Given, faults: Faults) -> float | None:
    if given.lead_days is not None and not row.has("lead"):
        return given.lead_days
    unit = days_in(row.source.columns.name("lead"), 1.0)
    lead = _required(row, "lead", lambda cell: numbers.days(cell, unit), "lead_time", faults)
    if lead is not None and lead > _LONGEST_LEAD:
        faults.add(row, "lead", "lead_time_too_long", left_out=True)
        return None
    return lead


def _rate(row: StockRow, known: Mapping[str, Rate], given: Given, faults: Faults) -> tuple[Rate | None, Variation]:
    """A history says most; else the row's own demand column, with its own deviation where there is one."""
    past = known.get(row.key.casefold()) or (known.get(row.cell("name").casefold()) if row.has("name") else None)
    if past is not None:
        return past, "history" if past.sigma is not None else "assumed"
    role = row.source.columns.demand
    if role is None or row.source.is_long:
        faults.add(row, role or "sold", "demand_missing", left_out=True)
        return None, "assumed"
    sold = _required(row, role, numbers.quantity, "demand", faults)
    if sold is None:
        return None, "assumed"
    otherwise = _PERIODS.get(role, given.sales_days)
    period = days_in(row.source.columns.name(role), otherwise) if role == "sold" else otherwise
    spread = _optional(row, "deviation", numbers.quantity, faults)
    if spread is None:
        return Rate(sold / period, None), "assumed"
    own = 1.0 if is_daily(row.source.columns.name("deviation")) else period
    return Rate(sold / period, spread / sqrt(own)), "given"
