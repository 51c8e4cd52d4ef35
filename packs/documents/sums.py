"""Figures that are reckoned with, ways of reckoning, and sums of several of them."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from packs.documents.alike import Said, groups_in, has, said
from packs.documents.amounts import CLOCK, DATE, Amount, is_unit, words_of_unit
from packs.documents.counting import Counts, times_of
from packs.documents.grids import SMALLEST, cues, is_of_all
from packs.documents.ranking import level
from packs.documents.sentences import sentences
from packs.documents.wording import stands_any

SMALL = 12
"""Up to this a figure without a unit mostly counts points, marks and places."""
NAMED, SPOKEN = 0.5, 0.8
"""So much of what a figure is called the question says, that it is one of several that are named; and so much of a word
of the question its clause has, that all are meant that have it."""
_ONE = r"(?:(?<!\d)1|한|一|\b(?:per|an?|each|every|one))"
"""One of something, for which a price is."""
_EACH = "(?:당|마다|あたり|当たり|につき|ごと)"
"""What stands behind it instead."""
_ROW = "|"
"""What rows of a table without a head have in common."""
SIDES = ("income", "spending")
"""Lists of words of computed.yaml by which rows of a table are told apart."""
MOST_ALIKE = 8
"""Figures that are added up because all are of one thing."""


class Figure(NamedTuple):
    """A figure, how likely its passage is, and what of each item of the question its clause has, and what of it that or
    what is around speaks of; `like`: how much its clause is about what the question is about. `derived`: it was worked
    out itself."""

    amount: Amount
    document: str
    place: int
    chance: float
    called: float
    column: float
    own: tuple[float, ...]
    speaks: tuple[float, ...]
    like: float = 0.0
    derived: bool = False

    @property
    def is_extra(self) -> bool:
        """Whether it says that it comes on top of something."""
        amount = self.amount
        return amount.is_money and stands_any(said(f"{amount.clause} {amount.passage.title}"), cues()["extra"])


class Way(NamedTuple):
    """See reckoning.Reckoning; `agrees`: the document says so; `named`: each is named by the question; `per`: the first
    is said to be for one of the second."""

    kind: str
    value: float
    unit: str
    figures: tuple[Figure, ...]
    times: tuple[float, ...] = ()
    agrees: bool = False
    named: bool = False
    per: bool = False

    @property
    def is_a_term(self) -> bool:
        """Whether it is the last day of what runs for so long."""
        return len(self.times) > SMALLEST

    @property
    def scale(self) -> float:
        """How far its figures are apart, in powers of ten."""
        sizes = [abs(one.amount.value) or 1.0 for one in self.figures]
        return math.log10(max(sizes) / min(sizes))


class Sums:
    """Of a pool of figures, beside a question that asks for some `kinds` of reckoning and has some `counts`."""

    def __init__(
        self, asked: Said, pool: Sequence[Figure], rarity: Sequence[float], kinds: dict[str, float], counts: Counts
    ) -> None:
        self.asked, self.pool, self.rarity = asked, pool, rarity
        self.kinds, self.counts = kinds, counts
        self.numbers = {number for number, _ in counts if number > 1}
        self.whole = math.fsum(rarity) or 1.0
        self._known_often: dict[int, float] = {}
        self._known_own: dict[int, float] = {}
        self._known_beside: dict[tuple[str, str, str], list[Figure]] | None = None
        bare = Counter(one.amount.passage.quote for one in pool if _is_bare(one.amount))
        self.counted = [
            one
            for one in pool
            if one.amount.unit not in (CLOCK, DATE, "%") and _counts(one.amount, bare[one.amount.passage.quote])
        ]

    def several(self) -> Iterator[Way]:
        """Sums of more than two, or of those that the question names."""
        if "total" in self.kinds:
            yield from self._of_columns()
            yield from self._of_named()
            yield from self._of_one_word()
            yield from self._one_each()
            yield from self._as_many()
            yield from self._of_rows()
            yield from self._of_sentences()
            yield from self._of_a_kind()
        yield from self._rests_of_sentences()

    def _of_columns(self) -> Iterator[Way]:
        """All figures of one unit in a column, or in several that are named, or in lines that begin alike."""
        groups: dict[tuple[str, str, str], list[Figure]] = {}
        for one in self.counted:
            passage = one.amount.passage
            if passage.cells and is_of_all(passage.cells[0][1]):
                continue
            key = passage.title, one.amount.unit, one.amount.column or (_ROW if passage.is_row else passage.text[:2])
            groups.setdefault(key, []).append(one)
        tables: dict[tuple[str, str], list[Figure]] = {}
        for (title, unit, _), group in groups.items():
            if len(group) > SMALLEST:
                yield Way("total", math.fsum(said.amount.value for said in group), unit, tuple(group))
            if len(group) > 1 and min(one.column for one in group) >= NAMED:
                tables.setdefault((title, unit), []).extend(group)
        for (_, unit), group in tables.items():
            if len({one.amount.column for one in group}) > 1:
                yield Way("total", math.fsum(one.amount.value for one in group), unit, tuple(group))

    def _of_named(self) -> Iterator[Way]:
        """Those that the question names, as often as it says."""
        places: dict[tuple[str, str, str], list[Figure]] = {}
        for one in self.counted:
            if one.called >= NAMED and (one.amount.is_money or one.amount.column):
                places.setdefault((one.amount.passage.title, one.amount.unit, one.amount.column), []).append(one)
        for (_, unit, _), group in places.items():
            times = tuple(times_of(one.amount, self.asked.text, self.counts) for one in group)
            if 1 < len(group) <= MOST_ALIKE:
                value = math.fsum(one.amount.value * number for one, number in zip(group, times, strict=True))
                yield Way("total", value, unit, tuple(group), times, named=True)

    def _of_one_word(self) -> Iterator[Way]:
        """All figures of one unit whose clause has a word of the question."""
        for number in range(len(self.rarity)):
            alike: dict[str, list[Figure]] = {}
            for one in self.counted:
                if one.own[number] >= SPOKEN:
                    alike.setdefault(one.amount.unit, []).append(one)
            for unit, group in alike.items():
                if SMALLEST < len(group) <= MOST_ALIKE and is_unit(unit):
                    yield Way("total", math.fsum(one.amount.value for one in group), unit, tuple(group))

    def _one_each(self) -> Iterator[Way]:
        """Of each word of the question the figure that has it and most of the others."""
        best: dict[int, Figure] = {}
        for number in range(len(self.rarity)):
            some = [one for one in self.counted if one.own[number] >= SPOKEN and is_unit(one.amount.unit)]
            if some:
                best[number] = max(some, key=lambda one: (self.joint((one,), own=True), one.like))
        figures = [*{id(one): one for one in best.values()}.values()]
        for unit in dict.fromkeys(one.amount.unit for one in figures):
            group = [one for one in figures if one.amount.unit == unit]
            if SMALLEST < len(group) <= MOST_ALIKE:
                yield Way("total", math.fsum(one.amount.value for one in group), unit, tuple(group), named=True)

    def _as_many(self) -> Iterator[Way]:
        """Of one passage, or below one title, as many figures of a unit as the question says."""
        groups: dict[tuple[str, str, str], list[Figure]] = {}
        for one in self.counted:
            for place in dict.fromkeys((one.amount.passage.quote, one.amount.passage.title)):
                if is_unit(one.amount.unit):
                    groups.setdefault((place, one.amount.unit, one.amount.column), []).append(one)
        for (_, unit, _), group in groups.items():
            if len(group) in self.numbers and SMALLEST < len(group) <= MOST_ALIKE:
                yield Way("total", math.fsum(one.amount.value for one in group), unit, tuple(group))

    def _of_rows(self) -> Iterator[Way]:
        """Along a row: all figures of one unit, but what is of all of them."""
        rows: dict[tuple[str, str], list[Figure]] = {}
        for one in self.counted:
            if one.amount.column and not is_of_all(one.amount.column):
                rows.setdefault((one.amount.passage.text, one.amount.unit), []).append(one)
        for (_, unit), group in rows.items():
            if SMALLEST < len(group) <= MOST_ALIKE:
                yield Way("total", math.fsum(one.amount.value for one in group), unit, tuple(group))

    def _of_sentences(self) -> Iterator[Way]:
        """All figures of one unit in a sentence; all but those that the question names, where it leaves some out."""
        for group in self._in_sentences():
            if SMALLEST < len(group) <= MOST_ALIKE and group[0].amount.unit != "%":
                yield Way("total", math.fsum(one.amount.value for one in group), group[0].amount.unit, tuple(group))
        if self._leaves_out:
            for group in (*self._in_sentences(), *self._in_columns().values()):
                rest = [one for one in group if one.called < NAMED]
                if 1 < len(rest) < len(group):
                    yield Way("total", math.fsum(one.amount.value for one in rest), rest[0].amount.unit, tuple(rest))
            for group in self._in_sentences():  # or all but the largest: who goes with the children
                if SMALLEST < len(group) <= MOST_ALIKE:
                    rest = [one for one in group if one is not max(group, key=lambda one: one.amount.value)]
                    yield Way("total", math.fsum(one.amount.value for one in rest), rest[0].amount.unit, tuple(rest))

    def _of_a_kind(self) -> Iterator[Way]:
        """Of a column the figures of those rows that have a value which the question names ("expenses")."""
        for (_, unit, column), group in self._in_columns().items():
            kinds: dict[tuple[str, str], list[Figure]] = {}
            for one in group:
                for head, cell in one.amount.passage.cells:
                    if head != column and cell and not any(map(str.isdigit, cell)):
                        kinds.setdefault((head, cell), []).append(one)
            for (_, name), some in kinds.items():
                if 1 < len(some) < len(group) and self._names(said(name)):
                    value = math.fsum(one.amount.value for one in some)
                    yield Way("total", value, unit, tuple(some), agrees=True, named=True)

    def _names(self, value: Said) -> bool:
        """Whether the question has a value of a table, or a word for the same thing."""
        alike = any(stands_any(value, cues()[name]) and stands_any(self.asked, cues()[name]) for name in SIDES)
        return alike or has(self.asked, value.text) or bool({*groups_in(self.asked)} & {*groups_in(value)})

    def _rests_of_sentences(self) -> Iterator[Way]:
        """What is left of the largest figure of a sentence after all others of its unit: where the question leaves some
        out, and where the text says that these are of it, or what becomes of the rest."""
        for group in self._in_sentences():
            whole, *parts = sorted(group, key=lambda one: -one.amount.value)
            value = whole.amount.value - math.fsum(one.amount.value for one in parts)
            text = said(whole.amount.passage.quote)
            if value > 0 and (self._leaves_out or stands_any(text, cues()["of_it"])):
                yield Way("left", value, whole.amount.unit, (whole, *parts), agrees=True)

    @property
    def _leaves_out(self) -> bool:
        return stands_any(self.asked, (*cues()["but"], *cues()["without"]))

    def _in_columns(self) -> dict[tuple[str, str, str], list[Figure]]:
        """Figures by their title, unit and column."""
        found: dict[tuple[str, str, str], list[Figure]] = {}
        for one in self._added:
            passage = one.amount.passage
            if passage.cells and one.amount.column and not is_of_all(passage.cells[0][1]):
                found.setdefault((passage.title, one.amount.unit, one.amount.column), []).append(one)
        return found

    def _in_sentences(self) -> list[list[Figure]]:
        """Figures of one unit that stand in one sentence, or together in the sentences of a paragraph."""
        found: dict[tuple[str, str, int], list[Figure]] = {}
        whole: dict[tuple[str, str], list[Figure]] = {}
        for one in self._added:
            quote = one.amount.passage.quote
            if not one.amount.column and is_unit(one.amount.unit):
                found.setdefault((quote, one.amount.unit, _place(quote, one.amount)), []).append(one)
                whole.setdefault((quote, one.amount.unit), []).append(one)
        groups = [*found.values(), *(group for group in whole.values() if group not in found.values())]
        return [group for group in groups if len(group) > 1]

    @property
    def _added(self) -> list[Figure]:
        return [*self.counted, *(one for one in self.pool if one.amount.unit == "%")]

    def is_as_often_as_said(self, way: Way) -> bool:
        """Whether each figure is taken as often as the question says beside its name."""
        return all(
            times == self._often(one) for one, times in zip(way.figures, way.times, strict=False) if times > 0
        ) and len(way.times) == len(way.figures)

    def _often(self, one: Figure) -> float:
        if (known := self._known_often.get(id(one))) is None:
            known = self._known_often[id(one)] = times_of(one.amount, self.asked.text, self.counts)
        return known

    def outdone(self, way: Way) -> float:
        """How much more of the question another figure of the same column, or of the same text and unit, is called by
        than one of its own: a half plot is not a full one."""
        there = {one.amount for one in way.figures}
        least = 0.0
        for one in way.figures:
            others = [other for other in self._beside(one) if other.amount not in there]
            own = self._own(one)
            least = max([least, *(self._own(other) - own for other in others)])
        return least

    def _beside(self, one: Figure) -> list[Figure]:
        if self._known_beside is None:
            self._known_beside = {}
            for other in self.pool:
                self._known_beside.setdefault(_place_of(other), []).append(other)
        return self._known_beside.get(_place_of(one), [])

    def _own(self, one: Figure) -> float:
        if (known := self._known_own.get(id(one))) is None:
            known = self._known_own[id(one)] = self.joint((one,), own=True)
        return known

    def joint(self, some: Sequence[Figure], *, own: bool = False) -> float:
        """The share of the question that some figures speak of together."""
        if not some:
            return 0.0
        best = [max(one) for one in zip(*(said.own if own else said.speaks for said in some), strict=True)]
        return math.fsum(map(float.__mul__, self.rarity, best)) / self.whole


def _place(quote: str, amount: Amount) -> int:
    """Which of the sentences of a quotation a figure stands in."""
    flat = [level(one) for one in sentences(quote)]
    there = [at for at, one in enumerate(flat) if amount.text in one]
    return next((at for at in there if amount.clause in flat[at]), there[0] if there else 0)


def sentence_of(amount: Amount) -> str:
    """The sentence of its passage that a figure stands in."""
    flat = [level(one) for one in sentences(amount.passage.text)]
    there = [one for one in flat if amount.text in one]
    return next((one for one in there if amount.clause in one), there[0] if there else amount.passage.text)


def _place_of(one: Figure) -> tuple[str, str, str]:
    """Where figures stand of which one is meant: a column, a text, or all shares."""
    amount = one.amount
    if amount.unit == "%":
        return "", "%", ""
    return amount.passage.title if amount.column else amount.passage.quote, amount.unit, amount.column


def _is_bare(amount: Amount) -> bool:
    return not (amount.unit or amount.column or amount.is_money)


def _counts(amount: Amount, beside: int) -> bool:
    """Whether it counts anything: a small figure that has no unit, is of no column and stands beside few of its kind is
    the number of a point."""
    return bool(amount.value) and (not _is_bare(amount) or amount.value > SMALL or beside > SMALLEST)


def is_per(price: Amount, number: Amount) -> bool | None:
    """Whether a price is said to be for one of what a number counts; None where the two have nothing to do with each
    other: no row has both, and the price does not say so."""
    if number.is_money:
        return None
    clause = said(f"{price.clause} {price.column}")
    words = words_of_unit(number.unit) if is_unit(number.unit) else ()
    if any(has(clause, word) for word in words):
        return True
    one = "|".join(map(re.escape, filter(None, words or (number.unit,))))
    if one and re.search(rf"{_ONE}\s?(?:{one})|(?:{one})\s?{_EACH}", clause.text):
        return True
    return False if price.column and price.passage == number.passage else None


def derived(way: Way) -> Figure:
    """What was worked out, to be reckoned with."""
    first = way.figures[0]
    times = way.times or (1.0,) * len(way.figures)
    texts = [
        one.amount.text if number == 1 else f"{number:g} × {one.amount.text}"
        for one, number in zip(way.figures, times, strict=True)
    ]
    sign = {"left": "−", "percent": "−", "share": "×"}.get(way.kind, "+")
    text = f"({f' {sign} '.join(texts)})"
    amount = first.amount._replace(
        value=way.value, unit=way.unit, text=text, clause=", ".join(one.amount.clause for one in way.figures)
    )
    return first._replace(
        amount=amount,
        place=max(one.place for one in way.figures),
        called=min(one.called for one in way.figures),
        own=tuple(map(max, zip(*(one.own for one in way.figures), strict=True))),
        speaks=tuple(map(max, zip(*(one.speaks for one in way.figures), strict=True))),
        derived=True,
    )
