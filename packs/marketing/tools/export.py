"""marketing.export: every review with its product, day, polarity and aspects, as a table that a spreadsheet opens."""

import re

import polars as pl
from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.artifacts import CLEAN, KEYWORDS, SENTIMENT, read_json, read_reviews, read_sentiment
from packs.marketing.letters import plain
from packs.marketing.shapes import Keywords
from packs.marketing.stock.export import FORMULA
from packs.marketing.tables.raw import MOST_ROWS

TABLE_FILE = "document.table"
COLUMNS = ("review_id", "date", "product", "rating", "language", "polarity", "score", "aspects", "text")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_WIDTHS = {"text": 80, "aspects": 30, "product": 24, "date": 12}
_MOST_LETTERS = 32_767
"""Of a cell of a spreadsheet."""


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Raises INPUT_MISSING. More rows than a spreadsheet has come as CSV, whatever was asked for."""
    reviews = read_reviews(ctx, CLEAN)
    judged = read_sentiment(ctx, reviews.of)
    if judged is None:
        raise ToolError(Code.INPUT_MISSING, ctx.text("error.input_missing"), type=SENTIMENT)
    frame = _labelled(judged[0].with_columns(text=reviews.frame["text"]), read_json(ctx, KEYWORDS, Keywords), ctx)
    ctx.progress(0.4, ctx.text("export.writing"))
    as_csv = params.get("file") == "csv" or frame.height >= MOST_ROWS
    name = f"reviews_labelled_{ctx.now:%Y-%m-%d}.{'csv' if as_csv else 'xlsx'}"
    if as_csv:
        ctx.save(_csv(frame), name=name, media_type="text/csv", type_=TABLE_FILE, rows=frame.height)
    else:
        path = ctx.workdir / name
        _xlsx(frame, str(path), ctx)
        ctx.save(path, name=name, media_type=_XLSX, type_=TABLE_FILE, rows=frame.height)
    said = [ctx.text("export.made", file=name, reviews=f"{frame.height:,}", columns=", ".join(frame.columns))]
    return {
        "name": name,
        "rows": frame.height,
        "columns": list[JsonValue](frame.columns),
        "summary": list[JsonValue](said),
    }


def _labelled(judged: pl.DataFrame, keywords: Keywords | None, ctx: ToolContext) -> pl.DataFrame:
    """In the order of the file, headings and polarities in the person's language; columns without any value go."""
    names = {one: ctx.text(f"report.polarity.{one}") for one in ("positive", "neutral", "negative")}
    frame = judged.with_columns(
        polarity=pl.col("polarity").replace_strict(names, default=None),
        score=pl.col("score").round(3),
        aspects=_aspects([one.term for one in keywords.keywords] if keywords else []),
    )
    kept = [one for one in COLUMNS if frame[one].null_count() < frame.height]
    return frame.select(pl.col(one).alias(ctx.text(f"export.column.{one}")) for one in kept)


def _aspects(terms: list[str]) -> pl.Expr:
    """What the reviews speak of most, as far as this one does."""
    if not terms:
        return pl.lit(None, dtype=pl.String)
    text = pl.col("text").str.to_lowercase()
    spoken = [pl.when(text.str.contains(_spelt(one))).then(pl.lit(one)) for one in terms]
    found = pl.concat_list(spoken).list.drop_nulls().list.join(", ")
    return pl.when(found != "").then(found)


def _spelt(term: str) -> str:
    escaped = re.escape(term.lower()).replace(r"\ ", r"\s+")
    return rf"\b{escaped}\b" if term.isascii() else escaped


def _csv(frame: pl.DataFrame) -> bytes:
    """With a byte order mark, and no cell that a spreadsheet takes for a formula."""
    text = pl.col(pl.String)
    safe = pl.when(text.str.contains(f"^[{re.escape(''.join(FORMULA))}]")).then(pl.lit("'") + text).otherwise(text)
    return frame.with_columns(safe.name.keep()).write_csv(include_bom=True, line_terminator="\r\n").encode()


def _xlsx(frame: pl.DataFrame, path: str, ctx: ToolContext) -> None:
    """Row by row, so that a large table takes no more memory than a small one."""
    # Imported here: who makes a CSV must not pay for it.
    from xlsxwriter import Workbook

    told = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with Workbook(path, told) as book:
        sheet = book.add_worksheet(ctx.text("export.sheet"))
        day, bold = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"bold": True})
        named = {ctx.text(f"export.column.{one}"): width for one, width in _WIDTHS.items()}
        for at, column in enumerate(frame.columns):
            is_day = frame.schema[column] == pl.Date
            sheet.set_column(at, at, named.get(column, 10), day if is_day else None)
        sheet.write_row(0, 0, frame.columns, bold)
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, frame.height, len(frame.columns) - 1)
        for number, row in enumerate(frame.iter_rows(), start=1):
            for at, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(number, at, plain(cell)[:_MOST_LETTERS])
                elif cell is not None:
                    sheet.write(number, at, cell)
