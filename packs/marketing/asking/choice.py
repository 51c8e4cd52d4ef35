"""Which rows a request speaks of, and what a person changes about that: adds, narrows, swaps, takes back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from packs.marketing.asking.bounds import bounds_of, only_opinions
from packs.marketing.asking.linking import alike, link_values, unknown_values
from packs.marketing.asking.phrasing import AskedSentence, plain, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter

LONGEST = 2000


class Choice(NamedTuple):
    """`unknown`: what is spelt like a value and is none; `known` are examples of values then. `unrated`: good or bad
    ones alone are wanted, and nothing in the table says which these are. `rest`: what nobody has read of the last."""

    filters: tuple[Filter, ...] = ()
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    unrated: bool = False
    rest: str = ""


def choice(found: Profile, said: str, changes: Sequence[str] = ()) -> Choice:
    """The request, and then each change of it in turn."""
    found = _without_made(found)
    now = _read(found, said)
    for change in changes:
        more = _read(found, change, changes=True)
        if not more.filters and not more.unknown and AskedSentence(change).find(words()["every_row"]):
            now = Choice(rest=more.rest)
            continue
        named = any(one.op in ("in", "not_in") and found.column(one.column).kind == "category" for one in more.filters)
        unknown = more.unknown or (() if named else now.unknown)  # another name takes the place of one that is none
        now = more._replace(filters=changed(now.filters, more.filters), unknown=unknown, known=more.known or now.known)
    return now if now.unknown else now._replace(known=())


def changed(before: Sequence[Filter], more: Sequence[Filter]) -> tuple[Filter, ...]:
    """What is said of a column takes the place of what was said of it; but what is only left out of a column is taken
    from what was wanted of it."""
    spoken = {one.column for one in more if one.op != "not_in"}
    kept: list[Filter] = [one for one in before if one.column not in spoken]
    for one in more:
        if one.op != "not_in":
            kept.append(one)
        elif one.column not in spoken:
            kept = _left_out(kept, one)
    return tuple(dict.fromkeys(kept))


def _left_out(kept: Sequence[Filter], gone: Filter) -> list[Filter]:
    found: list[Filter] = []
    taken = False
    for one in kept:
        if one.column != gone.column or one.op not in ("in", "not_in"):
            found.append(one)
            continue
        taken = True
        if one.op == "not_in":
            found.append(replace(one, values=tuple(dict.fromkeys((*one.values, *gone.values)))))
        elif left := tuple(value for value in one.values if value not in gone.values):
            found.append(replace(one, values=left))
        else:
            found.append(gone)
    return found if taken else [*found, gone]


def _read(found: Profile, said: str, *, changes: bool = False) -> Choice:
    sentence = AskedSentence(said[:LONGEST])
    filters, _ = link_values(sentence, found)
    unknown = unknown_values(sentence, found)
    filters += bounds_of(sentence, found)
    unrated = False
    if changes and not any(found.rating and one.column == found.rating.name for one in filters):
        opinions = only_opinions(sentence, found)
        unrated = opinions is None
        filters += opinions or []
    return Choice(tuple(filters), tuple(unknown), alike(found, unknown), unrated, sentence.left)


def _without_made(found: Profile) -> Profile:
    """Values that are words for what is made ("ad", "report") name that, and no rows."""
    made = {plain(one) for one in words()["made"]}

    def named(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(one for one in values if plain(one) not in made)

    return replace(found, columns=tuple(replace(one, values=named(one.values)) for one in found.columns))
