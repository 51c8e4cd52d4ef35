"""kill -9 of each service at each of its crash points, in the middle of a run: nothing is lost, nothing happens twice."""

import asyncio

import pytest

from backbone.crash import POINTS
from dream.stack import SERVICES
from tests.e2e.person import Person
from tests.e2e.world import World, errand

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]

PASS = {
    # not always the first pass: the gateway also takes two answers, planning has three handlers, execution two waves
    ("gateway", "decided"): 2,
    ("gateway", "appended"): 3,
    ("gateway", "settled"): 2,
    ("planning", "received"): 3,
    ("planning", "appended"): 2,
    ("execution", "received"): 3,
    ("execution", "decided"): 4,
    ("execution", "appended"): 5,
    ("execution", "settled"): 2,
    ("execution", "published"): 2,
}


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("point", POINTS)
async def test_a_run_survives_the_death_of(service: str, point: str, world: World, person: Person) -> None:
    world.arm(service, point, PASS.get((service, point), 1))
    run, _ = await asyncio.gather(errand(person), revived(world, service))
    await person.end_of(run)
    await world.quiet()
    await world.books.balance(run)


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
