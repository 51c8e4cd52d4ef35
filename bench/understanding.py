"""How well sentences are understood offline: `python -m bench understanding [--file JSONL] [--cross] [--json]`.

`--cross`: the sentences that teach, each part of them read by a model that has learned without it, and sentences of
topics that the model has learned nothing about (understanding_cross.py).

A line is {"lang", "text", "intent", "slots"?}; "tasks": [{"intent", "slots"?}] for several in one sentence; "intent":
null where a question is the right answer. "now" (ISO 8601 with zone) is what relative dates count from. A sentence is
right when its tasks have these intents in this order. A slot is exact when its value is; amounts, dates and times are
reported apart. A payee is the same with and without the ending that Korean names are called with and the title of
respect (understanding.offline.scoring), for the book of payees knows both. A null sentence is asked about when it
leads to a question that is not merely for a file: what it means, or what a task or a dialogue lacks ("send money": to
whom?), or what to do instead of what nobody here does (INQUIRY.unsupported), with which that answer ends.
"""

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from backbone import packs
from bench.understanding_cross import DEVELOPMENT, parts, topics
from bench.understanding_memory import added_megabytes, understander
from contracts.cognitive import CognitiveInput
from dream.packs.recognition_probe import names_of
from services.cognitive.asking import asks
from services.cognitive.flows import Flow, load_flows
from understanding.offline.scoring import Expected, Judgement, Line, heard, judge
from understanding.offline.understand import SentenceReader

SENTENCES = Path(__file__).parent / "data" / "understanding.jsonl"
ZONE = ZoneInfo("Asia/Seoul")
INTENT, EXACT, ASKED, MILLISECONDS, MEGABYTES = 0.93, 0.98, 0.90, 15.0, 350.0
"""What is required."""
FIGURES = frozenset({"amount", "date", "time"})
EXACT_IN = ("ko", "en")
SHOWN = 12


class FileUnusable(Exception):
    """The file cannot be scored; the message names the line and what is wrong in it."""


@dataclass(slots=True)
class Score:
    """Counts of one language, or of all."""

    intents: Counter[bool] = field(default_factory=Counter)
    slots: Counter[bool] = field(default_factory=Counter)
    figures: Counter[bool] = field(default_factory=Counter)
    nulls: Counter[bool] = field(default_factory=Counter)

    def add(self, judgement: Judgement) -> None:
        """Counts one sentence."""
        if judgement.asked is not None:
            self.nulls[judgement.asked] += 1
        if judgement.intents is not None:
            self.intents[judgement.intents] += 1
        for name, exact in judgement.slots:
            self.slots[exact] += 1
            if name in FIGURES:
                self.figures[exact] += 1

    def join(self, other: "Score") -> None:
        """Counts what another one has counted."""
        self.intents.update(other.intents)
        self.slots.update(other.slots)
        self.figures.update(other.figures)
        self.nulls.update(other.nulls)

    def report(self) -> dict[str, Any]:
        return {
            "intent_accuracy": _share(self.intents),
            "slot_exact": _share(self.slots),
            "money_date_exact": _share(self.figures),
            "null_asked": _share(self.nulls),
            "sentences": self.intents.total() + self.nulls.total(),
            "slots": self.slots.total(),
        }


def main(argv: list[str]) -> int:
    """0 when all that is required holds, 1 when not (which, is on stderr), 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench understanding", description=__doc__)
    parser.add_argument("--file", type=Path, help="JSONL of sentences; ours without it")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--wrong", action="store_true", help="show every sentence that is not right")
    parser.add_argument("--cross", action="store_true", help="what teaches, read by models that learned without it")
    given = parser.parse_args(argv)
    if given.cross:
        return _cross(given)
    try:
        lines = read(given.file or SENTENCES)
    except FileUnusable as error:
        print(f"bench understanding: {error}", file=sys.stderr)
        return 2
    model = understander()
    scores, wrong, seconds = score(model, load_flows(packs.load()), lines)
    milliseconds = [one * 1000 for one in seconds]
    report = scores["all"].report()
    report |= {language: scores[language].report() for language in ("ko", "en", "ja") if language in scores}
    report |= {"p50_ms": round(statistics.median(milliseconds), 2), "p95_ms": round(_p95(milliseconds), 2)}
    report["added_mb"] = round(added_megabytes())
    missed = misses(report)
    if given.json:
        print(json.dumps(report | {"missed": missed}, ensure_ascii=False))
    else:
        _show(report, wrong if given.wrong else wrong[:SHOWN], len(wrong))
    for one in missed:
        print(f"bench understanding: missed: {one}", file=sys.stderr)
    return 1 if missed else 0


def _cross(given: argparse.Namespace) -> int:
    flows = load_flows(packs.load())
    scores: dict[str, Score] = {}
    wrong: list[str] = []
    for name, told in (("", parts(read(given.file or DEVELOPMENT))), ("topics ", topics())):
        for lines, model in told:
            found, missed, _ = score(model, flows, lines)
            wrong += missed
            for language, one in found.items():
                scores.setdefault(f"{name}{language}", Score()).join(one)
    if given.json:
        print(json.dumps({name: one.report() for name, one in scores.items()}, ensure_ascii=False))
        return 0
    for name, one in scores.items():
        print(f"{name:>10}: " + ", ".join(f"{key} {value}" for key, value in one.report().items()))
    for sentence in wrong if given.wrong else ():
        print(f"  {sentence}")
    return 0


def read(path: Path) -> list[Line]:
    """Raises FileUnusable. Fields that nobody here knows are named on stderr, and left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnusable(f"{path}: {error}") from None
    lines: list[Line] = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            if isinstance(given, dict) and (unread := _without(given)):
                left_out.update(unread)
            lines.append(Line.model_validate_json(json.dumps(given)))
        except json.JSONDecodeError as error:
            raise FileUnusable(f"{path}, line {number}: no JSON: {error} ({line[:120]!r})") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise FileUnusable(f"{path}, line {number}: {where}: {first['msg']} ({line[:120]!r})") from None
    if not lines:
        raise FileUnusable(f"{path}: no sentences in it")
    for name, count in sorted(left_out.items()):
        print(f"bench understanding: {path}: {name!r} is not read ({count} lines)", file=sys.stderr)
    return lines


