"""Names say what a thing is. The words on this list say nothing, so no module and no class is called by them."""

import ast
import re
from pathlib import Path

import pytest

from contracts.registry import EVENTS
from tests.architecture.sources import PACKAGES, files, tree

EMPTY = {
    "manager", "helper", "helpers", "util", "utils", "common", "misc", "core", "base", "engine", "processor", "impl",
    "smart", "v2", "new", "temp", "abstract",
}  # fmt: skip


@pytest.mark.parametrize("path", files(*PACKAGES), ids=str)
def test_no_module_has_an_empty_name(path: Path) -> None:
    words = {word for part in path.with_suffix("").parts for word in part.lower().split("_")}
    assert not words & EMPTY


@pytest.mark.parametrize("path", files(*PACKAGES), ids=str)
def test_no_class_has_an_empty_name(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ClassDef):
            words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", node.name)}
            assert not words & (EMPTY - {"base", "new"}), node.name
            assert not re.match(r"I[A-Z][a-z]", node.name), f"{node.name}: a port needs no letter to say that it is one"


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_says_what_happened(name: str) -> None:
    assert not name.endswith(("Updated", "Changed", "Event"))
