"""Five service processes over real servers, with the pack of countable effects, and what can be done to them."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO

import nats
import nats.errors
from nats.js.errors import Error as JetStreamError

from contracts import subjects
from dream.local.child import Child
from dream.local.processes import ProcessStack
from dream.local.stack import LAYERS, SERVICES
from tests.e2e.books import Books
from tests.e2e.person import Json, Person, eventually
from tests.support import forkserver
from tests.support.folders import own_folder

ROOT = Path(__file__).parents[2]
EFFECTS = "tests.packs.effects"
STAGE = "tests.packs.stage"
HOSTILE = "tests.packs.hostile"
PLAIN = "assistant,devices,documents,marketing,transfer"
"""All that comes with the product, as most people have it: what these teach has been learned. Any other choice of them
costs a world half a minute of processor time, unless it is the one that another world has made."""
ACK_WAIT = "1"
Start = Callable[..., Child]

logging.getLogger("httpx").setLevel(logging.WARNING)  # a line per poll says nothing


class World:
    """The processes, armed at will; where their effects go; and what they have written."""

    def __init__(self, folder: Path, packs: str, output: IO[bytes], start: Start, **settings: str) -> None:
        self.folder = folder
        self.outbox = folder / "outbox"
        self.outbox.mkdir()
        shared = {
            "PYTHONPATH": str(ROOT),
            "DREAM_PACKS": packs,
            "DREAM_ACK_WAIT_SECONDS": ACK_WAIT,
            "TMPDIR": str(self.outbox),
            "DREAM_TOOL_FOLDERS": str(self.outbox),
            **settings,
        }
        self._output = output
        self._environment = {name: {**shared, "DREAM_CRASH_POINT": f"@{self.trap(name)}"} for name in SERVICES}
        self.stack = ProcessStack(folder / "stack", environment=self._environment, output=output)
        self.stack.start_child = start

    @property
    def books(self) -> Books:
        return Books(self.stack.database_url, self.outbox)

    def trap(self, name: str) -> Path:
        return self.folder / f"{name}.trap"

    def arm(self, name: str, point: str, number: int) -> None:
        """From now on the service dies at the n-th pass of the point. The trap is gone once it has gone off."""
        unfinished = self.trap(name).with_suffix(".new")
        unfinished.write_text(f"{name}:{point}:{number}", encoding="utf-8")
        unfinished.replace(self.trap(name))

    async def died(self, name: str, seconds: float = 30.0) -> None:
        """Waits for the death of an armed service; fails when it does not reach its point."""
        try:
            code = await self.stack.wait_ended(name, seconds)
        except TimeoutError:
            self.trap(name).unlink(missing_ok=True)
            raise AssertionError(f"{name} never reached its crash point within {seconds:.0f} s") from None
        assert code == -signal.SIGKILL
        assert not self.trap(name).exists(), f"{name} was killed, but not at its crash point"

    async def restart(self, name: str, **settings: str) -> None:
        """Starts the service anew, with other settings until the next time."""
        await self.stack.restart(name, {**self._environment[name], **settings})

    @contextmanager
    def replica(self, name: str, **settings: str) -> Iterator[Child]:
        """A second process of a service, beside the first."""
        environment = {
            **os.environ, **self._environment[name],
            **self.stack.servers.nats_of(name), **self.stack.servers.database_of(name),
            "DREAM_ARTIFACTS_URL": (self.stack.place.folder / "artifacts").as_uri(), "DREAM_CRASH_POINT": "",
            **settings,
        }  # fmt: skip
        command = [sys.executable, "-m", f"services.{name}"]
        record = self.folder / f"replica-{name}.pid"
        started = self.stack.start_child(command, record=record, output=self._output, environment=environment)
        try:
            yield started
        finally:
            started.stop()

    async def mend(self) -> None:
        """Whatever was left dead or armed lives again."""
        for name in SERVICES:
            self.trap(name).unlink(missing_ok=True)
            if not self.alive(name):
                await self.stack.restart(name)
        await self.stack.wait_ready()

    def alive(self, name: str) -> bool:
        return self.stack._children[name].alive

    async def quiet(self, seconds: float = 60.0) -> None:
        """Waits until every service is healthy and no consumer has anything left to settle."""
        await self.stack.wait_ready(seconds)

        async def look() -> bool:
            backlog = await self.backlog()
            return set(backlog) >= set(LAYERS) - {"execution"} and not any(backlog.values())

        await eventually(look, "consumers with nothing left to settle", seconds)

    async def backlog(self) -> dict[str, int]:
        """Consumer -> messages that wait or are not settled; empty while the bus does not answer."""
        with suppress(JetStreamError, nats.errors.Error, OSError, asyncio.TimeoutError):
            client = await nats.connect(self.stack.nats.url, max_reconnect_attempts=1, connect_timeout=5)
            try:
                infos = await client.jetstream(timeout=5).consumers_info(subjects.STREAM)
                return {info.name: (info.num_ack_pending or 0) + (info.num_pending or 0) for info in infos}
            finally:
                await client.close()
        return {}


async def errand(person: Person, letters: int = 2) -> Json:
    """A run with a person in it: a plan of independent todos is edited into two waves, then approved."""
    run = await person.say(f"/errand {letters}")
    first = await person.question(run["session_id"])
    waves = [f"t{number + 1}" for number in range(letters)]
    patch = [{"op": "replace", "path": f"/{letters}/depends_on", "value": waves}]
    await person.answer(run["session_id"], first, action="edit", patch=patch)

    async def another() -> Json | None:
        now = await person.question(run["session_id"])
        return now if now["decision_id"] != first["decision_id"] else None

    second = await eventually(another, "a question about the edited plan")
    await person.answer(run["session_id"], second, action="approve")
    return run


@contextmanager
def folder_for(purpose: str) -> Iterator[Path]:
    """Kept when DREAM_KEEP is set, to look at afterwards."""
    if "DREAM_KEEP" in os.environ:
        yield Path(tempfile.mkdtemp(prefix=f"dream-{purpose}-"))
        return
    with own_folder(purpose) as folder:
        yield folder


@asynccontextmanager
async def running(
    folder: Path, packs: str = EFFECTS, start: Start = forkserver.start, /, **settings: str
) -> AsyncIterator[World]:
    """The five processes, from their start to their end; their logs are in services.log."""
    with (folder / "services.log").open("ab") as output:
        world = World(folder, packs, output, start, **settings)
        async with world.stack:
            yield world
