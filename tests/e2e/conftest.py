"""One world for all tests here, with the marketing pack, the pack of countable effects, and the stage."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.person import Person
from tests.e2e.world import EFFECTS, STAGE, World, folder_for, running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_house() -> AsyncIterator[World]:
    with folder_for("e2e") as folder:
        async with running(folder, f"marketing,{EFFECTS},{STAGE}", DREAM_LEASE_SECONDS="3") as world:
            yield world


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bank_house() -> AsyncIterator[World]:
    """A world of its own for those who pay."""
    with folder_for("bank") as folder:
        async with running(folder, "transfer") as world:
            yield world


@pytest.fixture
async def house(shared_house: World) -> AsyncIterator[World]:
    """The shared processes; what a test has left dead is mended after it."""
    yield shared_house
    await shared_house.mend()


@pytest.fixture
async def person(house: World) -> AsyncIterator[Person]:
    async with Person(house.stack.url) as person:
        yield person
