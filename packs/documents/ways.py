"""The ways of reckoning with figures that were found: each sum, difference, product, part and span that they allow."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from contracts.patterns import bounded
from packs.documents.adding import summed, together
from packs.documents.alike import has, said
from packs.documents.amounts import CLOCK, DATE, MONTH, Amount, is_unit, unit_of, units, words_of_unit
from packs.documents.asking import is_empty
from packs.documents.counting import MANY, times_of
from packs.documents.grids import SMALLEST, cues
from packs.documents.ranges import is_old_enough
from packs.documents.ranking import level
from packs.documents.steps import Steps
from packs.documents.sums import Figure, Way, derived, is_per, sentence_of
from packs.documents.wording import stands_any

DAY, MONTHS = 1440.0, 12.0
ENOUGH = 0.15
"""So much more of the question a further figure has to speak of."""
FIRST, MOST_PARTS = 8, 60
"""Pairs with which is reckoned on; instalments."""
_NUMBER = re.compile(r"^\s?(?:[\d.,]{1,12}|[^\W\d]{1,12}(?=\s))")
"""What counts, before what is counted."""


@cache
def _by_time() -> re.Pattern[str]:
    return bounded("|".join(units()["by_time"]))


class Ways(Steps):
    """Of a pool of figures, beside a question that asks for some `kinds` of reckoning and has some `counts`."""

    def all(self) -> Iterator[Way]:
        pairs = [*self._pairs(), *self.several()]
        yield from pairs
        yield from filter(self._may_be_so_often, self.in_steps())
        products = [*self._products()]
        yield from products
        reckoned = [derived(one) for one in self._likeliest([*pairs, *self._rests()])]
        yield from self._parts([*self.counted, *reckoned])
        once = [one for one in products if len(one.figures) == len(one.times) == 1]
        several = [derived(one) for one in once if one.figures[0].amount.is_money]
        several = sorted(several, key=lambda one: -self.joint((one,), own=True))[:FIRST]
        yield from self._percents([*self.pool, *reckoned, *several, *self.said_itself(*units()["money"])])
        yield from self._of_second()
        yield from self._moments()
        yield from self._rates()

    def _likeliest(self, pairs: Sequence[Way]) -> list[Way]:
        """With which is reckoned on: what is left is shared, and less is paid for several together."""
        some = [one for one in pairs if one.unit and min(figure.chance for figure in one.figures) > 0]
        some = [one for one in some if one.figures[0].amount.is_money]
        if "each" not in self.kinds:
            some = [one for one in some if one.named]
        return sorted(some, key=lambda one: -self.joint(one.figures, own=True))[:FIRST]

    def _pairs(self) -> Iterator[Way]:
        for one, two in combinations(self.counted, 2):
            values = together(one.amount, two.amount)
            if values is None:
                continue
            first, second, unit = values
            if "left" in self.kinds and first != second:
                high, low = (one, two) if first > second else (two, one)
                yield Way("left", abs(first - second), unit, (high, low))
                times = self._times(high, low)
                if max(times) > 1:
                    value = abs(max(first, second) * times[0] - min(first, second) * times[1])
                    yield Way("left", value, unit, (high, low), times)
                yield from self._instalments(*(one, two) if first < second else (two, one))
            if "total" in self.kinds or ("money" in self.kinds and one.is_extra != two.is_extra):
                yield Way("total", first + second, unit, (one, two))
                times = self._times(one, two)
                if max(times) > 1:
                    yield Way("total", first * times[0] + second * times[1], unit, (one, two), times)
                if third := self._third(one, two):
                    three = (one, two, third)
                    yield Way("total", *summed([said.amount for said in three], unit), three)

    def _instalments(self, part: Figure, whole: Figure) -> Iterator[Way]:
        """How much more is paid by the month, or as often as the text says, than at once."""
        near = [one.amount.value for one in self.counted if one.amount.passage.quote == part.amount.passage.quote]
        months = [MONTHS] if self._is_said_of(part, units()["monthly"]) else []
        for number in {*months, *(one for one in near if one == int(one) and 1 < one <= MOST_PARTS)}:
            value = number * part.amount.value - whole.amount.value
            if part.amount.is_money and 0 < value < whole.amount.value / 2:
                yield Way("left", value, part.amount.unit, (part, whole), (number, 1.0))

    def _rests(self) -> Iterator[Way]:
        """What is left of a sum of money after another of the same text: that is shared, where shares are asked for."""
        if "each" in self.kinds and "left" not in self.kinds:
            for one, two in combinations([one for one in self.counted if one.amount.is_money], 2):
                if one.amount.passage.quote == two.amount.passage.quote and one.amount.unit == two.amount.unit:
                    high, low = sorted((one, two), key=lambda said: -said.amount.value)
                    yield Way("left", high.amount.value - low.amount.value, one.amount.unit, (high, low))

    def _rates(self) -> Iterator[Way]:
        """How many per cent one is of another, or of both; and by how many it is more or less; points between two."""
        if "left" in self.kinds:
            for one, two in combinations([one for one in self.pool if one.amount.unit == "%"], 2):
                less, more = sorted((one, two), key=lambda said: said.amount.value)
                if value := more.amount.value - less.amount.value:
                    yield Way("left", value, "%", (more, less))
        if "rate" not in self.kinds:
            return
        for one, two in combinations(self.counted, 2):
            if one.amount.unit == two.amount.unit and one.amount.value != two.amount.value:
                some = (one, two) if one.amount.value < two.amount.value else (two, one)
                low, high = (said.amount.value for said in some)
                yield Way("rate", 100 * low / high, "%", some)
                yield Way("among", 100 * low / (high + low), "%", some)
                yield Way("among", 100 * high / (high + low), "%", some[::-1])
                fell, grew = (stands_any(self.asked, cues()[name]) for name in ("fell", "grew"))
                if grew or not fell:
                    yield Way("change", 100 * (high - low) / low, "%", some[::-1], agrees=grew)
                if fell or not grew:
                    yield Way("change", 100 * (high - low) / high, "%", some, agrees=fell)

    def _third(self, one: Figure, two: Figure) -> Figure | None:
        """What speaks most of what two do not speak of."""
        both = [max(pair) for pair in zip(one.speaks, two.speaks, strict=True)]
        others = [
            (self._more(both, other), -n, other)
            for n, other in enumerate(self.counted)
            if other is not one
            and other is not two
            and together(one.amount, other.amount)
            and together(two.amount, other.amount)
        ]
        best = max(others, default=None)
        return best[2] if best and best[0] > ENOUGH else None

    def _more(self, both: Sequence[float], other: Figure) -> float:
        """The share of the question that a figure speaks of beyond what is spoken of already."""
        more = (max(new - had, 0.0) for had, new in zip(both, other.speaks, strict=True))
        return math.fsum(map(float.__mul__, self.rarity, more)) / self.whole

    def _products(self) -> Iterator[Way]:
        if "product" in self.kinds:
            numbers = [number for number, _ in self.counts if number > 1]
            both = [tuple(numbers)] if len(numbers) == SMALLEST else []
            for one in filter(self._is_counted, self.pool):
                for times in [*((number,) for number in dict.fromkeys(numbers)), *both]:
                    named = max(times) > MANY and not one.amount.is_money  # "line 701" is no number of things
                    if one.amount.value not in times and not named:
                        yield Way("product", one.amount.value * math.prod(times), one.amount.unit, (one,), times)
        if stands_any(self.asked, units()["yearly"]):
            for one in self._said_of(units()["monthly"]):
                yield Way("product", one.amount.value * MONTHS, one.amount.unit, (one,), (MONTHS,))
            yield from self._recurring()
        for one in self.counted:
            if one.amount.is_money:
                for by in self.counted:
                    if by.amount.value > 1 and (per := is_per(one.amount, by.amount)) is not None:
                        value = one.amount.value * by.amount.value
                        yield Way("product", value, one.amount.unit, (one, by), per=per)

    def _recurring(self) -> Iterator[Way]:
        """What comes every few months, in a year."""
        terms = [one for one in self.counted if one.amount.unit == MONTH and 1 < one.amount.value < MONTHS]
        for term in terms:
            for one in self.counted:
                times = MONTHS / term.amount.value
                if one.amount.is_money and times == int(times):
                    near = one.amount.passage.quote == term.amount.passage.quote
                    yield Way("product", times * one.amount.value, one.amount.unit, (one,), (times,), per=near)

    def _parts(self, wholes: Sequence[Figure]) -> Iterator[Way]:
        """A whole by how many share it: by a number of the question or of the document, or a year's by its months."""
        if stands_any(self.asked, units()["monthly"]):
            for one in self._said_of(units()["yearly"]):
                yield Way("each", one.amount.value / MONTHS, one.amount.unit, (one,), (MONTHS,))
        if "each" not in self.kinds:
            return
        for one in wholes:
            for number in dict.fromkeys(number for number, _ in self.counts if number > 1):
                yield Way("each", one.amount.value / number, one.amount.unit, (one,), (number,))
            for by in self.counted:
                apart = by.amount.unit != one.amount.unit or (
                    by.amount.column and by.amount.column != one.amount.column
                )
                if apart and not by.amount.is_money and 1 < by.amount.value < one.amount.value:
                    yield Way("each", one.amount.value / by.amount.value, one.amount.unit, (one, by))

    def _said_of(self, words: Sequence[str]) -> list[Figure]:
        """Sums of money that are of a year, or of a month."""
        return [one for one in self.pool if one.amount.is_money and self._is_said_of(one, words)]

    def _is_said_of(self, one: Figure, words: Sequence[str]) -> bool:
        return stands_any(said(sentence_of(one.amount)), words)

    def _is_of_a_time(self, rate: Figure) -> bool:
        """Whether it is so much for a year or a month, of which nothing is asked: of a sum it is no part."""
        if any(stands_any(self.asked, units()[name]) for name in ("yearly", "monthly")):
            return False
        return _by_time().search(level(sentence_of(rate.amount)).casefold()) is not None

    def _is_counted(self, one: Figure) -> bool:
        """Whether so many times of it can be meant: of money, of a bare figure, of what the question counts in."""
        amount = one.amount
        if amount.unit in (CLOCK, DATE, "%"):
            return False
        return amount.is_money or not amount.unit or self.is_said(amount.unit)

    def _percents(self, wholes: Sequence[Figure]) -> Iterator[Way]:
        if "percent" not in self.kinds:
            return
        for part in self.pool:
            if part.amount.unit != "%" or self._is_of_a_time(part):
                continue
            around = said(f"{part.amount.passage.title} {part.amount.passage.text}")
            less = any(word in around.text for word in units()["less"])
            more = any(word in around.text for word in units()["more"])
            rate = part.amount.value / 100
            ways = (("percent", 1 - rate, less), ("percent", 1 + rate, more and not less), ("share", rate, not less))
            for one in wholes:
                if one.amount.is_money or not one.amount.unit:
                    for kind, times, agrees in ways:
                        value = one.amount.value * times
                        yield Way(kind, value, one.amount.unit, (one, part), agrees=agrees)

    def _of_second(self) -> Iterator[Way]:
        """A whole price for the first, and a part of it for each further one; a part of one price and another whole
        one, for whom the text has that."""
        money = [one for one in self.counted if one.amount.is_money]
        best = sorted(money, key=lambda one: -self.joint((one,), own=True))[:FIRST]
        for rate in (one for one in self.pool if one.amount.unit == "%"):
            text = said(rate.amount.passage.quote)
            less = any(word in text.text for word in units()["less"])
            kind, share = ("percent", 1 - rate.amount.value / 100) if less else ("share", rate.amount.value / 100)
            further, old = stands_any(text, cues()["second"]), is_old_enough(self.asked.text, text.text)
            for one in best if further or old else ():
                part = derived(Way(kind, one.amount.value * share, one.amount.unit, (one, rate)))
                for number in self._numbers if further else ():
                    value = one.amount.value + (number - 1) * part.amount.value
                    yield Way("total", value, one.amount.unit, (one, part), (1.0, number - 1), per=True)
                for other in best if old else ():
                    if other is not one and other.amount.unit == one.amount.unit:
                        value = part.amount.value + other.amount.value
                        yield Way("total", value, one.amount.unit, (part, other), agrees=True)

    def _moments(self) -> Iterator[Way]:
        if "lasting" not in self.kinds:
            return
        for kind, name in ((CLOCK, "lasting"), (DATE, "days")):
            for one, two in combinations([one for one in self.pool if one.amount.unit == kind], 2):
                if (value := abs(int(one.amount.value) - int(two.amount.value))) and (kind == DATE or value < DAY):
                    if kind == DATE and one.amount.value % 1 != two.amount.value % 1:
                        continue
                    yield Way(name, float(value), "", (one, two))

    def _times(self, one: Figure, two: Figure) -> tuple[float, float]:
        return self._count(one), self._count(two)

    def _count(self, one: Figure) -> float:
        """How many of it the question says: beside its name, or of what it is for one of (2泊3日)."""
        if (times := times_of(one.amount, self.asked.text, self.counts)) != 1:
            return times
        each = [
            number
            for number, place in self.counts
            if number > 1 and one.amount.is_money and self._is_of_one(one.amount, self.asked.text[place:], own=True)
        ]
        return each[0] if len(self.numbers) > 1 and len(each) == 1 else 1.0

    def omitted(self, way: Way) -> int:
        """How many figures it leaves out that are of the same kind and called by the question as much."""
        first = way.figures[0].amount
        least = min(one.called for one in way.figures)
        there = {one.amount for one in way.figures}
        return sum(
            one.called >= least and one.amount not in there
            for one in self.counted
            if (one.amount.unit, one.amount.column, one.amount.passage.title)
            == (first.unit, first.column, first.passage.title)
        )

    def _may_be_so_often(self, way: Way) -> bool:
        """Whether some of its figures may be taken oftener than others: as the question has it, or what each is for."""
        if way.kind != "total" or way.per or len({*way.times}) <= 1:
            return True
        return self.is_counted_by(way) or self.is_as_often_as_said(way)

    def is_counted_by(self, way: Way) -> bool:
        """Whether a figure is of one of what the question counts: 3 nights, at so much a night."""
        return any(
            number in way.times and self._is_of_one(one.amount, self.asked.text[place:])
            for one in way.figures
            for number, place in self.counts
            if number > 1
        )

    def _is_of_one(self, amount: Amount, counted: str, *, own: bool = False) -> bool:
        clause = said(amount.clause if own else f"{amount.passage.title} {amount.passage.text} {amount.column}")
        words = [word for word in said(_NUMBER.sub("", counted, count=1)).words.split()[:2] if not is_empty(word)]
        unit = unit_of(words[0]) if words else ""
        if is_unit(unit):
            return any(has(clause, word) for word in words_of_unit(unit)) or (
                unit == MONTH and stands_any(clause, units()["monthly"])
            )
        return any((len(word) > 1 and word in clause.text) or f"1{word}" in clause.text for word in words)

    def is_said(self, unit: str) -> bool:
        """Whether the question has a word of the unit."""
        return any(word in self.asked.text for word in words_of_unit(unit))
