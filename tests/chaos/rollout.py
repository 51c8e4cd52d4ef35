"""Services replaced as Kubernetes replaces pods: the new one is started, clients are sent to it when it is ready, and to the
old one no more, which then gets SIGTERM. And the address in front of several gateways."""

import asyncio
import random
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlparse

import httpx

from backbone.settings import Settings
from backbone.stopping import stop_budget
from dream.local.child import Child
from dream.local.nats import free_port
from dream.local.stack import GATEWAY
from tests.e2e.person import eventually
from tests.e2e.world import World

GRACE: float = Settings.model_fields["stop_grace_seconds"].get_default()
LONGER = 60.0
"""So much longer than its budget is waited for a process, to say what it did instead."""


@dataclass
class Rollout:
    """The services of a world, and the gateways that clients are sent to."""

    world: World
    gateways: list[str]
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Service -> how long those took to stop that were replaced."""

    def gateway(self) -> str:
        """The address of one that is ready."""
        return random.choice(self.gateways)

    async def replace(self, name: str) -> None:
        """By a process that takes its place, and that one by one of the stack again: up, and back."""
        stack = self.world.stack
        async with self.beside(name) as (surge, there):
            here = _health(self.world, name)
            self._send(name, away_from=here, to=there)
            await self.end(name, stack._children[name])
            await stack.restart(name)
            await ready(here)
            self._send(name, away_from=there, to=here)
            await self.end(name, surge)

    @asynccontextmanager
    async def beside(self, name: str) -> AsyncIterator[tuple[Child, str]]:
        """A further process of a service, once it is ready, and where it says so."""
        port = str(free_port())
        settings = {"DREAM_DATA_DIR": str(self.world.stack.place.folder), "DREAM_HEALTH_PORT": port}
        if name == GATEWAY:
            settings |= {"DREAM_HEALTH_PORT": "0", "DREAM_PORT": port}
        with self.world.replica(name, **settings) as child:
            await ready(f"http://127.0.0.1:{port}")
            yield child, f"http://127.0.0.1:{port}"

    async def end(self, name: str, child: Child) -> None:
        """SIGTERM: it ends by itself, with 0, within its budget."""
        since, budget = time.monotonic(), stop_budget(name, GRACE).seconds
        child.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(child.process.wait, budget + LONGER)
        took = time.monotonic() - since
        assert (code, took < budget) == (0, True), f"{name} ended with {code} after {took:.1f} s"
        self.seconds.setdefault(name, []).append(round(took, 1))

    def _send(self, name: str, *, away_from: str, to: str) -> None:
        if name == GATEWAY:
            self.gateways.append(to)
            self.gateways.remove(away_from)


def _health(world: World, name: str) -> str:
    return world.stack._health_url(name).removesuffix("/health")


async def ready(address: str) -> None:
    """As a readiness probe asks."""
    async with httpx.AsyncClient(trust_env=False, timeout=5.0) as http:

        async def is_ready() -> bool:
            with suppress(httpx.TransportError):
                return (await http.get(f"{address}/health/ready")).status_code == httpx.codes.OK
            return False

        await eventually(is_ready, f"{address} to be ready", 120)


class Balancer:
    """One address for all gateways of a rollout. A connection that is open stays where it is."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._open: set[asyncio.StreamWriter] = set()
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = urlparse(self._rollout.gateway())
        self._open.add(writer)
        try:
            from_there, to_there = await asyncio.open_connection(there.hostname, there.port)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(_pass_on(reader, to_there))
                    both.create_task(_pass_on(from_there, writer))
            finally:
                to_there.close()
        except* OSError:
            pass  # whoever asked sees a connection that breaks
        finally:
            self._open.discard(writer)
            writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while block := await reader.read(65_536):
        writer.write(block)
        await writer.drain()
    writer.close()
