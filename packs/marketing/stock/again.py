"""A stock check as the tool keeps it beside its CSV, for whoever shows it further on: table, chart and words stay the
same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from contracts.tools import ToolContext
from packs.marketing.artifacts import JSON
from packs.marketing.stock.shapes import Checked

STOCK = "insight.stock"


@dataclass(frozen=True, slots=True)
class Stock:
    """`checked` has no faults: what was wrong with which row was said by the check itself."""

    checked: Checked
    files: tuple[str, ...]
    rows_left_out: int


_STOCK: TypeAdapter[Stock] = TypeAdapter(Stock)


def keep_stock(checked: Checked, files: Sequence[str], ctx: ToolContext) -> None:
    """Saves it."""
    kept = Stock(replace(checked, faults=(), rows_left_out=0), tuple(files), checked.rows_left_out)
    ctx.save(_STOCK.dump_json(kept), name="stock.json", media_type=JSON, type_=STOCK)


def read_stock(ctx: ToolContext) -> Stock | None:
    """The newest stock check, or none."""
    inputs = ctx.inputs(STOCK)
    return _STOCK.validate_json(inputs[-1].path.read_bytes()) if inputs else None
