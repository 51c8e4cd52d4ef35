"""Fixtures of the marketing pack's tests: a context, and the tools held to their own schemas."""

import importlib
import io
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typst
from jsonschema import Draft202012Validator
from PIL import Image

from packs.marketing.board import page
from packs.marketing.charts import drawing
from packs.marketing.film import encoding, scenes
from tests.unit.packs.marketing.context import PACK, FakeContext
from understanding.kit.data import read_data

SHARED = Path(__file__).parents[5] / "shared" / "data"
Run = Callable[..., dict[str, Any]]
set_pages: Callable[..., bytes | list[bytes]] = typst.compile
with io.BytesIO() as _blank:
    Image.new("RGBA", (8, 8)).save(_blank, "PNG")
    BLANK = _blank.getvalue()
"""A picture of nothing."""


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


@pytest.fixture
def run(ctx: FakeContext) -> Run:
    """Runs a tool by its short name and holds parameters and result to its YAML."""

    def call(tool: str, **params: Any) -> dict[str, Any]:
        entry, takes, gives = specified(tool)
        takes.validate(params)
        module, function = entry.split(":")
        result: dict[str, Any] = getattr(importlib.import_module(module), function)(params, ctx)
        gives.validate(result)
        return result

    return call


@cache
def specified(tool: str) -> tuple[str, Draft202012Validator, Draft202012Validator]:
    """Its entry, and what holds parameters and results to its schemas; `test_pack` checks the schemas themselves."""
    spec = read_data(PACK / "tools" / f"{tool}.yaml")
    return spec["entry"], *(Draft202012Validator(spec[name]) for name in ("params_schema", "result_schema"))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts and pages that are set are blank, pages of the web have no font and films are not encoded: for tests of what is
    said, which takes a third of the time that drawing does. What is drawn has its own tests."""
    monkeypatch.setattr(drawing, "vl_convert", SimpleNamespace(
        vegalite_to_svg=lambda *_, **__: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>',
        svg_to_png=lambda *_, **__: BLANK,
        register_font_directory=lambda _: None,
    ))  # fmt: skip
    monkeypatch.setattr(page, "font_face", lambda *_: "")
    monkeypatch.setattr(typst, "compile", unset)
    monkeypatch.setattr(encoding, "encode", unencoded)


def unset(template: str, **options: Any) -> bytes | list[bytes]:
    """Scenes of a film are set: a page for each of its layers."""
    if Path(template).name == scenes.TEMPLATE.name:
        return set_pages(template, **options)
    return BLANK if options.get("format") == "png" else b"%PDF-"


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
