"""marketing.preprocessor: the reviews that are asked about: one spelling, their language found, no duplicates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import CLEAN, RAW, read_reviews, save_table
from packs.marketing.cleaning.duplicates import Distinct, without_duplicates
from packs.marketing.cleaning.language import language
from packs.marketing.cleaning.scope import Narrowed, Scope, narrow
from packs.marketing.cleaning.text import clean
from packs.marketing.reporting.periods import said_period

_STEP = 5_000
_SHOWN_PRODUCTS = 10


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """With params.duplicates = "keep" rows that are the same in every cell stay reviews of their own.

    Raises TABLE_EMPTY when no review is within the period and the products asked for, DATE_COLUMN_MISSING when none
    has a day, and TOOL_ARGUMENTS_INVALID for a period that is none."""
    reviews, scope = read_reviews(ctx, RAW), _scope(params, ctx)
    rows_in, quality = reviews.frame.height, reviews.quality
    narrowed = narrow(reviews.frame, scope)
    if not narrowed.frame.height and rows_in:
        raise _nothing_left(reviews.frame, narrowed, scope, ctx)
    del reviews  # its texts and the clean ones are a large table's memory twice
    frame = _cleaned(narrowed.frame, ctx)
    emptied = narrowed.frame.height - frame.height
    narrowed = replace(narrowed, frame=frame)

    kept = without_duplicates(frame) if params.get("duplicates", "remove") == "remove" else Distinct(frame)
    frame = kept.frame.drop("cells", strict=False)
    languages = dict(Counter(frame["language"]).most_common())
    counted: JsonObject = {
        "emptied": emptied,
        "duplicates_exact": kept.exact,
        "duplicates_near": kept.near,
        "repeated": kept.repeated,
        "languages": dict(languages),
        "out_of_period": narrowed.out_of_period,
        "undated": narrowed.undated,
        "other_products": narrowed.other_products,
        "products_unknown": narrowed.products_unknown,
    }
    asked = {"period_from": scope.date_from, "period_to": scope.date_to, "products_asked": scope.products}
    quality = quality.model_copy(update=counted | asked)
    save_table(ctx, frame, quality, type_=CLEAN, name="reviews_clean.parquet")
    return {"rows_in": rows_in, "reviews": frame.height, **counted}


def _scope(params: JsonObject, ctx: ToolContext) -> Scope:
    first, last, named = _day(params, "date_from", ctx), _day(params, "date_to", ctx), params.get("products")
    if first is not None and last is not None and first > last:
        message = ctx.text("preprocessor.error.reversed", start=first.isoformat(), end=last.isoformat())
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, message, date_from=first.isoformat(), date_to=last.isoformat())
    return Scope(first, last, tuple(str(name) for name in named) if isinstance(named, list) else ())


def _day(params: JsonObject, name: str, ctx: ToolContext) -> date | None:
    given = params.get(name)
    if given is None:
        return None
    try:
        return date.fromisoformat(str(given))
    except ValueError as error:
        message = ctx.text("preprocessor.error.date", value=given)
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, message, parameter=name, value=given) from error


def _cleaned(frame: pl.DataFrame, ctx: ToolContext) -> pl.DataFrame:
    """Readable texts with their language, without those of which nothing is left."""
    texts: list[pl.Series] = []
    found: list[pl.Series] = []
    for start in range(0, frame.height, _STEP):
        ctx.progress(0.9 * start / frame.height, ctx.text("preprocessor.cleaning", done=start))
        part = [clean(text) for text in frame["text"].slice(start, _STEP)]
        texts.append(pl.Series(part, dtype=pl.String))
        found.append(pl.Series([language(text) for text in part], dtype=pl.String))
    return frame.with_columns(text=_joined(texts), language=_joined(found)).filter(pl.col("text") != "")


def _joined(parts: Sequence[pl.Series]) -> pl.Series:
    """Parts, so that texts of a large table are never all objects of Python at once."""
    return pl.concat(parts) if parts else pl.Series(dtype=pl.String)


def _nothing_left(frame: pl.DataFrame, narrowed: Narrowed, scope: Scope, ctx: ToolContext) -> ToolError:
    """Says what was asked for and what there is instead."""
    period, dates = said_period(ctx, scope.date_from, scope.date_to), frame["date"].drop_nulls().sort()
    if narrowed.other_products:
        counted = narrow(frame, Scope(scope.date_from, scope.date_to)).frame["product"].drop_nulls().value_counts()
        ranked = counted.sort(["count", "product"], descending=[True, False])["product"].head(_SHOWN_PRODUCTS)
        known: list[JsonValue] = list(ranked)
        key = "preprocessor.error.products_then" if period else "preprocessor.error.products"
        asked = ", ".join(scope.products)
        message = ctx.text(key, products=asked, known=", ".join(ranked), period=period)
        return ToolError(Code.TABLE_EMPTY, message, products=list[JsonValue](scope.products), known=known)
    if not len(dates):
        message = ctx.text("preprocessor.error.no_dates", reviews=frame.height, period=period)
        return ToolError(Code.DATE_COLUMN_MISSING, message, reviews=frame.height)
    start, end = dates[0].isoformat(), dates[-1].isoformat()
    return ToolError(
        Code.TABLE_EMPTY,
        ctx.text("preprocessor.error.period", period=period, reviews=frame.height, start=start, end=end),
        date_from=scope.date_from.isoformat() if scope.date_from else None,
        date_to=scope.date_to.isoformat() if scope.date_to else None,
        data_from=start,
        data_to=end,
    )
