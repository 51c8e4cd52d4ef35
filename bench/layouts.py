"""The product as it is measured: five processes, as on many machines, or one, as `dream up` starts it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.cost import servers_in
from dream.local.embedded import EmbeddedPostgres
from dream.local.processes import ProcessStack
from dream.local.stack import SERVICES

QUIET: Mapping[str, str] = {"DREAM_LOG_LEVEL": "WARNING"}
SETTINGS: Mapping[str, str] = {**QUIET, "DREAM_PACKS": "bench"}
NAMES = {"five": "five processes", "one": "one process"}
READY_SECONDS = 120
DREAM = "from dream.cli.app import main; main()"


@dataclass(frozen=True, slots=True)
class Product:
    """Where it listens, the address of its Postgres for an administrator, its folder, and its processes by name:
    services, or "dream" for all of them, and servers."""

    url: str
    admin_url: str
    folder: Path
    pids: dict[str, int]

    @property
    def services(self) -> dict[str, int]:
        return {name: pid for name, pid in self.pids.items() if name not in ("postgres", "nats")}

    async def ready(self) -> None:
        """Waits until it takes requests. Raises TimeoutError."""
        async with asyncio.timeout(READY_SECONDS), httpx.AsyncClient(trust_env=False) as http:
            while not await _is_ready(http, self.url):  # noqa: ASYNC110  # another process
                await asyncio.sleep(0.1)


async def _is_ready(http: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await http.get(f"{url}/health/ready", timeout=5)).status_code == 200
    except httpx.HTTPError:
        return False


@asynccontextmanager
async def laid_out(layout: str, folder: Path, settings: Mapping[str, str] = SETTINGS) -> AsyncIterator[Product]:
    """Starts it as "five" processes or as "one", with these variables in its environment."""
    async with _five(folder, settings) if layout == "five" else _one(folder, settings) as product:
        await product.ready()
        yield product


@asynccontextmanager
async def _five(folder: Path, settings: Mapping[str, str]) -> AsyncIterator[Product]:
    every = {name: dict(settings) for name in SERVICES}
    async with ProcessStack(folder, environment=every) as stack:
        pids = {**{name: stack.pid(name) for name in SERVICES}, **servers_in(str(folder))}
        yield Product(stack.url, stack.postgres.admin_url, folder, pids)


@asynccontextmanager
async def _one(folder: Path, settings: Mapping[str, str]) -> AsyncIterator[Product]:
    words = [sys.executable, "-c", DREAM, "up", "--port", "0", "--data-dir", str(folder)]
    process = await asyncio.create_subprocess_exec(
        *words, env={**os.environ, "LC_ALL": "C", **settings}, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            line = (await process.stdout.readline()).decode()
        url = next((word for word in line.split() if word.startswith("http")), "")
        if not url:
            raise RuntimeError(f"dream up has not started: {line!r}")
        postgres = EmbeddedPostgres(folder / "postgres")
        yield Product(url, postgres.admin_url, folder, {"dream": process.pid, **servers_in(str(folder))})
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.wait()
