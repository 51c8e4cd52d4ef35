"""marketing.collector: uploaded tables and web addresses become one table of reviews, with an account of every row."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.marketing.arrivals import mapping_of, table_of
from packs.marketing.artifacts import RAW, RAW_SCHEMA, TABLE, save_table
from packs.marketing.asking.choosing import chosen
from packs.marketing.asking.sentences import shown
from packs.marketing.charts.style import short
from packs.marketing.shapes import Quality
from packs.marketing.tables.assemble import Account, Rows, assemble, within_scale
from packs.marketing.tables.columns import Guess, guess_columns
from packs.marketing.tables.raw import RawTable

if TYPE_CHECKING:
    # The web's libraries take a while to load, and most requests bring files.
    from packs.marketing.web.fetch import Rules
    from packs.marketing.web.sources import Failure, Source

# The result travels in an event: enough to see and mend the guess, never the whole table.
_SHOWN_COLUMNS = 40
_SHOWN_FILES = 20
_SHOWN_CHARACTERS = 80
_SHOWN_EXAMPLES = 40
_SAMPLE, _WORDY, _MENDS = 200, 2.0, 5
"""Rows that are looked at for a column of words, letters of a cell of such a one, and columns that are offered."""


@dataclass(frozen=True, slots=True)
class _Opened:
    name: str
    table: RawTable
    guesses: Sequence[Guess]
    rows_read: int

    def let_go(self) -> "_Opened":
        """Without its records: what follows needs the memory."""
        return replace(self, table=replace(self.table, records=()))


@dataclass(frozen=True, slots=True)
class _Failed:
    """A web address that gave nothing, said to the person."""

    url: str
    code: Code
    message: str
    may_pass: bool


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises TABLE_UNREADABLE, TEXT_COLUMN_MISSING, TABLE_EMPTY, and TOOL_ARGUMENTS_INVALID for an unknown column;
    when no web address gave anything ADDRESS_REFUSED, FILE_TOO_LARGE or EXTERNAL_UNAVAILABLE."""
    return collect(params, ctx)


def collect(params: JsonObject, ctx: ToolContext, rules: "Rules | None" = None) -> JsonObject:
    """`run`, with other rules of what may be fetched than those of the public internet."""
    inputs, urls, mapping = ctx.inputs(TABLE), _urls(params), mapping_of(params)
    if not inputs and not urls:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=TABLE)
    sources: list[_Opened] = []
    for number, item in enumerate(inputs):
        ctx.progress(0.3 * number / len(inputs), ctx.text("collector.reading", file=item.attachment.name))
        sources.append(_open(item, mapping, ctx))
    asked = _ask(urls, mapping, ctx, rules) if urls else []
    fetched = [_opened(one.name, one.content.table, one.guesses) for one in asked if one.content is not None]
    failed = [_failed(one, one.failure, ctx) for one in asked if one.failure is not None]
    if not sources and not fetched:
        raise _none(failed, ctx)
    _check_mapping([*sources, *fetched], mapping, ctx)
    _check(sources, ctx)
    asked_for, left_out = _choose(sources, str(params.get("asked", "")), _said_since(params), ctx)
    sources += fetched

    account = Account()
    rows = _checked(sources, account, ctx)
    rows_read = sum(source.rows_read for source in sources)
    sources = [source.let_go() for source in sources]
    if not rows:
        raise ToolError(
            Code.TABLE_EMPTY,
            ctx.text("collector.error.no_texts", rows=rows_read),
            bad_by_reason=dict(account.bad),
        )
    scale = within_scale(rows, account)  # of all: the ones alone would be another scale
    of_all = len(rows)
    rows = rows.without(left_out)
    others = of_all - len(rows)
    if not rows:
        message = ctx.text("collector.error.none_asked", filters=" · ".join(asked_for), rows=f"{others:,}")
        raise ToolError(Code.TABLE_EMPTY, message, filters=list[JsonValue](asked_for))
    quality = Quality(
        files=tuple(source.name for source in sources),
        rows_read=rows_read - others,
        rows_kept=len(rows),
        rows_bad=account.bad.total(),
        bad_by_reason=dict(account.bad),
        warnings_by_reason=dict(account.warnings),
        rating_scale=scale,
        rows_asked=asked_for,
        rows_left_out=others,
    )
    frame = _frame(rows)
    save_table(ctx, frame, quality, type_=RAW, name="reviews_raw.parquet")
    ctx.log(f"read {quality.rows_read} rows, kept {quality.rows_kept}, bad {quality.bad_by_reason!r}")
    return _result(sources, frame, quality, account) | {"sources": _said(asked, failed, frame)}


