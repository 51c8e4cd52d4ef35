"""Patterns of understanding that match nothing in any data: `python -m tests.architecture.unmatched` names them.

Those of the packs' cues, topics and details, and where a sentence may be cut. A pattern that no sentence needs is to be
taken away, or has a sentence written for it. The readers' words are no part of this."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from backbone import packs
from contracts.patterns import bounded
from understanding.kit.data import read_data
from understanding.offline.clauses import compiled, splitter
from understanding.offline.pack import PackUnderstanding, read_packs

ROOT = Path(__file__).parents[2]
NAMES = ("transfer", "assistant", "devices", "documents", "marketing", "minimal")
CLAUSES = ROOT / "understanding" / "offline" / "clauses.yaml"
MOST_CUES, MOST_BYTES = 150, 36_500
DATA = ("bench/data/*.jsonl", "packs/*/sentences.jsonl", "understanding/data/*.jsonl", "tests/unit/**/*.jsonl")
TESTS = ("tests/unit/understanding", "tests/unit/packs", "tests/integration/packs")


def understood() -> list[PackUnderstanding]:
    """All packs of the product."""
    return read_packs(packs.load(NAMES).packs.values())


@cache
def texts() -> list[str]:
    """All sentences that anybody has written down: data, examples, cases, those of tests; and their pieces."""
    found: list[str] = []
    for path in (path for pattern in DATA for path in sorted(ROOT.glob(pattern))):
        for line in path.read_text(encoding="utf-8").splitlines():
            found += _said(json.loads(line)) if line.strip() else ()
    for path in sorted(ROOT.glob("packs/*/cases.yaml")):
        found += [text for case in read_data(path) for text in _said(case)]
    for pack in understood():
        found += [text for spec in pack.intents for some in spec.examples.values() for text in some]
    for path in (path for folder in TESTS for path in sorted((ROOT / folder).rglob("test_*.py"))):
        found += _literals(ast.parse(path.read_text(encoding="utf-8")))
    cutter = splitter()
    pieces = [text[start:end] for text in found for start, end in cutter.split(text)]
    return list(dict.fromkeys([*found, *pieces]))


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Each with where it is written."""
    for pack in understood():
        for cue in pack.cues:
            yield from ((f"{pack.name}/cues.yaml", bounded(re.escape(word))) for word in cue.plain)
            yield from ((f"{pack.name}/cues.yaml", word) for word in cue.words)
        for topic in pack.topics:
            words = (word for some in topic.words.values() for word in some)
            yield from ((f"{pack.name}/topics.yaml", bounded(word)) for word in words)
        for detail in pack.details:
            yield from ((f"{pack.name}/details.yaml", word) for word in (*detail.words, *detail.unless))
    yield from ((CLAUSES.name, pattern) for pattern in compiled(read_data(CLAUSES)))


def unmatched() -> list[tuple[str, str]]:
    """Where, and which."""
    said = texts()
    return [(where, one.pattern) for where, one in patterns() if not any(one.search(text) for text in said)]


def cues() -> int:
    """Words that speak for an intent."""
    return sum(len(cue.plain) + len(cue.words) for pack in understood() for cue in pack.cues)


def size() -> int:
    """Bytes of all patterns of understanding: cues, topics, details, cuts and quantities, as they stand in their files."""
    files = [path for name in ("cues", "topics", "details") for path in ROOT.glob(f"packs/*/{name}.yaml")]
    files += [CLAUSES, *ROOT.glob("understanding/grammar/*.yaml")]
    return sum(_bytes(read_data(path)) for path in files)


def _literals(tree: ast.AST) -> list[str]:
    return [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _said(line: dict[str, Any]) -> list[str]:
    turns = [turn["say"] for turn in line.get("turns", ()) if isinstance(turn.get("say"), str)]
    return [*turns, *(one for one in (line.get("text"),) if isinstance(one, str))]


def _bytes(value: Any) -> int:
    if isinstance(value, dict):
        return sum(_bytes(one) for one in value.values())
    if isinstance(value, list):
        return sum(_bytes(one) for one in value)
    return len(value.encode()) if isinstance(value, str) and re.search(r"[\\^$.|?*+()\[\]{}]", value) else 0


if __name__ == "__main__":
    left = unmatched()
    sys.stdout.write(f"patterns: {cues()} cues of at most {MOST_CUES}, {size()} bytes of at most {MOST_BYTES}\n")
    for where, pattern in left:
        sys.stdout.write(f"patterns: matches nothing: {where}: {pattern[:120]!r}\n")
    sys.exit(bool(left) or cues() > MOST_CUES or size() > MOST_BYTES)
