"""What is asked of the offline model and of the packs' readers: each turn through one port.

Behind it is a process of its own (reading_process.py); in a thread where nothing has to be ended, as in tests."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from contracts.cognitive import Entity, FlowAct
from contracts.reading import CORRECTS, Clause
from contracts.shape import JsonObject
from services.cognitive import markers
from services.cognitive.flows import Flow
from services.cognitive.words_of_yes import affirmed
from understanding.port import (
    Asked,
    ClauseReader,
    MoveHead,
    Situation,
    Understander,
    Understanding,
    UserTurn,
    Wish,
    clause_of,
    excerpt,
)

_VALUE = "x"
"""A letter in the place of a value: what stands around it is read as it would be around a name."""
_SET_OFF = " ()\uff08\uff09:\uff1a"
QUOTES = "\"'\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f"
SHORTEST = 2
"""Letters of a text that may stand again in a turn."""
Recalled = tuple[str, Mapping[str, str]]
ORDERED, AGREED = 0.6, 0.8
"""How likely a turn has to be a yes that says so by an order, and one that gives none, which may only be thanks: of 624
labelled yeses, each fifth left out, 0.90 are over the first; of 857 turns that are none, most of them nearly one, 0.02,
and one of those is made of words that a yes has."""
SHORT_FOR = {"ko": (1, 1_000, 10_000), "en": (1, 1_000, 1_000_000), "ja": (1, 1_000, 10_000)}
"""What a bare number may leave out."""
OWN, BARELY = 0.8, 0.5
"""How likely a turn in unknown words has to be a yes where a part of it ends in an order: by the head that has learned
remarks, and by the one of the moves."""
SURELY, PLAINLY = 0.92, 0.98
"""How likely by the head of the moves where it has only a word of yes ("yes, with a stamp on it" is 0.89), or unknown
words in the order itself; how likely by the other in the latter case."""
LONGEST = 160
"""Characters of a turn that has a remark beside a yes."""
GIVEN_UP, LEFT = 0.5, 0.8
"""How likely a turn with a word that takes something back has to be about what is open, and not about another thing;
and one without such a word to leave it: of 50 that were not learned 0.46 are over it, and of 397 yeses none."""
CHANGED = 0.5
"""How likely a turn that nobody understood has to have been about a change of what is open, for a yes after it to be
asked for once more."""


class Tangled(Exception):
    """A text took more of the processor than a turn may; its reading was ended."""


class TurnRead(NamedTuple):
    """A turn as a flow's reader takes it, the tasks it found, and the characters of the turn that were not read.
    `agrees`: its words are those of a yes to what is shown, whatever the values in it are; `gives_up`: they are likely
    those of who does not want it any more; `leaves`: surely; `changes`: of who wants something of it to be otherwise;
    `mends`: rather that than one more; `beside`: they are a yes with a remark beside it, if they are about what was
    asked."""

    clause: Clause
    tasks: Sequence[JsonObject]
    unread: int = 0
    agrees: bool = False
    gives_up: bool = False
    changes: bool = False
    mends: bool = False
    beside: bool = False
    leaves: bool = False


class Reads(Understander, ClauseReader, Protocol):
    """Each raises Tangled, or backbone.errors.Retryable where nobody can read just now."""

    async def word(self, flow: Flow, text: str, *, named: bool = False) -> FlowAct | None:
        """What the whole turn does, if it is nothing but the flow's words for that."""

    async def turn(self, flow: Flow, asked: Clause) -> TurnRead:
        """What the flow's reader finds in the turn; the entities of `asked` are still to be found."""

    async def recall(
        self, flow: Flow, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
    ) -> Recalled:
        """The flow's answer to a question about what it has done, or has open: a text key and its values; an empty key:
        none."""


class Encodes(Protocol):
    """Vectors of texts, all as long as each other, by an encoder with a name."""

    @property
    def name(self) -> str: ...

    async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


