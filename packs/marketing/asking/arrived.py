"""The typed table that was made when a file arrived: questions read it instead of the file."""

import io

import polars as pl
from pydantic import TypeAdapter

from contracts.tools import ToolContext, ToolInput
from packs.marketing.artifacts import PARQUET
from packs.marketing.asking.profile import Column, Profile

TYPED = "table.typed"
_COLUMNS = "dream.columns"
_OF = "of"
"""In the meta of what was made of a file when it arrived: that file's id."""
_SHAPES: TypeAdapter[tuple[Column, ...]] = TypeAdapter(tuple[Column, ...])


def save_typed(ctx: ToolContext, found: Profile) -> None:
    buffer = io.BytesIO()
    columns = _SHAPES.dump_json(found.columns).decode()
    found.frame.write_parquet(buffer, compression="lz4", metadata={_COLUMNS: columns})
    rows, width = found.frame.height, len(found.columns)
    ctx.save(buffer.getvalue(), name="table.parquet", media_type=PARQUET, type_=TYPED, rows=rows, columns=width)


def typed(item: ToolInput, ctx: ToolContext) -> Profile | None:
    """That of the file; None where nothing was made of it."""
    for one in ctx.inputs(TYPED):
        if one.attachment.meta.get(_OF) == item.attachment.artifact_id:
            columns = _SHAPES.validate_json(pl.read_parquet_metadata(one.path)[_COLUMNS])
            return Profile(columns, pl.read_parquet(one.path))
    return None
