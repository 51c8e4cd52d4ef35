"""Two processes of a service share its work; one that slept through its time and wakes up again harms nobody."""

import asyncio
import os
import signal

import pytest

from contracts.execution import TodoSucceeded
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.world import World, errand

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]


async def test_replicas_of_every_layer_share_the_work(world: World, person: Person) -> None:
    with world.replica("planning"), world.replica("execution"), world.replica("response"):
        runs = await asyncio.gather(*(errand(person, 3) for _ in range(12)))
        for run in runs:
            await person.end_of(run)
        await world.quiet()
    for run in runs:
        await world.books.balance(run)


async def test_a_worker_that_sleeps_through_its_time_repeats_no_effect(world: World, person: Person) -> None:
    run = await person.say("/naps 2", auto_approve=True)
    await eventually(lambda: at_work(person, run), "the naps")
    first = world.stack.pid("execution")
    with world.replica("execution"):
        os.kill(first, signal.SIGSTOP)
        try:
            # Its workers go on and have their effect, but their answers reach nobody; somebody else does the todos again.
            # It leads the relay, too, and keeps its lock until Postgres ends its silence.
            await person.end_of(run)
        finally:
            os.kill(first, signal.SIGCONT)
        # awake, it records answers that are there already
        await world.quiet()
        await asyncio.sleep(1)
    messages = await world.books.balance(run)
    assert len([message for message in messages if isinstance(message.event, TodoSucceeded)]) == 2
    assert world.books.calls(run) == 4, "both did the work, and the world took it once"


async def test_a_relay_that_sleeps_through_its_leadership_makes_no_second_event(world: World, person: Person) -> None:
    run = await person.say("/naps 4", auto_approve=True)
    await eventually(lambda: at_work(person, run), "the naps")
    for name in ("gateway", "planning", "execution", "response"):
        pid = world.stack.pid(name)
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(1.5)
        os.kill(pid, signal.SIGCONT)
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)


async def at_work(person: Person, run: Json) -> list[Json]:
    return of(await person.events(run["session_id"]), "TodoProgressed")
