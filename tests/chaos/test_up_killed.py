"""`dream up` in one process, where events are handed over and do not go by the bus: killed itself in the middle of many
runs, and started again over the same folder. DREAM_CHAOS_KILLS says how often (`make chaos-one`: 200
times)."""

import asyncio
import logging
import os
import random
import time

import pytest

from tests.chaos.test_up_looks_after import WAIT, started
from tests.e2e.person import Json, Person
from tests.e2e.world import folder_for

log = logging.getLogger(__name__)

KILLS = int(os.environ.get("DREAM_CHAOS_KILLS", "2"))
SEED = int(os.environ.get("DREAM_CHAOS_SEED") or time.time_ns() % 1_000_000)
RUNS = 12
WORK = ("/errand 1", "/errand 3", "/naps 1")

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(240 + 20 * KILLS)]


async def test_whatever_was_handed_over_when_it_died_is_done_once() -> None:
    chance = random.Random(SEED)
    log.info("seed %d", SEED)
    late: list[float] = []
    with folder_for("up") as folder:
        runs: list[Json] = []
        for _ in range(KILLS):
            async with started(folder) as up, Person(up.url) as person:
                for _ in range(RUNS):
                    runs.append(await person.say(chance.choice(WORK), auto_approve=True))
                    await asyncio.sleep(chance.uniform(0, 0.05))
                await asyncio.sleep(chance.uniform(0, 1.2))
                await up.die()
        async with started(folder) as up, Person(up.url) as person:
            since = time.monotonic()
            for run in runs:
                await person.end_of(run, WAIT)
                await up.books.balance(run)
            late.append(time.monotonic() - since)
            assert not await up.books.dead_letters()
            await up.end()
    log.warning("%d kills, %d runs: the last have ended %.1f s after the start", KILLS, len(runs), late[-1])
