"""The passages of a text that say most about a question; without a question, those that the rest revolves around."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packs.documents.data import load
from packs.documents.formats.pages import Page
from packs.documents.passages import Passage, passages
from packs.documents.ranking import Letters, grams, plain

AGAIN = 0.6
"""What a further passage of a section weighs beside the one before."""
TOP = 3
"""Passages among which the title of a document is."""
FIGURES = 1.25
"""What a passage with a figure or a date weighs beside one without."""
LONG = 300
"""Characters: what is longer is cut."""


class Excerpt(NamedTuple):
    """A passage and where it stands."""

    text: str
    page: int | None
    score: float


def excerpts(pages: Sequence[tuple[int | None, str]], question: str, number: int) -> list[Excerpt]:
    """The best, in the order of the text. `score` is 0 where nothing in it fits the question."""
    there = passages([Page(page, text) for page, text in pages])
    told = [one for one in there if not one.is_title] or there
    scores = Letters(told).fit(grams(question)) if question else _weights(told)
    best = (
        sorted(range(len(told)), key=lambda at: (-scores[at], at))[:number]
        if question
        else _spread(there, told, scores, number)
    )
    kept = [at for at in sorted(best) if scores[at] > 0 or question]
    above = {} if question else _above(there)
    return [Excerpt(_headed(told[at], above), told[at].page, round(scores[at], 6)) for at in kept]


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


def _spread(there: Sequence[Passage], told: Sequence[Passage], scores: Sequence[float], number: int) -> list[int]:
    """The best of different sections before a second one of the same."""
    section, sections = 0, []
    for one in there:
        section += one.is_title
        if not one.is_title or told is there:
            sections.append(section)
    taken: Counter[int] = Counter()
    chosen: list[int] = []
    for _ in range(min(number, len(told))):
        rest = (at for at in range(len(told)) if at not in chosen)
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
        0.0
        if is_for_a_machine(one.text) or (order and others)
        else _revolved(some, counts) * (FIGURES if any(map(str.isdigit, one.text)) else 1.0)
        for one, some, order in zip(told, own, wanted, strict=True)
    ]


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
