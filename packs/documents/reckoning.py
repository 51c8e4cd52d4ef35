"""What follows from two or three figures of what was found: a sum, what is left, so many times a price, a part of it,
the time between two moments. Each that the best passages allow is looked at; what speaks for one is learned."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from packs.documents.alike import Said, has, said
from packs.documents.amounts import CLOCK, DATE, Amount, amounts, units, words_of_unit
from packs.documents.answering import Scored
from packs.documents.asking import Question, is_empty, read_question
from packs.documents.counting import MANY, Counts, counts_in, times_of
from packs.documents.evidence import Item, Meanings, called, items_of, near_words, strength
from packs.documents.grids import SMALLEST, cues
from packs.documents.passages import Passage
from packs.documents.wording import is_cue, stands_any

LOOKED_AT, MOST = 16, 60
"""Passages, and figures of them, that are looked at."""
_FIGURES = re.compile(r"\d[\d,.:]{0,20}\w?")
DAY, MONTHS = 1440.0, 12.0
ASKED_AS = {"days": "lasting", "share": "percent"}
"""What asks for a kind of reckoning that has no words of its own."""
ENOUGH = 0.15
"""So much more of the question a further figure has to speak of."""
CUES = ("total", "together", "difference", "left", "beside")
SPEAKS_OF = (
    "cover", "own", "own_gain", "least", "gain", "rank", "last", "chance", "same_column", "same_passage", "alone",
    "wanted", "money", "counts", "total", "left", "product", "percent", "lasting", "three", "many", "unit", "text",
    "called", "all_called", "column", "unit_said", "beside", "each", "agrees",
    "shunned", "apart",
)  # fmt: skip


class Reckoning(NamedTuple):
    """`kind`: total, left, product, each (a part of a whole), percent (taken away or added), share (so many per cent of
    it), lasting (minutes) or days; what it was made of; and what speaks for it."""

    kind: str
    value: float
    unit: str
    terms: tuple[Amount, ...]
    evidence: tuple[float, ...]
    times: tuple[float, ...] = ()


class _Said(NamedTuple):
    """A figure, how likely its passage is, and what of each item of the question its clause has, and what of it that or
    what is around speaks of."""

    amount: Amount
    document: str
    place: int
    chance: float
    called: float
    column: float
    own: tuple[float, ...]
    speaks: tuple[float, ...]


def is_asked(text: str) -> bool:
    """Whether anything is asked for that may be reckoned."""
    return bool(_wanted(said(text), read_question(text)))


def reckonings(text: str, best: Sequence[Scored], meanings: Meanings) -> list[Reckoning]:
    """All that may be meant, with what speaks for each; nothing where nothing of the kind is asked for."""
    question = read_question(text)
    asked = said(text)
    kinds = _wanted(asked, question)
    if not kinds:
        return []
    pool = _pool(question, best, meanings)
    counts = counts_in(asked.text)
    rarity = _rarity(pool)
    ways = _Ways(question, asked, pool, rarity, kinds, counts)
    return [*ways.pairs(), *ways.products(), *ways.parts(), *ways.percents(), *ways.moments()]


def _wanted(asked: Said, question: Question) -> dict[str, float]:
    """What kinds of reckoning the question asks for, and how plainly."""
    words = cues()
    found: dict[str, float] = {}
    counts = counts_in(asked.text)
    if stands_any(asked, words["total"]):
        found["total"] = 1.0
    elif len(counts) > 1 or stands_any(asked, words["together"]) or stands_any(asked, words["beside"]):
        found["total"] = 0.5
    if stands_any(asked, words["difference"]) or (
        stands_any(asked, words["than"]) and stands_any(asked, words["how_much"])
    ):
        found["left"] = 1.0
    elif stands_any(asked, words["left"]):
        found["left"] = 0.7
    names = {kind.name for kind in question.kinds}
    if counts:
        found["product"] = 0.5
    if stands_any(asked, words["each"]):
        found["each"] = 1.0
    if names & {"money"} or "product" in found or stands_any(asked, (*units()["less"], *units()["more"])):
        found["percent"] = 0.5
    if names & {"duration", "number"} or "left" in found or question.counter == "일":
        found["lasting"] = 0.5
    return found


def _pool(question: Question, best: Sequence[Scored], meanings: Meanings) -> list[_Said]:
    items = items_of(question)
    items = [item for item in items if not (item.word and is_cue(item.word, CUES))] or items
    some = [(place, one, amount) for place, one in enumerate(best[:LOOKED_AT]) for amount in amounts(one.passage)]
    known = {(amount.value, amount.unit, amount.clause): (place, one, amount) for place, one, amount in reversed(some)}
    some = sorted(known.values(), key=lambda one: one[0])[:MOST]
    clauses = [amount.clause for _, _, amount in some]
    arounds = [f"{one.passage.context} {one.passage.quote}" for _, one, _ in some]
    own = _strengths(items, clauses, meanings)
    distinct = [*dict.fromkeys(arounds)]  # a table has many figures, and is looked at word by word once
    known_around = dict(zip(distinct, _strengths(items, distinct, meanings), strict=True))
    around = [known_around[text] for text in arounds]
    speaks = [
        tuple(max(one, 0.5 * other) for one, other in zip(mine, there, strict=True))
        for mine, there in zip(own, around, strict=True)
    ]
    return [
        _Said(
            amount,
            one.document,
            place,
            one.chance,
            called(_label(amount), question),
            called(amount.column, question),
            mine,
            all_,
        )
        for (place, one, amount), mine, all_ in zip(some, own, speaks, strict=True)
    ]


def _shunned(question: Question) -> frozenset[str]:
    """The words that a question leaves out: "without the deposit", 부가세 빼고."""
    text, found = question.text, set[str]()
    places = {text.find(word): word for word in question.words if not is_empty(word)}
    for cue in cues()["without"]:
        at = text.find(cue)
        if at < 0:
            continue
        near = [place for place in places if (place > at if cue.isascii() else place < at)]
        if near:
            found.add(places[(min if cue.isascii() else max)(near)])
    return frozenset(found)


def _label(amount: Amount) -> str:
    """What a figure is called: the name of its row, or the words of its clause."""
    if amount.column:
        return amount.passage.cells[0][1]
    return _FIGURES.sub(" ", amount.clause.replace(amount.text, " "))


def _strengths(items: Sequence[Item], texts: Sequence[str], meanings: Meanings) -> list[tuple[float, ...]]:
    known = [[strength(item, said(text)) for item in items] for text in texts]
    better = near_words(items, known, [Passage(text) for text in texts], range(len(texts)), meanings)
    return [tuple(better.get(n, one)) for n, one in enumerate(known)]


def _rarity(pool: Sequence[_Said]) -> list[float]:
    if not pool:
        return []
    having = [sum(one.own[n] > 0 for one in pool) for n in range(len(pool[0].own))]
    return [math.log(1 + (len(pool) - some + 0.5) / (some + 0.5)) for some in having]


class _Ways:
    """The ways of reckoning with the figures of a pool."""

    def __init__(
        self,
        question: Question,
        asked: Said,
        pool: Sequence[_Said],
        rarity: Sequence[float],
        kinds: dict[str, float],
        counts: Counts,
    ) -> None:
        self.question, self.asked, self.pool, self.rarity = question, asked, pool, rarity
        self.kinds, self.counts = kinds, counts
        self.numbers = {number for number, _ in counts if number > 1}
        self.whole = math.fsum(rarity) or 1.0
        self.shunned = _shunned(question)

    def pairs(self) -> Iterator[Reckoning]:
        some = [one for one in self.pool if one.amount.unit not in (CLOCK, DATE, "%")]
        for one, two in combinations(some, 2):
            if not _alike(one.amount, two.amount) or one.amount.value == 0 or two.amount.value == 0:
                continue
            unit = one.amount.unit or two.amount.unit
            if "left" in self.kinds and one.amount.value != two.amount.value:
                high, low = sorted((one, two), key=lambda said: -said.amount.value)
                yield self._made("left", high.amount.value - low.amount.value, unit, (high, low))
                times = self._times(high, low)
                if max(times) > 1:
                    value = abs(high.amount.value * times[0] - low.amount.value * times[1])
                    yield self._made("left", value, unit, (high, low), times)
            if "total" in self.kinds:
                yield self._made("total", one.amount.value + two.amount.value, unit, (one, two))
                times = self._times(one, two)
                if max(times) > 1:
                    value = one.amount.value * times[0] + two.amount.value * times[1]
                    yield self._made("total", value, unit, (one, two), times)
                third = self._third(one, two, some)
                if third:
                    three = (one, two, third)
                    yield self._made("total", math.fsum(said.amount.value for said in three), unit, three)
        if "total" in self.kinds:
            yield from self._groups(some)

    def _third(self, one: _Said, two: _Said, some: Sequence[_Said]) -> _Said | None:
        """What speaks most of what two do not speak of."""
        both = [max(pair) for pair in zip(one.speaks, two.speaks, strict=True)]
        others = [
            (self._more(both, other), -n, other)
            for n, other in enumerate(some)
            if other is not one
            and other is not two
            and _alike(one.amount, other.amount)
            and _alike(two.amount, other.amount)
        ]
        best = max(others, default=None)
        return best[2] if best and best[0] > ENOUGH else None

    def _more(self, both: Sequence[float], other: _Said) -> float:
        """The share of the question that a figure speaks of beyond what is spoken of already."""
        more = (max(new - had, 0.0) for had, new in zip(both, other.speaks, strict=True))
        return math.fsum(map(float.__mul__, self.rarity, more)) / self.whole

    def _groups(self, some: Sequence[_Said]) -> Iterator[Reckoning]:
        """All figures of one unit in a column, or in lines that begin alike."""
        groups: dict[tuple[str, str, str], list[_Said]] = {}
        for one in some:
            passage = one.amount.passage
            key = passage.title, one.amount.unit, one.amount.column or passage.text[:2]
            groups.setdefault(key, []).append(one)
        for (_, unit, _), group in groups.items():
            if len(group) > SMALLEST:
                yield self._made("total", math.fsum(said.amount.value for said in group), unit, tuple(group))

    def products(self) -> Iterator[Reckoning]:
        if "product" in self.kinds:
            numbers = [number for number, _ in self.counts if number > 1]
            both = [tuple(numbers)] if len(numbers) == SMALLEST else []
            for one in filter(self._is_counted, self.pool):
                for times in [*((number,) for number in dict.fromkeys(numbers)), *both]:
                    named = max(times) > MANY and not one.amount.is_money  # "line 701" is no number of things
                    if one.amount.value not in times and not named:
                        yield self._made("product", one.amount.value * math.prod(times), one.amount.unit, (one,), times)
        if stands_any(self.asked, units()["yearly"]):
            for one in self._said_of(units()["monthly"]):
                yield self._made("product", one.amount.value * MONTHS, one.amount.unit, (one,), (MONTHS,))

    def parts(self) -> Iterator[Reckoning]:
        """A whole by how many share it: by a number of the question or of the document, or a year's by its months."""
        if stands_any(self.asked, units()["monthly"]):
            for one in self._said_of(units()["yearly"]):
                yield self._made("each", one.amount.value / MONTHS, one.amount.unit, (one,), (MONTHS,))
        if "each" not in self.kinds:
            return
        wholes = [one for one in self.pool if one.amount.unit not in (CLOCK, DATE, "%") and one.amount.value]
        for one in wholes:
            for number in dict.fromkeys(number for number, _ in self.counts if number > 1):
                yield self._made("each", one.amount.value / number, one.amount.unit, (one,), (number,))
            for by in wholes:
                apart = by.amount.unit != one.amount.unit or (
                    by.amount.column and by.amount.column != one.amount.column
                )
                if apart and not by.amount.is_money and 1 < by.amount.value < one.amount.value:
                    yield self._made("each", one.amount.value / by.amount.value, one.amount.unit, (one, by))

    def _said_of(self, words: Sequence[str]) -> list[_Said]:
        """Sums of money that are of a year, or of a month."""
        return [one for one in self.pool if one.amount.is_money and stands_any(said(one.amount.passage.quote), words)]

    def _is_counted(self, one: _Said) -> bool:
        """Whether so many times of it can be meant: of money, of a bare figure, of what the question counts in."""
        amount = one.amount
        if amount.unit in (CLOCK, DATE, "%"):
            return False
        return amount.is_money or not amount.unit or self._is_said(amount.unit)

    def percents(self) -> Iterator[Reckoning]:
        if "percent" not in self.kinds:
            return
        for part in self.pool:
            if part.amount.unit != "%":
                continue
            around = said(f"{part.amount.passage.title} {part.amount.passage.text}")
            less = any(word in around.text for word in units()["less"])
            more = any(word in around.text for word in units()["more"])
            rate = part.amount.value / 100
            ways = (("percent", 1 - rate, less), ("percent", 1 + rate, more and not less), ("share", rate, not less))
            for one in self.pool:
                if one.amount.is_money or not one.amount.unit:
                    for kind, times, agrees in ways:
                        value = one.amount.value * times
                        yield self._made(kind, value, one.amount.unit, (one, part), agrees=agrees)

    def moments(self) -> Iterator[Reckoning]:
        if "lasting" not in self.kinds:
            return
        for kind, name in ((CLOCK, "lasting"), (DATE, "days")):
            for one, two in combinations([one for one in self.pool if one.amount.unit == kind], 2):
                if (value := abs(int(one.amount.value) - int(two.amount.value))) and (kind == DATE or value < DAY):
                    if kind == DATE and one.amount.value % 1 != two.amount.value % 1:
                        continue
                    yield self._made(name, float(value), "", (one, two))

    def _times(self, one: _Said, two: _Said) -> tuple[float, float]:
        first, second = (times_of(said.amount, self.asked.text, self.counts) for said in (one, two))
        return first, second

    def _is_said(self, unit: str) -> bool:
        """Whether the question has a word of the unit."""
        return any(word in self.asked.text for word in words_of_unit(unit))

    def _joint(self, some: Sequence[_Said], *, own: bool = False) -> float:
        """The share of the question that some figures speak of together."""
        if not some:
            return 0.0
        best = [max(one) for one in zip(*(said.own if own else said.speaks for said in some), strict=True)]
        return math.fsum(map(float.__mul__, self.rarity, best)) / self.whole

    def _made(
        self,
        kind: str,
        value: float,
        unit: str,
        some: Sequence[_Said],
        times: tuple[float, ...] = (),
        *,
        agrees: bool = False,
    ) -> Reckoning:
        joint, own = self._joint(some), self._joint(some, own=True)
        rest = [[*some[:n], *some[n + 1 :]] for n in range(len(some))]
        first, number = some[0].amount, len(some)
        chances = {one.amount.passage: one.chance for one in some}
        shown = unicodedata.normalize("NFKC", f"{first.text} {first.column}").casefold()
        asks_money = any(one.name == "money" for one in self.question.kinds)
        in_one, in_column = len(chances) == 1, len({one.amount.column for one in some}) == 1 and bool(first.column)
        evidence = (
            joint,
            own,
            min(own - self._joint(one, own=True) for one in rest),
            min(self._joint((one,)) for one in some),
            min(joint - self._joint(one) for one in rest),
            math.fsum(1 / (2 + one.place) for one in some) / number,
            max(one.place for one in some) / LOOKED_AT,
            math.fsum(chances.values()) / number,
            float(in_column),
            float(in_one),
            float(number == 1),
            self.kinds.get(ASKED_AS.get(kind, kind), 0.0),
            (1.0 if asks_money else -1.0) * all(one.amount.is_money for one in some),
            len(self.numbers & set(times)) / len(self.numbers) if self.numbers else 0.0,
            float(kind == "total"),
            float(kind == "left"),
            float(kind == "product"),
            float(kind in ("percent", "share")),
            float(kind in ("lasting", "days")),
            float(number == SMALLEST + 1),
            float(number > SMALLEST + 1),
            float(bool(unit)),
            float(self.question.is_shown(shown)),
            math.fsum(one.called for one in some) / number,
            min(one.called for one in some),
            max(one.column for one in some),
            float(self._is_said(unit)),
            float(kind == "left" and in_one and not first.column),
            float(kind == "each"),
            float(agrees),
            float(any(has(said(one.amount.clause), word) for one in some for word in self.shunned)),
            float(len({one.document for one in some}) > 1),
        )
        return Reckoning(kind, value, unit, tuple(one.amount for one in some), evidence, times)


def _alike(one: Amount, two: Amount) -> bool:
    """Of one unit, or of one text that says it once."""
    return one.unit == two.unit or ("" in (one.unit, two.unit) and one.passage == two.passage)
