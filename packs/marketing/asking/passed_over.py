"""Values of the table that a question names and its request knows nothing of: a figure without them is of others."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from packs.marketing.asking.linking import take_included, take_whatever
from packs.marketing.asking.naming import CODE, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import AskedSentence, compiled, plain, plain_words, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import OTHER_SIDE, Filter, Request
from packs.marketing.asking.spelt import spelling

_Span = tuple[int, int]


def passed_over(asked: str, requests: Sequence[Request], profile: Profile) -> tuple[str, ...]:
    """Those values as they are named, in their order; nothing where each narrows the rows, is what these are told
    apart by, is said to count as well, or is part of a longer name that does."""
    sentence = AskedSentence(asked)
    take_whatever(sentence, profile)
    take_included(sentence, profile.of("category"))
    text, known, named = sentence.left, _told(requests), _known_words(profile)
    heeded: list[_Span] = []
    headed = {one.name: [match.span() for match in _found(pattern_of(one), text)] for one in profile.columns}
    left: list[tuple[_Span, str, str]] = []
    for column in profile.of("category"):
        if yes_and_no(column) is not None:
            continue
        for value in named_in(text, column.values):
            if not _says_something(value, named) or any(value in name for name in known.told):
                continue
            used = column.name in known.grouped or (column.name, value) in known.values
            for match in _found(spelling(value), text):
                if used:
                    heeded.append(match.span())
                else:
                    left.append((match.span(), match.group(), column.name))
    others = {own: [span for name, spans in headed.items() if name != own for span in spans] for own in headed}
    lost = [(span, said) for span, said, own in sorted(left) if not _is_within(span, [*heeded, *others[own]])]
    return tuple(dict.fromkeys(said for span, said in lost if not _is_a_noun_to(span[0], heeded, text)))


def named_in(text: str, values: Sequence[str]) -> list[str]:
    """Those values that the text may have, for a look at which no pattern has to be made."""
    bare = plain(text)
    return [value for value in values if plain(value).rstrip("sy") in bare]


def blanks_passed_over(asked: str, requests: Sequence[Request], profile: Profile) -> tuple[str, ...]:
    """What says that cells are empty, where no request keeps or leaves out such rows: these play no part only where
    they are to be left out of a figure, or of what is told apart."""
    text = AskedSentence(asked).text
    match = compiled(words()["blank_said"]).search(text)
    if match is None or any(match.group() in name for one in profile.columns for name in (one.name, *one.values)):
        return ()
    if any(one.op in ("empty", "filled", "contains", "lacks") for one in _filters(requests)):
        return ()
    before, behind = words()["leaves_out"]
    ignored = f"{words()['empty']['ignored']}|{behind}|{words()['not_after']['said']}"
    measured = any(request.groups or any(one.column for one in request.measures) for request in requests)
    measured |= any(one.op in OTHER_SIDE for one in _filters(requests))  # no bound keeps them
    told = compiled(before).search(text[: match.start()]) or compiled(ignored).search(text)
    left_out = measured and told is not None
    return () if left_out else (match.group(),)


def _is_a_noun_to(start: int, heeded: Sequence[_Span], text: str) -> bool:
    """Whether the value right before it is used: of "fleet cards" the second word is no other value."""
    return text.isascii() and any(end < start and text[end:start].isspace() for _, end in heeded)


class _Known(NamedTuple):
    """What the requests are told by: `grouped` are columns, `values` those that are kept, left out or set apart; `told`
    are columns of which figures or cells are told."""

    grouped: set[str]
    values: set[tuple[str, str]]
    told: set[str]


def _told(requests: Sequence[Request]) -> _Known:
    grouped = {one.column for request in requests for one in request.groups}
    told = {name for request in requests for one in request.measures for name in (one.column, one.per) if name}
    told |= {name for request in requests for name in request.columns[:1] if request.descending is not None}
    return _Known(grouped, {(one.column, str(value)) for one in _filters(requests) for value in one.values}, told)


def _filters(requests: Sequence[Request]) -> list[Filter]:
    found: list[Filter] = []
    for request in requests:
        found += [*request.filters, *request.replaced]
        found += [it for one in request.measures for it in (*one.part, *one.since)]
        found += [it for one in request.groups for part in one.parts for it in part]
    return found


def _known_words(profile: Profile) -> frozenset[str]:
    return plain_words() | {plain(one.name) for one in profile.columns}


def _says_something(value: str, named: frozenset[str]) -> bool:
    return len(plain(value)) >= CODE and plain(value) not in named and not value.isnumeric()


def _found(pattern: str, text: str) -> list[re.Match[str]]:
    return [match for match in compiled(pattern).finditer(text) if match.group().strip()]


def _is_within(span: _Span, others: Sequence[_Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)
