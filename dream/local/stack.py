"""All of Dream Agent in this process: embedded servers, the four layers and the gateway, on one event loop."""

import asyncio
import gc
import importlib
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urlparse

from contracts.errors import Code
from dream.local import logfile
from dream.local.data_dir import DataDir
from dream.local.nats import address
from dream.local.restarts import End, Journal
from dream.local.servers import DATABASE, PACKS_SECRET, Servers
from dream.local.supervisor import Supervisor, Tell

if TYPE_CHECKING:
    from backbone.health import Problem
    from backbone.service import Backbone
    from backbone.settings import Settings

log = logging.getLogger(__name__)

LAYERS = ("cognitive", "planning", "execution", "response")
GATEWAY = "gateway"
SERVICES = (*LAYERS, GATEWAY)
WARM_LOOK_SECONDS = 0.05
STOP_SECONDS = 7.0
"""After the grace of work in flight. A service that has not stopped by then is left behind; the process ends soon
anyway, and its messages come again."""


class Startable(Protocol):
    """What starts and stops: a layer's Service, or the gateway."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def over(self) -> str:
        """Waits until one of its loops has ended by itself, and says which and why."""

    def problems(self) -> list[str]: ...

    async def unready(self) -> "list[Problem]": ...


class LocalStack:
    """`async with LocalStack(folder) as stack:` gives `stack.url` and `stack.settings`.

    Raises DataDirInUse when another `dream` works in the folder. Whatever fails or is cancelled half way, what had been
    started is stopped again, in reverse order. What ends while it runs is started again, and each time `tell` is
    called: a server, and a service one of whose loops is over, here in this process."""

    def __init__(self, data_dir: Path, port: int = 0, host: str = "127.0.0.1", tell: Tell | None = None) -> None:
        self.place = DataDir(data_dir)
        self.servers = Servers(self.place)
        self._port = port
        self._host = host
        self._started = AsyncExitStack()
        self._hurry = asyncio.Event()
        self._journal = Journal(self.place.folder)
        self._supervisor = Supervisor(self._journal.keep, *([tell] if tell else []))
        self._running: dict[str, Startable] = {}
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
        from backbone.patience import heed_cancel

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
        self._trace()
        await self._start_services(modules)
        self.place.announce(self.url, self.servers.database_url, self.servers.nats_url)

    def _trace(self) -> None:
        from backbone.telemetry import tracing

        settings = self.settings
        tracing.configure(
            settings.otlp_endpoint, settings.otlp_header_fields, settings.trace_ratio, settings.traces_per_second
        )
        self._started.callback(tracing.shutdown)

    def _settings(self) -> "Settings":
        from pydantic import SecretStr

        from backbone.settings import Settings

        return Settings(
            nats_url=self.servers.nats.door if self.servers.nats else self.servers.nats_url,
            database_url=SecretStr(self.servers.database_url),
            artifacts_url=(self.place.folder / "artifacts").as_uri(),
            host=self._host,
            port=self._port,
            data_dir=self.place.folder,
            **({"packs": self.servers.packs} if self.servers.packs else {}),
        )

    async def _start_services(self, modules: dict[str, ModuleType]) -> None:
        from backbone.service import Backbone

        first = await Backbone.connect(self._settings_of(SERVICES[0]), service=SERVICES[0])
        self._started.push_async_callback(first.close)
        backbones = {SERVICES[0]: first}
        for name in SERVICES[1:]:
            backbones[name] = await first.beside(name, self._settings_of(name))
            self._started.push_async_callback(backbones[name].close)
        # the layers before the gateway: whoever is let in finds everybody at work
        parts = [ServicePart(name, self, partial(modules[name].service, backbones[name])) for name in LAYERS]
        parts.append(ServicePart(GATEWAY, self, partial(self._gateway, modules[GATEWAY], backbones[GATEWAY])))
        for part in parts:
            self._started.push_async_callback(self.stop_service, part.name)
            await self.start_service(part.name, part.make())
        gateway: Any = self._running[GATEWAY]
        self._port = urlparse(gateway.url).port or 0
        self.url = address(self._host, self._port)
        # with servers of its own: nobody else takes what is committed here
        first.handover.is_open = self.servers.nats is not None and self.servers.postgres is not None
        self._journal.begin()
        self._started.push_async_callback(self._supervisor.stop)
        self._supervisor.watch(*self.servers.parts, *parts)

    def _settings_of(self, name: str) -> "Settings":
        """What the services share, but for the key and the password with which each of them logs in to the servers."""
        from pydantic import SecretStr

        own: dict[str, Any] = {}
        if self.servers.nats is not None:
            told = self.servers.nats_of(name, self.settings.executors)
            own |= {"nats_nkey_file": Path(told["DREAM_NATS_NKEY_FILE"]), "bus_declare": False}
        if self.servers.postgres is not None:
            told = self.servers.database_of(name)
            own["database_url"] = SecretStr(told[DATABASE])
            own["database_packs_secret"] = SecretStr(told.get(PACKS_SECRET, ""))
        return self.settings.model_copy(update=own)

    def _gateway(self, module: ModuleType, backbone: "Backbone") -> Startable:
        """It listens where it did before, and answers for the others here as well."""
        settings = backbone.settings.model_copy(update={"port": self._port})
        return module.service(backbone.for_service(settings), self._layers)  # type: ignore[no-any-return]

    def _layers(self) -> list[Startable]:
        return [self._running[name] for name in LAYERS]

    async def warmed(self) -> None:
        """Waits until the services have learned what they learn at their start: the first sentence is then answered at
        once."""
        while await self._learns():  # noqa: ASYNC110  # a service that was started again in between learns anew
            await asyncio.sleep(WARM_LOOK_SECONDS)

    async def _learns(self) -> bool:
        found = [one for part in self._layers() for one in await part.unready()]
        return any(one.code is Code.NOT_WARM for one in found)

    def running(self, name: str) -> Startable:
        """The service of a name that runs now."""
        return self._running[name]

    async def start_service(self, name: str, part: Startable) -> None:
        """Starts a service in place of the one of its name, which was stopped."""
        from backbone.patience import heed_cancel

        self._running[name] = part
        await part.start()
        heed_cancel()

    @property
    def _patience(self) -> float:
        return STOP_SECONDS + self.settings.stop_grace_seconds

    async def stop_service(self, name: str) -> None:
        """Stops a service, but does not wait for it for ever."""
        if (part := self._running.get(name)) is None:
            return
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


@dataclass(frozen=True, slots=True)
class ServicePart:
    """A service in this process, as the supervisor sees it."""

    name: str
    stack: LocalStack
    make: Callable[[], Startable]

    async def ended(self) -> End:
        return End("loop", await self.stack.running(self.name).over())

    async def start(self) -> None:
        await self.stack.stop_service(self.name)
        try:
            await self.stack.start_service(self.name, self.make())
        except Exception:
            await self.stack.stop_service(self.name)
            raise


def _import_services() -> dict[str, ModuleType]:
    # modules stay: looking for garbage among what they make costs a sixth of the time they take
    collecting = gc.isenabled()
    gc.disable()
    try:
        return {name: importlib.import_module(f"services.{name}.app") for name in SERVICES}
    finally:
        if collecting:
            gc.enable()
