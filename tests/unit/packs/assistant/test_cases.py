"""The pack's cases: sentences as a whole, from the text to the slots of each task."""

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from understanding.kit.data import read_data
from understanding.offline.understand import SentenceReader

FOLDER = Path(__file__).parents[4] / "packs" / "assistant"
CASES = read_data(FOLDER / "cases.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case["text"] for case in CASES])
def test_a_case_is_understood_as_it_is_written_down(everything: SentenceReader, case: dict[str, Any]) -> None:
    # the person's now is in a named zone
    now = datetime.fromisoformat(case["now"]).astimezone(ZoneInfo("Asia/Seoul"))
    understood = everything.understand(CognitiveInput(text=case["text"]), now)
    tasks = case.get("tasks") or [{"intent": case["intent"], "slots": case["slots"]}]
    assert [{"intent": one.intent, "slots": one.slots} for one in understood.tasks] == tasks
    assert understood.language == case["lang"]
