"""The servers under the services go away in the middle of a run: the ledger is the truth, the bus is made anew from it."""

import asyncio
import os
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from dream.local.stack import SERVICES
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.world import World

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]

STOP_SECONDS = 15.0
"""Five at once on two cores that others use as well; alone and idle they take one or two."""


async def test_a_run_completes_although_the_bus_loses_everything(world: World, person: Person) -> None:
    run = await under_way(person)
    await asyncio.to_thread(world.stack.nats.stop, signal.SIGKILL)
    shutil.rmtree(world.stack.nats.store)
    await asyncio.to_thread(world.stack.nats.start)
    await completes(world, person, run)


@pytest.mark.parametrize("name", ["cognitive", "planning", "execution", "response"])
async def test_what_was_on_its_way_to_a_service_comes_from_the_ledger_again(
    name: str, world: World, person: Person
) -> None:
    await world.stack.kill(name)
    run = await person.say("/errand 2", auto_approve=True)
    await eventually(lambda: waits_for(world, name), f"a message that waits for {name}")
    await asyncio.to_thread(world.stack.nats.stop, signal.SIGKILL)
    shutil.rmtree(world.stack.nats.store)
    await asyncio.to_thread(world.stack.nats.start)
    await world.stack.restart(name)
    await completes(world, person, run)


async def waits_for(world: World, name: str) -> bool:
    """Whether the bus holds what a dead service must get."""
    needed = 2 if name == "response" else 1  # its first is a CognitiveOutput, which it leaves alone
    return any(waiting >= needed for consumer, waiting in (await world.backlog()).items() if consumer.startswith(name))


async def test_a_bus_that_is_lost_while_a_person_decides_still_takes_the_answer(world: World, person: Person) -> None:
    run = await person.say("/day 2")
    question = await person.question(run["session_id"])
    await asyncio.to_thread(world.stack.nats.stop)
    shutil.rmtree(world.stack.nats.store)
    await asyncio.to_thread(world.stack.nats.start)
    await person.answer(run["session_id"], question, action="approve")
    await completes(world, person, run)


async def test_answers_and_messages_are_taken_while_there_is_no_bus(world: World, person: Person) -> None:
    run = await person.say("/errand 2")
    question = await person.question(run["session_id"])
    await asyncio.to_thread(world.stack.nats.stop)
    await person.answer(run["session_id"], question, action="approve")
    other = await person.say("/errand 1", auto_approve=True)
    await asyncio.to_thread(world.stack.nats.start)
    await completes(world, person, run)
    await completes(world, person, other)


async def test_a_run_completes_although_nats_is_killed(world: World, person: Person) -> None:
    run = await under_way(person)
    await asyncio.to_thread(world.stack.nats.stop, signal.SIGKILL)
    await asyncio.to_thread(world.stack.nats.start)
    await completes(world, person, run)


async def test_a_run_completes_although_postgres_crashes(world: World, person: Person) -> None:
    run = await under_way(person)
    # as `pg_ctl stop -m immediate`: no checkpoint, the next start recovers from the log
    await asyncio.to_thread(world.stack.postgres.stop, signal.SIGQUIT)
    await asyncio.to_thread(world.stack.postgres.start)
    await completes(world, person, run)


async def test_a_run_completes_although_postgres_is_away_for_seconds(world: World, person: Person) -> None:
    run = await under_way(person)
    await asyncio.to_thread(world.stack.postgres.stop)
    refused = await person.ask("GET", f"/sessions/{run['session_id']}")
    assert refused.status_code == 503 and refused.json()["code"] == 9006
    await asyncio.sleep(3)  # longer than the acknowledgement wait: messages come again while nobody can handle them
    await asyncio.to_thread(world.stack.postgres.start)
    await completes(world, person, run)


async def test_everything_at_once_goes_dark(world: World, person: Person) -> None:
    run = await under_way(person)
    for name in ("planning", "execution", "response"):
        await world.stack.kill(name)
    await asyncio.to_thread(world.stack.nats.stop, signal.SIGKILL)
    await asyncio.to_thread(world.stack.postgres.stop, signal.SIGQUIT)
    shutil.rmtree(world.stack.nats.store)
    await asyncio.to_thread(world.stack.postgres.start)
    await asyncio.to_thread(world.stack.nats.start)
    for name in ("planning", "execution", "response"):
        await world.stack.restart(name)
    await completes(world, person, run)


@pytest.mark.parametrize("lost", ["nats", "postgres"])
async def test_services_stop_in_time_although_a_server_is_gone(lost: str, world: World, person: Person) -> None:
    run = await under_way(person)
    server = getattr(world.stack, lost)
    await asyncio.to_thread(server.stop)
    try:
        ends = await asyncio.gather(*(stopped(world, name) for name in SERVICES))
        assert [code for code, _ in ends] == [0] * len(SERVICES)
        assert max(seconds for _, seconds in ends) < STOP_SECONDS
    finally:
        await asyncio.to_thread(server.start)
    for name in SERVICES:
        await world.stack.restart(name)
    await completes(world, person, run)


async def test_services_that_start_before_their_servers_wait_for_them(world: World, person: Person) -> None:
    run = await under_way(person)
    await asyncio.to_thread(world.stack.nats.stop)
    await asyncio.to_thread(world.stack.postgres.stop)
    for name in SERVICES:
        await world.stack.restart(name)
    await asyncio.sleep(5)  # by now they have tried more than once
    assert all(world.alive(name) for name in SERVICES)
    await asyncio.to_thread(world.stack.postgres.start)
    await asyncio.sleep(1)
    await asyncio.to_thread(world.stack.nats.start)
    await completes(world, person, run)


@pytest.mark.parametrize("missing", ["nats", "postgres"])
async def test_services_that_wait_for_their_servers_stop_in_time(missing: str, world: World) -> None:
    server = getattr(world.stack, missing)
    await asyncio.to_thread(server.stop)
    try:
        for name in ("planning", "gateway"):
            await world.stack.restart(name)
        for name in ("planning", "gateway"):
            await eventually(partial(minds, world, name), f"{name} to hear signals")
        await asyncio.sleep(4)  # by now they wait
        for name in ("planning", "gateway"):
            code, seconds = await stopped(world, name)
            assert code == 0 and seconds < STOP_SECONDS, name
    finally:
        await asyncio.to_thread(server.start)


async def minds(world: World, name: str) -> bool:
    """Whether the service's process has got so far that SIGTERM does not simply end it."""
    return await asyncio.to_thread(catches, world.stack.pid(name), signal.SIGTERM)


def catches(process: int, number: signal.Signals) -> bool:
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    mask = next(line for line in lines if line.startswith("SigCgt:")).split()[1]
    return bool(int(mask, 16) >> (number - 1) & 1)


async def stopped(world: World, name: str) -> tuple[int, float]:
    """Sends SIGTERM; the exit code, and how long it took."""
    since = time.monotonic()
    os.kill(world.stack.pid(name), signal.SIGTERM)
    code = await world.stack.wait_ended(name, 60)
    return code, time.monotonic() - since


async def under_way(person: Person) -> Json:
    """A run with slow todos, some of which are over."""
    run = await person.say("/naps 4", auto_approve=True)

    async def look() -> list[Json]:
        return of(await person.events(run["session_id"]), "TodoSucceeded")

    await eventually(look, "the first todo that succeeds")
    return run


async def completes(world: World, person: Person, run: Json) -> None:
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)
    assert not await world.books.dead_letters()
