"""What somebody who had not built it found in 390 turns is gone: the dialogues that show it, in other words, through the
whole product."""

import asyncio
from pathlib import Path

import pytest

from bench.dialogue_file import Dialogue, read
from bench.dialogue_play import play
from tests.e2e.world import World

pytestmark = pytest.mark.timeout(300)

REVIEW = Path(__file__).parents[2] / "bench" / "data" / "dialogues_review.jsonl"
AT_ONCE = 4
"""Dialogues: some wait for a song to end."""


async def test_each_of_the_first_defects_is_gone_in_other_words(bank_house: World) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def reasons(dialogue: Dialogue) -> list[str]:
        async with places:
            played = await play(bank_house.stack.url, bank_house.stack.servers.owner_url, dialogue)
        return [f"{dialogue.id}: {reason}" for reason in played.reasons()]

    found = await asyncio.gather(*map(reasons, read(REVIEW)))
    assert [reason for some in found for reason in some] == []
