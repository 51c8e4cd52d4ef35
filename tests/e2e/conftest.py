"""The worlds that the tests here share, because five processes take ten seconds to start: one with countable effects and
the stage, one with servers of tools and a hostile pack, and one with a model behind every role. All have the packs of the
product."""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from llmock.pytest_plugin import LLMock
from llmock.testing import LLMockServer

from tests.e2e.person import Person
from tests.e2e.world import EFFECTS, HOSTILE, PLAIN, STAGE, World, folder_for, running
from tests.support.collector import Collector
from tests.support.distribution import ends_after_its_files
from tests.support.forkserver import forked_reads
from tests.support.llm import environment

TOYS = Path(__file__).parents[1] / "integration/mcp/toys.py"


@pytest.fixture(scope="module", autouse=True)
def reads() -> Iterator[None]:
    """What services of the tests' own process learn from the packs is learned once."""
    with forked_reads():
        yield


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """Where the spans of the shared processes go."""
    with Collector() as collector:
        yield collector


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_house(request: pytest.FixtureRequest, collector: Collector) -> AsyncIterator[World]:
    ends_after_its_files(request)
    settings = {
        "DREAM_LEASE_SECONDS": "3",
        "DREAM_OTLP_ENDPOINT": collector.url,
        "DREAM_OTLP_HEADERS": "x-scope-orgid=tenant-7, authorization=Bearer s3cret",
        "DREAM_TRACES_PER_SECOND": "1000",  # a test looks at each trace
        "DREAM_TRACE_URL": "https://grafana.example/t/{trace_id}",
    }
    with folder_for("e2e") as folder:
        async with running(folder, f"{PLAIN},{EFFECTS},{STAGE}", **settings) as world:
            yield world


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bank_house(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """With an MCP server of toys, whose effects are a file, and one that cannot be reached."""
    ends_after_its_files(request)
    with folder_for("bank") as folder:
        servers = {
            "toys": {"command": sys.executable, "args": [str(TOYS), str(folder)], "confirm_tools": {"add": "never"}},
            "gone": {"command": "/nowhere/server"},
        }
        file = folder / "servers.json"
        file.write_text(json.dumps(servers))
        # nowhere but in their own folders do its tools write
        settings = {"DREAM_MCP_SERVERS": str(file), "DREAM_TOOL_FOLDERS": ""}
        async with running(folder, f"{PLAIN},{STAGE},{HOSTILE}", **settings) as world:
            yield world


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def model_house(request: pytest.FixtureRequest, llmock_server: LLMockServer) -> AsyncIterator[World]:
    """Processes whose models are all a scripted server's; the agent loop's has a name of its own."""
    ends_after_its_files(request)
    settings = environment(LLMock(llmock_server).reset(), DREAM_MODEL_ROLES='{"solver": "openai:gpt-4o"}')
    with folder_for("models") as folder:
        async with running(folder, PLAIN, **settings) as world:
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
