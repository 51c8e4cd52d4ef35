"""Names say what a thing is. The words on this list say nothing, so no module and no class is called by them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from contracts.registry import EVENTS
from tests.architecture.sources import PACKAGES, files, tree

EMPTY = {
    "manager", "helper", "helpers", "util", "utils", "common", "misc", "core", "base", "engine", "processor", "impl",
    "smart", "v2", "new", "temp", "abstract",
}  # fmt: skip


def test_no_module_has_an_empty_name() -> None:
    def words(path: Path) -> set[str]:
        return {word for part in path.with_suffix("").parts for word in part.lower().split("_")}

    assert {str(path): said for path in files(*PACKAGES) if (said := words(path) & EMPTY)} == {}


def test_no_class_has_an_empty_name() -> None:
    for path, node in _classes():
        words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", node.name)}
        assert not words & (EMPTY - {"base", "new"}), f"{path}: {node.name}"
        assert not re.match(r"I[A-Z][a-z]", node.name), f"{path}: {node.name}: a port needs no letter to say it is one"


def test_an_event_says_what_happened() -> None:
    assert [name for name in EVENTS if name.endswith(("Updated", "Changed", "Event"))] == []


def _classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in files(*PACKAGES):
        yield from ((path, node) for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))
