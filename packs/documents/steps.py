"""Reckonings in steps: so many times two or three prices, a first price with one for each further, what comes on top of
so many, less or more than what a text says that it is held against; and the moment some time after another."""

import calendar
import datetime as dt
import math
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, permutations, product

from packs.documents.adding import summed, together
from packs.documents.alike import said
from packs.documents.amounts import (
    CLOCK,
    DATE,
    DAYS,
    MINUTE,
    MONTH,
    WEEKS,
    YEAR,
    Amount,
    amounts,
    is_unit,
    units,
    words_of_unit,
)
from packs.documents.counting import MANY
from packs.documents.grids import SMALLEST, cues
from packs.documents.passages import Passage
from packs.documents.sums import Figure, Sums, Way, derived, is_per, sentence_of
from packs.documents.wording import stands_any

PAIRS, MOST_PAID, MOST_THREES, MOMENTS = 10, 24, 6, 12
"""So many of the likeliest pairs and threes of so many prices are paid several times; and moments that
are counted on from."""
MOST_TIMES, MOST_FURTHER, MOST_MONTHS = 3, 60, 600
"""Numbers of a question that are tried, and further ones that are paid for; months of a term."""
DAY, MOST_DAYS = 1440.0, 400
TERMS = (MONTH, YEAR, DAYS, WEEKS)
LAST_DAY = -1.0
"""What a day is counted with that is the last of a term."""
HOW_MANY = ("몇 ", "몇", "何", "how many ")


