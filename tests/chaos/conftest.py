"""One world for all tests here: starting five processes costs seconds."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.person import Person
from tests.e2e.world import PLAIN, World, folder_for, running
from tests.support.distribution import ends_after_its_files


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    ends_after_its_files(request)
    with folder_for("chaos") as folder:
        async with running(folder) as world:
            yield world


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bank(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A world whose people have accounts, beside all else that comes with the product: what that teaches has been learned."""
    ends_after_its_files(request)
    with folder_for("bank") as folder:
        async with running(folder, PLAIN) as world:
            yield world


@pytest.fixture
async def world(shared_world: World) -> AsyncIterator[World]:
    """The shared world; what a test has left dead or armed is mended after it."""
    yield shared_world
    await shared_world.mend()


@pytest.fixture
async def person(world: World) -> AsyncIterator[Person]:
    async with Person(world.stack.url) as person:
        yield person
