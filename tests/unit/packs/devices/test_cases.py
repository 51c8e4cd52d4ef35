"""The pack's cases: sentences as a whole, from the text to the slots; and the pack's files, which have to agree."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from backbone import packs
from contracts.cognitive import CognitiveInput
from packs.devices import reading
from tests.unit.packs.devices.context import PACK, texts
from understanding.kit.data import read_data
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

CASES = read_data(PACK / "cases.yaml")
NOW = datetime(2026, 11, 22, 13, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize("case", CASES, ids=[case["text"] for case in CASES])
def test_a_case_is_understood_as_it_is_written_down(everything: SentenceReader, case: dict[str, Any]) -> None:
    understood = everything.understand(CognitiveInput(text=case["text"]), NOW)
    assert [(one.intent, one.slots) for one in understood.tasks] == [(case["intent"], case["slots"])]
    assert understood.language == case["lang"]


@pytest.mark.parametrize(
    ("reader", "slot", "language", "said", "value"),
    [
        ("navigation", "destination", "ko", "부산역으로요", "부산역"),
        ("navigation", "destination", "ko", "종로", "종로"),
        ("navigation", "destination", "en", "to the Eiffel Tower, please", "the Eiffel Tower"),
        ("navigation", "destination", "ja", "東京駅までお願いします", "東京駅"),
        ("song", "title", "en", "Twinkle Twinkle", "Twinkle Twinkle"),
        ("weather", "place", "ko", "제주도요", "제주도"),
        ("weather", "place", "en", "in Paris", "Paris"),
    ],
)
def test_the_answer_to_the_question_for_a_slot_is_read_as_that_slot(reader, slot, language, said, value):
    clause = clause_of(said, NOW, language, (slot,))
    (slots,) = getattr(reading, f"read_{reader}")(clause)
    assert slots[slot] == value


def test_every_text_is_there_in_every_language_with_the_same_places_to_fill():
    ko, en, ja = (texts(language) for language in ("ko", "en", "ja"))
    assert ko.keys() == en.keys() == ja.keys()
    for key in ko:
        holes = [sorted(set(re.findall(r"{\w+}", text[key]))) for text in (ko, en, ja)]
        assert holes[0] == holes[1] == holes[2], key


def test_the_groups_of_the_tools_are_those_of_the_class_diagram():
    tools = packs.load(("devices",)).tools
    shared = {key.split(".")[1]: (spec.groups, spec.capacity) for key, spec in tools.items() if spec.pack == "devices"}
    assert shared == {
        "navigation": (("MonitorBox",), 1),
        "movie": (("MonitorBox",), 1),
        "song": (("SongPool",), 2),
        "weather": ((), None),
        "library": ((), None),
    }
    assert [key for key, spec in tools.items() if spec.confirm_policy == "always"] == ["devices.movie"]


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_what_is_in_use_is_called_as_people_call_it(language: str) -> None:
    catalogue = packs.load(("devices",))
    groups = {(spec.tool_key, group) for spec in catalogue.packs["devices"].tools for group in spec.groups}
    assert groups
    assert all(catalogue.group(tool, group, language) != group for tool, group in groups)
