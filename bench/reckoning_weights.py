"""Learns what speaks for a reckoning with figures of a document as the answer to a question, and writes its part of
packs/documents/weights.yaml: `python -m bench.reckoning_weights`, after bench.document_weights.

Ranking: a softmax over the reckonings of each question that no passage answers, those with the expected value being
right. Judging: a logistic regression over the best ones, with those of questions that a passage or nothing answers. Of
each set it says what came of it while it was left out, with a fifth of the others."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.dialogue_file import misses, plain
from bench.document_weights import FOLDS, SETS, files, logistic, meanings, passages_of, softmax_weights, write
from bench.documents import DATA, Asked, read
from packs.documents.answering import answered
from packs.documents.reckoning import LOOKED_AT, SPEAKS_OF, Reckoning, is_asked, reckonings
from packs.documents.shelf import without
from packs.documents.worked_out import RATES, SHOWN, TOLD, judged, minutes_of, moment

RIDGE, JUDGED_RIDGE = 0.01, 100.0
_ONE_FIGURE = re.compile(r"[$€£¥₩]?(\d+(?:\.\d+)?)\D{0,6}")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with what may be reckoned, and which of it is right; `odds`: whether a passage answers."""

    set: str
    asked: Asked
    found: Sequence[Reckoning]
    right: NDArray[np.bool_]
    odds: float

    @property
    def evidence(self) -> Floats:
        rows: Floats = np.array([one.evidence for one in self.found])
        return rows


def main() -> int:
    """0."""
    cases = [case for name in SETS for case in _cases(name)]
    print(f"{len(cases)} questions, {sum(case.right.any() for case in cases)} answered by a reckoning")
    rows = [row for fold in range(FOLDS) for row in _left_out(SETS[fold::FOLDS], cases)]
    weights, bias = logistic(
        np.array([row for _, row, _ in rows]),
        np.array([right for *_, right in rows], float),
        np.ones(len(rows)),
        JUDGED_RIDGE,
    )
    names = [*SPEAKS_OF, "likely", "score", "answers"]
    write(
        {
            "reckoning": dict(zip(SPEAKS_OF, _ranking(cases), strict=True)),
            "reckoned": dict(zip(names, weights, strict=True)) | {"bias": bias},
        }
    )
    for name in SETS:
        _show(name, [one for one in rows if one[0].set == name], weights, bias)
    return 0


def _cases(name: str) -> list[Case]:
    found = []
    for asked in read(DATA / f"{name}.jsonl"):
        names, group = passages_of(asked, files(name))
        question = without(asked.question, names) or asked.question
        if not is_asked(question):
            continue
        answer = answered(group, question, meanings, LOOKED_AT)
        if some := reckonings(question, answer.best, meanings):
            said = not asked.absent and any(not misses(asked.turn, passage.quote) for _, passage in group)
            right = np.array([not asked.absent and not said and _is_right(asked, one) for one in some])
            found.append(Case(name, asked, some, right, answer.odds))
    return found


def _is_right(asked: Asked, one: Reckoning) -> bool:
    wanted = {plain(text) for text in asked.any}
    figures = {match[1] for text in wanted if (match := _ONE_FIGURE.fullmatch(text))}
    minutes = minutes_of(one)
    if minutes is not None and wanted & _spans(minutes):
        return True
    if one.kind == "moment":
        return any(text in plain(moment(one)) for text in wanted)
    if one.kind == "lasting":
        return False
    values = {f"{one.value:.2f}".rstrip("0").rstrip("."), f"{one.value:.2f}"}
    if one.kind in RATES:
        values |= {f"{one.value:.1f}".removesuffix(".0"), f"{round(one.value)}"}
    if one.kind == "each":
        values |= {f"{int(one.value)}", f"{round(one.value)}"}
    return bool(values & figures)


def _spans(minutes: float) -> set[str]:
    """A length of time as people write it."""
    hours, rest = divmod(round(minutes), 60)
    tails = (f"{rest}분", f"{rest}分", f"{rest}minutes") if rest else ("", "", "")
    whole = {f"{round(minutes)}{unit}" for unit in ("분", "分", "minutes", "min", "mins")}
    return whole | {f"{hours}{unit}{tail}" for unit, tail in zip(("시간", "時間", "hours"), tails, strict=True)}


def _ranking(cases: Sequence[Case]) -> Floats:
    told = [case for case in cases if case.right.any()]
    return softmax_weights([(case.evidence, case.right) for case in told], np.ones(len(SPEAKS_OF)), RIDGE)


def _left_out(names: Sequence[str], cases: Sequence[Case]) -> list[tuple[Case, list[float], bool]]:
    """The best of each question of some sets by weights learned from the others; whether it or the next is right."""
    ranking = _ranking([case for case in cases if case.set not in names])
    found = []
    for case in cases:
        if case.set in names:
            scores = case.evidence @ ranking
            order = np.argsort(-scores, kind="stable")
            known = judged(case.found[int(order[0])], [float(scores[at]) for at in order], case.odds)
            values: dict[float, bool] = {}
            for at in order:
                values.setdefault(round(case.found[int(at)].value, 2), bool(case.right[at]))
            found.append((case, [*known.values()], any([*values.values()][:SHOWN])))
    return found


def _show(name: str, rows: Sequence[tuple[Case, list[float], bool]], weights: Floats, bias: float) -> None:
    chances = [1 / (1 + np.exp(-(np.dot(row, weights) + bias))) for _, row, _ in rows]
    right = [one for one, (case, _, good) in zip(chances, rows, strict=True) if good]
    there = sum(case.right.any() for case, *_ in rows)
    told = sum(one >= TOLD for one in chances)
    good = sum(one >= TOLD for one in right)
    print(f"{name:<12} {len(rows):>4} of which {there:>3} reckoned; told {told:>3}, right {good:>3}")


if __name__ == "__main__":
    sys.exit(main())
