"""Decisions are pure: nothing in a domain folder does I/O, tells the time, draws lots or waits."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import files, imports, tree

IMPURE = {
    "aiohttp", "asyncio", "concurrent", "httpx", "logging", "multiprocessing", "os", "requests", "secrets",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid_utils",
}  # fmt: skip
SHAPES = (
    "backbone.arguments",
    "backbone.runner.handlers",
    "backbone.ledger.port.Timer",
    "backbone.errors",
    "backbone.model.offline.understanding",
)
"""What a decision is given and gives back, where it is no contract; and the hash of what exactly is approved."""
BY_CHANCE = {"uuid1", "uuid4", "uuid7"}
CLOCKS = {"now", "utcnow", "today"}
DOMAIN = [path for path in files("services") if "domain" in path.parts]

everywhere = pytest.mark.parametrize("path", DOMAIN, ids=str)


@everywhere
def test_a_domain_module_imports_nothing_impure(path: Path) -> None:
    found = set(imports(path))
    assert not {name for name in found if name.split(".")[0] in IMPURE}
    assert not {name for name in found if name.rsplit(".", 1)[-1] in BY_CHANCE}


@everywhere
def test_a_domain_module_stands_on_contracts_only(path: Path) -> None:
    service = ".".join(path.parts[:2])
    ours = {"backbone", "packs", "services", "dream", "bench"}
    allowed = (*SHAPES, f"{service}.domain")
    outside = {name for name in imports(path) if name.split(".")[0] in ours and not name.startswith(allowed)}
    assert not outside


@everywhere
def test_a_domain_module_draws_no_lots(path: Path) -> None:
    # random.Random(a number from the message) is a function of the message: that is allowed
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] == "random":
            assert ast.unparse(node).startswith("random.Random("), node.lineno
            assert not ast.unparse(node).startswith("random.Random()"), node.lineno


@everywhere
def test_a_domain_module_asks_no_clock_and_waits_for_nothing(path: Path) -> None:
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith), node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            assert ast.unparse(node.func.value).split(".")[-1] not in {"datetime", "date"}, node.lineno
