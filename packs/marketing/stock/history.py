"""Demand from a history of sales: how much a day, and how much that varies from day to day."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import sqrt
from statistics import fmean, median, stdev

from packs.marketing.stock import numbers
from packs.marketing.stock.columns import Role
from packs.marketing.stock.sources import Faults, StockRow, StockTable
from packs.marketing.tables.values import DayOrder, day_order, parse_date

# Older sales say little about today's, and a whole year holds every season once.
_NEWEST_DAYS = 365
# Below this many periods a standard deviation is mostly luck.
_FEWEST = 8


@dataclass(frozen=True, slots=True)
class Rate:
    """Demand a day. `sigma` is the standard deviation of one day's demand, none where the data does not tell it."""

    demand: float
    sigma: float | None


Sales = Mapping[str, Mapping[date, float]]


def sales_of(sources: Iterable[StockTable], today: date, faults: Faults) -> Sales:
    """Sold units by item and day. A row that cannot be read is refused and not counted."""
    sold: dict[str, dict[date, float]] = defaultdict(lambda: defaultdict(float))
    for source in sources:
        order, _ = day_order(row.cell("date") for row in source.rows)
        for row in source.rows:
            found = _sale(row, order, today, faults)
            if found is not None:
                day, units = found
                sold[row.key.casefold()][day] += units
    return sold


def _sale(row: StockRow, order: DayOrder, today: date, faults: Faults) -> tuple[date, float] | None:
    role: Role = "sold" if "sold" in row.source.columns.where else "daily"
    day, units = parse_date(row.cell("date"), order), numbers.quantity(row.cell(role))
    if not row.key:
        faults.add(row, "item", "item_missing", left_out=True)
    elif day is None:
        faults.add(row, "date", "date_unreadable", left_out=True)
    elif day > today:
        faults.add(row, "date", "date_in_future", left_out=True)
    elif units is None:
        faults.add(row, role, "not_a_number" if row.has(role) else "demand_missing", left_out=True)
    elif units < 0:
        faults.add(row, role, "demand_negative", left_out=True)
    else:
        return day, units
    return None


def rates(sales: Sales) -> dict[str, Rate]:
    """A rate per item, over the days from its first sale to the last day of the whole history."""
    days = sorted({day for sold in sales.values() for day in sold})
    if not days:
        return {}
    step, last = _step(days), days[-1]
    first = max(days[0], last - timedelta(days=_NEWEST_DAYS - 1))
    return {item: _rate(sold, first, last, step) for item, sold in sales.items() if any(day >= first for day in sold)}


def _step(days: Sequence[date]) -> int:
    """The days of one entry: 1 for a daily history, 7 or 30 where every entry stands for a week or a month."""
    gaps = [(later - earlier).days for earlier, later in pairwise(days)]
    typical = median(gaps) if gaps else 1
    return 30 if typical >= 26 else 7 if typical >= 6 else 1


def _rate(sold: Mapping[date, float], first: date, last: date, step: int) -> Rate:
    """Days without an entry sold nothing. Of longer periods sigma is brought down to a day by the root of its days."""
    start = max(first, min(day for day in sold if day >= first))
    totals = [0.0] * ((last - start).days // step + 1)
    if step == 30:
        # Months have different lengths: counted by the calendar, not by days.
        totals = [0.0] * ((last.year - start.year) * 12 + last.month - start.month + 1)
    for day, units in sold.items():
        if day >= start:
            index = (day - start).days // step
            if step == 30:
                index = (day.year - start.year) * 12 + day.month - start.month
            totals[index] += units
    length = 365.25 / 12 if step == 30 else float(step)
    sigma = stdev(totals) / sqrt(length) if len(totals) >= _FEWEST else None
    return Rate(fmean(totals) / length, sigma)
