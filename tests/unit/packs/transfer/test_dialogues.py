"""The dialogues of the pack, word for word, with the real reading and rules, without servers."""

from datetime import date, datetime

import pytest

from packs.transfer.bank.port import OPENING_BALANCE
from tests.unit.packs.transfer.dialogues import CASES, ME, NAMES, ZONE, Talk, expected_slots, filled

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
TODAY = date(2026, 11, 18)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
async def test_the_dialogue_goes_as_written(case) -> None:
    talk = Talk(NOW, case["language"])
    for turn in case["turns"]:
        answer = await talk.says(turn["said"])
        if "message" in turn:
            assert answer == filled(turn["message"], TODAY, case["language"]), turn["said"]
        assert answer.startswith(turn.get("begins", "")), turn["said"]
        assert talk.state is not None
        if "stage" in turn:
            assert talk.state.stage == turn["stage"], turn["said"]
        if "slots" in turn:
            assert talk.state.slots == expected_slots(turn["slots"], TODAY), turn["said"]
        if "buttons" in turn:
            assert talk.state.buttons == tuple(turn["buttons"])
    assert await talk.bank.total() == 0
    assert await talk.bank.balance(ME) == OPENING_BALANCE - sum(order.amount for order in talk.paid)


def test_every_dialogue_of_the_source_design_is_there() -> None:
    sections = [f"section {number}" for number in (2, 3, 4, 5, 6)]
    assert [one for one in sections if not any(one in name for name in NAMES)] == []
    assert sum(not name.startswith("002") for name in NAMES) >= 10
