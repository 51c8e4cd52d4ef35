"""NATS and Postgres are away for a while: no process would have been started again for it, all are ready within ten
seconds of their return, and what was accepted goes on. `make outage SECONDS=300` makes it five minutes."""

import asyncio
import importlib.util
import os
import select
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from backbone.settings import Settings
from backbone.stopping import stop_budget
from dream.local.stack import SERVICES
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.world import World

SECONDS = float(os.environ.get("DREAM_OUTAGE_SECONDS", "12"))
READY_SECONDS = 10.0
BLAMED = {9006, 9007, 9008}
"""What is away: ledger, bus, artifact store."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 240)]


@asynccontextmanager
async def probing() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, timeout=10.0) as http:
        yield http


def probe(house: World, name: str, what: str) -> str:
    return f"{house.stack._health_url(name)}/{what}"


async def unready(house: World, http: httpx.AsyncClient) -> dict[str, Json]:
    """The services that are not ready, with what they say."""
    answers = await asyncio.gather(*(http.get(probe(house, name, "ready")) for name in SERVICES))
    said = dict(zip(SERVICES, answers, strict=True))
    assert all(answer.json()["ready"] is (answer.status_code == httpx.codes.OK) for answer in answers)
    return {name: answer.json() for name, answer in said.items() if answer.status_code != httpx.codes.OK}


async def all_live(house: World, http: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(http.get(probe(house, name, "live")) for name in SERVICES))
    assert [(answer.status_code, answer.json()["problems"]) for answer in answers] == [(200, [])] * len(SERVICES)


async def test_an_outage_kills_nobody_and_everybody_is_ready_soon_after_it(house: World, person: Person) -> None:
    run = await person.say("/naps 6", auto_approve=True)

    async def under_way() -> list[Json]:
        return of(await person.events(run["session_id"]), "TodoSucceeded")

    await eventually(under_way, "the first todo that succeeds")
    pids = {name: house.stack.pid(name) for name in SERVICES}
    secrets = [url.partition("@")[0].rpartition(":")[2] for url in (house.stack.nats.url, house.stack.database_url)]
    async with probing() as http:
        await asyncio.gather(*(asyncio.to_thread(one.stop) for one in (house.stack.nats, house.stack.postgres)))
        try:
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                await all_live(house, http)
                await asyncio.sleep(0.5)

            async def told() -> bool:
                said = await unready(house, http)
                codes = {name: {one["code"] for one in each["problems"]} for name, each in said.items()}
                assert not any(secret in str(said) for secret in secrets if secret)
                return set(said) == set(SERVICES) and all(found & BLAMED for found in codes.values())

            await eventually(told, "all to say that they are not ready")
        finally:
            await asyncio.to_thread(house.stack.postgres.start)
            await asyncio.to_thread(house.stack.nats.start)

        async def ready() -> bool:
            await all_live(house, http)
            return not await unready(house, http)

        await eventually(ready, "all to be ready again", READY_SECONDS)
    assert {name: house.stack.pid(name) for name in SERVICES} == pids and all(map(house.alive, SERVICES))
    await person.end_of(run)
    await house.quiet()
    await house.books.balance(run)
    letters = await house.books.dead_letters()  # of junk, too, that others have left in this house
    assert [one for one in letters if run["session_id"] in one["subject"]] == []


async def test_told_to_stop_under_load_with_a_collector_that_never_answers(house: World, person: Person) -> None:
    """It takes connections and says nothing: the worst of collectors."""
    collector = socket.create_server(("127.0.0.1", 0), backlog=128)
    collector.setblocking(False)
    # the extra otlp brings it; where that is not installed a service with an endpoint does not start
    otlp = importlib.util.find_spec("opentelemetry.proto") is not None
    endpoint = f"http://127.0.0.1:{collector.getsockname()[1]}/v1/traces" if otlp else ""
    try:
        await asyncio.gather(*(house.restart(name, DREAM_OTLP_ENDPOINT=endpoint) for name in SERVICES))
        await house.stack.wait_ready()
        runs = [await person.say("/naps 5", auto_approve=True) for _ in range(3)]

        async def under_way() -> bool:
            return bool(of(await person.events(runs[-1]["session_id"]), "TodoSucceeded"))

        await eventually(under_way, "the first todo of the last run")
        for name in SERVICES:
            os.kill(house.stack.pid(name), signal.SIGTERM)
        since = time.monotonic()
        grace: float = Settings.model_fields["stop_grace_seconds"].get_default()

        async def ended(name: str) -> tuple[int, bool]:
            code = await house.stack.wait_ended(name, 120)
            return code, time.monotonic() - since < stop_budget(name, grace).seconds

        assert await asyncio.gather(*map(ended, SERVICES)) == [(0, True)] * len(SERVICES)
        assert otlp is bool(select.select([collector], [], [], 0)[0]), "it was asked"
    finally:
        collector.close()
        for name in SERVICES:
            if house.alive(name):
                await house.stack.kill(name)
            await house.restart(name)
    await house.stack.wait_ready()
    for run in runs:
        await person.end_of(run)
        await house.books.balance(run)
