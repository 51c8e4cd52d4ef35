"""Decisions are pure: nothing in a domain folder does I/O, tells the time, draws lots or waits."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import files, imports, nodes

IMPURE = {
    "aiohttp", "asyncio", "concurrent", "httpx", "logging", "multiprocessing", "os", "requests", "secrets",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid_utils",
}  # fmt: skip
SHAPES = (
    "backbone.arguments",
    "backbone.runner.handlers",
    "backbone.ledger.port.Timer",
    "backbone.errors",
    "understanding.port.Choice",
    "understanding.port.Doubt",
    "understanding.port.Understanding",
)
"""What a decision is given and gives back, where it is no contract; and the hash of what exactly is approved."""
BY_CHANCE = {"uuid1", "uuid4", "uuid7"}
CLOCKS = {"now", "utcnow", "today"}
OURS = {"backbone", "understanding", "packs", "services", "dream", "bench"}
DOMAIN = [path for path in files("services") if "domain" in path.parts]


def test_a_domain_module_imports_nothing_impure() -> None:
    found = [(path, name) for path in DOMAIN for name in imports(path)]
    assert [(str(path), name) for path, name in found if name.split(".")[0] in IMPURE] == []
    assert [(str(path), name) for path, name in found if name.rsplit(".", 1)[-1] in BY_CHANCE] == []


def test_a_domain_module_stands_on_contracts_only() -> None:
    def is_outside(path: Path, name: str) -> bool:
        own = ".".join((*path.parts[:2], "domain"))
        return name.split(".", maxsplit=1)[0] in OURS and not name.startswith((*SHAPES, own))

    assert [(str(path), name) for path in DOMAIN for name in imports(path) if is_outside(path, name)] == []


def test_a_domain_module_draws_no_lots() -> None:
    # random.Random(a number from the message) is a function of the message: that is allowed
    for place, node in _nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] == "random":
            assert ast.unparse(node).startswith("random.Random("), place
            assert not ast.unparse(node).startswith("random.Random()"), place


def test_a_domain_module_asks_no_clock_and_waits_for_nothing() -> None:
    for place, node in _nodes():
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith), place
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            assert ast.unparse(node.func.value).split(".")[-1] not in {"datetime", "date"}, place


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    """Every node of every domain module, and the place that it stands at."""
    for path in DOMAIN:
        yield from ((f"{path}:{getattr(node, 'lineno', 0)}", node) for node in nodes(path))
