"""What a passage points at by number ("item 8", 8번 품목): the row of a table that has it, to be told beside it."""

import re
import unicodedata
from collections.abc import Sequence

from packs.documents.grids import grids
from packs.documents.passages import Passage

_POINTS = re.compile(
    r"(\d{1,3})\s?(?:번|番)(?![가-힣]?\d)|\b(?:no\.?|number|item|line|row|position)\s?(\d{1,3})\b", re.IGNORECASE
)


def pointed_at(one: Passage, passages: Sequence[Passage]) -> Passage | None:
    """None where it points at nothing, or at rows of several tables."""
    found = _POINTS.search(unicodedata.normalize("NFKC", one.text))
    if found is None or one.is_row:
        return None
    number = next(filter(None, found.groups()))
    rows = [text for grid in grids(passages) for counted, text in grid.numbered if counted == number]
    return next((other for other in passages if other.text in rows), None) if len(rows) == 1 else None
