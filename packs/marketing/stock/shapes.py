"""What is known of every item after the arithmetic: one object for the table, the chart and the words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from math import floor, sqrt

from packs.marketing.stock.items import Item
from packs.marketing.stock.policy import Advice, Policy, Status, advise
from packs.marketing.stock.sources import Fault

STATUSES: tuple[Status, ...] = ("out", "order_now", "ok", "overstock")


@dataclass(frozen=True)
class Line:
    """An item and what to do about it."""

    item: Item
    sigma: float
    advice: Advice

    @property
    def order_value(self) -> float | None:
        return None if self.item.unit_cost is None else self.advice.order * self.item.unit_cost

    def runs_out(self, today: date) -> date | None:
        """The first day that the stock does not last through; none without demand or beyond a century."""
        cover = self.advice.cover_days
        return None if cover is None or cover > 36_500 else today + timedelta(days=floor(cover))


@dataclass(frozen=True)
class Checked:
    """All items, most urgent first."""

    lines: Sequence[Line]
    policy: Policy
    today: date
    faults: Sequence[Fault]
    rows_left_out: int
    own: int = 0
    """Items whose safety stock or reorder point the file itself brings."""

    @cached_property
    def counts(self) -> dict[Status, int]:
        return {status: sum(line.advice.status == status for line in self.lines) for status in STATUSES}

    @cached_property
    def to_order(self) -> list[Line]:
        return [line for line in self.lines if line.advice.order]

    @property
    def order_value(self) -> float | None:
        """What all orders cost together; none when any of them has no price, since a part is not the sum."""
        values = [line.order_value for line in self.to_order]
        known = [value for value in values if value is not None]
        return sum(known) if known and len(known) == len(values) else None

    @property
    def owed(self) -> list[Line]:
        """What customers wait for: less than nothing on hand."""
        return [line for line in self.lines if line.item.on_hand < 0]

    @property
    def currency(self) -> str:
        """Of the orders' value; empty where the file does not say it, or says two."""
        found = {line.item.currency for line in self.to_order}
        return found.pop() if len(found) == 1 else ""

    @property
    def assumed(self) -> int:
        return sum(line.item.variation == "assumed" and line.item.rate.demand > 0 for line in self.lines)

    def expected(self, line: Line) -> tuple[float, float]:
        """Demand over the horizon: its mean, and how far it stays within at the service level."""
        days = self.policy.horizon_days
        return line.item.rate.demand * days, self.policy.z * line.sigma * sqrt(days)


def check(items: Sequence[Item], policy: Policy, today: date, faults: Sequence[Fault], rows_left_out: int) -> Checked:
    lines = sorted((_line(item, policy) for item in items), key=_urgency)
    own = sum(item.safety is not None or item.point is not None for item in items)
    return Checked(lines, policy, today, faults, rows_left_out, own)


def _line(item: Item, policy: Policy) -> Line:
    assumed = item.rate.demand * policy.variation
    sigma = assumed if item.rate.sigma is None else item.rate.sigma
    return Line(item, sigma, advise(item, sigma, policy))


def _urgency(line: Line) -> tuple[int, float, float, str]:
    """By status; within one, what customers wait for already, then what runs out first."""
    cover = line.advice.cover_days
    waited_for = min(0.0, line.item.on_hand)
    return STATUSES.index(line.advice.status), waited_for, 1e12 if cover is None else cover, line.item.key