def _checked(sources: Sequence[_Opened], account: Account, ctx: ToolContext) -> Rows:
    rows = Rows()
    for number, source in enumerate(sources):
        ctx.log(_recognised(source))
        ctx.progress(0.6 + 0.3 * number / len(sources), ctx.text("collector.checking", file=source.name))
        assemble(rows, source.name, source.table, source.guesses, ctx.now.date(), account)
    return rows


def _recognised(source: _Opened) -> str:
    """For developers: what the file was taken for."""
    table = source.table
    roles = ", ".join(f"{guess.role}={guess.column[:_SHOWN_CHARACTERS]!r}" for guess in source.guesses if guess.role)
    return f"{source.name}: {table.format} {table.encoding or ''}, {len(table.columns)} columns: {roles}"


def _urls(params: JsonObject) -> list[str]:
    given = params.get("sources")
    return [str(url) for url in given] if isinstance(given, list) else []


def _open(item: ToolInput, mapping: Mapping[str, str], ctx: ToolContext) -> _Opened:
    table = table_of(item, ctx)
    guesses = guess_columns(table.columns, [record.cells for record in table.records], mapping)
    return _opened(item.attachment.name, table, guesses)


def _opened(name: str, table: RawTable, guesses: Sequence[Guess]) -> _Opened:
    return _Opened(name, table, guesses, len(table.records) + len(table.bad))


def _ask(urls: Sequence[str], mapping: Mapping[str, str], ctx: ToolContext, rules: "Rules | None") -> "list[Source]":
    from packs.marketing.web.fetch import Rules
    from packs.marketing.web.sources import collect_sources

    done: list[str] = []

    def through(name: str) -> None:
        done.append(name)
        ctx.progress(0.3 + 0.3 * len(done) / len(urls), ctx.text("collector.fetched", source=name))

    return collect_sources(urls, mapping, rules or Rules(), through)


def _failed(source: "Source", failure: "Failure", ctx: ToolContext) -> _Failed:
    message = ctx.text(f"collector.source.{failure.reason}", source=source.name, value=failure.value)
    return _Failed(source.url, failure.code, message, failure.may_pass)


def _none(failed: Sequence[_Failed], ctx: ToolContext) -> ToolError:
    """If one address may answer later, all are asked again."""
    reasons = " ".join(one.message for one in failed)
    message = reasons if len(failed) == 1 else ctx.text("collector.error.sources", reasons=reasons)
    passing = any(one.may_pass for one in failed)
    code = Code.EXTERNAL_UNAVAILABLE if passing else failed[0].code
    said: list[JsonValue] = [{"url": one.url, "code": int(one.code), "reason": one.message} for one in failed]
    return ToolError(code, message, retryable=passing, sources=said)


def _check_mapping(sources: Sequence[_Opened], mapping: Mapping[str, str], ctx: ToolContext) -> None:
    columns = sorted({column for source in sources for column in source.table.columns})[:_SHOWN_COLUMNS]
    unknown = [column for column in mapping if not any(column in source.table.columns for source in sources)]
    if unknown:
        raise ToolError(
            Code.TOOL_ARGUMENTS_INVALID,
            ctx.text("collector.error.unknown_columns", columns=", ".join(unknown), known=", ".join(columns)),
            unknown=list[JsonValue](unknown),
            columns=list[JsonValue](columns),
        )


def _said_since(params: JsonObject) -> list[str]:
    given = params.get("changes")
    return [str(one) for one in given] if isinstance(given, list) else []


def _choose(
    sources: Sequence[_Opened], said: str, changes: Sequence[str], ctx: ToolContext
) -> tuple[tuple[str, ...], set[tuple[str, int]]]:
    """Which rows of the uploaded tables the request names, in words, and those that it does not, by file and line.

    Raises TABLE_EMPTY for what is spelt like a value and is none."""
    if not said and not changes:
        return (), set()
    found = [chosen(source.table, said, changes) for source in sources]
    unknown: list[JsonValue] = [name for one in found for name in one.unknown]
    if unknown and all(one.unknown for one in found):
        known = ", ".join(dict.fromkeys(name for one in found for name in one.known))
        message = ctx.text("ask.unknown", values=", ".join(map(str, dict.fromkeys(unknown))), known=known)
        raise ToolError(Code.TABLE_EMPTY, message, unknown=unknown)
    told = tuple(dict.fromkeys(shown(filter_, ctx) for one in found for filter_ in one.filters))
    left_out = {(source.name, line) for source, one in zip(sources, found, strict=True) for line in one.left_out}
    return told, left_out