def _without(given: dict[str, Any]) -> list[str]:
    """Takes out what others note in their files and nobody here reads: other fields, and an intent beside tasks."""
    unread = [name for name in given if name not in Line.model_fields]
    if given.get("tasks") and given.get("intent") is not None:
        unread.append("intent")
    for name in unread:
        del given[name]
    for one in (given, *(given.get("tasks") or ())):
        if isinstance(one, dict) and one.get("slots", {}) is None:
            del one["slots"]
    if given.get("tasks", ()) is None:
        del given["tasks"]
    return unread


def score(
    model: SentenceReader, flows: Mapping[str, Flow], lines: Sequence[Line]
) -> tuple[dict[str, Score], list[str], list[float]]:
    """Scores by language and of all, what was not right, and seconds per sentence."""
    scores: dict[str, Score] = {"all": Score()}
    wrong: list[str] = []
    seconds: list[float] = []
    clock = datetime.now(ZONE)
    model.warm(clock)
    for line in lines:
        now = line.now or clock
        start = time.perf_counter()
        found = model.understand(CognitiveInput(text=line.text), now)
        seconds.append(time.perf_counter() - start)
        given = heard(found, asks=asks(found, flows, now.date()), names=names_of(flows))
        judgement = judge(line.expected, given)
        for one in (scores["all"], scores.setdefault(line.lang, Score())):
            one.add(judgement)
        if not judgement.right:
            wrong.append(f"[{line.lang}] {line.text!r}: {_shown(given.shown)}, not {_shown(line.expected)}")
    return scores, wrong, seconds


def misses(report: dict[str, Any]) -> list[str]:
    """What is required and does not hold."""
    missed: list[str] = []
    for name, least in (("intent_accuracy", INTENT), ("null_asked", ASKED)):
        if report[name] is not None and report[name] < least:
            missed.append(f"{name} {report[name]} < {least}")
    for language in EXACT_IN:
        exact = report.get(language, {}).get("money_date_exact")
        if exact is not None and exact < EXACT:
            missed.append(f"money_date_exact of {language} {exact} < {EXACT}")
    if report["p50_ms"] >= MILLISECONDS:
        missed.append(f"p50 {report['p50_ms']} ms >= {MILLISECONDS} ms")
    if report["added_mb"] >= MEGABYTES:
        missed.append(f"{report['added_mb']} MB more resident >= {MEGABYTES} MB")
    return missed


def _show(report: dict[str, Any], wrong: Iterable[str], count: int) -> None:
    for name in ("all", "ko", "en", "ja"):
        figures = report if name == "all" else report.get(name)
        if figures:
            shown = ", ".join(f"{key} {figures[key]}" for key in Score().report())
            print(f"{name:>3}: {shown}")
    print(f"p50 {report['p50_ms']} ms, p95 {report['p95_ms']} ms, {report['added_mb']} MB more resident")
    print(f"{count} sentences are not wholly right" + (":" if count else ""))
    for one in wrong:
        print(f"  {one}")


def _share(counts: Counter[bool]) -> float | None:
    return round(counts[True] / counts.total(), 4) if counts else None


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


def _shown(tasks: Sequence[Expected]) -> str:
    return " + ".join(f"{one.intent} {json.dumps(one.slots, ensure_ascii=False)}" for one in tasks) or "?"
