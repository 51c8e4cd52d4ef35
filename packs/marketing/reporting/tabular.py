"""Chapters of the report on a table of figures: as many as the table has something to tell of."""

from pydantic import JsonValue

from contracts.shape import JsonObject
from packs.marketing.charts.drawing import Spec
from packs.marketing.charts.style import NARROW
from packs.marketing.overview.shape import Overview, parts_of, said


def headings(table: Overview | None) -> JsonObject:
    return {name: part.heading for name, part in parts_of(table).items()}


def summary(table: Overview | None) -> list[str]:
    return [said(one) for one in table.summary] if table else []


def about(table: Overview | None) -> list[str]:
    """Which rows of the table it is of, where it is not of all."""
    return [said(one) for one in table.about] if table else []


def parts(table: Overview | None) -> JsonObject:
    """Name -> notes and figures."""
    return {
        name: {
            "notes": list[JsonValue](said(one) for one in part.lines),
            "table": {
                "head": list[JsonValue](part.head),
                "rows": list[JsonValue](list[JsonValue](row) for row in part.rows),
            },
        }
        for name, part in parts_of(table).items()
    }


def charts(table: Overview | None, width: int) -> dict[str, Spec]:
    drawn = {name: part.narrow if width == NARROW else part.chart for name, part in parts_of(table).items()}
    return {name: dict(spec) for name, spec in drawn.items() if spec is not None}
