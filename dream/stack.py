"""All of Dream Agent in this process: embedded servers, the four layers and the gateway, on one event loop."""

import asyncio
import gc
import importlib
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urlparse

from dream import logfile
from dream.nats import address
from dream.place import DataDir
from dream.servers import Servers

if TYPE_CHECKING:
    from backbone.settings import Settings

log = logging.getLogger(__name__)

LAYERS = ("cognitive", "planning", "execution", "response")
GATEWAY = "gateway"
SERVICES = (*LAYERS, GATEWAY)
STOP_SECONDS = 7.0
"""After the grace of work in flight. A service that has not stopped by then is left behind; the process ends soon
anyway, and its messages come again."""


class Part(Protocol):
    """What starts and stops: a layer's Service, or the gateway."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def over(self) -> str: ...


class LocalStack:
    """`async with LocalStack(folder) as stack:` gives `stack.url` and `stack.settings`.

    Raises DataDirInUse when another `dream` works in the folder. Whatever fails or is cancelled half way, what had been
    started is stopped again, in reverse order."""

    def __init__(self, data_dir: Path, port: int = 0, host: str = "127.0.0.1") -> None:
        self.place = DataDir(data_dir)
        self.servers = Servers(self.place)
        self._port = port
        self._host = host
        self._started = AsyncExitStack()
        self._hurry = asyncio.Event()
        self._parts: dict[str, Part] = {}
        self.settings: Settings
        self.url = ""

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
        # the servers mostly wait for themselves: meanwhile a thread imports what the services are made of
        imports = asyncio.ensure_future(asyncio.to_thread(_import_services))
        imports.add_done_callback(lambda done: done.cancelled() or done.exception())
        await self.servers.start()
        self._started.push_async_callback(self.servers.stop)
        modules = await imports
        heed_cancel()
        logfile.take_over_faststream()
        self.settings = self._settings()
        await self._start_services(modules)
        self.place.announce(self.url, self.servers.database_url, self.servers.nats_url)

    def _settings(self) -> "Settings":
        from pydantic import SecretStr

        from backbone.settings import Settings

        return Settings(
            nats_url=self.servers.nats_url,
            database_url=SecretStr(self.servers.database_url),
            artifacts_url=(self.place.folder / "artifacts").as_uri(),
            host=self._host,
            port=self._port,
            data_dir=self.place.folder,
        )

    async def _start_services(self, modules: dict[str, ModuleType]) -> None:
        from backbone.service import Backbone

        backbone = await Backbone.connect(self.settings)
        self._started.push_async_callback(backbone.close)
        # the layers before the gateway: whoever is let in finds everybody at work
        for name in LAYERS:
            await self._start_part(name, modules[name].service(backbone))
        gateway: Any = modules[GATEWAY].service(backbone)
        await self._start_part(GATEWAY, gateway)
        self.url = address(self._host, urlparse(gateway.url).port or 0)

    async def _start_part(self, name: str, part: Part) -> None:
        self._started.push_async_callback(self._stop_part, name, part)
        await part.start()
        self._parts[name] = part
        heed_cancel()

    async def over(self) -> str:
        """Waits until a loop of one of the services has ended by itself; says which and why. In this process nothing
        but the end of the process mends that."""
        waiting = {asyncio.ensure_future(part.over()): name for name, part in self._parts.items()}
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return "; ".join(f"{waiting[one]}: {one.result()}" for one in done)
        finally:
            for one in waiting:
                one.cancel()

    @property
    def _patience(self) -> float:
        return STOP_SECONDS + self.settings.stop_grace_seconds

    async def _stop_part(self, name: str, part: Part) -> None:
        stopping = asyncio.ensure_future(part.stop())
        hurry = asyncio.ensure_future(self._hurry.wait())
        await asyncio.wait({stopping, hurry}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        if not stopping.done():
            log.warning("%s was not given the time to stop", name)
            stopping.cancel()
        elif error := stopping.exception():
            # the others are still to be stopped, whatever this one did
            log.error("%s failed to stop", name, exc_info=error)

    async def stop(self) -> None:
        """Services first, then nats-server, then Postgres; then the folder is free. May be called again."""
        await self._started.aclose()

    def kill_now(self) -> None:
        """A stop under way no longer waits for anybody: a second Ctrl-C."""
        self._hurry.set()
        self.servers.kill()


def heed_cancel() -> None:
    """Raises CancelledError when this task was cancelled and what it waited for has swallowed that: connecting does,
    in libraries that use wait_for of Python 3.11. A Ctrl-C must not be lost there."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _import_services() -> dict[str, ModuleType]:
    # modules stay: looking for garbage among what they make costs a sixth of the time they take
    collecting = gc.isenabled()
    gc.disable()
    try:
        return {name: importlib.import_module(f"services.{name}.app") for name in SERVICES}
    finally:
        if collecting:
            gc.enable()
