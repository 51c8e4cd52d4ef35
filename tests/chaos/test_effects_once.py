"""A tool with effects outside is not repeated when its executor dies between the effect and its record, and not left
out when it dies before the effect.

DREAM_CHAOS_KILLS says how often it dies after the effect (the long form: 100); half as often it dies before."""

import os

import pytest

from tests.e2e.person import Person, only
from tests.e2e.world import World
from tests.packs.effects.outbox import CALLS, EFFECTS, keys_in
from tests.packs.effects.tools.charge import AFTER, BEFORE, FATAL

KILLS = min(int(os.environ.get("DREAM_CHAOS_KILLS", "3")), 100)
CHARGES = 2

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(60 + 45 * KILLS)]


async def test_an_effect_whose_executor_died_around_it_is_looked_up_and_happens_once(
    world: World, person: Person
) -> None:
    for number in range(KILLS + KILLS // 2):  # KILLS of them after the effect
        moment = (AFTER, BEFORE)[number % 3 == 1]
        (world.outbox / FATAL).write_text(moment, encoding="utf-8")
        run = await person.say(f"/charges {CHARGES}", auto_approve=True)
        await world.stack.wait_ended("execution", 30)
        assert not (world.outbox / FATAL).exists(), "it died of something else"
        await world.stack.restart("execution")
        output = only(await person.end_of(run), "ExecutionOutput")
        assert output["status"] == "succeeded", f"kill {number + 1}: {output}"
        if moment == AFTER:
            assert any(one["result"]["found"] for one in output["results"]), "nobody had to look"
        for file in (EFFECTS, CALLS):
            mine = {key: count for key, count in keys_in(world.outbox / file).items() if key.startswith(run["run_id"])}
            assert len(mine) == CHARGES and set(mine.values()) == {1}, f"kill {number + 1}: {mine}"
    await world.quiet()
    assert not await world.books.dead_letters()