class Steps(Sums):
    """See Sums."""

    def in_steps(self) -> Iterator[Way]:
        """All of them."""
        yield from self._times_over()
        yield from self._reduced()
        yield from self._instalments_beside()
        yield from self._further()
        yield from self._beyond()
        yield from self._held_back()
        yield from self._held_against()
        yield from self._occasions()
        yield from self._moments_after()

    @property
    def _numbers(self) -> list[float]:
        some = dict.fromkeys(number for number, _ in self.counts if 1 < number < MANY)
        return [*some][:MOST_TIMES]

    def _times_over(self) -> Iterator[Way]:
        """Two or three sums of money or of what the question counts in, one of them or all so many times."""
        if not self._numbers:
            return
        money = [one for one in self.counted if one.amount.is_money or self._is_asked_in(one)][:MOST_PAID]
        pairs = [
            Way("total", *summed([one.amount, two.amount], one.amount.unit), (one, two))
            for one, two in combinations(money, 2)
            if one.amount.unit == two.amount.unit
        ]
        few = sorted(pairs, key=self._spoken)[:PAIRS]
        best = sorted(money, key=lambda one: -self.joint((one,), own=True))[:MOST_THREES]
        threes = [
            Way("total", *summed([one.amount for one in three], three[0].amount.unit), three)
            for three in combinations(best, SMALLEST + 1)
            if len({one.amount.unit for one in three}) == 1
        ]
        few += sorted(threes, key=self._spoken)[:PAIRS]
        for way in few:
            size = len(way.figures)
            for number in self._numbers:
                yield _paid(way, (number,) * size)
                for at in range(size):
                    yield _paid(way, tuple(number if at == n else 1.0 for n in range(size)))
            if size == SMALLEST:
                for numbers in permutations(self._numbers, 2):
                    yield _paid(way, numbers)

    def _is_asked_in(self, one: Figure) -> bool:
        """Whether the question asks how many of its unit there are: 쿠폰이 몇 장."""
        words = words_of_unit(one.amount.unit) if is_unit(one.amount.unit) else ()
        return any(f"{ask}{word}" in self.asked.text for word in words for ask in HOW_MANY)

    def _reduced(self) -> Iterator[Way]:
        """So many times a price that a text makes less for each of them."""
        money = [one for one in self.counted if one.amount.is_money]
        for less in money if self._numbers else ():
            if stands_any(said(less.amount.passage.quote), units()["less"]):
                for one in sorted(money, key=lambda one: one.place)[:PAIRS]:
                    if one.amount.unit == less.amount.unit and one.amount.value > less.amount.value:
                        for number in self._numbers:
                            value = number * (one.amount.value - less.amount.value)
                            yield Way("left", value, one.amount.unit, (one, less), (number, number), agrees=True)

    def _instalments_beside(self) -> Iterator[Way]:
        """A sum of money, and another of its sentence as often as that says: a first payment and 36 by the month."""
        if not self.kinds.keys() & {"total", "money"}:
            return
        often = [one for one in self.counted if one.amount.unit in units()["occasions"] and one.amount.value > 1]
        for times in often:
            beside = [one for one in self.counted if one.amount.passage.quote == times.amount.passage.quote]
            for base, part in permutations([one for one in beside if one.amount.is_money][:MOST_THREES], 2):
                if base.amount.unit == part.amount.unit:
                    value = base.amount.value + times.amount.value * part.amount.value
                    yield Way("total", value, base.amount.unit, (base, part), (1.0, times.amount.value), per=True)

    def _spoken(self, way: Way) -> tuple[float, float]:
        """To sort by: the most of the question first, and what is most about what it is about."""
        return -self.joint(way.figures, own=True), -math.fsum(one.like for one in way.figures)

    def _further(self) -> Iterator[Way]:
        """A price for the first, and one for each further: of people, of hours, of kilometres."""
        if not self._numbers:
            return
        money = [one for one in self.counted if one.amount.is_money]
        for step in money:
            if not stands_any(said(step.amount.passage.quote), cues()["further"]):
                continue
            beside = [one for one in self.counted if one.amount.passage.quote == step.amount.passage.quote]
            bare = {one.amount.value for one in beside if not one.amount.is_money and one.amount.value < MANY}
            for base in sorted((one for one in money if one is not step), key=lambda one: one.place)[: 2 * PAIRS]:
                own = {
                    one.amount.value
                    for one in self.counted
                    if one.amount.passage.quote == base.amount.passage.quote and not one.amount.is_money
                }
                if together(base.amount, step.amount) is None:
                    continue
                for number in self._numbers:
                    for first in {1.0, *bare, *own}:
                        if 0 < first < number <= first + MOST_FURTHER:
                            for size in {1.0, *(one for one in bare if 1 < one <= number - first)}:
                                times = (1.0, float(math.ceil((number - first) / size)))
                                value = base.amount.value + times[1] * step.amount.value
                                yield Way("total", value, base.amount.unit, (base, step), times, per=True)

    def _beyond(self) -> Iterator[Way]:
        """What is over a part that is free or has a price of its own is paid by the piece: 2 hours free, then 500 won
        for each 10 minutes."""
        asked = [one for one in self.asked_amounts if one.value > 0 and not one.is_money]
        for step in (one for one in self.counted if one.amount.is_money):
            beside = [one for one in self.counted if one.amount.passage.quote == step.amount.passage.quote]
            frees = [one.amount for one in beside if stands_any(said(one.amount.clause), cues()["free"])]
            bases = [one for one in beside if one.amount.is_money and one is not step][:MOST_THREES]
            pieces = [one.amount for one in beside if is_per(step.amount, one.amount)]
            for number, free in product(asked, (one for one in frees if not one.is_money)):
                if (pair := _alike(number, free)) is None or pair[0] <= pair[1]:
                    continue
                rests = {pair[0] - pair[1]} | {
                    (pair[0] - pair[1]) * other[0] / pair[1] / other[1]
                    for one in pieces
                    if (other := _alike(free, one)) and one is not free
                }
                for times in {float(math.ceil(round(rest, 6))) for rest in rests if 0 < rest < MOST_PAID * MANY}:
                    value = times * step.amount.value
                    yield Way("product", value, step.amount.unit, (step,), (times,), per=True)
                    for base in bases:
                        if base.amount.unit == step.amount.unit:
                            whole = base.amount.value + value
                            yield Way("total", whole, step.amount.unit, (base, step), (1.0, times), per=True)

    def _held_back(self) -> Iterator[Way]:
        """What comes back of a price less so many per cent of it and so much for each day: as a text says."""
        for rate in (one for one in self.pool if one.amount.unit == "%"):
            text = said(rate.amount.passage.quote)
            beside = [one for one in self.counted if one.amount.passage.quote == rate.amount.passage.quote]
            for each in (one for one in beside if one.amount.is_money and stands_any(text, units()["less"])):
                for whole in (one for one in self.counted if one.amount.is_money and one not in beside):
                    share = 1 - rate.amount.value / 100
                    kept = derived(Way("percent", whole.amount.value * share, whole.amount.unit, (whole, rate)))
                    for number in self._numbers:
                        value = kept.amount.value - number * each.amount.value
                        if value > 0 and whole.amount.unit == each.amount.unit:
                            yield Way("left", value, each.amount.unit, (kept, each), (1.0, number), agrees=True)

    def _held_against(self) -> Iterator[Way]:
        """What a text says to be so much less or more than another figure beside it."""
        for group in self._in_sentences():
            text = said(group[0].amount.passage.quote)
            if len(group) > 3 or not stands_any(text, cues()["than"]):
                continue
            for one, two in combinations(group, 2):
                high, low = (one, two) if one.amount.value > two.amount.value else (two, one)
                if stands_any(text, cues()["below"]):
                    yield Way("left", high.amount.value - low.amount.value, high.amount.unit, (high, low), agrees=True)
                if stands_any(text, cues()["above"]):
                    yield Way("total", high.amount.value + low.amount.value, high.amount.unit, (high, low), agrees=True)

    def _occasions(self) -> Iterator[Way]:
        """So much each time, so many times: of a length of time or of a number of things."""
        often = [one for one in self.counted if one.amount.unit in units()["occasions"] and one.amount.value > 1]
        if not often:
            return
        lengths = [*self._lengths()]
        some = [one for one in self.counted if one.amount.unit and one.amount.unit != often[0].amount.unit]
        for times in often:
            for one in (*lengths, *(one for one in some if not one.amount.is_money)):
                if one is not times and one.document == times.document:
                    near = one.amount.passage == times.amount.passage
                    value = one.amount.value * times.amount.value
                    yield Way("product", value, one.amount.unit, (one, times), per=near)

    def _lengths(self) -> Iterator[Figure]:
        """From one clock time to another that stands alone beside it, as minutes."""
        beside: dict[tuple[str, str], list[Figure]] = {}
        for one in self.pool:
            if one.amount.unit == CLOCK:
                beside.setdefault((one.amount.passage.quote, one.amount.column), []).append(one)
        for group in beside.values():
            if len(group) == SMALLEST:
                one, two = sorted(group, key=lambda figure: figure.amount.value)
                value, text = two.amount.value - one.amount.value, f"({one.amount.text} → {two.amount.text})"
                yield one._replace(amount=one.amount._replace(value=value, unit=MINUTE, text=text), derived=True)

    def _moments_after(self) -> Iterator[Way]:
        """A day or a clock time, and a length of time from then on, or before it."""
        if "moment" not in self.kinds:
            return
        for kind in (DATE, CLOCK):
            moments = sorted((one for one in self.pool if one.amount.unit == kind), key=lambda one: one.place)
            for one in [*self.said_itself(kind), *moments[:MOMENTS]]:
                for span in self.counted:
                    ago = stands_any(said(span.amount.passage.quote), cues()["ahead"])
                    for sign in (1, -1) if ago else (1,):
                        value = _later(one.amount, span.amount, sign)
                        if value is None:
                            continue
                        if sign > 0 and kind == DATE and self._is_a_term(one.amount, span.amount):
                            yield Way("moment", value - 1, kind, (one, span), (1.0, 1.0, LAST_DAY), agrees=not ago)
                        else:
                            yield Way("moment", value, kind, (one, span), (1.0, float(sign)), agrees=(sign < 0) == ago)

    def _is_a_term(self, start: Amount, span: Amount) -> bool:
        """Whether a text says that something runs for so long from a day on, and the question asks for its end: that is
        the day before. A sentence with further days or times says something else."""
        text = sentence_of(start)
        if start.passage != span.passage or sentence_of(span) != text or not stands_any(self.asked, cues()["ends"]):
            return False
        beside = {one.amount for one in self.pool if one.amount.passage == start.passage}
        if sum(sentence_of(one) == text and one.unit in (DATE, *TERMS) for one in beside) != len((start, span)):
            return False
        return stands_any(said(text), cues()["term"]) and not stands_any(said(text), cues()["within"])

    @cached_property
    def asked_amounts(self) -> list[Amount]:
        """The figures of the question."""
        return amounts(Passage(self.asked.text))

    def said_itself(self, *unit: str) -> list[Figure]:
        """Those of some units that the question itself says: "if I take the 9:10"."""
        none = (0.0,) * len(self.rarity)
        return [Figure(one, "", 0, 0.0, 0.0, 0.0, none, none) for one in self.asked_amounts if one.unit in unit]