def _check(sources: Sequence[_Opened], ctx: ToolContext) -> None:
    """The uploaded tables: here the person is at hand to bring a better one."""
    if sources and not any(source.rows_read for source in sources):
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
            mends = [_mend(column, ctx) for column in _wordy(source.table)]
            raise ToolError(Code.TEXT_COLUMN_MISSING, message, file=source.name, columns=found, mends=mends)


def _mend(column: str, ctx: ToolContext) -> JsonValue:
    """For the person to choose, where one is there."""
    return {"label": ctx.text("collector.mend.text", column=column), "params": {"mapping": {column: "text"}}}


def _wordy(table: RawTable) -> list[str]:
    """Columns of words, those with the longest cells first."""
    rows = [record.cells for record in table.records[:_SAMPLE]]
    letters = {
        name: sum(letter.isalpha() for cells in rows for letter in cells[at]) / len(rows)
        for at, name in enumerate(table.columns)
        if name.strip()
    }
    return sorted((name for name, number in letters.items() if number >= _WORDY), key=lambda name: -letters[name])[
        :_MENDS
    ]


def _frame(rows: Rows) -> pl.DataFrame:
    """Takes the columns out of `rows` one by one: a large table is not in memory twice."""
    made = {"row": pl.Series(range(1, len(rows) + 1), dtype=pl.Int64)}
    for name in sorted(RAW_SCHEMA, key=lambda name: name != "text"):
        if name != "row":
            made[name] = pl.Series(getattr(rows, name), dtype=RAW_SCHEMA[name])
            setattr(rows, name, [])
    # Numbers in place of digests: the same number is the same cells, and nothing can be learned of a name from it.
    made["cells"] = made["cells"].rank("dense").cast(RAW_SCHEMA["cells"])
    return pl.DataFrame({name: made[name] for name in RAW_SCHEMA})


def _result(sources: Sequence[_Opened], frame: pl.DataFrame, quality: Quality, account: Account) -> JsonObject:
    scale = quality.rating_scale
    dates = frame["date"].drop_nulls().sort()
    return {
        "rows_asked": list[JsonValue](quality.rows_asked),
        "rows_left_out": quality.rows_left_out,
        "rows_read": quality.rows_read,
        "rows_kept": quality.rows_kept,
        "rows_bad": quality.rows_bad,
        "bad_by_reason": dict(quality.bad_by_reason),
        "warnings_by_reason": dict(quality.warnings_by_reason),
        "examples": [
            {"file": item.file, "line": item.line, "reason": item.reason, "value": short(item.value, _SHOWN_CHARACTERS)}
            for item in account.examples[:_SHOWN_EXAMPLES]
        ],
        "files": [_file(source) for source in sources[:_SHOWN_FILES]],
        "rating_scale": {"low": scale.low, "high": scale.high} if scale else None,
        "date_from": dates[0].isoformat() if len(dates) else None,
        "date_to": dates[-1].isoformat() if len(dates) else None,
        "products": frame["product"].drop_nulls().n_unique(),
    }


def _said(asked: "Sequence[Source]", failed: Sequence[_Failed], frame: pl.DataFrame) -> list[JsonValue]:
    """Each address with its rows or its error, in the order they were given."""
    rows = dict(frame.group_by("file").len().iter_rows())
    errors: dict[str, JsonValue] = {one.url: {"code": int(one.code), "message": one.message} for one in failed}
    return [
        {
            "url": source.url,
            "name": source.name,
            "kind": source.content.kind if source.content is not None else None,
            "rows": rows.get(source.name, 0) if source.content is not None else 0,
            "error": errors.get(source.url),
        }
        for source in asked
    ]


def _file(source: _Opened) -> JsonObject:
    shown = sorted(source.guesses, key=lambda guess: guess.role is None)[:_SHOWN_COLUMNS]
    return {
        "name": source.name,
        "format": source.table.format,
        "encoding": source.table.encoding,
        "delimiter": source.table.delimiter,
        "rows_read": source.rows_read,
        "notes": list(source.table.notes),
        "mapping": [{**asdict(item), "column": short(item.column, _SHOWN_CHARACTERS)} for item in shown],
    }
