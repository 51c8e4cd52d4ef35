"""Imports point inward, and each big library enters by one door."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, files, imports, nodes

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def test_the_import_contracts_of_pyproject_hold() -> None:
    done = subprocess.run([LINT_IMPORTS, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_contracts_stand_on_pydantic_and_the_standard_library_alone() -> None:
    allowed = sys.stdlib_module_names | {"pydantic", "contracts"}
    taken = {str(path): {name.split(".")[0] for name in imports(path)} - allowed for path in files("contracts")}
    assert {path: names for path, names in taken.items() if names} == {}


@pytest.mark.parametrize(("room", "door"), [("services", "understanding.port."), ("packs", "understanding.kit.")])
def test_understanding_has_one_door(room: str, door: str) -> None:
    """Services come in by the port, readers of packs by the kit; nothing reaches an adapter past them."""
    found = [(str(path), name) for path in files(room) for name in imports(path)]
    inside = [(path, name) for path, name in found if name.split(".")[0] == "understanding"]
    assert [(path, name) for path, name in inside if not name.startswith(door)] == []


def test_nothing_turns_on_the_name_of_a_provider() -> None:
    """What a model's answer is worth is said by its record (`local`), not guessed from who gave it."""
    found = []
    for path in files("backbone", "understanding", "services", "packs", "dream"):
        for node in nodes(path):
            if isinstance(node, ast.Compare | ast.Match) and "provider" in {
                one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)
            }:
                sides = [one for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                found += [f"{path}:{node.lineno}" for _ in sides]
    assert found == []
