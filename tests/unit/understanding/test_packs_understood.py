"""What packs bring to understanding: a file that is wrong costs its own pack alone; tools of subcategories; what every
house understands."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from backbone import packs
from backbone.packs import Pack, PackInvalid, read
from contracts.cognitive import CognitiveInput, Route
from services.cognitive.clarifier import AmbiguityDetector
from services.cognitive.domain.ambiguity import Reply
from understanding.offline.cues import read_cues
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.pack import PackUnderstanding, read_packs
from understanding.offline.understand import SentenceReader
from understanding.result import Understanding

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
    assert [one.name for one in read_packs([wrong, *sound])] == ["platform", "transfer"]
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


def test_a_subcategory_with_a_tool_of_its_own_is_named_beside_its_category(
    everything: SentenceReader, now: datetime
) -> None:
    def understand(*said: str) -> Understanding:
        return everything.understand(CognitiveInput(text=said[0], answers=said[1:]), now)

    def named(*said: str) -> list[tuple[str, str | None]]:
        return [(one.intent, one.subcategory) for one in understand(*said).tasks]

    calendar, todo = ("ASSISTANT.calendar", None), ("ASSISTANT.calendar", "todo")
    assert named("내일 3시 치과 일정 넣고 할 일에 우유 사기 추가해줘") == [calendar, todo]
    assert named("치과 예약 일정 넣고 할 일에 우유 사기 추가해줘") == [calendar, todo]  # a day is still asked for
    assert named("할 일에 우유 사기 추가해줘", "ASSISTANT.calendar") == [todo]  # also when the category was chosen
    (gap,) = understand("할 일 추가해줘").missing
    assert (gap.intent, gap.slot) == ("ASSISTANT.calendar.todo", "title")


@pytest.mark.parametrize("text", ["뭘 할 수 있어?", "what can you do?", "何ができますか"])
def test_a_house_of_any_pack_says_what_it_can_do(
    text: str, every_pack: Sequence[PackUnderstanding], encoder: SentenceEncoder, now: datetime
) -> None:
    house = [replace(one, sentences=()) for one in every_pack if one.name in {"platform", "transfer"}]
    understood = SentenceReader(house, encoder, ()).understand(CognitiveInput(text=text), now)
    assert (understood.route, understood.answer) == (Route.ANSWER, "answer.capabilities")
    told = AmbiguityDetector(house).reply(Reply(understood.pack, "answer.capabilities"), understood.language)
    assert house[1].text("answer.capabilities.more", understood.language) in told
