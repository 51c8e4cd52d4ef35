"""Which passage answers a question, and whether it does: what speaks for each (evidence.py) weighed as it was learned
(weights.yaml, from the questions of bench/data/documents)."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from packs.documents.asking import Question, read_question
from packs.documents.evidence import FEATURES, Candidate, Meanings, candidates
from packs.documents.passages import Passage

STRANGE = 0.2
"""A word with less has no partner in the passage."""
LEAST_LETTERS = 0.3
"""Without vectors the share of the letters that an answer has to have."""
FARTHEST = 5.0
NEAR = -3.0
"""Odds with which a passage is worth telling although it is not believed to answer."""
JUDGED = (
    "letters", "words", "around", "meaning", "placed", "shown", "unshown", "around_shown", "row", "strange", "close",
    "least", "lacking", "chance", "ahead", "score",
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
    def near(self) -> bool:
        """Whether the first passage may be what is meant all the same."""
        return self.odds >= NEAR


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
    missing = tuple(word for word, has in zip(question.words, first.partners, strict=False) if has < STRANGE)
    odds = _odds(first, best, question)
    return Answer(best, odds >= 0, () if odds >= 0 else missing, round(odds, 4))


def may_answer(passage: Passage) -> bool:
    """Whether it can be an answer. A title says what the text below is about; one with a figure may say more."""
    return not passage.is_title or any(char.isdigit() for char in passage.text)


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
    weights: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("weights.yaml").read_text(encoding="utf-8"))
    return weights
