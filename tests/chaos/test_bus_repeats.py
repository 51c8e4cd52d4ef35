"""Effects once, whatever the bus does: every message comes again at every moment, to two processes, and consumers and
streams vanish, busy or idle.

DREAM_CHAOS_REPEATS says how many effects are counted for each accident (the long form: make chaos-bus)."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator

import pytest

from contracts.decisions import DecisionRequested
from contracts.execution import TodoStarted, TodoSucceeded
from tests.e2e.courier import Courier, courier, everything
from tests.e2e.person import Json, Person, eventually
from tests.e2e.world import World
from tests.packs.effects.outbox import CALLS, EFFECTS, keys_in

REPEATS = int(os.environ.get("DREAM_CHAOS_REPEATS", "4"))
AT_ONCE = 4
"""Effects of a run, side by side."""

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240 + 12 * REPEATS)]

Accident = Callable[[Courier], Awaitable[None]]


async def only_repeats(courier: Courier) -> None:
    """Nothing is deleted."""


ACCIDENTS: dict[str, Accident] = {
    "every message comes again": only_repeats,
    "consumers are deleted": Courier.delete_consumers,
    "the stream is deleted": Courier.delete_stream,
}


@pytest.fixture(scope="module", autouse=True)
def two_executors(shared_world: World) -> Iterator[None]:
    """Whatever comes again may come to another process."""
    with shared_world.replica("execution"):
        yield


@pytest.mark.parametrize("command", ["charges", "bills"])
@pytest.mark.parametrize("accident", ACCIDENTS)
async def test_an_effect_happens_once_whatever_the_bus_does(
    accident: str, command: str, world: World, person: Person
) -> None:
    async with courier(world.stack.nats.url, everything) as meddler:
        for _ in range(-(-REPEATS // AT_ONCE)):
            run = await person.say(f"/{command} {AT_ONCE}", auto_approve=True)
            approving = asyncio.create_task(approve(person, run)) if command == "bills" else None
            await eventually(lambda run=run: at_work(world, run), "a call that has begun")  # type: ignore[misc]  # mypy cannot type a lambda's default
            await ACCIDENTS[accident](meddler)
            await person.end_of(run)
            if approving:
                approving.cancel()
            # and once more, the last first, to whoever is there
            for message in reversed(list(meddler.seen)):
                if message.session == run["session_id"]:
                    meddler.deliver(message)
            await meddler.at_rest()
            await world.quiet()
            await ACCIDENTS[accident](meddler)  # while nothing goes on
            await world.quiet()
            await happened_once(world, run)
    assert meddler.again > REPEATS * 5, "hardly anything was delivered again"
    assert not await world.books.dead_letters()


async def at_work(world: World, run: Json) -> bool:
    return any(isinstance(message.event, TodoStarted) for message in await world.books.read(run["session_id"]))


async def approve(person: Person, run: Json) -> None:
    """Says yes to every tool that asks, until cancelled."""
    answered: set[str] = set()
    while True:
        question = await person.question(run["session_id"], "tool")
        if question["decision_id"] not in answered:
            answered.add(question["decision_id"])
            await person.answer(run["session_id"], question, action="approve")


async def happened_once(world: World, run: Json) -> None:
    """In the world, and in the ledger."""
    messages = await world.books.read(run["session_id"])
    succeeded = [message.event.todo_id for message in messages if isinstance(message.event, TodoSucceeded)]
    assert len(succeeded) == len(set(succeeded)) == AT_ONCE, [message.type for message in messages]
    asked = [
        message.event.subject.get("todo_id") for message in messages if isinstance(message.event, DecisionRequested)
    ]
    assert len(asked) == len(set(asked)), "the same was asked twice"
    for file in (EFFECTS, CALLS):
        mine = {key: count for key, count in keys_in(world.outbox / file).items() if key.startswith(run["run_id"])}
        assert len(mine) == AT_ONCE and set(mine.values()) == {1}, f"{file}: {mine}"
