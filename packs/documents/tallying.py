"""How many rows of a table a question means: those with a value that it names, or within a bound that it says."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from packs.documents.alike import groups_in, has, said
from packs.documents.computing import SURE, UNKNOWN, Computed
from packs.documents.evidence import Meanings
from packs.documents.grids import bare, cues, figure, is_of_all, row_names, tables
from packs.documents.passages import Passage
from packs.documents.ranges import Bound, bound_of
from packs.documents.wording import PLAIN, Wording, stands, stands_any

_ASKS = "몇何いく "
"""What stands before what is counted by: 몇 개, 何件, いくつ."""
MOST_VALUE = 24
"""Letters of a value that rows are counted by."""
_PARTS = re.compile(r"\s?[·,、/&;]\s?")


class _Rows(NamedTuple):
    """Rows that are meant, by what, and how much of the question says nothing of it."""

    rows: Sequence[Passage]
    of: str
    labels: Sequence[str]
    unsaid: float


def tallied(text: str, passages: Sequence[Passage], meanings: Meanings) -> Computed | None:
    """None where it is not asked how many there are, or nothing says which; and where two tables would do."""
    words = Wording(text, meanings)
    counted = next((one for one in cues()["count"] if stands(words.asked, one)), None)
    bound = bound_of(words.asked.text)
    rest = said(words.asked.text.replace(bound.text, " ") if bound else words.asked.text)
    if counted is None or stands_any(
        rest, (*cues()["difference"], *cues()["left"], *cues()["perhaps_left"], *cues()["each"])
    ):
        return None
    found = [one for rows in tables(passages) if (one := _meant(words, bound, rows, passages[0].text))]
    least = min((one.unsaid for one in found), default=1.0)
    best = [one for one in found if one.unsaid == least]
    if len(best) != 1 or least > UNKNOWN:
        return None
    one = best[0]
    value = f"{len(one.rows)}{'' if counted.isascii() else counted.lstrip(_ASKS)}"
    return Computed("count", value, one.of, tuple(one.labels), page=one.rows[0].page, sure=least <= SURE)


def _meant(words: Wording, bound: Bound | None, rows: Sequence[Passage], title: str) -> _Rows | None:
    names, at = [name for name, _ in rows[0].cells], row_names(rows)
    rows = [row for row in rows if not is_of_all(row.cells[at][1])]
    said_of = (bound.text,) if bound else ()
    kept, of = list(rows), list[str]()
    for place, name in enumerate(names):
        cells = [row.cells[place][1] for row in rows]
        if place <= at:
            continue
        if value := _value_named(words, cells):
            kept = [row for row in kept if _is_one(row.cells[place][1], value)]
            of.append(f"{name}: {value}")
        elif not all(figure(cell) is not None for cell in cells if cell):
            continue
        elif words.named(name) >= PLAIN or (bound and bound.unit and _counted_in(cells, bound.unit)):
            if bound is None:
                return None  # figures of that name are asked for, and no rows
            kept = [row for row in kept if bound.holds(figure(row.cells[place][1]))]
            of.append(f"{name} {bound}")
            bound = None
    if not of or bound or not 0 < len(kept) < len(rows):
        return None
    labels = [row.cells[at][1] for row in kept]
    told = [title, rows[0].title, *names, *of, *labels, *said_of]
    return _Rows(kept, ", ".join(of), labels, words.unsaid(told))


def _value_named(words: Wording, cells: Sequence[str]) -> str:
    """The value of a column that the question says: a word of it, and no figure. Each stands there but once in a column
    that tells rows apart."""
    if len({*cells}) == len(cells):
        return ""
    values = [part for part in dict.fromkeys(part for cell in cells for part in _parts(cell)) if _is_value(part)]
    plainly = [value for value in values if has(words.asked, said(bare(value)).text.strip())]
    if plainly:
        return max(plainly, key=len)
    alike = [value for value in values if len(said(value).tokens) == 1 and words.groups & set(groups_in(said(value)))]
    return alike[0] if len(alike) == 1 else ""


def _counted_in(cells: Sequence[str], unit: str) -> bool:
    return all(re.search(rf"\d\s?{re.escape(unit)}", cell.casefold()) for cell in cells if cell)


def _is_value(part: str) -> bool:
    return 1 < len(part) <= MOST_VALUE and not any(map(str.isdigit, part))


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in _PARTS.split(unicodedata.normalize("NFKC", cell))]


def _is_one(cell: str, value: str) -> bool:
    return value in _parts(cell)
