"""What follows from two or three figures of what was found: a sum, what is left, so many times a price, a part of it,
the time between two moments. Each that the best passages allow is looked at; what speaks for one is learned."""

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from packs.documents.alike import Said, has, said
from packs.documents.amounts import MONTH, YEAR, Amount, amounts, is_unit, units
from packs.documents.answering import Scored
from packs.documents.asking import Question, is_empty, read_question
from packs.documents.counting import Counts, counts_in
from packs.documents.evidence import Item, Meanings, called, dot, items_of, near_words, strength
from packs.documents.grids import SMALLEST, cues, is_of_all
from packs.documents.passages import Passage
from packs.documents.ranges import ranged
from packs.documents.sums import SMALL, Figure, Way
from packs.documents.tying import asks_for_nothing, is_plain, is_tied, terms
from packs.documents.ways import Ways
from packs.documents.wording import is_cue, stands_any

NAMED = 0.5
"""So much of the name of a row or column a question has to say to mean it."""
PERHAPS = 0.5
"""How plainly a sum of shares has to be asked for."""
MOMENTS = frozenset({"clock", "date", "end"})
"""Who asks for a moment asks for nothing else that follows from two figures."""
LEAST_SUM = 99
"""A bare figure beyond it may be a sum of money."""
LOOKED_AT, MOST = 16, 60
"""Passages, and figures of them, that are looked at."""
_FIGURES = re.compile(r"\d[\d,.:]{0,20}\w?")
_DIGITS = re.compile(r"\d+")
ASKED_AS = {"days": "lasting", "share": "percent", "among": "rate", "change": "rate"}
"""What asks for a kind of reckoning that has no words of its own."""
CUES = ("total", "together", "difference", "left", "perhaps_left", "beside")
SPEAKS_OF = (
    "cover", "own", "own_gain", "least", "gain", "rank", "last", "chance", "same_column", "same_passage", "alone",
    "wanted", "money", "counts", "total", "left", "product", "percent", "lasting", "three", "many", "unit", "text",
    "called", "all_called", "column", "unit_said", "beside", "each", "agrees",
    "shunned", "apart", "mixed", "named", "per", "line", "of_all", "columns", "derived", "many_asked", "counted",
    "scale", "crossed", "omitted", "small", "rate", "parallel", "points", "like", "least_like", "within", "beyond",
    "extra", "as_many", "row", "sentence", "rest", "grown", "moment", "further", "over", "occasions",
    "matched", "mismatched", "paired", "reduced", "outdone", "all_counts", "unit_price", "asked",
)  # fmt: skip


class Reckoning(NamedTuple):
    """`kind`: total, left, product, each (a part of a whole), percent (taken away or added), share (so many per cent of
    it), rate, among or change (how many per cent one is of another, of both, or apart), lasting (minutes), days, or
    moment (so long after another); what it was made of; and what speaks for it."""

    kind: str
    value: float
    unit: str
    terms: tuple[Amount, ...]
    evidence: tuple[float, ...]
    times: tuple[float, ...] = ()

    @property
    def is_a_term(self) -> bool:
        """Whether it is the last day of what runs for so long."""
        return self.kind == "moment" and len(self.times) > SMALLEST


def is_asked(text: str) -> bool:
    """Whether anything is asked for that may be reckoned."""
    asked = said(text)
    return bool(_wanted(asked, read_question(text), counts_in(asked.text)))


def is_plainly_asked(text: str) -> bool:
    """Whether the question says so, and it is not only likely."""
    asked = said(text)
    return is_plain(asked, _wanted(asked, read_question(text), counts_in(asked.text)))


def reckonings(text: str, best: Sequence[Scored], meanings: Meanings) -> list[Reckoning]:
    """All that may be meant, with what speaks for each; nothing where nothing of the kind is asked for."""
    question = read_question(text)
    asked = said(text)
    counts = _counted(asked, best)
    kinds = _wanted(asked, question, counts)
    plain = is_plain(asked, kinds)
    if not kinds or asks_for_nothing(question, kinds):
        return []
    pool = _pool(question, best, meanings)
    if kinds.keys() <= {"lasting", "rest"} and any(_is_asked_for(one) for one in pool):
        return []
    evidence = _Evidence(question, kinds, Ways(asked, pool, _rarity(pool), kinds, counts))
    ways = [
        (way, evidence.of(way))
        for way in evidence.ways.all()
        if way.kind == "moment" or ("moment" not in kinds and _is_of_kind(way, question))
    ]
    lasting = terms([way for way, _ in ways], question)
    return [
        Reckoning(way.kind, way.value, way.unit, tuple(one.amount for one in way.figures), speaks, way.times)
        for way, speaks in ways
        if way in lasting or (not lasting and is_tied(way, dict(zip(SPEAKS_OF, speaks, strict=True)), plain=plain))
    ]


