"""What questions about tables mean, learned: `python -m bench.learn_questions`.

data/questions.jsonl has questions with what they ask for: which figure (`kind`), of which column (`number`), by which
groups (`group`, `grouped`), in which order (`rank`, `every`). Weights are made of them for packs/marketing/models.
`--collect FILE --data DIR` adds those of a file of requests (as bench.analyst reads it) that are answered rightly now;
of several ways to ask the same thing (ids that differ in their last part alone) one right answer labels all."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import analyst, analyst_here
from packs.marketing.asking import chart, several
from packs.marketing.asking.days import Period
from packs.marketing.asking.meaning import features, heads
from packs.marketing.asking.meaning.heads import HEADS, KINDS, Conditional, Heads
from packs.marketing.asking.meaning.sought import Floats, Sought, Vectors, sought
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.request import Request
from packs.marketing.tables.read import read_table
from understanding.kit.ngrams import CharNgrams
from understanding.kit.softmax import Softmax, fit_softmax
from understanding.offline.encoder import best_encoder

DATA = Path(__file__).parent / "data"
QUESTIONS = DATA / "questions.jsonl"
_PENALTY, _RIDGE, _STEPS = 1.0, 0.3, 400
_OFTEN = 0.5
"""How much what is asked often is likelier, in log odds: all kinds weigh the same while weights are learned."""
Label = dict[str, Any]


def label(request: Request) -> Label | None:
    """What a request says of the decisions; `other` is what is not learned. None for what was not understood."""
    if request.unknown or request.unread:
        return None
    rank = "none" if request.descending is None else "high" if request.descending else "low"
    if request.asks == "rows":
        by = request.columns[0] if request.descending is not None and request.columns else None
        return {"kind": "rows", "rank": rank, "number": by}
    measures = request.measures
    odd = any(one.kind == "ratio" or one.per or one.since or one.stepped or one.each or one.days for one in measures)
    if request.asks != "figures" or odd or request.having or request.bound or request.change:
        return {"kind": "other"}
    main = next((one for one in measures if one.kind != "count"), measures[0])
    found: Label = {"kind": main.kind, "rank": rank, "grouped": "yes" if request.groups else "no"}
    if main.kind == "distinct":
        found["group"] = [main.column, None]
    elif main.column is not None:
        found["number"] = main.column
    if len(request.groups) == 1 and not (one := request.groups[0]).periods and not one.sides and not one.parts:
        found["group"] = [one.column, one.grain]
    if request.groups and rank != "none":
        found["every"] = "yes" if request.limit is None else "no"
    return found


def collected(file: Path, data: Path) -> Iterator[dict[str, Any]]:
    """Lines for data/questions.jsonl."""
    calls: list[tuple[str, Sequence[Period], str, bool, Request]] = []
    plainly = several.requests_of

    def noted(asked: str, found: Profile, periods: Sequence[Period], before: Request | None, how: Any) -> list[Request]:
        made: list[Request] = plainly(asked, found, periods, before, how)
        if len(made) == 1:
            calls.append((asked, periods, how.file, before is not None, made[0]))
        return made

    several.requests_of = noted
    chart.draw = lambda *_: None
    product = analyst_here.Product()
    lines: list[tuple[str, dict[str, Any], Label | None]] = []
    for request in analyst.read(file):
        paths = {one.name: data / (one.path or one.name) for one in request.files}
        with tempfile.TemporaryDirectory() as folder:
            talk = analyst_here.Talk(product, request, analyst.load(request, data), Path(folder), made=False)
            for number, turn in enumerate(request.turns, 1):
                calls.clear()
                if analyst.is_yes(request, number):
                    continue
                answer = talk.say(turn)
                if not calls or calls[-1][3] or not (turn.figures or turn.contains or turn.any):
                    continue
                asked, periods, name, _, made = calls[-1]
                right = answer.told_figures and not analyst_here.wrong_with(turn, answer)
                line = {"question": asked, "file": paths[name].relative_to(DATA).as_posix(), "periods": _told(periods)}
                lines.append((request.id, line, label(made) if right else None))
    known = {one.rpartition("-")[0]: found for one, _, found in lines if found is not None}
    for one, line, found in lines:
        if (meant := found or (known.get(one.rpartition("-")[0]) if "ways" in file.name else None)) is not None:
            yield line | meant


def _told(periods: Iterable[Period]) -> list[list[str | None]]:
    days = ((one.said, one.first, one.last) for one in periods)
    return [[said, *(day.isoformat() if day else None for day in both)] for said, *both in days]


class Example(NamedTuple):
    """A question as it is learned from; `number` and `group` are the features of all candidates and which is right."""

    masked: str
    vector: Floats
    known: Floats
    label: Label
    number: tuple[Floats, int] | None
    group: tuple[Floats, int] | None


def fit(examples: Sequence[Example]) -> Heads:
    spelling = CharNgrams(size=heads.BUCKETS).fit([one.masked for one in examples])
    spelt = spelling.encode([one.masked for one in examples])
    rows = np.stack([heads.question_row(one.vector, it, one.known) for one, it in zip(examples, spelt, strict=True)])
    made = {}
    for name, answers in HEADS.items():
        at = [number for number, one in enumerate(examples) if name in one.label]
        labels = [answers.index(examples[number].label[name]) for number in at]
        head = fit_softmax(rows[at], labels, len(answers), penalty=_PENALTY)
        often = np.log1p(np.bincount(labels, minlength=len(answers))).astype(np.float32)
        made[name] = Softmax(head.weights, head.bias + _OFTEN * often)
    numbers, groups = (
        [one for one in column if one is not None]
        for column in zip(*((one.number, one.group) for one in examples), strict=True)
    )
    return Heads(spelling, made, _conditional(numbers), _conditional(groups))


def _conditional(choices: Sequence[tuple[Floats, int]]) -> Conditional:
    """Conditional logistic regression with a ridge, by gradient steps with momentum."""
    every = np.concatenate([rows for rows, _ in choices])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    scaled = [((rows - mean) / spread, at) for rows, at in choices]
    weights = moved = np.zeros(every.shape[1])
    for step in range(_STEPS):
        gradient = -_RIDGE * weights
        for rows, at in scaled:
            scores = rows @ weights
            shares = np.exp(scores - scores.max())
            gradient += rows[at] - (shares / shares.sum()) @ rows
        moved = 0.9 * moved + gradient / len(scaled)
        weights = weights + (0.3 if step < 0.75 * _STEPS else 0.1) * moved
    return Conditional(*(one.astype(np.float32) for one in (mean, spread, weights)))


def read(lines: Sequence[str], processes: int) -> list[Example]:
    """Table by table, each by one process: what is known of its headings is worked out once."""
    tables: dict[str, list[Label]] = {}
    for line in map(json.loads, lines):
        tables.setdefault(line["file"], []).append(line)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return [one for some in pool.map(_of_one_table, tables, tables.values()) for one in some]


def _of_one_table(file: str, lines: Sequence[Label]) -> list[Example]:
    table = profile(read_table((DATA / file).read_bytes(), file))
    asked = [sought(one["question"], table, _periods(one["periods"]), Path(file).name) for one in lines]
    texts = list(dict.fromkeys(text for one in asked for text in one.texts()))
    vectors = dict(zip(texts, heads.unit(best_encoder().encode(texts)), strict=True))
    return [_example(one, line, vectors) for one, line in zip(asked, lines, strict=True)]


def _periods(told: Sequence[Sequence[str | None]]) -> list[Period]:
    return [Period(str(said), *(date.fromisoformat(day) if day else None for day in days)) for said, *days in told]


def _example(asked: Sought, line: Label, vectors: Vectors) -> Example:
    columns, candidates = features.numbers(asked), features.groups(asked)
    names, keys = [one.name for one in columns], [[one.column, one.grain] for one in candidates]
    number = group = None
    if line.get("number") in names and len(names) > 1:
        number = features.of_numbers(asked, vectors, columns), names.index(line["number"])
    if line.get("group") in keys:
        group = features.of_groups(asked, vectors, candidates), keys.index(line["group"])
    return Example(asked.masked, vectors[asked.masked], features.of_question(asked), line, number, group)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.learn_questions", description=__doc__)
    parser.add_argument("--collect", type=Path, help="a file of requests whose questions are added first")
    parser.add_argument("--data", type=Path, default=DATA / "analyst_strangers", help="where its tables are")
    given = parser.parse_args(argv)
    if given.collect is not None:
        lines = [json.dumps(one, ensure_ascii=False) for one in collected(given.collect, given.data)]
        there = QUESTIONS.read_text().splitlines() if QUESTIONS.exists() else []
        QUESTIONS.write_text("".join(f"{one}\n" for one in dict.fromkeys([*there, *lines])))
        sys.stdout.write(f"{len(lines)} questions\n")
    examples = read(QUESTIONS.read_text().splitlines(), os.cpu_count() or 1)
    heads.save(heads.WEIGHTS, fit(examples))
    kinds = {kind: sum(one.label["kind"] == kind for one in examples) for kind in KINDS}
    sys.stdout.write(f"{len(examples)} questions ({kinds}): {heads.WEIGHTS.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
