"""Which passage answers a question, and whether it does: what speaks for each (evidence.py) weighed as it was learned
(weights.yaml, from the questions of bench/data/documents). What a passage points at by number ("item 8", 8번 품목): the
row of a table that has it, to be told beside it."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from packs.documents.asking import Question, names, read_question
from packs.documents.data import load
from packs.documents.defining import defining
from packs.documents.evidence import FEATURES, Candidate, Meanings, called, candidates
from packs.documents.grids import grids, is_of_all
from packs.documents.parts import Part, parts_of
from packs.documents.passages import Passage
from packs.documents.sentences import unlisted

STRANGE = 0.2
"""A word with less has no partner in the passage."""
LEAST_LETTERS = 0.3
"""Without vectors the share of the letters that an answer has to have."""
FARTHEST = 5.0
MOST_WHOLES = 6
"""Rows of totals that are looked at beside the best passages."""
FIRST_ROWS, NAMED_TABLE, MOST_MATES = 2, 0.5, 12
"""Passages whose tables are looked at with all their rows; how much of a table's name is said else; and such rows."""
NAMED_WHOLE, FEWEST, MOST, LONGEST = 0.99, 3, 20, 240
"""Of a list that is told whole: how much of its name is said, its points, and its letters: steps are no list."""
PROBABLY, LIKELY, NEAR = -0.4, -1.2, -6.0
"""Odds with which a passage that speaks of all that is asked probably answers (two of three do, of those that no other
could have); with which it is most likely what is meant, though nobody may rely on it; and is worth telling at all."""
SURELY = 1.0
"""Odds of a passage that gives the name which is asked about."""
NAMES = "person"
"""The kind of question that is answered by a name."""
_COUNTED = re.compile(r"^[\[(【]?(?:[^\W\d]{1,9}\s)?[^\W\d]?\d{1,3}[^\W\d]{0,2}(?=[\s\])】.:：]|$)")
"""What a part of a document is counted by."""
JUDGED = (
    "letters", "words", "around", "meaning", "placed", "shown", "unshown", "around_shown", "row", "strange", "close",
    "least", "lacking", "chance", "ahead", "score", "label", "cell", "elsewhere", "stand",
    "nowhere", "foreign", "open", "within", "crossing", "condition",
)  # fmt: skip
"""What it is judged by whether the best passage answers: its evidence; of the words of the question the one that it has
least of, and the share that it lacks; how likely it is the best, how far before the next, and its score."""


class Scored(NamedTuple):
    """A passage of the document named, with its score and how likely it is the one that is meant."""

    document: str
    passage: Passage
    score: float
    chance: float


class Answer(NamedTuple):
    """Passages, the best first. `holds`: the first answers the question; else `missing` are the words of the question
    that it does not speak of; none of them: it speaks of the thing, and not of what is asked. `odds`: over 0 it
    holds."""

    best: tuple[Scored, ...]
    holds: bool = False
    missing: tuple[str, ...] = ()
    odds: float = 0.0

    @property
    def near(self) -> Literal["probably", "likely", "near", "far"]:
        """How near the first passage comes where it does not hold."""
        if self.odds >= PROBABLY and not self.missing:
            return "probably"
        return "likely" if self.odds >= LIKELY else "near" if self.odds >= NEAR else "far"


def answered(passages: Sequence[tuple[str, Passage]], text: str, meanings: Meanings, number: int = 5) -> Answer:
    """`passages` with the names of their documents."""
    question = read_question(text)
    found = candidates(question, [passage for _, passage in passages], meanings)
    found = [one for one in found if may_answer(passages[one.at][1])] or found
    if not found:
        return Answer(())
    ranked = sorted(found, key=lambda one: (-_weighed(one), one.at))
    chances = _chances([_weighed(one) for one in ranked])
    best = tuple(
        Scored(*passages[one.at], round(_weighed(one), 4), round(chance, 4))
        for one, chance in zip(ranked[:number], chances, strict=False)
    )
    first = ranked[0]
    if listed := listing(question, passages):
        best = (Scored(*listed, best[0].score, best[0].chance), *best[: number - 1])
    missing = tuple(
        word for word, has in zip(question.words, first.partners, strict=False) if has < STRANGE and names(word)
    )
    odds = _odds(first, best, question)
    at = defining(question, passages)
    if at is not None:
        given = Scored(*passages[at], best[0].score, 1.0)
        rest = [one._replace(chance=0.0) for one in best if one.passage is not given.passage]
        best, odds = (given, *rest)[:number], max(odds, SURELY)
    best = (*_with_pointed_at(best, passages), *_wholes(best, passages))
    best = (*best, *_mates(best, passages, question))
    return Answer(best, odds >= 0, () if odds >= 0 else missing, round(odds, 4))


def each_answered(
    passages: Sequence[tuple[str, Passage]], text: str, meanings: Meanings, number: int = 5
) -> list[tuple[Part, Answer]]:
    """The questions of a text with their answers: one, where one passage answers all that is asked."""
    whole = answered(passages, text, meanings, number)
    parts = parts_of(text)
    if not parts or not whole.best:
        return [(Part(text, text), whole)]
    told = [(one, answered(passages, one.text, meanings, number)) for one in parts]
    best = whole.best[0].passage.quote
    firsts = {answer.best[0].passage.quote for _, answer in told}
    shown = all(_is_shown(read_question(one.said), best) for one in parts)
    spoken_of = whole.holds or all(answer.odds >= LIKELY and not answer.missing for _, answer in told)
    return [(Part(text, text), whole)] if firsts == {best} and shown and spoken_of else told


