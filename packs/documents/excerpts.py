"""The passages of a text that say most about a question; without a question, those that the rest revolves around."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packs.documents.amounts import DATE, amounts
from packs.documents.data import load
from packs.documents.formats.pages import Page
from packs.documents.passages import Passage, passages
from packs.documents.ranking import Letters, grams, plain

AGAIN = 0.75
"""What a further passage of a section weighs beside the one before."""
FEWEST, MOST, PART = 4, 12, 0.6
"""Main points of a text, as many as it has sections; of few sections so much of what it says."""
TOP = 3
"""Passages among which the title of a document is."""
FIGURES, MEASURED, DATED, DECIDED, FIRST = 1.25, 1.5, 1.8, 1.4, 1.3
"""What a passage with a figure weighs beside one without, with one that has a unit, with a sum of money or a date; one
that says what was decided, and the first of a section."""
LONG = 300
"""Characters: what is longer is cut."""


class Excerpt(NamedTuple):
    """A passage and where it stands."""

    text: str
    page: int | None
    score: float


def excerpts(pages: Sequence[tuple[int | None, str]], question: str, number: int) -> list[Excerpt]:
    """The best that fit a question, in the order of the text. `score` is 0 where nothing in it does."""
    there = passages([Page(page, text) for page, text in pages])
    told = [one for one in there if not one.is_title] or there
    scores = Letters(told).fit(grams(question))
    best = sorted(range(len(told)), key=lambda at: (-scores[at], at))[:number]
    return [Excerpt(told[at].text[:LONG], told[at].page, round(scores[at], 6)) for at in sorted(best)]


def points(pages: Sequence[tuple[int | None, str]], number: int | None = None) -> list[Excerpt]:
    """The main points, in the order of the text, each with the title of its part, and no sentence twice; as many as the
    text has to say, or `number`."""
    there = passages([Page(page, text) for page, text in pages])
    sections = _sections(there)
    told = _once(there, sections) or [*range(len(there))]
    scores = dict(zip(told, _weights([there[at] for at in told]), strict=True))
    told = [at for at in told if scores[at] > 0]
    for at in {sections[at]: at for at in reversed(told)}.values():
        scores[at] *= FIRST
    parts = len({sections[at] for at in told})
    many = number or min(MOST, max(FEWEST, parts, int(len(told) * PART)))
    above = _above(there)
    return [
        Excerpt(_headed(there[at], above), there[at].page, round(scores[at], 6))
        for at in sorted(_spread(told, sections, scores, many))
    ]


def _sections(there: Sequence[Passage]) -> list[int]:
    """The number of the section of each passage."""
    section, found = 0, []
    for one in there:
        section += one.is_title
        found.append(section)
    return found


def _once(there: Sequence[Passage], sections: Sequence[int]) -> list[int]:
    """The places of passages, those that stand twice only once; what every part repeats says nothing of any of them."""
    places: dict[str, list[int]] = {}
    for at, one in enumerate(there):
        if not one.is_title:
            places.setdefault(" ".join(plain(one.text).split()), []).append(at)
    once = [some[0] for some in places.values() if len({sections[at] for at in some}) == 1]
    return sorted(once) or sorted(some[0] for some in places.values())


def _above(there: Sequence[Passage]) -> dict[Passage, str]:
    """Of each passage the title of its part; the document's own is told by itself."""
    found: dict[Passage, str] = {}
    title, number = "", 0
    for one in there:
        number += one.is_title
        title = one.text if one.is_title else title
        found.setdefault(one, title if number > 1 or not there[0].is_title else "")
    return found


def _headed(one: Passage, above: Mapping[Passage, str]) -> str:
    title = above.get(one, "")
    return f"{title}: {one.text}"[:LONG] if title and not one.is_title else one.text[:LONG]


def _spread(told: Sequence[int], sections: Sequence[int], scores: Mapping[int, float], number: int) -> list[int]:
    """The best of each section before a second one of any; of more sections than are wanted the best."""
    first: dict[int, int] = {}
    for at in sorted(told, key=lambda at: (-scores[at], at)):
        first.setdefault(sections[at], at)
    chosen = [*first.values()][:number]
    taken = Counter(sections[at] for at in chosen)
    while len(chosen) < min(number, len(told)):
        rest = (at for at in told if at not in chosen)
        best = max(rest, key=lambda at: (scores[at] * AGAIN ** taken[sections[at]], -at))
        chosen.append(best)
        taken[sections[best]] += 1
    return chosen


def headline(pages: Sequence[tuple[int | None, str]]) -> str:
    """What the document calls itself: its first title; else how it begins. Nothing that speaks to a machine."""
    there = passages([Page(page, text) for page, text in pages[:1]])
    titles = [one for one in there[:TOP] if one.is_title] or there[:1]
    return next((one.text[:LONG] for one in titles if not is_for_a_machine(one.text)), "")


def _weights(told: Sequence[Passage]) -> list[float]:
    """How much of the text has the letters of each. What speaks to a machine weighs nothing; what else wants something
    done only where hardly anything else is said."""
    own = [frozenset(grams(one.text)) for one in told]
    counts = Counter(gram for some in own for gram in some)
    wanted = [_is_order(one.text) for one in told]
    others = sum(not order for order in wanted) >= len(told) / 3
    return [
        0.0 if is_for_a_machine(one.text) or (order and others) else math.sqrt(_revolved(some, counts)) * _tells(one)
        for one, some, order in zip(told, own, wanted, strict=True)
    ]


def _tells(one: Passage) -> float:
    """What it weighs by what it says: sums of money and dates, other figures, what was decided."""
    found = amounts(one) if any(map(str.isdigit, one.text)) else []
    if any(amount.is_money or amount.unit == DATE for amount in found):
        known = DATED
    else:
        known = MEASURED if any(amount.unit for amount in found) else FIGURES if found else 1.0
    low = plain(one.text)
    return known * (DECIDED if any(word in low for word in _orders()["decided"]) else 1.0)


def _revolved(own: frozenset[str], counts: Counter[str]) -> float:
    return sum(math.log(1 + counts[gram]) for gram in own) / math.sqrt(40 + len(own))


def is_for_a_machine(text: str) -> bool:
    """Whether it speaks to whoever reads it by machine."""
    low = plain(text)
    return any(word in low for word in _orders()["machine"])


def _is_order(text: str) -> bool:
    low = plain(text).rstrip(" .!。！")
    first = low.split(" ", 1)[0].strip(",:")
    return first in _orders()["begins"] or low.endswith(tuple(_orders()["ends"]))


def likeness(one: str, other: str) -> float:
    """How alike two short texts are, 0..1, by their letters."""
    first, second = frozenset(grams(one)), frozenset(grams(other))
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def share(asked: str, text: str) -> float:
    """How much of what is asked the text holds, 0..1."""
    wanted = frozenset(grams(asked))
    return len(wanted & frozenset(grams(text))) / len(wanted) if wanted else 0.0


@cache
def _orders() -> dict[str, list[str]]:
    words: dict[str, list[str]] = load("orders.yaml")
    return words
