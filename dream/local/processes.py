"""Dream Agent as it runs on many machines, on one: embedded servers and five child processes."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

import httpx

from backbone.secret_files import SUFFIX
from backbone.settings import Settings
from dream.failures import EmbeddedServerFailed
from dream.local import child
from dream.local.child import Child
from dream.local.data_dir import DataDir
from dream.local.nats import EmbeddedNats, address, free_port
from dream.local.orphans import end_services
from dream.local.postgres import EmbeddedPostgres
from dream.local.restarts import End, Journal
from dream.local.servers import DATABASE, NATS, PACKS_SECRET, Servers
from dream.local.stack import GATEWAY, LAYERS, SERVICES
from dream.local.supervisor import Supervisor, Tell, polled

READY_SECONDS = 120.0
STOP_SECONDS = 15.0
"""A child is killed when it has not stopped by then, and by the longer grace that somebody may have set."""

Environment = Mapping[str, Mapping[str, str]]


class ProcessStack:
    """`async with ProcessStack(folder) as stack:` gives `stack.url` when all five are ready.

    `environment` adds variables per service, for instance {"planning": {"DREAM_CRASH_POINT": "planning:decided:1"}}.
    With `tell` whatever ends, servers too, is started again, and each time that is called; without it (tests) it stays
    dead until `restart`."""

    def __init__(
        self,
        data_dir: Path,
        port: int = 0,
        environment: Environment | None = None,
        *,
        host: str = "127.0.0.1",
        tell: Tell | None = None,
        output: IO[bytes] | None = None,
    ) -> None:
        self.place = DataDir(data_dir)
        self._extra = {name: dict((environment or {}).get(name, {})) for name in SERVICES}
        self.servers = Servers(self.place, settings=_settings(self._extra["execution"]))
        self._host = host
        self._port = port
        self._supervise = tell is not None
        self._journal = Journal(self.place.folder)
        self._supervisor = Supervisor(self._journal.keep, *([tell] if tell else []))
        self._output = output
        self.start_child: Callable[..., Child] = child.start
        """Tests fork what costs five seconds of imports otherwise."""
        self._children: dict[str, Child] = {}
        self._health_ports: dict[str, int] = {}
        self._restarting: set[str] = set()
        self._started = AsyncExitStack()
        self._grace = STOP_SECONDS + float(os.environ.get("DREAM_STOP_GRACE_SECONDS") or 0)

    @property
    def url(self) -> str:
        return address(self._host, self._port)

    @property
    def nats(self) -> EmbeddedNats:
        if self.servers.nats is None:
            raise EmbeddedServerFailed(f"nats-server is not ours: {NATS} is set")
        return self.servers.nats

    @property
    def postgres(self) -> EmbeddedPostgres:
        if self.servers.postgres is None:
            raise EmbeddedServerFailed(f"Postgres is not ours: {DATABASE} is set")
        return self.servers.postgres

    @property
    def database_url(self) -> str:
        return self.servers.database_url

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _start(self) -> None:
        self.place.lock()
        self._started.callback(self.place.unlock)
        end_services(self.place)
        await self.servers.start()
        self._started.push_async_callback(self.servers.stop)
        self._port = self._port or free_port()
        self._health_ports = {name: free_port() for name in LAYERS} | {GATEWAY: self._port}
        self._started.push_async_callback(self._stop_children)
        for name in SERVICES:
            self._spawn(name)
        if self._supervise:
            self._journal.begin()
            self._started.push_async_callback(self._supervisor.stop)
            self._supervisor.watch(*self.servers.parts, *(ProcessPart(name, self) for name in SERVICES))
        await self.wait_ready()
        self.place.announce(self.url, self.database_url, self.servers.nats_url)

    def _spawn(self, name: str) -> None:
        executors = _settings(self._extra[name]).executors
        variables = {
            **self.servers.nats_of(name, executors),
            **self.servers.database_of(name),
            "DREAM_ARTIFACTS_URL": (self.place.folder / "artifacts").as_uri(),
            "DREAM_DATA_DIR": str(self.place.folder),
            "DREAM_HOST": self._host,
            "DREAM_PORT": str(self._port),
            "DREAM_HEALTH_PORT": "0" if name == GATEWAY else str(self._health_ports[name]),
        }
        if self.servers.packs:
            variables["DREAM_PACKS"] = ",".join(self.servers.packs)
        for secret in (NATS, DATABASE, PACKS_SECRET):
            if os.environ.get(f"{secret}{SUFFIX}"):
                variables.pop(secret, None)  # services read the file themselves, and again when it has changed
        command = [sys.executable, "-m", f"services.{name}"]
        environment = {**os.environ, **variables, **self._extra[name]}
        record = self.place.record_of(name)
        self._children[name] = self.start_child(command, record=record, output=self._output, environment=environment)

    def ended(self, name: str) -> End | None:
        """How a service's process ended, its tool workers with it; None while it lives, or `restart` is at it."""
        one = self._children[name]
        if one.alive or name in self._restarting:
            return None
        one.clean_up()
        return End.of(one.process.returncode)

    async def start_again(self, name: str) -> None:
        """Starts a service; returns when it is healthy, or lives and what it needs is missing."""
        self._spawn(name)
        one, deadline = self._children[name], asyncio.get_running_loop().time() + READY_SECONDS
        async with _probing() as http:
            while one.alive and asyncio.get_running_loop().time() < deadline:
                if not await _problem(http, self._health_url(name)):
                    return
                await asyncio.sleep(0.1)
        if not one.alive:
            one.clean_up()
            raise EmbeddedServerFailed(self._why(name, ""))

    def _health_url(self, name: str) -> str:
        return f"{address(self._host, self._health_ports[name])}/health"

    def pid(self, name: str) -> int:
        """The process id of a service's current process."""
        return self._children[name].process.pid

    async def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Sends a signal to a service. For one that ends a process, returns after its end, tool workers included."""
        one = self._children[name]
        if one.alive:
            one.process.send_signal(number)
        if number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            await self.wait_ended(name)

    async def wait_ended(self, name: str, seconds: float = 30.0) -> int:
        """Waits until a service's process has ended (at a crash point, for instance); returns its exit code."""
        one = self._children[name]
        async with asyncio.timeout(seconds):
            while one.alive:  # noqa: ASYNC110  # as above
                await asyncio.sleep(0.02)
        one.clean_up()
        return int(one.process.returncode)

    async def restart(self, name: str, environment: Mapping[str, str] | None = None) -> None:
        """Stops the service if it lives, and starts it; `environment`, if given, replaces its extra variables."""
        self._restarting.add(name)
        try:
            await asyncio.to_thread(self._children[name].stop, signal.SIGTERM, self._grace)
            if environment is not None:
                self._extra[name] = dict(environment)
            self._spawn(name)
        finally:
            self._restarting.discard(name)

    async def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Waits until every service answers GET /health with 200; raises EmbeddedServerFailed naming the others."""
        waiting = set(self._health_ports)
        problems: dict[str, str] = {}
        deadline = asyncio.get_running_loop().time() + seconds
        async with _probing() as http:
            while waiting and asyncio.get_running_loop().time() < deadline:
                for name in sorted(waiting):
                    if problem := await _problem(http, self._health_url(name)):
                        problems[name] = self._why(name, problem)
                        if not self._supervise and not self._children[name].alive:
                            raise EmbeddedServerFailed(f"{name} {problems[name]}")
                    else:
                        waiting.remove(name)
                await asyncio.sleep(0.05)
        if waiting:
            raise EmbeddedServerFailed("; ".join(f"{name} {problems[name]}" for name in sorted(waiting)))

    async def warmed(self) -> None:
        """As LocalStack.warmed: a service that still learns is not healthy, and so it was waited for."""

    def _why(self, name: str, problem: str) -> str:
        one = self._children[name]
        return f"is not healthy: {problem}" if one.alive else f"ended with {one.process.returncode}: see its log"

    async def _stop_children(self) -> None:
        # gateway first, so that nobody new is let in; the others side by side
        for names in ((GATEWAY,), LAYERS):
            children = [self._children[name] for name in names if name in self._children]
            await asyncio.gather(*(asyncio.to_thread(one.stop, signal.SIGTERM, self._grace) for one in children))

    async def stop(self) -> None:
        """Services first, then nats-server, then Postgres; then the folder is free. May be called again."""
        await self._started.aclose()

    def kill_now(self) -> None:
        """Everybody at once: a second Ctrl-C."""
        self._grace = 0.0
        for one in self._children.values():
            one.stop(signal.SIGKILL)
        self.servers.kill()


@dataclass(frozen=True, slots=True)
class ProcessPart:
    """A service's process, as the supervisor sees it."""

    name: str
    stack: ProcessStack

    async def ended(self) -> End:
        return await polled(lambda: self.stack.ended(self.name))

    async def start(self) -> None:
        await self.stack.start_again(self.name)


def _settings(extra: Mapping[str, str]) -> Settings:
    """Those of this process with what a child is told otherwise, as far as the bus is made after them."""
    names = ("packs", "executors", "mcp_servers", "ack_wait_seconds", "bus_max_bytes", "bus_max_age_hours")
    told = {name: extra[variable] for name in names if (variable := f"DREAM_{name.upper()}") in extra}
    return Settings.model_validate({**Settings().model_dump(include=set(names)), **told})


def _probing() -> httpx.AsyncClient:
    """For addresses of ours, which speak http: made to speak https as well, it would read the authorities each time."""
    return httpx.AsyncClient(trust_env=False, timeout=2.0, verify=False)  # noqa: S501  # as above


async def _problem(http: httpx.AsyncClient, url: str) -> str:
    try:
        answer = await http.get(url)
    except httpx.HTTPError as error:
        return repr(error)
    return "" if answer.status_code == httpx.codes.OK else answer.text.strip()[:500] or str(answer.status_code)
