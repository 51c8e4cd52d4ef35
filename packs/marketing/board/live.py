"""What the page counts anew when somebody filters it: groups of reviews, and some reviews to read."""

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import polars as pl
from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import read_judged
from packs.marketing.charts.style import short
from packs.marketing.polarity.insults import insults
from packs.marketing.reporting.figures import scale_end, source
from packs.marketing.reporting.material import Material

# A longer list helps nobody to choose; the others stand together.
_PRODUCTS, _MONTHS, _TERMS, _READ, _LONGEST = 24, 36, 10, 60, 180
_SIDES = ("negative", "neutral", "positive")


def live(material: Material, ctx: ToolContext) -> JsonObject | None:
    """Groups by product, period and polarity; none where there is nothing to choose."""
    judged = read_judged(ctx)
    if judged is None or judged[0].is_empty():
        return None
    rows, summary = judged
    products = [product.name for product in summary.by_product[:_PRODUCTS]]
    rows, periods = _placed(rows, products)
    if len(products) < 2 and len(periods) < 2:
        return None
    terms = [word.term for word in material.keywords.keywords[:_TERMS]] if material.keywords else []
    scale = summary.about.quality.rating_scale
    names: JsonObject = {"products": [*products], "periods": [*periods], "terms": [*terms]}
    return {**names, "groups": _groups(rows, terms), "quotes": _quotes(rows, ctx),
            "high": scale_end(scale.high) if scale else "", "texts": _texts(ctx)}  # fmt: skip


def _placed(rows: pl.DataFrame, products: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The rows with the places of product, period and polarity in their lists; -1 for none of them."""
    months = rows["date"].dt.strftime("%Y-%m")
    named = months if months.n_unique() <= _MONTHS else rows["date"].dt.strftime("%Y")
    periods = [str(one) for one in named.drop_nulls().unique().sort()]

    def place(column: pl.Series, known: Sequence[str]) -> pl.Series:
        where = {name: index for index, name in enumerate(known)}
        return pl.Series([where.get(one, -1) for one in column], dtype=pl.Int64)

    placed = rows.with_columns(
        at=place(rows["product"], products), when=place(named, periods), side=place(rows["polarity"], _SIDES)
    )
    return placed, periods


def _groups(rows: pl.DataFrame, terms: Sequence[str]) -> list[JsonValue]:
    """Place of product, period, polarity; reviews, sum of ratings, rated ones; then the reviews that hold each term."""
    texts = rows["text"].str.to_lowercase()
    held = [texts.str.contains(term.lower(), literal=True).alias(f"t{number}") for number, term in enumerate(terms)]
    found = (
        rows.with_columns(held)
        .group_by("at", "when", "side", maintain_order=True)
        .agg(
            pl.len().alias("n"), pl.col("rating").sum().round(2), pl.col("rating").count().alias("rated"),
            *(pl.col(one.name).sum() for one in held),
        )
    )  # fmt: skip
    return [[float(value) if isinstance(value, float) else int(value) for value in row] for row in found.iter_rows()]


def _quotes(rows: pl.DataFrame, ctx: ToolContext) -> list[JsonValue]:
    """The newest negative reviews; insults are counted and not shown."""
    newest = rows.sort("date", "row", descending=True, nulls_last=True).unique(
        "text", keep="first", maintain_order=True
    )
    shown: list[JsonValue] = []
    part = newest.filter(pl.col("side") == 0).head(4 * _READ)
    for row in [row for row in part.iter_rows(named=True) if not insults(row["text"])][:_READ]:
        said = source(row["product"], row["date"], row["rating"], ctx)
        shown.append([row["at"], row["when"], 0, short(" ".join(row["text"].split()), _LONGEST), said])
    return shown


def _texts(ctx: ToolContext) -> JsonObject:
    found: JsonObject = {side: ctx.text(f"report.polarity.{side}") for side in _SIDES}
    # The page puts in the numbers that it counts.
    of = ctx.text("dashboard.filter.of", part="{part}", whole="{whole}")
    return found | {"none": ctx.text("dashboard.filter.none"), "of": of}


def embedded(data: JsonObject) -> str:
    """Both scripts. Data that holds markup must not end its element."""
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="data">{content}</script>\n<script>{script()}</script>'


def allowed() -> str:
    """The one script that the page may run, by its hash."""
    return f"'sha256-{b64encode(sha256(script().encode()).digest()).decode()}'"


@cache
def script() -> str:
    return (Path(__file__).parent / "live.js").read_text(encoding="utf-8")
