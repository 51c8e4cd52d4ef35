"""Several things in one clause: appointments with a time each ("3시 회의랑 5시 병원"), and a thing to be done with each
of two ("요가는 빼고 미팅은 5시로"). Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from contracts.cognitive import Entity
from contracts.reading import Clause
from packs.assistant import actions
from packs.assistant.moments import of_type
from packs.assistant.phrases import pattern

_CLOSE = 6
"""Letters of small words that may stand between what ties two things and the time of the second one ("and at 5")."""
_DOING = ("delete", "change")
MOST = 6


def by_times(clause: Clause) -> list[Clause]:
    """A clause for each of the things that have a time of their own, or one from when until when; the clause itself
    where it speaks of one. A day that only one of them says is that of all."""
    times = of_type(clause, "time")
    if not 1 < len(times) <= MOST:
        return [clause]
    between = [(one, other) for one, other in pairwise(times) if not _spans(clause, one, other)]
    if not between:
        return [clause]
    borders = [_border(clause, one, other) for one, other in between]
    found = [border for border in borders if border is not None]
    return _cut(clause, found) if len(found) == len(borders) else [clause]


def by_verbs(clause: Clause) -> list[Clause]:
    """A clause for what shall go and one for what shall change; the clause itself where only one is to be done."""
    places = sorted((place, name) for name in _DOING for place in _verbs(clause, name))
    turns = [(one, other) for one, other in pairwise(places) if one[1] != other[1]]
    if len(turns) != 1:
        return [clause]
    (first, _), (second, _) = turns[0]
    found = next(iter(_verb_ends(clause, first, second)), None)
    return _cut(clause, [found]) if found else [clause]


def _verbs(clause: Clause, name: str) -> Sequence[int]:
    return list(actions.places(clause.text, actions.words("verbs", clause.language)[name], clause.language))


def _verb_ends(clause: Clause, first: int, second: int) -> Iterator[tuple[int, int]]:
    """Where the first of two orders ends: behind its verb, or in front of the second verb where verbs come first."""
    between = clause.text[first:second]
    if clause.language in actions.LAST:
        if found := re.search(r"\s+" if clause.language == "ko" else r"、|(?<=[てで])(?=[^、\s])", between):
            yield first + found.start(), first + found.end()
        return
    for found in reversed(list(_ties(clause.language).finditer(between))):
        yield first + found.start(), first + found.end()


def _spans(clause: Clause, one: Entity, other: Entity) -> bool:
    """Whether the two say from when until when."""
    between = clause.text[one.end : other.start]
    return pattern("common", clause.language, "until").search(between.strip() or " ") is not None


def _border(clause: Clause, one: Entity, other: Entity) -> tuple[int, int] | None:
    """What ties the two things: the word just before the second time, or the first one behind the first."""
    start = min(
        (day.start for day in of_type(clause, "date") if one.end <= day.start < other.start), default=other.start
    )
    found = list(_ties(clause.language).finditer(clause.text, one.end, start))
    if not found:
        return None
    last = found[-1]
    tie = last if start - last.end() <= _CLOSE else found[0]
    return tie.start(), tie.end()


def _cut(clause: Clause, borders: Sequence[tuple[int, int]]) -> list[Clause]:
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(clause.text)]
    pieces = [_piece(clause, start, end) for start, end in zip(starts, ends, strict=True)]
    days = {str(one.value): one for one in of_type(clause, "date")}
    if len(days) != 1:
        return pieces
    (day,) = days.values()
    # it stands in front of what is said, where nothing is cut out for it
    lent = day.model_copy(update={"start": 0, "end": 0, "text": ""})
    return [one if of_type(one, "date") else one._replace(entities=(*one.entities, lent)) for one in pieces]


def _piece(clause: Clause, start: int, end: int) -> Clause:
    inside = [one for one in clause.entities if start <= one.start and one.end <= end]
    moved = tuple(one.model_copy(update={"start": one.start - start, "end": one.end - start}) for one in inside)
    return clause._replace(text=clause.text[start:end], entities=moved)


@cache
def _ties(language: str) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(actions.words("ties", language), key=len, reverse=True)))
    behind = r"(?:\s+|(?=\d))" if language == "ko" else ""
    return re.compile(rf"(?:{either}){behind}", re.IGNORECASE)
