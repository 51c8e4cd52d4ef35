"""kill -9 of each service at each of its crash points, in the middle of a run: nothing is lost, nothing happens twice."""

import asyncio

import pytest

from backbone.crash import POINTS
from dream.local.stack import SERVICES
from tests.e2e.person import Person
from tests.e2e.world import World, errand

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]

PASS = {
    # Which pass of the point: not the first where that one stands before a message that makes nothing happen.
    # The gateway takes a message and two answers, the plan desk the same answers.
    ("gateway", "decided"): 2,
    ("gateway", "appended"): 3,
    ("gateway", "settled"): 2,
    ("planning", "received"): 3,
    ("planning", "appended"): 2,
    ("planning", "settled"): 3,
    # the dispatcher comes first, then the tools
    ("execution", "received"): 2,
    ("execution", "decided"): 2,
    ("execution", "appended"): 2,
    ("execution", "published"): 2,
    ("execution", "settled"): 2,
    # CognitiveOutput comes to it, too, and is none of its concern
    ("response", "received"): 2,
}


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("point", POINTS)
async def test_a_run_survives_the_death_of(service: str, point: str, world: World, person: Person) -> None:
    world.arm(service, point, PASS.get((service, point), 1))
    run, _ = await asyncio.gather(errand(person), revived(world, service))
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)


@pytest.mark.parametrize("point", ["received", "decided", "appended", "settled"])
async def test_a_message_repeated_with_its_key_is_one_run_whenever_the_gateway_died(
    point: str, world: World, person: Person
) -> None:
    before = await world.books.sessions()
    world.arm("gateway", point, 1)
    run, _ = await asyncio.gather(person.say("/errand 1", auto_approve=True), revived(world, "gateway"))
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)
    assert await world.books.sessions() == before | {run["session_id"]}


async def test_a_tool_that_was_called_twice_has_had_one_effect(world: World, person: Person) -> None:
    world.arm("execution", "decided", 4)  # after two answers about the plan, and its approval
    run, _ = await asyncio.gather(errand(person, 3), revived(world, "execution"))
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)
    assert world.books.calls(run) > 4, "the call before the crash was not recorded, so it came again"


async def revived(world: World, service: str) -> None:
    """The service dies at its point, and is started again."""
    await world.died(service)
    await world.stack.restart(service)
    await world.stack.wait_ready()


async def test_a_crash_point_that_is_never_reached_fails_its_test(world: World, person: Person) -> None:
    world.arm("planning", "decided", 1000)
    run = await errand(person)
    await person.end_of(run)
    with pytest.raises(AssertionError, match="never reached"):
        await world.died("planning", 0.5)
