"""Migrations that stop nobody: an index on a table that has rows is built concurrently, outside a transaction."""

import re
from pathlib import Path

import pytest

from backbone.ledger.migrate import CONCURRENTLY, statements
from tests.architecture.sources import ROOT

RELEASED = 11
"""Up to here they were applied before there were ledgers of any size."""
FILES = [
    path
    for path in sorted(ROOT.glob("backbone/ledger/migrations/*.sql"))
    if int(path.name.partition("_")[0]) > RELEASED
]
_INDEX = re.compile(
    r"create\s+(?:unique\s+)?index\s+(concurrently\s+)?.*?\bon\s+(?:only\s+)?([\w.]+)", re.IGNORECASE | re.DOTALL
)
_TABLE = re.compile(r"create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.]+)", re.IGNORECASE)


def faults(name: str, sql: str) -> list[str]:
    text = re.sub(r"--.*", "", sql)
    made = {table.lower() for table in _TABLE.findall(text)}
    apart = name.endswith(CONCURRENTLY)
    found = []
    for statement in statements(sql) if apart else re.split(r";\s*\n", text):
        for concurrently, table in _INDEX.findall(statement):
            if apart or table.lower() in made:
                continue
            found.append(f"{name}: the index on {table} keeps writers out; build it in a *{CONCURRENTLY} file")
            if concurrently:
                found.append(f"{name}: nothing is concurrent within a transaction")
    if apart and re.search(r"create\s+(?:unique\s+)?index\s+(?!concurrently)(?!.*\bon\s+only\b)", text, re.IGNORECASE):
        found.append(f"{name}: an index here is built concurrently, or on the parent only")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_migration_builds_an_index_that_keeps_writers_out(path: Path) -> None:
    assert faults(path.name, path.read_text()) == []


@pytest.mark.parametrize(
    ("name", "sql", "bad"),
    [
        ("0030_a.sql", "create index i on ledger.events (type);\n", True),
        ("0030_a.sql", "CREATE UNIQUE INDEX i\n  ON ledger.inbox (cause);\n", True),
        ("0030_a.sql", "create index concurrently i on ledger.events (type);\n", True),
        ("0030_a.sql", "create table ledger.x (a int);\ncreate index on ledger.x (a);\n", False),
        ("0030_a.concurrently.sql", "create index concurrently i on ledger.events_0 (type);\n", False),
        ("0030_a.concurrently.sql", "create index if not exists i on only ledger.events (type);\n", False),
        ("0030_a.concurrently.sql", "create index i on ledger.inbox (cause);\n", True),
    ],
)
def test_the_rule_itself_finds_what_it_should(name: str, sql: str, *, bad: bool) -> None:
    assert bool(faults(name, sql)) is bad
