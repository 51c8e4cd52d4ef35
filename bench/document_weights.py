"""Learns what speaks for a passage as the answer to a question, and writes packs/documents/weights.yaml:
`python -m bench.document_weights`.

Ranking: a softmax over the passages of each question, those that hold an expected answer being right. Judging: a
logistic regression over the best passages, with those of questions that the document does not answer. Judged are
rankings by weights that were learned without the document, so that the best passage is as often wrong as it will be;
and each question once more of its document without the passages that answer it: nearer misses nobody thinks of. Of
bench/data/documents it sees all SETS, and says of each what came of it while its documents were left out."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from bench.dialogue_file import misses
from bench.document_files import shelf
from bench.documents import DATA, Asked, read
from packs.documents import answering
from packs.documents.asking import read_question
from packs.documents.evidence import FEATURES, Candidate, candidates
from packs.documents.formats.opening import read as opened
from packs.documents.passages import Passage, passages
from packs.documents.shelf import mentioned, without
from understanding.offline.encoder import best_encoder

SETS = (
    "strangers", "learning", "development", "further", "tried", "pairs", "strangers_b", "apart", "kept", "unseen",
    "strangers_c", "strangers_d", "strangers_e", "strangers_f", "strangers_g", "strangers_h", "strangers_i",
    "strangers_j", "strangers_k", "strangers_l", "strangers_m", "strangers_n", "strangers_o",
    "strangers_p", "strangers_q", "strangers_r", "strangers_s", "strangers_t", "strangers_u", "reckoned",
)  # fmt: skip
FOLDS = 5
RIDGE, STEPS, RATE = 0.02, 400, 0.1
JUDGED_RIDGE = 1.0
ABSENT, BEREFT = 1.5, 0.5
"""What a question that is not answered counts beside one that is; and one of which the answer was taken away."""
LEAST_LEFT = 3
"""Passages that a document has left without those that answer."""
UNRANKED = frozenset({"stand", "nowhere", "foreign", "open"})
"""Evidence that is the same order again: it judges, and does not rank."""
REFUSED = 0.95
"""The share of questions without an answer that are to be told so: from there on an answer is given plainly."""
WEIGHTS = Path(answering.__file__).with_name("weights.yaml")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with its candidates, and which of them hold the answer; `bereft`: they were taken away."""

    asked: Asked
    passages: Sequence[Passage]
    candidates: Sequence[Candidate]
    right: NDArray[np.bool_]
    bereft: bool = False

    @property
    def evidence(self) -> Floats:
        found: Floats = np.array([one.evidence for one in self.candidates])
        return found


@dataclass(frozen=True)
class Left:
    """The best passage of a question by weights that were learned without its document."""

    set: str
    case: Case
    row: list[float]
    right: bool


def main(argv: list[str]) -> int:
    """0."""
    cases = {name: _cases(name) for name in SETS}
    weights, bias = _judging(left := _left_out(cases))
    ranking = _ranking([case for some in cases.values() for case in some])
    judging = dict(zip(answering.JUDGED, weights, strict=True)) | {"bias": bias}
    write({"ranking": dict(zip(FEATURES, ranking, strict=True)), "judging": judging})
    for name in SETS:
        _show(name, [one for one in left if one.set == name and not one.case.bereft], weights, bias)
    return 0


def _left_out(cases: Mapping[str, Sequence[Case]]) -> list[Left]:
    known = [(name, case) for name, some in cases.items() for case in some]
    documents = sorted({case.asked.files[0] for _, case in known})
    found: list[Left] = []
    for fold in range(FOLDS):
        left_out = set(documents[fold::FOLDS])
        ranking = _ranking([case for _, case in known if case.asked.files[0] not in left_out])
        some = [(name, case) for name, case in known if case.asked.files[0] in left_out]
        found += [Left(name, case, *_best(case, ranking)) for name, case in some]
    return found


def _judging(left: Sequence[Left]) -> tuple[Floats, float]:
    rows = np.array([one.row for one in left])
    labels = np.array([one.right for one in left], float)
    counts = [BEREFT if one.case.bereft else ABSENT if one.case.asked.absent else 1.0 for one in left]
    weights, bias = logistic(rows, labels, np.array(counts))
    absent = [one.case.asked.absent for one in left]
    return weights, bias - float(np.quantile((rows @ weights + bias)[absent], REFUSED))


def _cases(name: str) -> list[Case]:
    asked = read(DATA / f"{name}.jsonl")
    every = [case for one in asked for case in _both(one, files(name))]
    return [case for case in every if case.candidates]


@cache
def files(name: str) -> dict[str, bytes]:
    """Every document of every set, by its name; of two that are called alike that of this set."""
    some = [*DATA.glob("*/*"), *DATA.glob(f"{name}/*")]
    return shelf() | {path.name: path.read_bytes() for path in some if path.is_file()}


def _both(asked: Asked, documents: Mapping[str, bytes]) -> list[Case]:
    """The question of its document; and, to learn from, of what is left without the answer."""
    names, named = passages_of(asked, documents)
    there = [passage for _, passage in named]
    case = _case(asked, names, there)
    if asked.absent or not asked.any:
        return [case]
    rest = [passage for passage in there if misses(asked.turn, passage.quote)]
    if not LEAST_LEFT <= len(rest) < len(there):
        return [case]
    return [case, replace(_case(asked, names, rest), bereft=True)]


