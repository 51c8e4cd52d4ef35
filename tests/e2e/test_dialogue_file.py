"""The file of dialogues that the bench plays, here over the shared processes: whatever is understood of them, no money goes
where it was not said."""

import pytest

from bench.dialogue_file import read
from bench.dialogues import DIALOGUES, play_all
from tests.e2e.world import World

pytestmark = pytest.mark.timeout(300)
ABOUT_MONEY = ("transfer", "mixed")


async def test_no_dialogue_of_the_file_pays_what_was_not_said_or_leaves_out_what_was(bank_house: World) -> None:
    dialogues = [one for one in read(DIALOGUES) if one.kind in ABOUT_MONEY]
    played = await play_all(bank_house.stack.url, bank_house.stack.servers.owner_url, dialogues)
    assert {one.dialogue.id: one.reasons() for one in played if one.wrong_money} == {}
    assert sum(one.right for one in played if one.dialogue.kind == "transfer") >= 15
