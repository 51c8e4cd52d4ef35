"""Imports point inward, and each big library enters by one door."""

import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT, files, imports

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def test_the_import_contracts_of_pyproject_hold() -> None:
    done = subprocess.run([LINT_IMPORTS, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_contracts_stand_on_pydantic_and_the_standard_library_alone() -> None:
    allowed = sys.stdlib_module_names | {"pydantic", "contracts"}
    taken = {str(path): {name.split(".")[0] for name in imports(path)} - allowed for path in files("contracts")}
    assert {path: names for path, names in taken.items() if names} == {}