def _counted(asked: Said, best: Sequence[Scored]) -> Counts:
    """The numbers that the question says, but those in the name of a row: bus 3 is not three buses."""
    names = {said(cell).text for one in best for _, cell in one.passage.cells if any(map(str.isdigit, cell))}
    spans = [(at, at + len(name)) for name in names if name and (at := asked.text.find(name)) >= 0]
    return [one for one in counts_in(asked.text) if not any(start <= one[1] < end for start, end in spans)]


def _is_asked_for(figure: Figure) -> bool:
    """Whether it is a length of time whose row and column the question both names: it is the answer."""
    return figure.amount.unit in units()["lasting"] and min(figure.called, figure.column) >= NAMED


def _is_of_kind(way: Way, question: Question) -> bool:
    """Whether it is money where money is asked for, and a length of time where that is; a bare figure may be either."""
    names = {kind.name for kind in question.kinds} - {"number"}
    lengths: dict[str, float] = units()["lasting"]
    if names == {"money"} or (not names and _compares_money(question)):
        first = 1 if way.times or way.kind in ("percent", "share") else None
        return all(map(_may_be_money, (one.amount for one in way.figures[:first]))) or (
            way.figures[0].amount.is_money and way.kind not in ("total", "left")
        )
    if names == {"duration"}:
        return way.kind in ("lasting", "days") or way.unit in (*lengths, MONTH, YEAR) or not way.unit
    return True


def _may_be_money(one: Amount) -> bool:
    """Whether it is a sum of money, or a bare figure of a table or as large as one."""
    return one.is_money or (not is_unit(one.unit) and (bool(one.column) or one.value > LEAST_SUM))


def _compares_money(question: Question) -> bool:
    """Whether it is asked by how much something is dearer, and not by how much longer."""
    measures: dict[str, dict[str, list[str]]] = cues()["measures"]  # type: ignore[assignment]
    asked = said(re.sub("|".join(cues()["anything"]), " ", question.text))
    return [name for name, some in measures.items() if stands_any(asked, some["asked"])] == ["money"]


def _wanted(asked: Said, question: Question, counts: Counts) -> dict[str, float]:
    """What kinds of reckoning the question asks for, and how plainly."""
    words = cues()
    found = _wants_total(asked, counts)
    if left := _wants_left(asked):
        found["left"] = left
    if "left" in found and "total" in found and stands_any(asked, words["without"]):
        found["left"] = 0.2  # it is left out of the sum
    names = {kind.name for kind in question.kinds}
    if names <= MOMENTS and (names or stands_any(asked, words["until"])):
        return {"moment": 1.0}
    if "percent" in names:
        return {"rate": 1.0} | {kind: how for kind, how in found.items() if kind == "left" or how > PERHAPS}
    if counts:
        found["product"] = 0.5
    if stands_any(asked, words["each"]) and not stands_any(asked, words["each_time"]):
        found["each"] = 1.0
    if "money" in names:
        found["money"] = 0.5
    if names & {"money"} or "product" in found or stands_any(asked, (*units()["less"], *units()["more"])):
        found["percent"] = 0.5
    if names & {"duration", "number"} or "left" in found or question.counter == "일":
        found["lasting"] = 0.5
    if question.counter or names & {"number", "people"} or stands_any(asked, words["but"]):
        found["rest"] = 0.5  # what a text says of a whole and its parts
    return found


def _wants_total(asked: Said, counts: Counts) -> dict[str, float]:
    if stands_any(asked, cues()["total"]):
        return {"total": 1.0}
    several = sum(asked.text.count(word) for word in cues()["sums"]) > 1  # "how much is this, and how much is that?"
    beside = stands_any(asked, cues()["beside"]) and not several
    perhaps = len(counts) > 1 or beside or stands_any(asked, cues()["together"])
    return {"total": 0.5} if perhaps else {}