def passages_of(asked: Asked, documents: Mapping[str, bytes]) -> tuple[list[str], list[tuple[str, Passage]]]:
    """The documents that a question is asked of, and their passages."""
    names = mentioned(asked.question, list(asked.files)) or list(asked.files)
    return names, [(name, passage) for name in names for passage in _passages(name, documents[name])]


def _case(asked: Asked, names: Sequence[str], there: Sequence[Passage]) -> Case:
    some = candidates(read_question(without(asked.question, names) or asked.question), there, meanings)
    some = [one for one in some if answering.may_answer(there[one.at])] or some
    holds = [bool(asked.any) and not asked.absent and not misses(asked.turn, there[one.at].quote) for one in some]
    return Case(asked, there, some, np.array(holds))


@cache
def _passages(name: str, data: bytes) -> list[Passage]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        return passages(opened(path, name)[1])


_vectors: dict[str, list[float]] = {}


def meanings(texts: Sequence[str]) -> list[list[float]]:
    """Vectors, each text encoded once."""
    if new := list(dict.fromkeys(text for text in texts if text not in _vectors)):
        _vectors.update(zip(new, best_encoder().encode(new).tolist(), strict=True))
    return [_vectors[text] for text in texts]


def _ranking(cases: Sequence[Case]) -> Floats:
    """Weights of FEATURES."""
    told = [case for case in cases if case.right.any() and not case.bereft]
    ranks = np.array([name not in UNRANKED for name in FEATURES], float)
    return softmax_weights([(case.evidence, case.right) for case in told], ranks, RIDGE / 10)


def softmax_weights(told: Sequence[tuple[Floats, NDArray[np.bool_]]], used: Floats, ridge: float) -> Floats:
    """Weights of evidence: the likelihood of what is right of each question together, by Adam."""
    every = np.vstack([evidence for evidence, _ in told])
    mean, spread = every.mean(0), every.std(0) + 1e-6
    scaled = (every - mean) / spread * used
    sizes = np.array([len(evidence) for evidence, _ in told])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    right = np.concatenate([right for _, right in told]).astype(float)
    weights = np.zeros(len(used))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = scaled @ weights
        raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chances = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        hit = chances * right
        off = chances - hit / np.repeat(np.add.reduceat(hit, starts), sizes)
        slope = ridge * weights + scaled.T @ off / len(told)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    learned: Floats = weights / spread
    return learned


def _best(case: Case, ranking: Floats) -> tuple[list[float], bool]:
    """What the best passage is judged by, and whether it is right."""
    scores = case.evidence @ ranking
    order = np.argsort(-scores, kind="stable")
    best = int(order[0])
    chance = float(_softmax(scores)[best])
    ahead = float(scores[best] - scores[order[1]]) if len(order) > 1 else answering.FARTHEST
    known = answering.judged(case.candidates[best], float(scores[best]), chance, ahead)
    return [known[name] for name in answering.JUDGED], bool(case.right[best])


def logistic(rows: Floats, labels: Floats, counts: Floats, ridge: float = JUDGED_RIDGE) -> tuple[Floats, float]:
    """Weights and bias."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])
    held = ridge * np.eye(scaled.shape[1])
    held[-1, -1] = 0.0
    weights = np.zeros(scaled.shape[1])
    for _ in range(40):
        chances = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counts * (chances - labels)) + held @ weights
        bend = (scaled * (counts * chances * (1 - chances))[:, None]).T @ scaled + held
        weights = weights - np.linalg.solve(bend, slope)
    learned: Floats = weights[:-1] / spread
    return learned, float(weights[-1] - learned @ mean)


def _softmax(scores: Floats) -> Floats:
    raised: Floats = np.exp(scores - scores.max())
    chances: Floats = raised / raised.sum()
    return chances


def write(parts: Mapping[str, Mapping[str, float]]) -> None:
    """Parts of the weights; the others stay as they are."""
    known: dict[str, Any] = yaml.safe_load(WEIGHTS.read_text(encoding="utf-8"))
    told = {part: {name: round(float(value), 3) for name, value in some.items()} for part, some in parts.items()}
    head = "# Learned by `python -m bench.document_weights` and `bench.reckoning_weights`; not written by hand.\n"
    WEIGHTS.write_text(head + yaml.safe_dump(known | told, sort_keys=False), encoding="utf-8")


def _show(name: str, left: Sequence[Left], weights: Floats, bias: float) -> None:
    """Of documents left out: the first passage right, told plainly; of what is not there, that it is said so."""
    holds = [float(np.dot(one.row, weights)) + bias >= 0 for one in left]
    there = [
        (one.right, one.right and sure) for one, sure in zip(left, holds, strict=True) if not one.case.asked.absent
    ]
    absent = [not sure for one, sure in zip(left, holds, strict=True) if one.case.asked.absent]
    first, plainly = (sum(some) / max(len(there), 1) for some in zip(*there, strict=True))
    shares = f"first right {first:.3f}, and plainly {plainly:.3f}"
    print(
        f"{name:<12} {len(there):>4} {shares}; absent {len(absent):>3} said so {sum(absent) / max(len(absent), 1):.3f}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
