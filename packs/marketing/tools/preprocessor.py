"""marketing.preprocessor: one spelling, one language and no duplicates."""

from collections import Counter

import polars as pl

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.artifacts import CLEAN, RAW, read_reviews, save_table
from packs.marketing.cleaning.language import language
from packs.marketing.cleaning.text import clean, fingerprint

_STEP = 5_000


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """With params.duplicates = "keep" the same words twice stay two reviews."""
    reviews = read_reviews(ctx, RAW)
    texts: list[str] = []
    found: list[str] = []
    for start in range(0, reviews.frame.height, _STEP):
        ctx.progress(0.9 * start / reviews.frame.height, ctx.text("preprocessor.cleaning", done=start))
        part = [clean(text) for text in reviews.frame["text"].slice(start, _STEP)]
        texts += part
        found += [language(text) for text in part]
    frame = reviews.frame.with_columns(
        text=pl.Series(texts, dtype=pl.String), language=pl.Series(found, dtype=pl.String)
    ).filter(pl.col("text") != "")
    emptied = reviews.frame.height - frame.height

    exact = near = 0
    if params.get("duplicates", "remove") == "remove":
        frame, exact, near = _without_duplicates(frame)
    languages = dict(Counter(frame["language"]).most_common())
    quality = reviews.quality.model_copy(
        update={"emptied": emptied, "duplicates_exact": exact, "duplicates_near": near, "languages": languages}
    )
    save_table(ctx, frame, quality, type_=CLEAN, name="reviews_clean.parquet")
    return {
        "rows_in": reviews.frame.height,
        "reviews": frame.height,
        "emptied": emptied,
        "duplicates_exact": exact,
        "duplicates_near": near,
        "languages": dict(languages),
    }


def _without_duplicates(frame: pl.DataFrame) -> tuple[pl.DataFrame, int, int]:
    """Of rows that say the same of the same product, the first stays. Near: alike but for case, spaces, punctuation."""
    unique = frame.unique(["text", "product"], keep="first", maintain_order=True)
    keys = pl.Series([fingerprint(text) for text in unique["text"]], dtype=pl.String)
    alike = (
        unique.with_columns(fingerprint=keys)
        .unique(["fingerprint", "product"], keep="first", maintain_order=True)
        .drop("fingerprint")
    )
    return alike, frame.height - unique.height, unique.height - alike.height