def _wants_left(asked: Said) -> float:
    words = cues()
    if stands_any(asked, words["difference"]):
        return 1.0
    if stands_any(asked, words["than"]) and stands_any(asked, words["how_much"]):
        return 1.0
    return 0.7 if stands_any(asked, words["left"]) else 0.4 if stands_any(asked, words["perhaps_left"]) else 0.0


def _pool(question: Question, best: Sequence[Scored], meanings: Meanings) -> list[Figure]:
    items = items_of(question)
    items = [item for item in items if not (item.word and is_cue(item.word, CUES))] or items
    some = [
        (place, one, amount)
        for place, one in enumerate(best)
        for amount in amounts(one.passage._replace(text=one.passage.quote))  # with what stands beside it in its line
    ]
    known = {(amount.value, amount.unit, amount.clause): (place, one, amount) for place, one, amount in reversed(some)}
    some = sorted(known.values(), key=lambda one: one[0])[:MOST]
    clauses = [amount.clause for _, _, amount in some]
    arounds = [f"{one.passage.context} {one.passage.quote}" for _, one, _ in some]
    own = _strengths(items, clauses, meanings)
    distinct = [*dict.fromkeys(arounds)]  # a table has many figures, and is looked at word by word once
    known_around = dict(zip(distinct, _strengths(items, distinct, meanings), strict=True))
    around = [known_around[text] for text in arounds]
    likes = _likes(question.text, clauses, meanings)
    speaks = [
        tuple(max(one, 0.5 * other) for one, other in zip(mine, there, strict=True))
        for mine, there in zip(own, around, strict=True)
    ]
    return [
        Figure(
            amount,
            one.document,
            place,
            one.chance,
            called(_label(amount), question),
            called(amount.column, question),
            mine,
            all_,
            like,
        )
        for (place, one, amount), mine, all_, like in zip(some, own, speaks, likes, strict=True)
    ]


def _likes(asked: str, clauses: Sequence[str], meanings: Meanings) -> list[float]:
    """How much each clause is about what the question is about; 0 without vectors."""
    distinct = [*dict.fromkeys(clauses)]
    vectors = meanings([asked, *distinct])
    if len(vectors) != len(distinct) + 1:
        return [0.0] * len(clauses)
    known = {clause: dot(vectors[0], one) for clause, one in zip(distinct, vectors[1:], strict=True)}
    return [known[clause] for clause in clauses]


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


def _is_of_one(one: Figure) -> bool:
    """Whether its column has prices of one."""
    return stands_any(said(one.amount.column), cues()["unit_price"])


def _label(amount: Amount) -> str:
    """What a figure is called: the name of its row, or the words of its clause."""
    if amount.column:
        return amount.passage.cells[0][1]
    return _FIGURES.sub(" ", amount.clause.replace(amount.text, " "))


def _strengths(items: Sequence[Item], texts: Sequence[str], meanings: Meanings) -> list[tuple[float, ...]]:
    known = [[strength(item, said(text)) for item in items] for text in texts]
    better = near_words(items, known, [Passage(text) for text in texts], range(len(texts)), meanings)
    return [tuple(better.get(n, one)) for n, one in enumerate(known)]


def _rarity(pool: Sequence[Figure]) -> list[float]:
    if not pool:
        return []
    having = [sum(one.own[n] > 0 for one in pool) for n in range(len(pool[0].own))]
    return [math.log(1 + (len(pool) - some + 0.5) / (some + 0.5)) for some in having]


def _are_parallel(columns: Sequence[str]) -> bool:
    """Whether they are called alike but for their figures: Q3 2025 and Q3 2026."""
    return len({*columns}) > 1 and len({_DIGITS.sub("", column) for column in columns}) == 1


