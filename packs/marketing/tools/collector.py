"""marketing.collector: the tables a person uploaded become one table of reviews, with an account of every row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.artifacts import RAW, RAW_SCHEMA, TABLE, save_table
from packs.marketing.shapes import Quality, RatingScale
from packs.marketing.tables.assemble import Account, Row, assemble, within_scale
from packs.marketing.tables.columns import Guess, guess_columns
from packs.marketing.tables.raw import RawTable, Unreadable
from packs.marketing.tables.read import read_table

# The result travels in an event: enough to see and mend the guess, never the whole table.
_SHOWN_COLUMNS = 40
_SHOWN_FILES = 20
_SHOWN_CHARACTERS = 80
_SHOWN_EXAMPLES = 40


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    table: RawTable
    guesses: Sequence[Guess]

    @property
    def rows_read(self) -> int:
        return len(self.table.records) + len(self.table.bad)


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises TABLE_UNREADABLE, TEXT_COLUMN_MISSING, TABLE_EMPTY, and TOOL_ARGUMENTS_INVALID for an unknown column."""
    inputs = ctx.inputs(TABLE)
    if not inputs:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=TABLE)
    mapping = _mapping(params)
    sources: list[_Source] = []
    for number, item in enumerate(inputs):
        ctx.progress(0.6 * number / len(inputs), ctx.text("collector.reading", file=item.attachment.name))
        sources.append(_open(item, mapping, ctx))
    _check(sources, mapping, ctx)

    account = Account()
    rows: list[Row] = []
    for number, source in enumerate(sources):
        ctx.progress(0.6 + 0.3 * number / len(sources), ctx.text("collector.checking", file=source.name))
        rows += assemble(source.name, source.table, source.guesses, ctx.now.date(), account)
    if not rows:
        raise ToolError(
            Code.TABLE_EMPTY,
            ctx.text("collector.error.no_texts", rows=sum(source.rows_read for source in sources)),
            bad_by_reason=dict(account.bad),
        )
    ratings, scale = within_scale(rows, account)
    quality = Quality(
        files=tuple(source.name for source in sources),
        rows_read=sum(source.rows_read for source in sources),
        rows_kept=len(rows),
        rows_bad=account.bad.total(),
        bad_by_reason=dict(account.bad),
        warnings_by_reason=dict(account.warnings),
        rating_scale=scale,
    )
    frame = _frame(rows, ratings)
    save_table(ctx, frame, quality, type_=RAW, name="reviews_raw.parquet")
    ctx.log(f"read {quality.rows_read} rows, kept {quality.rows_kept}, bad {quality.bad_by_reason!r}")
    return _result(sources, frame, quality, scale, account)


def _mapping(params: JsonObject) -> dict[str, str]:
    given = params.get("mapping")
    return {column: str(role) for column, role in given.items()} if isinstance(given, dict) else {}


def _open(item: ToolInput, mapping: Mapping[str, str], ctx: ToolContext) -> _Source:
    name = item.attachment.name
    try:
        table = read_table(item.path.read_bytes(), name)
    except Unreadable as error:
        reason = ctx.text(f"collector.unreadable.{error.reason}")
        message = ctx.text("collector.error.unreadable", file=name, reason=reason)
        raise ToolError(Code.TABLE_UNREADABLE, message, file=name, reason=error.reason) from error
    return _Source(name, table, guess_columns(table.columns, [record.cells for record in table.records], mapping))


def _check(sources: Sequence[_Source], mapping: Mapping[str, str], ctx: ToolContext) -> None:
    columns = sorted({column for source in sources for column in source.table.columns})[:_SHOWN_COLUMNS]
    unknown = [column for column in mapping if not any(column in source.table.columns for source in sources)]
    if unknown:
        raise ToolError(
            Code.TOOL_ARGUMENTS_INVALID,
            ctx.text("collector.error.unknown_columns", columns=", ".join(unknown), known=", ".join(columns)),
            unknown=list[JsonValue](unknown),
            columns=list[JsonValue](columns),
        )
    if not any(source.rows_read for source in sources):
        raise ToolError(
            Code.TABLE_EMPTY,
            ctx.text("collector.error.empty", file=sources[0].name),
            files=list[JsonValue]([source.name for source in sources]),
        )
    for source in sources:
        if source.table.records and not any(guess.role == "text" for guess in source.guesses):
            found: list[JsonValue] = list(source.table.columns[:_SHOWN_COLUMNS])
            listed = ", ".join(source.table.columns[:_SHOWN_COLUMNS])
            message = ctx.text("collector.error.text_column", file=source.name, columns=listed)
            raise ToolError(Code.TEXT_COLUMN_MISSING, message, file=source.name, columns=found)


def _frame(rows: Sequence[Row], ratings: Sequence[float | None]) -> pl.DataFrame:
    columns = {
        "row": range(1, len(rows) + 1),
        "file": [row.file for row in rows],
        "line": [row.line for row in rows],
        "text": [row.text for row in rows],
        "rating": ratings,
        "date": [row.date for row in rows],
        "product": [row.product for row in rows],
        "review_id": [row.review_id for row in rows],
    }
    return pl.DataFrame(columns, schema=RAW_SCHEMA)


def _result(
    sources: Sequence[_Source], frame: pl.DataFrame, quality: Quality, scale: RatingScale | None, account: Account
) -> JsonObject:
    dates = frame["date"].drop_nulls().sort()
    return {
        "rows_read": quality.rows_read,
        "rows_kept": quality.rows_kept,
        "rows_bad": quality.rows_bad,
        "bad_by_reason": dict(quality.bad_by_reason),
        "warnings_by_reason": dict(quality.warnings_by_reason),
        "examples": [
            {"file": item.file, "line": item.line, "reason": item.reason, "value": _short(item.value)}
            for item in account.examples[:_SHOWN_EXAMPLES]
        ],
        "files": [_file(source) for source in sources[:_SHOWN_FILES]],
        "rating_scale": {"low": scale.low, "high": scale.high} if scale else None,
        "date_from": dates[0].isoformat() if len(dates) else None,
        "date_to": dates[-1].isoformat() if len(dates) else None,
        "products": frame["product"].drop_nulls().n_unique(),
    }


def _file(source: _Source) -> JsonObject:
    shown = sorted(source.guesses, key=lambda guess: guess.role is None)[:_SHOWN_COLUMNS]
    return {
        "name": source.name,
        "format": source.table.format,
        "encoding": source.table.encoding,
        "delimiter": source.table.delimiter,
        "rows_read": source.rows_read,
        "notes": list(source.table.notes),
        "mapping": [
            {"column": _short(item.column), "role": item.role, "confidence": item.confidence, "found": item.found}
            for item in shown
        ],
    }


def _short(value: str) -> str:
    return value if len(value) <= _SHOWN_CHARACTERS else value[: _SHOWN_CHARACTERS - 1] + "…"
