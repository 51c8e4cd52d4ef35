"""What feeds and pages hold, as rows of a RawTable whose columns need no guessing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from packs.marketing.tables.raw import RawTable, Record

COLUMNS: Final = ("text", "rating", "date", "product", "id")
"""Columns by role: a guess of these is certain."""


@dataclass(frozen=True, slots=True)
class Found:
    """One review as a feed or a page says it; empty where it says nothing."""

    text: str
    rating: str = ""
    date: str = ""
    product: str = ""
    id: str = ""


def table(rows: Sequence[Found], format_: Literal["feed", "page"]) -> RawTable:
    """`line` counts the entries of the feed or the page from 1."""
    records = tuple(
        Record(number, (row.text, row.rating, row.date, row.product, row.id))
        for number, row in enumerate(rows, start=1)
    )
    return RawTable(COLUMNS, records, format=format_)


def squeezed(text: str) -> str:
    """One space between words, whatever the markup had."""
    return " ".join(text.split())
