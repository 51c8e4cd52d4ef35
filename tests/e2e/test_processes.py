"""Each service is a process of its own: it starts alone, stops in order and in time, and leaves nobody behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil
import pytest

from dream.local import child
from dream.local.embedded import free_port
from dream.local.stack import LAYERS, SERVICES
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.world import EFFECTS, World, folder_for, running
from tests.packs.effects.tools.nap import WAKE
from tests.support import forkserver

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

STOP_SECONDS = 10.0
"""The grace of 3 s for work in flight, what closing takes, and a machine that others use as well."""


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_service_starts_alone_and_stops_cleanly(
    name: str, number: signal.Signals, postgres_url: str, nats_url: str, tmp_path: Path
) -> None:
    port = free_port()
    environment = {
        **os.environ,
        "DREAM_DATABASE_URL": postgres_url,
        "DREAM_NATS_URL": nats_url,
        "DREAM_ARTIFACTS_URL": (tmp_path / "artifacts").as_uri(),
        "DREAM_PACKS": EFFECTS,
        "DREAM_PORT" if name == "gateway" else "DREAM_HEALTH_PORT": str(port),
    }
    log = tmp_path / "log"
    # an interpreter takes seconds to start, and `dream up --processes` starts one of each (tests/chaos/test_up_looks_after)
    begin = child.start if number is signal.SIGTERM and name in ("gateway", "execution") else forkserver.start
    with log.open("wb") as output:
        command = [sys.executable, "-m", f"services.{name}"]
        started = begin(command, record=tmp_path / "pid", output=output, environment=environment)
    process = started.process
    try:
        await eventually(lambda: healthy(port), f"health of {name}: {log.read_text()}")
        family = [process.pid, *(one.pid for one in psutil.Process(process.pid).children(recursive=True))]
        process.send_signal(number)
        code, seconds = await asyncio.to_thread(ended, process)
        assert code == 0, log.read_text()
        assert seconds < STOP_SECONDS
        assert not [pid for pid in family if psutil.pid_exists(pid)]
        assert "Traceback" not in log.read_text()
    finally:
        started.stop(signal.SIGKILL)


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, float]:
    since = time.monotonic()
    return process.wait(30), time.monotonic() - since


async def healthy(port: int) -> bool:
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=5) as http:
            return (await http.get(f"http://127.0.0.1:{port}/health")).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


async def test_a_todo_at_work_when_its_service_stops_is_finished_not_failed(house: World, person: Person) -> None:
    await house.restart("execution", DREAM_STOP_GRACE_SECONDS="40")  # the effect and its record, on a slow disk too
    run, _ = await napping(house, person, 30.0)
    wake = house.outbox / WAKE
    stopping = asyncio.create_task(stopped(house, "execution"))
    try:
        await asyncio.sleep(0.5)
        assert not stopping.done(), "it waits for what is at work"
        async with httpx.AsyncClient(base_url=house.stack._health_url("execution"), trust_env=False) as http:
            live, ready = await http.get("/live"), await http.get("/ready")
        assert (live.status_code, ready.status_code) == (200, 503)
        assert [one["message"] for one in ready.json()["problems"]] == ["it is stopping"]
        wake.touch()
        code, seconds = await stopping
    finally:
        wake.unlink(missing_ok=True)
    assert code == 0 and seconds < 30, "it stops when the work is over, not when the grace is"
    await house.restart("execution")
    await completes(house, person, run)
    assert house.books.calls(run) == 1, "it was over within the grace, so it is not done again"


async def test_a_todo_too_long_for_the_grace_is_stopped_and_done_again(house: World, person: Person) -> None:
    run, workers = await napping(house, person, 8.0)
    code, seconds = await stopped(house, "execution")
    assert code == 0 and seconds < STOP_SECONDS
    assert await gone(workers)
    await house.stack.restart("execution")
    await completes(house, person, run)


async def test_a_killed_service_takes_its_tool_workers_along(house: World, person: Person) -> None:
    run, workers = await napping(house, person, 8.0)
    os.kill(house.stack.pid("execution"), signal.SIGKILL)
    await eventually(lambda: gone(workers), "the end of the tool workers")
    await house.stack.wait_ended("execution")
    await house.stack.restart("execution")
    await completes(house, person, run)


async def test_nobody_is_left_when_the_stack_stops_in_the_middle_of_a_run() -> None:
    others = set(psutil.Process().children())
    with folder_for("stop") as folder:
        async with running(folder, EFFECTS, child.start) as world, Person(world.stack.url) as person:
            await napping(world, person, 30.0)
            # not all new ones below us: the server of another world begins a process for each connection to it
            ours = [one for one in psutil.Process().children() if one not in others]
            family = ours + [below for one in ours for below in one.children(recursive=True)]
            names = " ".join(" ".join(one.cmdline()) for one in family)
            assert all(f"services.{name}" in names for name in LAYERS) and "toolhost" in names
        await eventually(lambda: gone(family), "the end of everybody")
        assert [one.name for one in world.outbox.iterdir() if one.name.startswith("dream-")] == []


async def gone(processes: list[psutil.Process]) -> bool:
    return not [one for one in processes if lives(one)]


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def stopped(house: World, name: str) -> tuple[int, float]:
    """Sends SIGTERM; the exit code, and how long it took."""
    since = time.monotonic()
    os.kill(house.stack.pid(name), signal.SIGTERM)
    code = await house.stack.wait_ended(name, 60)
    return code, time.monotonic() - since


async def napping(house: World, person: Person, seconds: float) -> tuple[Json, list[psutil.Process]]:
    """A run with one todo that takes so long and has begun, and the tool workers."""
    run = await person.say("/naps 1")
    question = await person.question(run["session_id"])
    patch = [{"op": "replace", "path": "/0/params", "value": {"seconds": seconds}}]
    await person.answer(run["session_id"], question, action="edit", patch=patch)

    async def another() -> Json | None:
        now = await person.question(run["session_id"])
        return now if now["decision_id"] != question["decision_id"] else None

    await person.answer(run["session_id"], await eventually(another, "the edited plan"), action="approve")

    async def at_work() -> list[Json]:
        return of(await person.events(run["session_id"]), "TodoProgressed")

    await eventually(at_work, "progress of the nap")
    workers = psutil.Process(house.stack.pid("execution")).children(recursive=True)
    assert any("toolhost" in " ".join(worker.cmdline()) for worker in workers)
    return run, workers


async def completes(house: World, person: Person, run: Json) -> None:
    events = await person.end_of(run)
    assert not of(events, "TodoFailed")
    await house.quiet()
    await house.books.balance(run)
