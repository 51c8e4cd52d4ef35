"""The rows of a table that a request for something to be made speaks of: "ads for the blue one", "only from Leeds"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from packs.marketing.asking.answering import kept_rows
from packs.marketing.asking.bounds import bounds_of
from packs.marketing.asking.linking import link_values, unknown_values
from packs.marketing.asking.phrasing import Sentence, plain, words
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.request import Filter
from packs.marketing.tables.raw import RawTable

_ROW = "#row"
LONGEST = 2000


class Chosen(NamedTuple):
    """`left_out`: lines of the rows that it does not speak of. `unknown`: what is spelt like a value and is none; then
    nothing is left out, and `known` are examples of values."""

    filters: tuple[Filter, ...] = ()
    left_out: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def chosen(table: RawTable, said: str) -> Chosen:
    """Nothing is left out where the sentence names no value, bound or rating of this table."""
    if not table.records or not said.strip():
        return Chosen()
    found = _without_made(profile(table))
    sentence = Sentence(said[:LONGEST])
    filters, _ = link_values(sentence, found)
    unknown = unknown_values(sentence, found)
    filters += bounds_of(sentence, found)
    if unknown:
        known = next((column.values for column in found.of("category")), ())
        return Chosen(unknown=tuple(unknown), known=known[:5])
    if not filters:
        return Chosen()
    rows = set(kept_rows(replace(found, frame=found.frame.with_row_index(_ROW)), filters)[_ROW])
    return Chosen(tuple(filters), tuple(one.line for at, one in enumerate(table.records) if at not in rows))


def _without_made(found: Profile) -> Profile:
    """Values that are words for what is made ("ad", "report") name that, and no rows."""
    made = {plain(one) for one in words()["made"]}

    def named(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(one for one in values if plain(one) not in made)

    return replace(found, columns=tuple(replace(one, values=named(one.values)) for one in found.columns))
