"""Which server a command talks to: the one it is told, the one that runs here, or one of its own for the call."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlparse

from dream.cli.running import Interrupts
from dream.client.gateway_client import Client
from dream.failures import CommandFailed, DataDirInUse, Exit
from dream.local.data_dir import DataDir
from dream.texts import Texts

APPEAR_SECONDS = 15.0
"""So long we wait for a `dream` that holds the folder but has not said yet where it answers."""


@dataclass(frozen=True, slots=True)
class Target:
    """`ours` is True when the server ends with the command."""

    url: str
    ours: bool


async def find(url: str | None, data_dir: Path, texts: Texts) -> str | None:
    """--url, else DREAM_URL, else the running server of the data directory; None when there is none."""
    if told := url or os.environ.get("DREAM_URL"):
        if urlparse(told).scheme not in ("http", "https") or not urlparse(told).hostname:
            raise CommandFailed(texts("url.malformed", url=told), Exit.USAGE)
        return told
    running = DataDir(data_dir).running()
    if running is None:
        return None
    async with Client(running.url) as client:
        return running.url if await client.healthy() else None


async def required(url: str | None, data_dir: Path, texts: Texts) -> str:
    """As `find`; without a server the command ends with what to do."""
    if found := await find(url, data_dir, texts):
        return found
    raise CommandFailed(texts("server.none", folder=data_dir), Exit.USAGE)


@asynccontextmanager
async def server(url: str | None, data_dir: Path, texts: Texts, interrupts: Interrupts) -> AsyncIterator[Target]:
    """The server to use; started for the call, and stopped again, when there is none."""
    deadline = asyncio.get_running_loop().time() + APPEAR_SECONDS
    while True:
        if found := await find(url, data_dir, texts):
            yield Target(found, ours=False)
            return
        from dream.cli.up import tell_left_out
        from dream.local import logfile
        from dream.local.stack import LocalStack

        logfile.to_file(DataDir(data_dir))
        stack = LocalStack(data_dir)
        interrupts.hurry = stack.kill_now
        try:
            await stack.__aenter__()
        except DataDirInUse:
            # one that is just starting, or another `dream ask` that will be done soon
            if asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(0.25)
            continue
        tell_left_out(stack.servers.left_out, texts)
        try:
            yield Target(stack.url, ours=True)
        finally:
            await stack.stop()
        return