def read_turn(flow: Flow, asked: Clause, head: MoveHead | None = None) -> TurnRead:
    """See Reads.turn. What the flow's reader leaves because of words it does not know, it reads leniently where the
    head is sure that the turn is about the open task. What comes of it is shown, and asked about like anything else."""
    read = excerpt(asked.text)
    found = clause_of(read.text, asked.now, asked.language)
    clause = asked._replace(text=found.text, entities=found.entities)
    tasks = flow.reader(clause)
    if not any(tasks) and head is not None and (clause.slots or clause.expecting) and not read.unread:
        tasks = _leniently(flow, clause, head)
    if head is None or read.unread:
        return TurnRead(clause, tasks, read.unread)
    clause = _with_short_figures(clause)
    wish = head.wish(clause.text, clause.entities, _spots(clause, clause.known))
    agrees = _agrees(flow, clause, head, wish)
    gives_up, leaves, changes = wish.gives_up >= GIVEN_UP, wish.gives_up >= LEFT, wish.changes >= CHANGED
    beside = _agrees_in_own_words(flow, clause, head, wish)
    return TurnRead(clause, tasks, read.unread, agrees, gives_up, changes, wish.mends, beside, leaves)


def _with_short_figures(clause: Clause) -> Clause:
    """The clause with bare numbers that are short for a figure that is shown ("20k", "삼십") as that figure."""
    shown = [value for value in clause.slots.values() if isinstance(value, int)]

    def meant(one: Entity) -> Entity:
        short = one.value if one.type == "number" and isinstance(one.value, int) else 0
        found = next((value for value in shown for times in SHORT_FOR[clause.language] if short * times == value), 0)
        return one.model_copy(update={"type": "money", "value": found}) if found else one

    return clause._replace(entities=tuple(map(meant, clause.entities)))


def _agrees(flow: Flow, clause: Clause, head: MoveHead, wish: Wish) -> bool:
    """Whether the turn says yes to a task that is shown: in letters, known words, values, without a no, and likely.
    One that begins with a word of yes may say the values again: that they are those which are shown, others see to."""
    text = clause.text
    if not clause.slots or clause.expecting or len(text.strip().splitlines()) != 1 or markers.negates(text):
        return False
    if _is_of_something_else(clause) or not affirmed(_with_values_away(text, _values(clause))):
        return False
    names = apart([*_spots(clause, clause.known), *_shown_texts(clause)])

    likely = head.agrees(text, clause.entities, names, lambda word: _means_nothing(flow, word))
    if likely and (names or clause.entities) and markers.says(text, "affirms"):
        likely = max(likely, wish.restates)
    return likely >= (ORDERED if markers.orders(text) else AGREED)


def _means_nothing(flow: Flow, word: str) -> bool:
    """Whether a word may stand beside a yes that names what is shown."""
    beside = markers.means_nothing_beside_what_is_shown(word) or markers.ties_a_value(word)
    return beside or flow.is_word_of_yes(word)


def _agrees_in_own_words(flow: Flow, clause: Clause, head: MoveHead, wish: Wish) -> bool:
    """Whether a turn in whatever words says yes: the whole is likely one, a part of it is a yes or an order in known
    words, and what else it says has nothing of an order, a no, a question, a condition, or what is to come before."""
    text = markers.without_tag(clause.text)
    if not clause.slots or clause.expecting or len(text) > LONGEST or len(text.strip().splitlines()) != 1:
        return False
    free = _with_values_away(text, _values(clause))
    if wish.beside < OWN or wish.agrees < BARELY or markers.negates(free) or markers.sets_a_condition(free):
        return False
    if _is_of_something_else(clause) or not all(affirmed(part) for part in markers.parts(free, clause.language)):
        return False
    names = apart([*_spots(clause, clause.known), *_shown_texts(clause)])
    parts = markers.parts(head.masked(clause.text, clause.entities, names), clause.language)
    known = [part for part in parts if head.knows(part, lambda word: _means_nothing(flow, word))]
    orders = [part for part in parts if markers.orders(part)]
    strange = [part for part in orders if part not in known]  # "send it in coins"
    sure = clause.language != "en" and wish.beside >= PLAINLY and wish.agrees >= SURELY
    words = " ".join(strange).split() if clause.language == "ko" else []
    if strange and not (sure and all(_has_another_end(head, flow, one) for one in words)):
        return False
    if any(markers.ends_in_an_order(part, clause.language) for part in orders):
        return True
    return wish.agrees >= SURELY and any(flow.word(part) is FlowAct.CONFIRM or head.ends_in_yes(part) for part in known)


def _is_of_something_else(clause: Clause) -> bool:
    """Whether a turn with a word for what is shown asks to see something, or ends as no Korean sentence does that says
    something is to be done ("송금 한도")."""
    return markers.looks(clause.text) or markers.is_a_noun(clause.text, clause.language)


