"""What is known of every item after the arithmetic: one object for the table, the chart and the words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from math import floor, sqrt

from packs.marketing.stock.items import Item
from packs.marketing.stock.policy import Advice, Needs, Policy, Status, advise
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
    def assumed(self) -> int:
        return sum(line.item.variation == "assumed" and line.item.rate.demand > 0 for line in self.lines)

    def expected(self, line: Line) -> tuple[float, float]:
        """Demand over the horizon: its mean, and how far it stays within at the service level."""
        days = self.policy.horizon_days
        return line.item.rate.demand * days, self.policy.z * line.sigma * sqrt(days)


def check(items: Sequence[Item], policy: Policy, today: date, faults: Sequence[Fault], rows_left_out: int) -> Checked:
    lines = sorted((_line(item, policy) for item in items), key=_urgency)
    return Checked(lines, policy, today, faults, rows_left_out)


def _line(item: Item, policy: Policy) -> Line:
    assumed = item.rate.demand * policy.variation
    sigma = assumed if item.rate.sigma is None else item.rate.sigma
    needs = Needs(
        on_hand=item.on_hand,
        incoming=item.incoming,
        demand=item.rate.demand,
        sigma=sigma,
        lead_days=item.lead_days,
        ordering_cost=item.ordering_cost,
        holding_cost=item.holding_cost,
    )
    return Line(item, sigma, advise(needs, policy))


def _urgency(line: Line) -> tuple[int, float, str]:
    """By status; within one, what runs out first and, of that, what sells most."""
    cover = line.advice.cover_days
    return STATUSES.index(line.advice.status), 1e12 if cover is None else cover, line.item.key
