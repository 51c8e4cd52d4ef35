"""`dream up` itself, as a person starts it: whatever it has started is killed in the middle of work, and comes back
without a hand. DREAM_CHAOS_ROUNDS says how often each is killed (`make chaos-up`: ten times)."""

import asyncio
import json
import logging
import os
import resource
import signal
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from dream.client.gateway_client import Client
from dream.local.restarts import Journal
from dream.local.stack import SERVICES
from tests.e2e.books import Books
from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.world import EFFECTS, ROOT, folder_for

log = logging.getLogger(__name__)

ROUNDS = int(os.environ.get("DREAM_CHAOS_ROUNDS", "1"))
PROMISED = float(os.environ.get("DREAM_CHAOS_PATIENCE", "180"))
"""Seconds until a new run has come to its end after a kill. Ten are promised on a machine with nothing else to do, where
the start of a service takes four; the short form only asks that it comes."""
WAIT = 240.0
SERVERS = {"nats-server": "nats/server.pid", "Postgres": "postgres.pid"}
DREAM = "from dream.cli.app import main; main()"

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(600 + 600 * ROUNDS)]


class Up:
    """A `dream up` that runs, and who may be killed in it."""

    def __init__(self, folder: Path, process: asyncio.subprocess.Process, outbox: Path) -> None:
        self._folder = folder
        self._process = process
        told = json.loads((folder / "server.json").read_text())
        self.url: str = told["url"]
        self.books = Books(told["database_url"], outbox)

    @property
    def victims(self) -> dict[str, Path]:
        services = {name: self._folder / f"{name}.pid" for name in SERVICES}
        records = {name: self._folder / record for name, record in SERVERS.items()} | services
        return {name: record for name, record in records.items() if record.exists()}

    def pid(self, name: str) -> int:
        return int(json.loads(self.victims[name].read_text())["pid"])

    def kill(self, name: str) -> None:
        os.kill(self.pid(name), signal.SIGKILL)

    def deny(self) -> None:
        """From now on nats-server meets an error at each write, as on a full disk, and keeps it after that."""
        size = (self._folder / "nats" / "nats.log").stat().st_size + 16_384  # of its log it may write some more
        resource.prlimit(self.pid("nats-server"), resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    async def refused(self) -> bool:
        return any(entry.end.how == "refuses" for entry in Journal(self._folder).entries())

    async def die(self) -> None:
        """The process of `dream up` itself is killed; its servers are nobody's then."""
        self._process.kill()
        self._process._transport.close()  # type: ignore[attr-defined]  # its servers hold the pipes open
        while self._process.returncode is None:  # whoever waits for it waits for the pipes as well
            await asyncio.sleep(0.05)

    async def end(self) -> str:
        """Ctrl-C: what it has written to the terminal. Nothing of it is left."""
        family = psutil.Process(self._process.pid).children(recursive=True)
        self._process.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(self._process.communicate(), 60)
        assert self._process.returncode == 0, errors
        assert not psutil.wait_procs(family, 30)[1]
        assert list(self._folder.rglob("*.pid")) == []
        return errors.decode()


@asynccontextmanager
async def started(folder: Path, *options: str) -> AsyncIterator[Up]:
    outbox = folder / "outbox"
    outbox.mkdir(exist_ok=True)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(ROOT), "DREAM_PACKS": EFFECTS, "TMPDIR": str(outbox)}
    environment["DREAM_TOOL_FOLDERS"] = str(outbox)
    words = [sys.executable, "-c", DREAM, "up", "--data-dir", str(folder / "data"), "--port", "0", *options]
    process = await asyncio.create_subprocess_exec(
        *words, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), WAIT)
        assert line.startswith(b"Dream Agent is ready"), line
        yield Up(folder / "data", process, outbox)
    finally:
        if process.returncode is None:  # a test that failed: what it had started goes with it
            process.terminate()
            await process.communicate()


@pytest.mark.parametrize("options", [(), ("--processes",)], ids=["one process", "five processes"])
async def test_what_is_killed_comes_back_and_work_goes_on(options: tuple[str, ...]) -> None:
    took: dict[str, list[float]] = defaultdict(list)
    with folder_for("up") as folder:
        async with started(folder, *options) as up, Person(up.url) as person:
            victims = sorted(up.victims)
            assert set(victims) == set(SERVERS) | (set(SERVICES) if options else set())
            for name in victims * ROUNDS:
                took[name].append(await strike(up, person, name))
            if not options:
                await deny(up, person)
            async with Client(up.url) as client:
                await eventually(client.healthy, "a server that is well")
            assert not await up.books.dead_letters()
            told = await up.end()
    for name in victims:
        assert told.count(f"{name} was ended by SIGKILL. It is started again in ") == ROUNDS, told
        log.warning("%s: median %.1f s, longest %.1f s", name, statistics.median(took[name]), max(took[name]))
    assert told.count("nats-server stores nothing although the disk has room") == (0 if options else 1)
    assert "Traceback" not in told
    assert max(max(seconds) for seconds in took.values()) < PROMISED, dict(took)


async def deny(up: Up, person: Person) -> None:
    """nats-server stores nothing any more, and does not end: what was accepted goes on by itself all the same. What is
    over within a second does not go by the bus, so it is asked for what lasts."""
    up.deny()
    runs: list[Json] = []
    while not await up.refused():
        assert len(runs) < 200
        runs.append(await person.say("/naps 1", auto_approve=True))
        await asyncio.sleep(0.2)
    for run in runs:
        await person.end_of(run, WAIT)
        await up.books.balance(run)


async def strike(up: Up, person: Person, name: str) -> float:
    """Kills it while todos are at work; the seconds until a run that began after that has ended."""
    busy = await person.say("/naps 2", auto_approve=True)

    async def at_work() -> list[Json]:
        return of(await person.events(busy["session_id"]), "TodoDispatched")

    await eventually(at_work, "a todo that is dispatched")
    up.kill(name)
    since = time.monotonic()
    late = await person.say("/errand 1", auto_approve=True)
    await person.end_of(late, WAIT)
    seconds = time.monotonic() - since
    await person.end_of(busy, WAIT)
    for run in (busy, late):
        await up.books.balance(run)
    return seconds
