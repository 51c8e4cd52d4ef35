"""When to order and how much. Pure arithmetic, one item at a time; quantities in the units of the stock.

Sources: safety stock, reorder point and order-up-to level as in Silver, Pyke, Thomas, "Inventory and Production
Management in Supply Chains" (4th ed. 2017), chapters 6 and 7, with demand that is normal and independent from day to
day; the economic order quantity is that of Harris (1913).

    safety stock      SS = z * sqrt(L * sigma^2)                  z = normal quantile of the service level
    reorder point     s  = d * L + SS
    order-up-to       S  = d * (L + R) + z * sqrt((L + R) * sigma^2)
    economic quantity Q  = sqrt(2 * 365 * d * K / h)              h = cost of keeping one unit for a year
    days of cover     on hand / d

d: demand a day, sigma: its standard deviation, L: lead time, R: review period (days), K: cost of one order. A safety
stock or a reorder point that the file brings takes the place of SS and of s.
"""

from dataclasses import dataclass
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import Literal

from packs.marketing.stock.items import Item

Status = Literal["out", "order_now", "ok", "overstock"]
Method = Literal["economic", "up_to", "none"]
YEAR = 365.0
# What floating point leaves over must not become one more unit to order.
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Policy:
    """What the person decides. `variation` is the coefficient assumed where the data does not tell sigma."""

    service_level: float = 0.95
    review_days: float = 7.0
    horizon_days: float = 90.0
    variation: float = 0.5

    @property
    def z(self) -> float:
        return NormalDist().inv_cdf(self.service_level)


@dataclass(frozen=True, slots=True)
class Advice:
    """`cover_days` is none without demand; `economic` is none without both costs."""

    safety_stock: float
    reorder_point: float
    order_up_to: float
    economic: float | None
    position: float
    cover_days: float | None
    status: Status
    order: int
    method: Method


def advise(item: Item, sigma: float, policy: Policy) -> Advice:
    """An order is due when stock and incoming orders together are no more than the reorder point. On hand below zero
    are back-orders."""
    demand = item.rate.demand
    protected = item.lead_days + policy.review_days
    computed = policy.z * sqrt(item.lead_days * sigma**2)
    safety = computed if item.safety is None else item.safety
    point = max(0.0, demand * item.lead_days + safety) if item.point is None else item.point
    reserve = max(policy.z * sqrt(protected * sigma**2), item.safety or 0.0)
    level = max(point, demand * protected + reserve)
    position = item.on_hand + item.incoming
    economic = _economic(item)
    wanted = demand > 0 or item.safety or item.point or position < 0
    due = bool(wanted) and position <= point + _TINY
    order, method = _quantity(position, point, level, economic) if due else (0, "none")
    cover = max(0.0, item.on_hand) / demand if demand > 0 else None
    status = _status(item, policy, due=due, level=level, cover=cover)
    return Advice(safety, point, level, economic, position, cover, status, order, method)


def _economic(item: Item) -> float | None:
    if not item.ordering_cost or not item.holding_cost or item.rate.demand <= 0:
        return None
    return sqrt(2 * YEAR * item.rate.demand * item.ordering_cost / item.holding_cost)


def _quantity(position: float, point: float, level: float, economic: float | None) -> tuple[int, Method]:
    """As many economic quantities as lift the position above the reorder point; without costs, up to the level."""
    if economic is None:
        return max(1, ceil(level - position - _TINY)), "up_to"
    lots = floor((point - position) / economic + _TINY) + 1
    return max(1, ceil(lots * economic - _TINY)), "economic"


def _status(item: Item, policy: Policy, *, due: bool, level: float, cover: float | None) -> Status:
    """Overstock outlasts the horizon and lies above the level that an order would fill up to."""
    if item.on_hand <= 0:
        return "out"
    if due:
        return "order_now"
    if cover is None or (cover > policy.horizon_days and item.on_hand > level):
        return "overstock"
    return "ok"
