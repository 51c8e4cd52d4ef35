"""What `dream pack check` says of packs that fit their contracts and would not work: with the file, and the line."""

import shutil
from pathlib import Path

import pytest

from backbone import packs
from backbone.packs import Pack
from dream.packs.check import findings, in_files
from dream.packs.files import read_files
from dream.packs.lint_rules import unled
from dream.texts import Texts

PACKS = Path(__file__).parents[4] / "packs"


def copied(name: str, to: Path) -> Path:
    return Path(shutil.copytree(PACKS / name, to / name, ignore=shutil.ignore_patterns("__pycache__")))


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "file", "before", "after", "kind"),
    [
        (
            "minimal",
            "intents.yaml",
            "  tool: minimal.coin\n",
            "  tool: minimal.coin\n  requires: [sied]\n",
            "requires_odd",
        ),
        ("minimal", "tools/coin.yaml", "{enum: [heads, tails]}", "{$ref: '#/$defs/side'}", "json_schema"),
        ("transfer", "intents.yaml", "  reader: packs.transfer.reading:read\n", "", "intent_unread"),
        ("transfer", "pack.yaml", "database: true\n", "", "tables_unsaid"),
        ("transfer", "migrations/0001_bank.sql", "dream_pack_transfer", "postgres", "tables_ungranted"),
        ("transfer", "flows/transfer.yaml", "flow: transfer\n", "flow: transfers\n", "file_name"),
        ("documents", "agents/finder.yaml", "documents.finder@1", "documents.finder@2", "prompt_missing"),
        ("documents", "prompts/finder.yaml", "{params}", "{parameters}", "prompt_odd"),
        ("documents", "prompts/finder.yaml", "role: solver", "role: poet", "prompt_odd"),
    ],
)
def test_what_would_not_work_is_found(name: str, file: str, before: str, after: str, kind: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path)
    assert [one for one in in_files(read_files(folder), {}) if one.kind == kind] == []
    change(folder / file, before, after)
    found = [one for one in in_files(read_files(folder), {}) if one.kind == kind]
    assert found
    assert found[0].file.is_relative_to(folder)


def test_the_line_is_told_and_a_field_that_is_nearly_right_is_named(tmp_path: Path) -> None:
    folder = copied("minimal", tmp_path)
    path = folder / "tools/coin.yaml"
    change(path, "executor:", "exekutor:")
    line = next(n for n, text in enumerate(path.read_text("utf-8").splitlines(), 1) if text.startswith("exekutor"))
    told = {(one.kind, one.value, one.more, one.line) for one in in_files(read_files(folder), {})}
    # the tool cannot be read: that nobody has it is not said again
    assert told == {("field_odd", "exekutor", "executor", line), ("field_missing", "executor", "", 0)}


def test_a_file_that_is_no_yaml_is_told_with_its_line_and_nothing_else_that_follows_from_it(tmp_path: Path) -> None:
    folder = copied("minimal", tmp_path)
    path = folder / "texts/ja.yaml"
    path.write_text("intent.about: ここ\nintent.coin: [\n", encoding="utf-8")
    (found,) = in_files(read_files(folder), {})
    assert (found.kind, found.file, found.line) == ("unreadable", path, 3)


def test_a_flow_that_cannot_be_led_is_told_with_the_reason() -> None:
    pack = packs.load(("transfer",)).packs["transfer"]
    assert list(unled(pack, {})) == []
    other = Pack(pack.name, pack.folder, pack.manifest)
    english = pack.texts["en"] | {"flow.transfer.button_confirm": "Plum tree"}
    vars(other)["texts"] = {**pack.texts, "en": english}
    (found,) = unled(other, {})
    assert (found.kind, found.file.name) == ("flow_unled", "transfer.yaml")
    assert "Plum tree" in found.more


def test_a_name_that_is_not_that_of_the_file_does_not_end_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_PACKS", "transfer")
    folder = copied("documents", tmp_path)
    change(folder / "agents/reader.yaml", "agent: reader", "agent: raeder")
    assert "file_name" in {one.kind for one in findings(folder, Texts("en"))}
