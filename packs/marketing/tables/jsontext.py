"""JSON to a RawTable: an array of objects, an object that holds one at whatever depth, or one object per line."""

import json
from collections import deque
from collections.abc import Iterable
from itertools import chain

from pydantic import JsonValue

from packs.marketing.tables.raw import MOST_COLUMNS, BadLine, RawTable, Record, Unreadable

_DEEPEST = 6
"""Levels at which rows are looked for, and levels of a row that become columns of their own ("course.title")."""
_MOST_SEEN = 10_000


def parse_json(text: str, encoding: str, notes: tuple[str, ...]) -> RawTable | None:
    """None when the text is not JSON that holds rows."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _parse_lines(text, encoding, notes)
    rows = _rows(whole)
    if rows is None:
        return None
    return _table(((number, row) for number, row in enumerate(rows, start=1)), (), "json", encoding, notes)


def _rows(whole: JsonValue) -> list[JsonValue] | None:
    """{"data": {"items": [...]}}: the longest list of objects, or else of anything, however deep; an object without
    a list is a single row."""
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, dict):
        return None
    best: list[JsonValue] = []
    waiting: deque[tuple[int, JsonValue]] = deque([(0, whole)])
    seen = 0
    while waiting and seen < _MOST_SEEN:
        depth, value = waiting.popleft()
        seen += 1
        if isinstance(value, list):
            best = max(best, value, key=lambda rows: (any(isinstance(row, dict) for row in rows[:10]), len(rows)))
        elif isinstance(value, dict) and depth < _DEEPEST:
            waiting += [(depth + 1, inner) for inner in value.values()]
    return best or [whole]


def _parse_lines(text: str, encoding: str, notes: tuple[str, ...]) -> RawTable | None:
    rows: list[tuple[int, JsonValue]] = []
    bad: list[BadLine] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            bad.append(BadLine(number, "json_invalid", line.strip()))
    if len(rows) <= len(bad):
        return None
    return _table(rows, tuple(bad), "jsonl", encoding, notes)


def _table(
    rows: Iterable[tuple[int, JsonValue]],
    bad: tuple[BadLine, ...],
    format_: str,
    encoding: str,
    notes: tuple[str, ...],
) -> RawTable:
    flat: list[tuple[int, dict[str, str]]] = []
    refused = list(bad)
    for number, row in rows:
        if isinstance(row, dict):
            flat.append((number, _flatten(row)))
        elif isinstance(row, str):
            flat.append((number, {"text": row}))
        else:
            refused.append(BadLine(number, "not_an_object", json.dumps(row, ensure_ascii=False)))
    columns = tuple(dict.fromkeys(chain.from_iterable(cells for _, cells in flat)))
    if len(columns) > MOST_COLUMNS:
        raise Unreadable("columns")
    records = tuple(Record(number, tuple(cells.get(name, "") for name in columns)) for number, cells in flat)
    return RawTable(columns, records, tuple(refused), format_, encoding, notes=notes)


def _flatten(row: dict[str, JsonValue], prefix: str = "", depth: int = 0) -> dict[str, str]:
    cells: dict[str, str] = {}
    for key, value in row.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            cells |= _flatten(value, f"{prefix}{key}.", depth + 1)
        else:
            cells[prefix + key] = _cell(value)
    return cells


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
