"""One product's part of the material: counted again from the reviews, never guessed from the whole."""

import re
from collections.abc import Sequence

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import CLEAN, Reviews, about, read_reviews, read_sentiment
from packs.marketing.polarity.summary import summarize, tally
from packs.marketing.reporting.material import Material
from packs.marketing.series.course import course
from packs.marketing.shapes import About, Keyword, Keywords, SentimentSummary, Trend

_NAMED = 12


def narrow(material: Material, asked: Sequence[str], ctx: ToolContext) -> tuple[Material, tuple[str, ...]]:
    """Only the reviews of the products asked for: those of that name, else those whose names hold it; and their names.

    Raises TOOL_ARGUMENTS_INVALID for a product that has no reviews, INPUT_MISSING when reviews name no products.
    """
    rows = _rows(ctx)
    if rows is None or rows["product"].null_count() == rows.height:
        raise ToolError(Code.INPUT_MISSING, ctx.text("sales_material.error.no_products"))
    known = rows["product"].drop_nulls().unique(maintain_order=True).to_list()
    names = list(dict.fromkeys(name for product in asked for name in _matching(product, known, ctx)))
    others, rows = rows.height, rows.filter(pl.col("product").is_in(names))
    update = {
        "languages": dict(rows["language"].value_counts(sort=True).iter_rows()),
        "products_asked": tuple(names),
        "other_products": material.about.quality.other_products + others - rows.height,
    }
    whose = about(Reviews(material.about.of, rows, material.about.quality.model_copy(update=update)))
    narrowed = Material(
        about=whose,
        sentiment=_sentiment(material.sentiment, rows, whose, set(names)),
        keywords=_keywords(material.keywords, rows, whose),
        trend=_trend(material.trend, rows, whose),
        mixed=material.mixed,
    )
    return narrowed, tuple(names)


def _rows(ctx: ToolContext) -> pl.DataFrame | None:
    """Judged reviews with their texts, as far as there are any; null where a part is missing."""
    judged = read_sentiment(ctx)
    clean = read_reviews(ctx, CLEAN) if ctx.inputs(CLEAN) else None
    if judged is None:
        return None if clean is None else clean.frame
    frame, summary = judged
    if clean is not None and clean.of == summary.about.of:
        return frame.join(clean.frame.select("row", "text"), on="row", how="left", maintain_order="left")
    return frame


def _matching(product: str, names: list[str], ctx: ToolContext) -> list[str]:
    asked = _folded(product)
    exact = [name for name in names if _folded(name) == asked]
    found = exact or [name for name in names if asked and asked in _folded(name)]
    if not found:
        known: list[JsonValue] = list(names[:_NAMED])
        message = ctx.text("sales_material.error.unknown_product", product=product, known=", ".join(names[:_NAMED]))
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, message, product=product, known=known)
    return found


def _folded(name: str) -> str:
    return re.sub(r"\s+", "", name).casefold()


def _sentiment(
    whole: SentimentSummary | None, rows: pl.DataFrame, whose: About, names: set[str]
) -> SentimentSummary | None:
    if whole is None:
        return None
    if "text" in rows.columns:
        return summarize(rows.drop("text"), rows["text"], whose)
    # Without the texts the quotes are those that were chosen for the whole.
    made = summarize(rows, pl.Series("text", [""] * rows.height), whose)
    return made.model_copy(update={"quotes": tuple(quote for quote in whole.quotes if quote.product in names)})


def _keywords(whole: Keywords | None, rows: pl.DataFrame, whose: About) -> Keywords | None:
    """The same terms, counted where the product's reviews hold them; none without the texts."""
    if whole is None or "text" not in rows.columns:
        return None
    texts = rows["text"].str.to_lowercase()
    found: list[Keyword] = []
    for keyword in whole.keywords:
        # Words of Latin letters end where letters end; "ear" is not in "year".
        pattern = re.escape(keyword.term.lower())
        pattern = rf"\b{pattern}\b" if keyword.term.isascii() else pattern
        part = rows.filter(texts.str.contains(pattern))
        if part.height:
            counted = tally(part) if "polarity" in rows.columns else None
            update = {"documents": part.height, "count": part.height, "tally": counted}
            found.append(keyword.model_copy(update=update))
    found.sort(key=lambda keyword: (-keyword.documents, keyword.term))
    return whole.model_copy(
        update={"about": whose, "keywords": tuple(found), "available": rows.height, "read": rows.height}
    )


def _trend(whole: Trend | None, rows: pl.DataFrame, whose: About) -> Trend | None:
    dated = rows.filter(pl.col("date").is_not_null())
    if whole is None or dated.is_empty():
        return None
    return course(dated, whole.grain, whose, rows.height - dated.height)
