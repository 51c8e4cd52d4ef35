"""A service on real servers: FastStream's connection, our loops, several services in one event loop."""

import asyncio
import gc
import json
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import nats
import pytest
from pydantic import SecretStr

from backbone import connection as module
from backbone.bus.port import BusUnavailable
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, WorkHandler, emit
from backbone.service import Backbone, Service
from backbone.settings import Settings, shown
from backbone.timers import run_timers
from contracts import subjects
from contracts.planning import PlanRejected
from contracts.response import RunCompleted, RunFailed
from dream.local.embedded import EmbeddedNats, free_port
from tests.conformance.facts import PRODUCER, append, fact, note, timer
from tests.conformance.harness import until

REJECTED = PlanRejected(plan_id=uuid4(), plan_version=1, final=True)


@pytest.fixture
async def backbone(nats_url: str, postgres_url: str, tmp_path: Path) -> AsyncIterator[Backbone]:
    settings = Settings(
        nats_url=nats_url,
        database_url=SecretStr(postgres_url),
        artifacts_url=f"file://{tmp_path}/artifacts",
        ack_wait_seconds=2.0,
        bus_max_bytes=64 * 1024**2,
    )
    backbone = await Backbone.connect(settings)
    try:
        yield backbone
    finally:
        await backbone.close()


def planning(backbone: Backbone) -> Service:
    def evolve(state: None, seen: Recorded) -> None: ...

    def decide(state: None, message: Recorded) -> Outcome:
        return emit(REJECTED)

    handler: DecisionHandler[None] = DecisionHandler(
        "planning", "planning", (Takes(PRODUCER, "FeedbackGiven"),), frozenset(), lambda: None, evolve, decide
    )
    return Service("planning", backbone, [handler], relays=[PRODUCER, "planning", "timers"], background=[run_timers])


def response(backbone: Backbone) -> Service:
    async def handle(message, event, record) -> Outcome:
        return emit(RunCompleted())

    handler = WorkHandler(
        "response",
        "response",
        (Takes("planning", "PlanRejected"),),
        handle,
        lambda m, e, error: emit(RunFailed(error=error)),
    )
    return Service("response", backbone, [handler], relays=["response"])


@pytest.fixture
async def services(backbone: Backbone) -> AsyncIterator[list[Service]]:
    both = [planning(backbone), response(backbone)]
    try:
        for service in both:
            await service.start()
        yield both
    finally:
        for service in both:
            await service.stop()


async def says(backbone: Backbone) -> None:
    """One message goes through both services."""
    session = uuid4()
    await backbone.ledger.append(PRODUCER, "test", [append(session, fact(note()))])

    async def answered() -> bool:
        types = [message.type for message in await backbone.ledger.read(session)]
        return types == ["FeedbackGiven", "PlanRejected", "RunCompleted"]

    await until(answered)


async def test_a_message_goes_through_two_services_in_one_loop(backbone: Backbone, services: list[Service]) -> None:
    await says(backbone)
    assert [service.problems() for service in services] == [[], []]


async def test_due_timers_fire_and_are_relayed(backbone: Backbone, services: list[Service]) -> None:
    session = uuid4()
    await backbone.ledger.append("planning", "test", [append(session, fact(note()))])
    from backbone.ledger.port import Append

    await backbone.ledger.append("planning", "gateway", [Append(session, uuid4(), timers=(timer(),))])

    async def fired() -> bool:
        return await backbone.ledger.head(session) == 2

    await until(fired)


async def test_a_service_says_how_it_is_when_asked(services: list[Service], nats_url: str) -> None:
    client = await nats.connect(nats_url)
    answer: dict[str, Any] = {}
    async with asyncio.timeout(10):
        while not answer.get("healthy"):  # it has heard from the bus in a moment
            answer = json.loads((await client.request(subjects.status("planning"), b"", timeout=2)).data)
    await client.close()
    assert (answer["service"], answer["healthy"], answer["handlers"]) == ("planning", True, ["planning"])


async def test_services_go_on_after_nats_restarts_and_after_its_store_is_wiped(
    backbone: Backbone, services: list[Service], nats_server: EmbeddedNats
) -> None:
    await says(backbone)
    await asyncio.to_thread(nats_server.stop)
    await asyncio.to_thread(nats_server.start)
    await says(backbone)
    await asyncio.to_thread(nats_server.stop)
    shutil.rmtree(nats_server.store)
    await asyncio.to_thread(nats_server.start)
    await says(backbone)
    assert [service.problems() for service in services] == [[], []]


