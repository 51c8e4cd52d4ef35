"""What every reader gives: pages of text, or why there are none."""

import unicodedata
from typing import NamedTuple

TEXT_LIMIT = 2_000_000
"""Characters of one document; a novel has half of that."""


class Page(NamedTuple):
    """`number` counts from 1 where the format has pages; a flowing text is one page without a number."""

    number: int | None
    text: str


class Unreadable(Exception):
    """The document gives no text. `reason` is a text key `unreadable.<reason>` of the pack."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


def bounded(pages: list[Page]) -> list[Page]:
    """Raises Unreadable for a document without words, or with far too many."""
    length = sum(len(page.text) for page in pages)
    if length > TEXT_LIMIT:
        raise Unreadable("too_long", limit=f"{TEXT_LIMIT:,}", length=f"{length:,}")
    if not any(page.text.strip() for page in pages):
        raise Unreadable("no_text")
    return pages


def width(text: str) -> int:
    """Columns that a line takes, where a wide letter takes two."""
    return sum(2 if is_wide(char) else 1 for char in text.rstrip())


def is_wide(char: str) -> bool:
    return bool(char) and unicodedata.east_asian_width(char) in "WF"
