"""Reading and writing the pack's artifacts. Tables are Parquet; what was learned about them travels inside the file."""

from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import polars as pl
from pydantic import BaseModel

from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.shapes import About, Quality, SentimentSummary

TABLE = "file.table"
RAW: Final = "reviews.raw"
CLEAN: Final = "reviews.clean"
SENTIMENT = "insight.sentiment"
KEYWORDS = "insight.keywords"
TREND = "insight.trend"
COMPETITOR = "insight.competitor"
CHART = "chart.png"
ANSWER_CHART = "chart.answer"
REPORT = "document.pdf"

PARQUET = "application/vnd.apache.parquet"
JSON = "application/json"

RAW_SCHEMA = pl.Schema(
    {
        "row": pl.Int64(),
        "file": pl.String(),
        "line": pl.Int64(),
        "text": pl.String(),
        "rating": pl.Float64(),
        "date": pl.Date(),
        "product": pl.String(),
        "review_id": pl.String(),
        "cells": pl.Int64(),
    }
)

# Our key in the Parquet file's own metadata.
_FACTS = "dream.facts"
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Reviews:
    """A reviews table with its history; `of` is its artifact id."""

    of: str
    frame: pl.DataFrame
    quality: Quality


def save_table(ctx: ToolContext, frame: pl.DataFrame, facts: BaseModel, *, type_: str, name: str) -> Attachment:
    """Writes a table with its facts inside, so that the file explains itself wherever it is copied."""
    path = ctx.workdir / name
    frame.write_parquet(path, metadata={_FACTS: facts.model_dump_json()})
    return ctx.save(path, name=name, media_type=PARQUET, type_=type_, rows=frame.height)


def save_json(ctx: ToolContext, facts: BaseModel, *, type_: str, name: str, **meta: int) -> Attachment:
    data = facts.model_dump_json(indent=1).encode()
    return ctx.save(data, name=name, media_type=JSON, type_=type_, **meta)


def read_reviews(ctx: ToolContext, type_: Literal["reviews.raw", "reviews.clean"]) -> Reviews:
    """The newest reviews table of a type. Raises INPUT_MISSING when there is none."""
    inputs = ctx.inputs(type_)
    if not inputs:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=type_)
    newest = inputs[-1]
    quality = Quality.model_validate_json(pl.read_parquet_metadata(newest.path)[_FACTS])
    return Reviews(newest.attachment.artifact_id, pl.read_parquet(newest.path), quality)


def read_sentiment(ctx: ToolContext, of: str | None = None) -> tuple[pl.DataFrame, SentimentSummary] | None:
    """The newest sentiment, or none. With `of`, only one that was made from that very reviews table."""
    for found in reversed(ctx.inputs(SENTIMENT)):
        summary = SentimentSummary.model_validate_json(pl.read_parquet_metadata(found.path)[_FACTS])
        if of is None or summary.about.of == of:
            return pl.read_parquet(found.path), summary
    return None


def read_judged(ctx: ToolContext) -> tuple[pl.DataFrame, SentimentSummary] | None:
    """The newest sentiment with the texts it was judged by; none where the newest reviews are others."""
    judged = read_sentiment(ctx)
    if judged is None or not ctx.inputs(CLEAN):
        return None
    frame, summary = judged
    clean = read_reviews(ctx, CLEAN)
    if clean.of != summary.about.of:
        return None
    return frame.join(clean.frame.select("row", "text"), on="row", how="inner"), summary


def read_json(ctx: ToolContext, type_: str, shape: type[Shape]) -> Shape | None:
    inputs = ctx.inputs(type_)
    return shape.model_validate_json(inputs[-1].path.read_bytes()) if inputs else None


def about(reviews: Reviews) -> About:
    """What an insight made from these reviews must say about them."""
    frame = reviews.frame
    dates = frame["date"].drop_nulls()
    ratings = frame["rating"].drop_nulls()
    return About(
        of=reviews.of,
        reviews=frame.height,
        products=frame["product"].drop_nulls().n_unique(),
        date_from=dates.sort()[0] if len(dates) else None,
        date_to=dates.sort()[-1] if len(dates) else None,
        mean_rating=mean(ratings),
        rated=len(ratings),
        quality=reviews.quality,
    )


def mean(values: pl.Series) -> float | None:
    """The mean to four decimals, null for no values."""
    found = values.drop_nulls().mean()
    return round(found, 4) if isinstance(found, float) else None


def dump(shape: BaseModel) -> JsonObject:
    result: JsonObject = shape.model_dump(mode="json")
    return result