def _has_another_end(head: MoveHead, flow: Flow, word: str) -> bool:
    """Whether a Korean word is known, or a word of an order with an end that is not: verbs have many of them, and
    whatever else is strange there may be anything ("이체 막아줘")."""
    return head.knows(word, lambda one: _means_nothing(flow, one)) or markers.begins_with_an_order(word)


def _values(clause: Clause) -> set[tuple[int, int]]:
    """Where values stand: those that were recognised, known names, and texts that are shown."""
    names = apart([*_spots(clause, clause.known), *_shown_texts(clause)])
    return {*((one.start, one.end) for one in clause.entities), *names}


def _spots(clause: Clause, slots: Iterable[str]) -> list[tuple[int, int]]:
    """Where values of these slots stand that are known by name; the longest where one is within another."""
    named = [name for slot in slots for name in clause.known.get(slot, ())]
    spots = {found.span() for name in named for found in re.finditer(re.escape(name), clause.text, re.IGNORECASE)}
    return [one for one in spots if not any(one != two and two[0] <= one[0] and one[1] <= two[1] for two in spots)]


def _shown_texts(clause: Clause) -> list[tuple[int, int]]:
    """Where a text that the open task has stands again, word for word, with the quotation marks around it."""
    said = [one for one in clause.slots.values() if isinstance(one, str) and one]
    found = (re.finditer(rf"(?<![a-z]){re.escape(one)}(?![a-z])", clause.text, re.IGNORECASE) for one in said)
    spots = [_quoted(clause.text, *one.span()) for several in found for one in several]
    return [(start, end) for start, end in spots if end - start >= SHORTEST]


def apart(spots: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that overlap no longer one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spots, key=lambda one: one[0] - one[1]):
        if not any(start < other[1] and other[0] < end for other in kept):
            kept.append((start, end))
    return kept


def _quoted(text: str, start: int, end: int) -> tuple[int, int]:
    around = start > 0 and text[start - 1] in QUOTES and text[end : end + 1] in tuple(QUOTES)
    return (start - 1, end + 1) if around else (start, end)


def _with_values_away(text: str, spots: Iterable[tuple[int, int]]) -> str:
    """With a letter in the place of each value, and without the signs that set it off from the words around it."""
    last = len(text)
    for start, end in sorted(spots, reverse=True):
        if end <= last:
            text = f"{text[:start].rstrip(_SET_OFF)} {_VALUE}{text[end:].lstrip(_SET_OFF)}"
            last = start
    return text


def _leniently(flow: Flow, clause: Clause, head: MoveHead) -> Sequence[JsonObject]:
    tasks = flow.reader(clause._replace(lenient=True))
    if len(tasks) != 1 or not tasks[0]:
        return ()
    first = next(iter(clause.expecting), "")
    asked: Asked = "shown" if not first else "key" if first in flow.rules.keys else "slot"
    names = _spots(clause, flow.rules.keys)
    changes = markers.corrects(clause.text, clause.language)
    meant = head.values_are_for(clause.text, asked, clause.entities, names, corrects=changes)
    if meant is None:
        return ()
    mends = meant.move == "value" and not (first and markers.adds(clause.text, clause.language))
    return ({**tasks[0], CORRECTS: True},) if mends else tasks


def recalled(
    flow: Flow, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
) -> Recalled:
    """See Reads.recall."""
    return flow.recall(excerpt(text).text, executed, language, waiting) if flow.recall else ("", {})


class InThread:
    """Reads in this process. Nothing can end it."""

    def __init__(self, understander: Understander | None = None, heads: Mapping[str, MoveHead] | None = None) -> None:
        self._understander = understander
        self._heads = heads or {}

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        if self._understander is None:
            raise RuntimeError("nothing was learned: no pack has intents")
        return await self._understander.understand(turn, situation)

    async def clause(self, text: str, now: datetime, language: str) -> Clause:
        return await asyncio.to_thread(clause_of, excerpt(text).text, now, language)

    async def word(self, flow: Flow, text: str, *, named: bool = False) -> FlowAct | None:
        return flow.word(text, named=named)

    async def turn(self, flow: Flow, asked: Clause) -> TurnRead:
        return await asyncio.to_thread(read_turn, flow, asked, self._heads.get(flow.spec.flow))

    async def recall(
        self, flow: Flow, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
    ) -> Recalled:
        return recalled(flow, text, executed, language, waiting)