class _Evidence:
    """What speaks for a way of reckoning as the one that is meant, in the order of SPEAKS_OF."""

    def __init__(self, question: Question, kinds: dict[str, float], ways: Ways) -> None:
        self.question, self.kinds, self.ways = question, kinds, ways
        self.shunned = _shunned(question)
        self.asks_money = any(one.name == "money" for one in question.kinds)
        self._clauses: dict[str, bool] = {}
        self._counts = sorted(number for number, _ in ways.counts)
        self._asked = {(one.value, one.unit) for one in ways.asked_amounts}

    def of(self, way: Way) -> tuple[float, ...]:
        some, kind, unit = way.figures, way.kind, way.unit
        joint, own = self.ways.joint(some), self.ways.joint(some, own=True)
        rest = [[*some[:n], *some[n + 1 :]] for n in range(len(some))]
        first, number, numbers = some[0].amount, len(some), self.ways.numbers
        chances = {one.amount.passage: one.chance for one in some}
        shown = unicodedata.normalize("NFKC", f"{first.text} {first.column}").casefold()
        in_one, in_column = len(chances) == 1, len({one.amount.column for one in some}) == 1 and bool(first.column)
        return (
            joint,
            own,
            min(own - self.ways.joint(one, own=True) for one in rest),
            min(self.ways.joint((one,)) for one in some),
            min(joint - self.ways.joint(one) for one in rest),
            math.fsum(1 / (2 + one.place) for one in some) / number,
            min(max(one.place for one in some) / LOOKED_AT, 1.0),
            math.fsum(chances.values()) / number,
            float(in_column),
            float(in_one),
            float(number == 1),
            self.kinds.get(ASKED_AS.get(kind, kind), 0.0),
            (1.0 if self.asks_money else -1.0) * all(one.amount.is_money for one in some),
            len(numbers & set(way.times)) / len(numbers) if numbers else 0.0,
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
            float(self.ways.is_said(unit)),
            float(kind == "left" and in_one and not first.column),
            float(kind == "each"),
            float(way.agrees),
            float(any(map(self._is_shunned, some))),
            float(len({one.document for one in some}) > 1),
            float(len({one.amount.unit for one in some}) > 1 and kind in ("total", "left")),
            float(way.named),
            float(way.per),
            float(kind == "product" and number > 1 and not way.per),
            float(any(is_of_all(_label(one.amount)) for one in some)) if kind != "total" else 0.0,
            min(one.column for one in some),
            float(any(one.derived for one in some)),
            float(number > SMALLEST + 1 and self.kinds.get("total", 0.0) == 1.0),
            float(self.ways.is_counted_by(way)) if way.times else 0.0,
            min(way.scale, 4.0) / 4 if kind in ("total", "left") else 0.0,
            float(in_one and len({one.amount.column for one in some}) > 1 and not min(one.column for one in some)),
            min(self.ways.omitted(way), 4) / 4 if kind in ("total", "left") else 0.0,
            sum(not is_unit(one.amount.unit) and one.amount.value <= SMALL for one in some) / number,
            float(kind in ("rate", "among", "change")),
            float(in_one and _are_parallel([one.amount.column for one in some])),
            float(kind == "left" and unit == "%"),
            math.fsum(one.like for one in some) / number,
            min(one.like for one in some),
            float(any(self._ranged(one) > 0 for one in some)),
            float(any(self._ranged(one) < 0 for one in some)),
            float(kind == "total" and sum(one.is_extra for one in some) == 1),
            float(kind == "total" and number > SMALLEST and number in numbers),
            float(kind == "total" and number > SMALLEST and in_one and bool(first.column)),
            float(kind == "total" and number > SMALLEST and in_one and not first.column),
            float(kind == "left" and way.agrees),
            float(kind == "change" and way.agrees),
            float(kind == "moment" and way.agrees),
            float(kind == "total" and way.per),
            float(kind == "total" and number > 1 and len({1.0, *way.times}) > 1 and len({*way.times}) == 1),
            float(kind == "product" and number > 1 and not first.is_money),
            float(bool(way.times) and self.ways.is_as_often_as_said(way)),
            float(bool(way.times) and number > 1 and not self.ways.is_as_often_as_said(way)),
            float(kind == "product" and number > 1 and in_one),
            float(kind == "left" and bool(way.times) and way.agrees),
            self.ways.outdone(way),
            float(number > 1 and sorted(way.times) == self._counts),
            float(kind in ("total", "left") and any(map(_is_of_one, some))),
            sum((one.amount.value, one.amount.unit) in self._asked for one in some) / number,
        )

    def _ranged(self, one: Figure) -> float:
        return ranged(self.question.text, _label(one.amount) if one.amount.column else one.amount.clause)

    def _is_shunned(self, one: Figure) -> bool:
        clause = one.amount.clause
        if clause not in self._clauses:
            self._clauses[clause] = any(has(said(clause), word) for word in self.shunned)
        return self._clauses[clause]
