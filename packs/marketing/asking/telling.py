"""A profile as it is told: bounded, in JSON, with what is doubtful; and back to one that sentences are read by."""

from collections import Counter
from datetime import date

import polars as pl

from contracts.profiles import ColumnProfile, Doubt, Scale, TableProfile
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.cleaning.language import languages
from packs.marketing.shapes import RatingScale
from packs.marketing.tables.raw import RawTable
from packs.marketing.tables.values import day_order, is_ambiguous

MOST_COLUMNS, MOST_LETTERS = 120, 80
ROOM = 40_000
"""Bytes of all values together: the whole has to fit into a result."""
_EXAMPLES, _SAMPLE = 3, 200
_TEXT_AS_LONG = 0.5
"""A column whose texts are half as long as those of the longest may be meant as well."""


def told(table: RawTable, found: Profile) -> TableProfile:
    room = ROOM
    columns: list[ColumnProfile] = []
    own = [one for one in found.columns if one.is_of_the_file]
    for column in own[:MOST_COLUMNS]:
        one = _column(column, found.frame[column.name], room)
        room -= sum(len(value.encode()) + 4 for value in one.values)
        columns.append(one)
    first = table.records[0].line if table.records else 1
    return TableProfile(
        format=table.format,
        encoding=table.encoding,
        header_line=None if "no_header" in table.notes or first < 2 else first - 1,
        rows=len(table.records),
        unread_rows=len(table.bad),
        sheets=dict(table.sheets),
        sheet=table.sheet,
        columns=tuple(columns),
        more_columns=max(0, len(own) - MOST_COLUMNS),
        notes=table.notes,
        doubtful=tuple(_doubts(table, found)),
    )


def _column(column: Column, cells: pl.Series, room: int) -> ColumnProfile:
    full = cells.drop_nulls()
    values: list[str] = []
    for value in column.values:
        room -= len(value.encode()) + 4
        if room < 0:
            break
        values.append(value[:MOST_LETTERS])
    ends = (full.min(), full.max()) if column.kind in ("number", "date") and full.len() else (None, None)
    low, high = (one.isoformat() if isinstance(one, date) else one for one in ends)
    some = full.head(_SAMPLE).unique(maintain_order=True).head(_EXAMPLES)
    spoken = Counter(languages(full.head(_SAMPLE).to_list())) if column.kind == "text" else Counter[str]()
    return ColumnProfile(
        name=column.name[:MOST_LETTERS],
        kind=column.kind,
        role=column.role,
        filled=full.len(),
        distinct=len(column.values) if column.kind == "category" else None,
        values=tuple(values),
        more_values=len(column.values) - len(values),
        examples=tuple(str(one)[:MOST_LETTERS] for one in some.to_list()),
        low=low if isinstance(low, float | int | str) else None,
        high=high if isinstance(high, float | int | str) else None,
        scale=Scale(**column.scale.model_dump()) if column.scale else None,
        languages=dict(spoken.most_common(5)),
    )


def _doubts(table: RawTable, found: Profile) -> list[Doubt]:
    doubts: list[Doubt] = []
    if "no_header" in table.notes:
        doubts.append(Doubt(what="no_header"))
    texts = found.of("text")
    if not texts:
        doubts.append(Doubt(what="no_text"))
    elif len(texts) > 1 and not any(one.role == "text" for one in texts):
        doubts.append(Doubt(what="which_text", columns=tuple(one.name for one in texts[:10])))
    for at, column in enumerate(one for one in found.columns if one.is_of_the_file):
        cells = [record.cells[at] for record in table.records[:_SAMPLE]]
        if column.role == "rating" and column.kind == "number" and column.scale is None:
            doubts.append(Doubt(what="scale", columns=(column.name,)))
        if column.kind == "date" and any(map(is_ambiguous, cells)) and not day_order(cells)[1]:
            doubts.append(Doubt(what="day_order", columns=(column.name,)))
        if sum(cell.lstrip().startswith(("[{", '{"')) for cell in cells) * 2 > len(cells):
            doubts.append(Doubt(what="nested", columns=(column.name,)))
    if len(table.bad) * 20 > len(table.records):
        doubts.append(Doubt(what="unread_rows"))
    return doubts


def readable(profile: TableProfile) -> Profile:
    """What sentences are read by: the columns with their values, and of numbers and days their ends alone."""
    columns, ends = [], []
    for one in profile.columns:
        scale = RatingScale(**one.scale.model_dump()) if one.scale else None
        columns.append(Column(one.name, one.kind, one.role, one.values, scale))  # type: ignore[arg-type]  # as it was told
        low, high = one.low, one.high
        match one.kind:
            case "date":
                days = [date.fromisoformat(str(day)) if day else None for day in (low, high)]
                ends.append(pl.Series(one.name, days, dtype=pl.Date))
            case "number":
                ends.append(pl.Series(one.name, [low, high], dtype=pl.Float64))
            case _:
                ends.append(pl.Series(one.name, [None, None], dtype=pl.String))
    return Profile(tuple(columns), pl.DataFrame(ends))
