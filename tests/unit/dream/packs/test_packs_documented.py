"""The pack that docs/writing-packs.md shows: copied out of it into what `dream pack new` makes, it is sound."""

import importlib
import re
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from contracts.cognitive import Entity
from contracts.reading import Checking, Clause, SlotRefused
from dream.packs import template
from dream.packs.check import in_files
from dream.packs.files import read_files
from dream.packs.lint_rules import unled
from dream.packs.lookup import whole
from dream.texts import Texts

DOCUMENT = Path(__file__).parents[4] / "docs/writing-packs.md"
TEXTS = Texts("en")


def shown() -> dict[str, str]:
    """Path -> text of the whole example's files."""
    part = DOCUMENT.read_text("utf-8").split("### A whole one\n")[1].split("\n## ")[0]
    names = re.findall(r"^`([\w/]+\.\w+)`(?: and `([\w/]+\.\w+)`)?", part, re.MULTILINE)
    blocks = re.findall(r"^```\w+\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    paths = [path for pair in names for path in pair if path]
    assert len(paths) == len(blocks)
    return dict(zip(paths, blocks, strict=True))


@pytest.fixture
def lunch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    template.new("lunch", None, TEXTS)
    folder = tmp_path / "packs" / "lunch"
    for path, text in shown().items():
        languages = ("ko", "en", "ja") if path.startswith("texts/") else ("en",)
        for target in [folder / path.replace("en.yaml", f"{language}.yaml") for language in languages]:
            target.parent.mkdir(exist_ok=True)
            before = target.read_text("utf-8") if target.exists() else ""
            target.write_text(before + text, encoding="utf-8")
    with (folder / "pack.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("database: true\n")
    yield folder
    importlib.import_module("packs").__path__[:] = [
        one for one in importlib.import_module("packs").__path__ if not one.startswith(str(tmp_path))
    ]
    for name in [one for one in sys.modules if one.startswith("packs.lunch")]:
        del sys.modules[name]


def test_the_example_is_a_sound_pack_whose_flow_can_be_led(lunch: Path) -> None:
    assert in_files(read_files(lunch), {}) == []
    assert list(unled(whole(lunch, TEXTS), {})) == []


def test_its_reader_and_validators_do_what_is_said(lunch: Path) -> None:
    whole(lunch, TEXTS)
    reading, slots = importlib.import_module("packs.lunch.reading"), importlib.import_module("packs.lunch.slots")
    said = Entity(type="number", text="3", value=3, start=0, end=1, confidence=1.0)
    clause = Clause("3 curry boxes please", "en", datetime(2026, 11, 22, tzinfo=UTC), (said,))
    assert reading.read(clause) == [{"dish": "curry", "count": 3}]
    checking = Checking({}, {}, date(2026, 11, 22))
    assert slots.count(3, checking) == 3
    for judge, value in ((slots.dish, "sushi"), (slots.count, 25), (slots.day, "2026-11-21")):
        with pytest.raises(SlotRefused):
            judge(value, checking)
