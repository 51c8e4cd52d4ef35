"""Fixtures of the marketing pack's tests: a context, and the tools held to their own schemas."""

import importlib
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from PIL import Image

from packs.marketing.board import page
from packs.marketing.charts import drawing
from packs.marketing.film import encoding
from tests.unit.packs.marketing.context import PACK, FakeContext
from understanding.kit.data import read_data

SHARED = Path(__file__).parents[5] / "shared" / "data"
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


@pytest.fixture
def run(ctx: FakeContext) -> Run:
    """Runs a tool by its short name and holds parameters and result to its YAML."""

    def call(tool: str, **params: Any) -> dict[str, Any]:
        spec = read_data(PACK / "tools" / f"{tool}.yaml")
        jsonschema.validate(params, spec["params_schema"])
        module, function = spec["entry"].split(":")
        result: dict[str, Any] = getattr(importlib.import_module(module), function)(params, ctx)
        jsonschema.validate(result, spec["result_schema"])
        return result

    return call


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are blank, pages have no font and films are not encoded: for tests of what is said, which takes a third of the
    time that drawing does. What is drawn has its own tests."""
    blank = io.BytesIO()
    Image.new("RGBA", (8, 8)).save(blank, "PNG")
    monkeypatch.setattr(drawing, "vl_convert", SimpleNamespace(
        vegalite_to_svg=lambda *_, **__: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>',
        svg_to_png=lambda *_, **__: blank.getvalue(),
        register_font_directory=lambda _: None,
    ))  # fmt: skip
    monkeypatch.setattr(page, "font_face", lambda *_: "")
    monkeypatch.setattr(encoding, "encode", unencoded)


def unencoded(frames: Iterable[Image.Image], path: Path, _: object) -> int:
    path.write_bytes(b"no film")
    return sum(1 for _ in frames)


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """A file of ../shared/data, or a skip with the reason."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"{path} is not on this machine")
        return path

    return find
