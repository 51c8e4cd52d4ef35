"""Whatever dies, whenever: a crowd keeps on talking while services and servers are killed at random.

DREAM_CHAOS_KILLS says how many kills (the long form: 200), DREAM_CHAOS_SEED repeats a run of bad luck."""

import asyncio
import logging
import os
import random
import shutil
import signal
from collections.abc import Awaitable, Callable

import pytest

from backbone.crash import POINTS
from dream.local.stack import SERVICES
from tests.e2e.person import Json, Person
from tests.e2e.world import World, errand

log = logging.getLogger(__name__)

KILLS = int(os.environ.get("DREAM_CHAOS_KILLS", "8"))
SEED = int(os.environ.get("DREAM_CHAOS_SEED", "20260101"))
PEOPLE = 4

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(300 + 30 * KILLS)]


async def test_every_run_completes_whatever_is_killed(world: World) -> None:
    over = asyncio.Event()
    crowd = [asyncio.create_task(talk(world, random.Random(f"{SEED}:{number}"), over)) for number in range(PEOPLE)]
    reaper = Reaper(world, random.Random(SEED))
    try:
        for _ in range(KILLS):
            await reaper.strike()
            failed = next((one for one in crowd if one.done()), None)
            if failed is not None:
                break
    finally:
        over.set()
    runs = [run for told in await asyncio.gather(*crowd) for run in told]
    await world.quiet(120)
    for run in runs:
        await world.books.balance(run)
    assert not await world.books.dead_letters()
    assert len(runs) >= PEOPLE
    log.info("%d kills, %d runs: %s", KILLS, len(runs), reaper.done)


async def talk(world: World, chance: random.Random, over: asyncio.Event) -> list[Json]:
    """One run after the other, until it is over."""
    told: list[Json] = []
    async with Person(world.stack.url) as person:
        while not over.is_set():
            text = chance.choice(("", "/day 3", "/naps 2", "/errand 8"))
            run = await (person.say(text, auto_approve=True) if text else errand(person, chance.randrange(1, 5)))
            told.append(run)
            await person.end_of(run, 240)
    return told


class Reaper:
    """Kills something, and brings it back."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self._world = world
        self._chance = chance
        self.done: list[str] = []

    async def strike(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, 1.5))
        deeds: list[Callable[[], Awaitable[str]]] = [
            *[self._crash_point] * 6, *[self._service] * 4, self._several, self._stop, self._pause, self._nats, self._wipe,
            self._postgres,
        ]  # fmt: skip
        deed = await self._chance.choice(deeds)()
        self.done.append(deed)
        log.info("%d: %s", len(self.done), deed)

    async def _crash_point(self) -> str:
        name, point, number = self._chance.choice(SERVICES), self._chance.choice(POINTS), self._chance.randrange(1, 6)
        self._world.arm(name, point, number)
        try:
            await self._world.stack.wait_ended(name, 15)
        except TimeoutError:
            self._world.trap(name).unlink(missing_ok=True)
        await self._back(name)
        return f"{name}:{point}:{number}"

    async def _service(self) -> str:
        name = self._chance.choice(SERVICES)
        await self._world.stack.kill(name)
        await self._back(name)
        return name

    async def _several(self) -> str:
        names = self._chance.sample(SERVICES, 3)
        for name in names:
            await self._world.stack.kill(name)
        for name in names:
            await self._world.stack.restart(name)
        await self._world.stack.wait_ready()
        return "+".join(names)

    async def _stop(self) -> str:
        name = self._chance.choice(SERVICES)
        await self._back(name)
        return f"SIGTERM {name}"

    async def _pause(self) -> str:
        name = self._chance.choice(SERVICES)
        pid = self._world.stack.pid(name)
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(self._chance.uniform(0.5, 3))
        os.kill(pid, signal.SIGCONT)
        return f"pause {name}"

    async def _nats(self) -> str:
        await asyncio.to_thread(self._world.stack.nats.stop, signal.SIGKILL)
        await asyncio.sleep(self._chance.uniform(0, 2))
        await asyncio.to_thread(self._world.stack.nats.start)
        return "nats-server"

    async def _wipe(self) -> str:
        await asyncio.to_thread(self._world.stack.nats.stop, signal.SIGKILL)
        shutil.rmtree(self._world.stack.nats.store)
        await asyncio.to_thread(self._world.stack.nats.start)
        return "nats-server and its store"

    async def _postgres(self) -> str:
        await asyncio.to_thread(self._world.stack.postgres.stop, signal.SIGQUIT)
        await asyncio.sleep(self._chance.uniform(0, 2))
        await asyncio.to_thread(self._world.stack.postgres.start)
        return "postgres"

    async def _back(self, name: str) -> None:
        await self._world.stack.restart(name)
        await self._world.stack.wait_ready(90)