def _is_shown(question: Question, text: str) -> bool:
    """Whether a text may tell all kinds of it; a name may look like any word."""
    kinds = [kind for kind in question.kinds if kind.name != NAMES]
    return not kinds or any(kind.is_shown(text) for kind in kinds)


def _with_pointed_at(best: Sequence[Scored], passages: Sequence[tuple[str, Passage]]) -> tuple[Scored, ...]:
    """Behind each passage the row that it points at by number."""
    found: list[Scored] = []
    for one in best:
        there = [passage for name, passage in passages if name == one.document]
        row = pointed_at(one.passage, there)
        found += [one, one._replace(passage=row)] if row and row not in (other.passage for other in best) else [one]
    return tuple(found[: len(best)])


def _wholes(best: Sequence[Scored], passages: Sequence[tuple[str, Passage]]) -> list[Scored]:
    """Rows that tell the whole of the others, and are not among the best: shares of it are reckoned."""
    there = {one.passage for one in best}
    rows = [(name, one) for name, one in passages if one.cells and one not in there and _is_whole(one)]
    return [Scored(name, one, best[-1].score, 0.0) for name, one in rows[:MOST_WHOLES]] if best else []


def _mates(best: Sequence[Scored], passages: Sequence[tuple[str, Passage]], question: Question) -> list[Scored]:
    """Rows of a table that is named, or of which the first passages are, and that are not among the best: a column is
    added up as a whole."""
    there = {one.passage for one in best}
    titles = dict.fromkeys((name, one.title) for name, one in passages if one.is_row and one.title)
    tables = [one for one in titles if called(unlisted(one[1]), question) >= NAMED_TABLE]
    tables += [(one.document, one.passage.title) for one in best[:FIRST_ROWS] if one.passage.is_row]
    rows = [
        (name, one)
        for table in dict.fromkeys(tables)
        for name, one in passages
        if (name, one.title) == table and one.is_row and one not in there
    ]
    return [Scored(name, one, best[-1].score, 0.0) for name, one in rows[:MOST_MATES]] if best else []


def _is_whole(row: Passage) -> bool:
    return any(is_of_all(cell) for _, cell in row.cells[:-1] if cell and not any(map(str.isdigit, cell)))


def listing(question: Question, passages: Sequence[tuple[str, Passage]]) -> tuple[str, Passage] | None:
    """The points of a list together, where what stands above them is asked for and no time, sum or name is: "what do I
    have to bring?" above which "Bring" stands."""
    if question.asks:
        return None
    found: dict[tuple[str, str], list[Passage]] = {}
    for name, one in passages:
        if one.is_listed and one.title and not one.is_title:
            found.setdefault((name, one.title), []).append(one)
    best = max(
        ((called(title, question), -at, name, points) for at, ((name, title), points) in enumerate(found.items())),
        default=None,
    )
    if best is None or best[0] < NAMED_WHOLE or not FEWEST <= len(best[3]) <= MOST:
        return None
    line = ", ".join(point.text.rstrip(".。") for point in best[3])
    return (best[2], best[3][0]._replace(line=line)) if len(line) <= LONGEST else None


def may_answer(passage: Passage) -> bool:
    """Whether it can be an answer. A title says what the text below is about; one with a figure behind its number
    ("Article 7", 제4장) may say more."""
    return not passage.is_title or any(char.isdigit() for char in _COUNTED.sub("", unlisted(passage.text)))


def _odds(first: Candidate, best: Sequence[Scored], question: Question) -> float:
    known = dict(zip(FEATURES, first.evidence, strict=True))
    if not known["meaning"]:
        return known["letters"] - LEAST_LETTERS if known["shown"] or not question.asks else -1.0
    ahead = best[0].score - best[1].score if len(best) > 1 else FARTHEST
    known = judged(first, best[0].score, best[0].chance, ahead)
    weights = learned()["judging"]
    return weights["bias"] + math.fsum(weights[name] * known[name] for name in JUDGED)


def judged(first: Candidate, score: float, chance: float, ahead: float) -> dict[str, float]:
    """What the best passage is judged by; `ahead`: how far its score is before that of the next."""
    partners = first.partners or (1.0,)
    return dict(zip(FEATURES, first.evidence, strict=True)) | {
        "least": min(partners),
        "lacking": sum(has < STRANGE for has in partners) / len(partners),
        "chance": chance,
        "ahead": min(ahead, FARTHEST) / FARTHEST,
        "score": score / 10,
    }


def _weighed(one: Candidate) -> float:
    weights = learned()["ranking"]
    return math.fsum(weights[name] * value for name, value in zip(FEATURES, one.evidence, strict=True))


def _chances(scores: Sequence[float]) -> list[float]:
    raised = [math.exp(score - scores[0]) for score in scores]
    whole = math.fsum(raised)
    return [one / whole for one in raised]


@cache
def learned() -> Mapping[str, Mapping[str, float]]:
    """The weights."""
    weights: dict[str, Any] = load("weights.yaml")
    return weights


_POINTS = re.compile(
    r"(\d{1,3})\s?(?:번|番)(?![가-힣]?\d)|\b(?:no\.?|number|item|line|row|position)\s?(\d{1,3})\b", re.IGNORECASE
)


def pointed_at(one: Passage, passages: Sequence[Passage]) -> Passage | None:
    """None where it points at nothing, or at rows of several tables."""
    found = _POINTS.search(unicodedata.normalize("NFKC", one.text))
    if found is None or one.is_row:
        return None
    number = next(filter(None, found.groups()))
    rows = [text for grid in grids(passages) for counted, text in grid.numbered if counted == number]
    return next((other for other in passages if other.text in rows), None) if len(rows) == 1 else None
