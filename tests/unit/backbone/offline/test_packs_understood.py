"""The files that a pack brings to understanding: one that is wrong costs its own pack alone."""

from pathlib import Path

import pytest

from backbone import packs
from backbone.model.offline.cues import read_cues
from backbone.model.offline.pack import read_packs
from backbone.packs import Pack, PackInvalid, read

INTENT = "- {intent: TEST.one, label: l, route: answer, answer: a, examples: {en: [one]}}\n"


def pack(folder: Path, **files: str) -> Pack:
    folder.mkdir()
    (folder / "pack.yaml").write_text("{name: test, version: 1, title: {en: Test}}", encoding="utf-8")
    for name, text in {"intents": INTENT, **files}.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return read(folder)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("cues", "- {intent: TEST.one, words: {en: ['(one']}}", "(one"),
        ("cues", "- {words: {en: [one]}}", "'intent' is missing"),
        ("gazetteer", "- 5", "form"),
        ("gazetteer", "town: {filter: true}", "'names' is missing"),
        ("details", "one", "form"),
        ("details", "- {type: length, kind: number, words: {en: ['\\d+ s']}}", "(?P<value>"),
        ("topics", "- {goal: a.b, label: l, words: {en: ['[']}}", "'['"),
    ],
)
def test_a_pack_with_a_file_that_is_wrong_is_named_and_the_others_are_understood(
    file: str, text: str, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = pack(tmp_path / "wrong", **{file: text})
    sound = packs.load(("transfer",)).packs.values()
    assert [one.name for one in read_packs([wrong, *sound])] == ["transfer"]
    (record,) = caplog.records
    assert (vars(record)["pack"], f"{file}.yaml" in vars(record)["reason"]) == ("test", True)
    assert said in vars(record)["reason"]


def test_a_weight_may_be_a_whole_number(tmp_path: Path) -> None:
    path = tmp_path / "cues.yaml"
    path.write_text("- {intent: TEST.one, weight: 5, words: {en: [one]}}\n- {intent: TEST.two}\n", encoding="utf-8")
    assert [cue.weight for cue in read_cues(path)] == [5.0, 2.0]


def test_a_file_that_cannot_be_parsed_is_a_pack_that_is_wrong(tmp_path: Path) -> None:
    wrong = pack(tmp_path / "wrong")
    (wrong.folder / "cues.yaml").write_text("[", encoding="utf-8")
    assert read_packs([wrong]) == []
    with pytest.raises(PackInvalid):
        read_cues(wrong.folder / "cues.yaml")
