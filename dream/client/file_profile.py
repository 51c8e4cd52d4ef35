"""`dream files show`: a table as it was understood when it arrived; other files as their tools tell of them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dream.client.gateway_client import Client, Frame
from dream.texts import Texts

if TYPE_CHECKING:
    from contracts.profiles import ColumnProfile, TableProfile

ID_LETTERS = 64
MOST_VALUES = 6


async def shown(url: str, file: str, *, as_json: bool, texts: Texts) -> None:
    """`file` is an artifact's id, or a local file, which is uploaded first."""
    async with Client(url) as client:
        if _is_id(file):
            known = await client.profile(file)
        else:
            uploaded = await client.upload(Path(file))
            known = await client.profile(str(uploaded["artifact_id"]), Path(file).name)
    if as_json:
        print(json.dumps(known, ensure_ascii=False))
        return
    console = Console()
    console.print(Text(str(known["artifact_id"]), "dim"))
    for one in known["found"]:
        _tell(console, one, texts)


def _is_id(file: str) -> bool:
    return len(file) == ID_LETTERS and set(file) <= set("0123456789abcdef")


def _tell(console: Console, one: Frame, texts: Texts) -> None:
    from contracts.profiles import TableProfile

    if one.get("error"):
        console.print(Text(str(one["error"]["message"]), "yellow"))
        return
    try:
        table = TableProfile.model_validate(one.get("result") or {})
    except ValidationError:
        console.print(Text(json.dumps(one.get("result"), ensure_ascii=False, indent=2)))
        return
    for line in about(table, texts):
        console.print(line, markup=False, highlight=False)
    console.print(_columns(table, texts))


def about(table: "TableProfile", texts: Texts) -> list[str]:
    """Rows, sheets, headings and doubts, a line each."""
    said = texts("files.rows", rows=f"{table.rows:,}", columns=len(table.columns) + table.more_columns)
    lines = [f"{said} ({', '.join(filter(None, (table.format, table.encoding)))})"]
    if len(table.sheets) > 1:
        lines.append(texts("files.sheet", sheet=table.sheet, sheets=", ".join(table.sheets)))
    if table.header_line is not None and table.header_line > 1:
        lines.append(texts("files.header", line=table.header_line))
    if table.unread_rows:
        lines.append(texts("files.unread", rows=f"{table.unread_rows:,}"))
    for doubt in table.doubtful:
        what = texts(f"files.doubt.{doubt.what}")
        lines.append(f"? {what}{': ' + ', '.join(doubt.columns) if doubt.columns else ''}")
    return lines


def _columns(table: "TableProfile", texts: Texts) -> Table:
    drawn = Table()
    for title in ("files.column", "files.kind", "files.filled", "files.holds"):
        drawn.add_column(texts(title), overflow="fold")
    for column in table.columns:
        kind = texts(f"files.kind.{column.kind}")
        drawn.add_row(Text(column.name), kind, f"{column.filled:,}", Text(held(column, texts), "dim"))
    return drawn


def held(column: "ColumnProfile", texts: Texts) -> str:
    """The ends of numbers and days, the values of categories, examples of the rest."""
    if column.low is not None and column.high is not None:
        ends = f"{_short(column.low)} – {_short(column.high)}"
        scale = column.scale
        return (
            ends if scale is None else f"{ends} ({texts('files.scale', low=f'{scale.low:g}', high=f'{scale.high:g}')})"
        )
    if column.values:
        some, count = ", ".join(column.values[:MOST_VALUES]), len(column.values) + column.more_values
        return some if count <= MOST_VALUES else texts("files.more", values=some, count=count - MOST_VALUES)
    spoken = f" [{', '.join(column.languages)}]" if column.languages else ""
    return ", ".join(column.examples) + spoken


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.10g}"