def _alike(one: Amount, two: Amount) -> tuple[float, float] | None:
    """Two measures in one unit; one that has none has that of the other."""
    values = together(one, two)
    return values[:2] if values else (one.value, two.value) if not (one.unit and two.unit) else None


def _later(moment: Amount, span: Amount, sign: int) -> float | None:
    """None of what is no length of time, or none that is counted on from such a moment."""
    lengths: dict[str, float] = units()["lasting"]
    months = span.value * {MONTH: 1, YEAR: 12}.get(span.unit, 0)
    if moment.unit == DATE and 0 < months <= MOST_MONTHS:
        return _months_later(moment.value, sign * int(months))
    if span.unit not in lengths:
        return None
    length = span.value * lengths[span.unit] / (DAY if moment.unit == DATE else 1.0)
    most = MOST_DAYS if moment.unit == DATE else DAY
    return moment.value + sign * length if length == int(length) and 0 < length < most else None


def _months_later(value: float, months: int) -> float:
    day = dt.date.fromordinal(int(value))
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return float(dt.date(year, month + 1, min(day.day, last)).toordinal()) + value % 1


def _paid(pair: Way, times: tuple[float, ...]) -> Way:
    amounts: list[Amount] = [
        one.amount._replace(value=one.amount.value * number) for one, number in zip(pair.figures, times, strict=True)
    ]
    return Way("total", *summed(amounts, pair.unit), pair.figures, times, named=pair.named)
