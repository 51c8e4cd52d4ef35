"""docs/source-designs.md names a test for everything that the source designs draw and say; each of them is there."""

import ast
import re
from collections import Counter
from functools import cache

from backbone import packs
from tests.architecture.sources import ROOT
from understanding.kit.data import read_data

TABLE = (ROOT / "docs/source-designs.md").read_text("utf-8")
NAMED = re.compile(r"`([a-z0-9_/]+)::(test_\w+)`")
DIALOGUE = re.compile(r'\["([^"]+)"\]')
MOST_TOOLS = 5
"""Of one worker: "소수의 도구(3~5개)"."""


@cache
def named_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / f"tests/{file}.py").read_text("utf-8"))
    found = (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(one.name for one in found if one.name.startswith("test_"))


def test_each_test_in_the_table_is_there() -> None:
    named = NAMED.findall(TABLE)
    assert len(named) > 50
    assert [f"{file}::{name}" for file, name in named if name not in named_in(file)] == []


def test_each_dialogue_in_the_table_is_there() -> None:
    cases = {one["name"] for one in read_data(ROOT / "packs/transfer/cases.yaml")}
    of_the_design = {one for one in cases if one.startswith("002 section") and "section 9" not in one}
    assert set(DIALOGUE.findall(TABLE)) == of_the_design


def test_each_scenario_that_quotes_a_design_is_in_the_table() -> None:
    named = {name for _, name in NAMED.findall(TABLE)}
    files = (path.stem for path in (ROOT / "tests/e2e").glob("test_*.py"))
    quoting = {name for file in files for name in named_in(f"e2e/{file}") if re.match(r"test_00[0-3]_", name)}
    assert quoting - named == {"test_002_section_8_what_was_made_of_the_template_is_sound"}


def test_each_row_of_the_table_shows_something() -> None:
    rows = [line for line in TABLE.splitlines() if line.startswith("|") and not re.match(r"\| (quoted|---)", line)]
    shown = re.compile(r"`\S+::test_|the (same|first) test|the rows of|differs")
    assert [row for row in rows if not shown.search(row.rsplit("|", 2)[1])] == []


def test_001_6_a_worker_of_the_assistant_has_few_tools() -> None:
    tools = packs.load(("assistant",)).packs["assistant"].tools
    held = Counter(tool.executor for tool in tools)
    assert held.keys() == {"google", "memory", "scheduler", "supervisor"}
    assert max(held.values()) <= MOST_TOOLS
