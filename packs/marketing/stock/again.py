"""A stock check read back from its own CSV, for whoever shows it further on: table, chart and words stay the same."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar, get_args

from pydantic import BaseModel, ValidationError

from contracts.tools import ToolContext, ToolInput
from packs.marketing.stock.export import COLUMNS, FORMULA
from packs.marketing.stock.history import Rate
from packs.marketing.stock.items import Item, Variation
from packs.marketing.stock.policy import Advice, Method, Policy
from packs.marketing.stock.shapes import STATUSES, Checked, Line

INVENTORY = "ops.inventory"
Word = TypeVar("Word", bound=str)


class _Meta(BaseModel):
    """What the tool writes beside its CSV."""

    files: tuple[str, ...]
    rows_left_out: int
    service_level: float
    review_period_days: float
    horizon_days: float
    variation: float
    checked_on: date
    own: int = 0
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Stock:
    """`checked` has no faults: what was wrong with which row was said by the check itself."""

    checked: Checked
    files: tuple[str, ...]
    rows_left_out: int


def read_stock(ctx: ToolContext) -> Stock | None:
    """The newest stock check; none when there is none, or it is not of our making."""
    for found in reversed(ctx.inputs(INVENTORY)):
        try:
            return _stock(found, ctx)
        except (ValueError, csv.Error, ValidationError):
            continue
    return None


def _stock(found: ToolInput, ctx: ToolContext) -> Stock:
    """Raises ValueError for a table that is another."""
    meta = _Meta.model_validate(found.attachment.meta)
    table = list(csv.reader(io.StringIO(found.path.read_bytes().decode("utf-8-sig"))))
    policy = Policy(meta.service_level, meta.review_period_days, meta.horizon_days, meta.variation)
    lines = [_line(dict(zip(COLUMNS, row, strict=True)), policy, meta.currency, ctx) for row in table[1:]]
    if not lines:
        raise ValueError("a stock check without items")
    return Stock(Checked(lines, policy, meta.checked_on, (), 0, meta.own), meta.files, meta.rows_left_out)


def _line(row: Mapping[str, str], policy: Policy, currency: str, ctx: ToolContext) -> Line:
    # Demand over the horizon has more digits than that of a day, which slow sellers need.
    demand = float(row["horizon_demand"]) / policy.horizon_days
    variation: Variation = _meant(row["variation"], "variation", get_args(Variation), ctx)
    item = Item(
        key=_plain(row["sku"]),
        name=_plain(row["name"]),
        file=_plain(row["file"]),
        line=int(row["line"]),
        on_hand=float(row["on_hand"]),
        incoming=float(row["incoming"]),
        lead_days=float(row["lead_time_days"]),
        rate=Rate(demand, None if variation == "assumed" else float(row["sigma"])),
        variation=variation,
        unit_cost=_optional(row["unit_cost"]),
        ordering_cost=None,
        holding_cost=None,
        currency=currency,
    )
    method: Method = _meant(row["method"], "method", get_args(Method), ctx)
    advice = Advice(
        safety_stock=float(row["safety_stock"]),
        reorder_point=float(row["reorder_point"]),
        order_up_to=float(row["order_up_to"]),
        economic=None,
        position=item.on_hand + item.incoming,
        cover_days=_optional(row["days_of_cover"]),
        status=_meant(row["status"], "status", STATUSES, ctx),
        order=int(row["order_quantity"]),
        method=method,
    )
    return Line(item, float(row["sigma"]), advice)


def _meant(cell: str, column: str, words: Sequence[Word], ctx: ToolContext) -> Word:
    """The word that stands in the CSV in the person's language."""
    for word in words:
        if cell == ctx.text(f"inventory.{column}.{word}"):
            return word
    raise ValueError(f"{cell!r} is no {column}")


def _optional(cell: str) -> float | None:
    return float(cell) if cell else None


def _plain(cell: str) -> str:
    """Without the apostrophe that keeps a spreadsheet from calculating."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
