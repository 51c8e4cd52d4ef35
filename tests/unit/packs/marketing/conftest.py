"""Fixtures of the marketing pack's tests: a context, and the tools held to their own schemas."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.unit.packs.marketing.context import PACK, FakeContext

SHARED = Path(__file__).parents[5] / "shared" / "data"
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


@pytest.fixture
def run(ctx: FakeContext) -> Run:
    """Runs a tool by its short name and holds parameters and result to its YAML."""

    def call(tool: str, **params: Any) -> dict[str, Any]:
        spec = yaml.safe_load((PACK / "tools" / f"{tool}.yaml").read_text(encoding="utf-8"))
        jsonschema.validate(params, spec["params_schema"])
        module, function = spec["entry"].split(":")
        result: dict[str, Any] = getattr(importlib.import_module(module), function)(params, ctx)
        jsonschema.validate(result, spec["result_schema"])
        return result

    return call


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """A file of ../shared/data, or a skip with the reason."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"{path} is not on this machine")
        return path

    return find
