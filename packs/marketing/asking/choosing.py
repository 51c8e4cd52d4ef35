"""The rows of a table that a request for something to be made speaks of: "ads for the blue one", "only from Leeds"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from packs.marketing.asking.answering import kept_rows
from packs.marketing.asking.choice import choice
from packs.marketing.asking.profile import profile
from packs.marketing.asking.request import Filter
from packs.marketing.tables.raw import RawTable

_ROW = "#row"


class Chosen(NamedTuple):
    """`left_out`: lines of the rows that it does not speak of. `unknown`: what is spelt like a value and is none; then
    nothing is left out, and `known` are examples of values."""

    filters: tuple[Filter, ...] = ()
    left_out: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def chosen(table: RawTable, said: str, changes: Sequence[str] = ()) -> Chosen:
    """Nothing is left out where the sentence names no value, bound or rating of this table."""
    if not table.records or not "".join((said, *changes)).strip():
        return Chosen()
    found = profile(table)
    made = choice(found, said, changes)
    if made.unknown:
        return Chosen(unknown=made.unknown, known=made.known)
    if not made.filters:
        return Chosen()
    rows = set(kept_rows(replace(found, frame=found.frame.with_row_index(_ROW)), made.filters)[_ROW])
    return Chosen(made.filters, tuple(one.line for at, one in enumerate(table.records) if at not in rows))
