"""LocalStack and ProcessStack as tests and benches use them."""

import asyncio
import signal
from pathlib import Path

import httpx
import psutil
import pytest

from backbone.service import Service
from dream.client.gateway_client import Client
from dream.failures import DataDirInUse
from dream.local import child
from dream.local.processes import ProcessStack
from dream.local.restarts import Restart
from dream.local.stack import LocalStack
from tests.conformance.harness import until
from tests.e2e.world import EFFECTS, PLAIN
from tests.support import forkserver
from tests.unit.dream.local.test_embedded import of, records

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180), pytest.mark.processes]


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs that have nothing to be understood: where it is of no account what can be said, nothing is made ready for it."""
    monkeypatch.setenv("DREAM_PACKS", EFFECTS)


async def healthy(url: str) -> bool:
    async with Client(url) as client:
        return await client.healthy()


async def test_everything_in_this_process_twice_in_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for chosen in (PLAIN, EFFECTS):
        monkeypatch.setenv("DREAM_PACKS", chosen)
        async with LocalStack(tmp_path) as stack:
            assert await healthy(stack.url)
            await stack.warmed()
            assert [one for part in stack._layers() for one in await part.unready()] == [], "it has learned"
            assert stack.servers.nats is not None
            assert stack.settings.nats_url == stack.servers.nats.door, (
                "services have keys, and not the admin's password"
            )
            with pytest.raises(DataDirInUse):
                await LocalStack(tmp_path).__aenter__()
            assert await healthy(stack.url)
    assert of(tmp_path) == []
    assert records(tmp_path) == []


@pytest.mark.usefixtures("light")
async def test_a_service_whose_loop_is_over_is_started_again_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Restart] = []
    async with LocalStack(tmp_path, tell=told.append) as stack:
        before = dict(stack._running)
        for ended in ("planning", "gateway"):
            # the relay of a service, by its task's name: nothing but a bug or such a cancellation ends it
            next(one for one in asyncio.all_tasks() if one.get_name() == f"relay:{ended}").cancel()
        async with Client(stack.url) as client:
            await until(lambda: len(told) == 2, 60)
            await until(client.healthy, 60)
        assert {(one.name, one.end.how) for one in told} == {("planning", "loop"), ("gateway", "loop")}
        assert {f"relay:{one.name} has ended" in one.end.detail for one in told} == {True}
        again = {name for name, part in stack._running.items() if part is not before[name]}
        assert again == {"planning", "gateway"}, "the others went on"
        # what is wrong with one of them is told by the gateway, which is the only one here to be asked
        monkeypatch.setattr(Service, "problems", lambda one: ["the oven is cold"] if one.name == "execution" else [])
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await http.get(f"{stack.url}/health")
        assert (answer.status_code, answer.json()["problems"]) == (503, ["the oven is cold"])
    assert of(tmp_path) == []


@pytest.mark.usefixtures("light")
async def test_a_service_that_does_not_start_takes_the_servers_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("services.gateway.app.service", broken)
    with pytest.raises(ZeroDivisionError):
        await LocalStack(tmp_path).__aenter__()
    assert of(tmp_path) == []


@pytest.mark.usefixtures("light")
async def test_processes_are_killed_restarted_and_given_their_own_variables(tmp_path: Path) -> None:
    made = ProcessStack(tmp_path, environment={"response": {"TEST_MARK": "one"}})
    # whose variables are looked at is an interpreter; the others are forked, for each takes a second and a half to start
    made.start_child = lambda command, **how: (child if "response" in command[-1] else forkserver).start(command, **how)
    async with made as stack:
        assert await healthy(stack.url)
        assert psutil.Process(stack.pid("response")).environ()["TEST_MARK"] == "one"
        await stack.kill("planning", signal.SIGKILL)
        assert await stack.wait_ended("planning") == -signal.SIGKILL
        await stack.restart("planning")
        await stack.restart("response", environment={"TEST_MARK": "two"})
        await stack.wait_ready()
        assert psutil.Process(stack.pid("response")).environ()["TEST_MARK"] == "two"
        assert stack.database_url == stack.postgres.url
        assert stack.nats.store.exists()
    assert of(tmp_path) == []
    assert records(tmp_path) == []
