"""Two questions in one text, of which one leaves out what the other says: "And cash? And how many is that?", "How many
per cent are e-bikes? And hybrids?"."""

import re
from collections.abc import Callable, Sequence

from packs.marketing.asking.phrasing import bounded, compiled, words
from packs.marketing.asking.request import Filter, Measure, Request

Read = Callable[[str, Request | None], Request]
_COUNT = (Measure("count"),)


def one_after_the_other(
    asked: str, before: Request | None, read: Read, left_of: Callable[[str], Sequence[str]]
) -> list[Request] | None:
    """Both requests; None where they are one, or where each says all by itself. `left_of` are the words of substance
    in a text."""
    parts = [one for one in re.split(r"(?<=[?？])\s*", asked) if one.strip()]
    if len(parts) != len(("one", "other")):
        return None
    first = read(parts[0], before)
    if not _is_understood(first) or first.groups:
        return None
    second = read(parts[1], None)
    counts = _counts_them(parts[1], second, left_of)
    if before is not None and counts and _keeps_the_figure(parts[0], first, before):
        return [first, Request(filters=(*first.filters, *_parts(first)), decimals=first.decimals)]
    return _another_value(parts[1], first, second, read(asked, before), read)


def _is_understood(request: Request) -> bool:
    return request.asks == "figures" and not (request.unread or request.unknown)


def _keeps_the_figure(said: str, first: Request, before: Request) -> bool:
    """Whether the first half names rows alone, of which the figure of before is told again."""
    kinds = [(one.kind, one.column) for one in first.measures]
    same = kinds == [(one.kind, one.column) for one in before.measures] and first.measures != _COUNT
    new = (*first.filters, *_parts(first)) != (*before.filters, *_parts(before))
    return same and new and not _says_a_measure(said)


def _counts_them(said: str, second: Request, left_of: Callable[[str], Sequence[str]]) -> bool:
    """Whether the second half asks for nothing but how many they are."""
    count = compiled(f"{bounded(words()['measures']['count'])}|{words()['by_rows_again']}")
    counts = compiled(bounded(words()["measures"]["count"])).search(said) is not None
    named = bool(second.filters or second.groups or second.descending is not None or left_of(count.sub(" ", said)))
    share = compiled(bounded(words()["measures"]["share"])).search(said) is not None
    return counts and not share and not named and second.asks == "figures" and second.measures == _COUNT


def _another_value(said: str, first: Request, second: Request, whole: Request, read: Read) -> list[Request] | None:
    """The same figure of another value, where both would be taken as one."""
    if _says_a_measure(said) or not _is_understood(second) or second.groups or len(second.filters) != 1:
        return None
    (new,) = second.filters
    told = next((one for one in (*_parts(first), *first.filters) if (one.column, one.op) == (new.column, "in")), None)
    if told is None or new.op != "in" or set(told.values) & set(new.values) or whole.groups:
        return None
    merged = any(
        {*told.values, *new.values} <= set(one.values) for one in (*whole.filters, *_parts(whole)) if one.op == "in"
    )
    after = read(said, first)
    same = [(one.kind, one.column) for one in after.measures] == [(one.kind, one.column) for one in first.measures]
    if not merged or not same or not _is_understood(after) or after.groups:
        return None
    return [first, after]


def _says_a_measure(said: str) -> bool:
    kinds = words()["measures"]
    return any(compiled(bounded(kinds[one])).search(said) for one in kinds)


def _parts(request: Request) -> Sequence[Filter]:
    return [one for measure in request.measures for one in measure.part]