async def test_a_service_stops_in_time_while_nats_is_away(backbone: Backbone, nats_server: EmbeddedNats) -> None:
    service = planning(backbone)
    await service.start()
    await says_nothing(backbone)
    await asyncio.to_thread(nats_server.stop)
    await asyncio.sleep(0.1)
    since = time.monotonic()
    await service.stop()
    assert time.monotonic() - since < 10


async def says_nothing(backbone: Backbone) -> None:
    await backbone.ledger.append(PRODUCER, "test", [append(uuid4())])


async def test_a_service_that_starts_again_finds_what_was_appended_meanwhile(backbone: Backbone) -> None:
    session = uuid4()
    await backbone.ledger.append(PRODUCER, "test", [append(session)])
    service = planning(backbone)
    await service.start()
    await until(lambda: backbone.ledger.find(session, frozenset({"PlanRejected"})))
    since = time.monotonic()
    await service.stop()
    assert time.monotonic() - since < 10
    assert {task for task in asyncio.all_tasks() if "relay" in task.get_name() or "pull" in task.get_name()} == set()


async def test_without_nats_a_service_says_so_and_can_be_stopped(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    nowhere = Backbone(
        backbone.settings.model_copy(update={"nats_url": f"nats://127.0.0.1:{free_port()}"}),
        backbone.ledger,
        backbone.artifacts,
        backbone.toolbox,
        backbone.pool,
        backbone.tables,
    )
    service = planning(nowhere)
    with pytest.raises(BusUnavailable, match="no NATS at"):
        await service.start()
    await service.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # nats-py leaves what was refused open
async def test_a_service_that_nats_turns_away_says_where_and_not_with_what(backbone: Backbone, nats_url: str) -> None:
    door = nats_url.rpartition("@")[2]
    for url, said in (
        (f"nats://dream:not-the-one@{door}", rf"NATS at nats://{door} refuses: .*Authorization Violation"),
        (f"nats://dream:not/the@one@{door}", "refuses: nats: invalid connect url"),
    ):
        service = planning(replace(backbone, settings=backbone.settings.model_copy(update={"nats_url": url})))
        with pytest.raises(BusUnavailable, match=said) as refused:
            await service.start()
        for told in (str(refused.value), repr(service.backbone.settings)):
            assert "not-the" not in told and "not/the" not in told and "@one" not in told
        await service.stop()
    gc.collect()


@pytest.mark.parametrize(
    ("url", "shows"),
    [
        ("nats://host:4222", "nats://host:4222"),
        ("nats://me:secret@host:4222", "nats://host:4222"),
        ("me:sec@ret/s@host", "host"),
        ("tls://me:a@b,nats://me:c@d", "tls://d"),
    ],
)
def test_an_address_is_shown_without_who_and_with_what(url: str, shows: str) -> None:
    assert shown(url) == shows


async def test_a_service_says_when_one_of_its_loops_has_ended_and_why(backbone: Backbone) -> None:
    go = asyncio.Event()

    async def ends(_: Service) -> None:
        await go.wait()
        raise ArithmeticError("3 is not 4")

    service = Service("half", backbone, background=[ends, run_timers])
    await service.start()
    try:
        over = asyncio.create_task(service.over())
        await asyncio.sleep(0.1)
        assert not over.done()
        go.set()
        why = await asyncio.wait_for(over, 10)
        assert "half:background" in why
        assert "3 is not 4" in why
    finally:
        await service.stop()


async def test_a_service_that_is_stopped_is_not_over(services: list[Service]) -> None:
    over = [asyncio.create_task(service.over()) for service in services]
    for service in services:
        await service.stop()
    await asyncio.sleep(0)
    assert not any(one.done() for one in over)
    for one in over:
        one.cancel()


@pytest.mark.parametrize("ends", ["return", "raise ArithmeticError('3 is not 4')", "asyncio.current_task().cancel()"])
async def test_a_process_whose_service_is_over_ends_with_an_error_and_one_line(
    ends: str, nats_url: str, postgres_url: str, tmp_path: Path
) -> None:
    program = f"""
import asyncio
from backbone.process import main
from backbone.service import Service

async def ends(service):
    {ends}
    await asyncio.sleep(0)

main("half", lambda backbone: Service("half", backbone, background=[ends]))
"""
    environment = {
        **os.environ, "DREAM_NATS_URL": nats_url, "DREAM_DATABASE_URL": postgres_url,
        "DREAM_ARTIFACTS_URL": tmp_path.as_uri(), "DREAM_BUS_MAX_BYTES": str(64 * 1024**2),
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=environment, stderr=asyncio.subprocess.PIPE
    )
    _, said = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 1, said
    assert said.decode().splitlines()[-1].startswith("half cannot go on: half:background has ended")
