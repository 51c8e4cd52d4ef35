"""nats-server and the migrated ledger of one data directory: embedded ones, or those that the environment names."""

import asyncio
import logging
import os
import signal
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

from backbone.bus.rights import user_of
from backbone.ledger.rights import PACKED
from backbone.secret_files import value_of
from backbone.settings import Settings
from dream.cli.database_commands import passwords
from dream.failures import EmbeddedServerFailed
from dream.local.data_dir import DataDir
from dream.local.embedded import EmbeddedNats, EmbeddedPostgres, Server, start_together
from dream.local.restarts import End
from dream.local.supervisor import polled
from dream.local.tidying import tidy
from dream.ops.database import NO_PRIVILEGE, DatabaseFailed, database_errors

if TYPE_CHECKING:
    from backbone.bus.port import ConsumerSpec

log = logging.getLogger(__name__)

NATS = "DREAM_NATS_URL"
DATABASE = "DREAM_DATABASE_URL"
PACKS_SECRET = "DREAM_DATABASE_PACKS_SECRET"  # noqa: S105  # its name


@dataclass(frozen=True, slots=True)
class ServerPart:
    """An embedded server, as the supervisor sees it."""

    name: str
    server: Server

    async def ended(self) -> End:
        return await polled(self._look)

    def _look(self) -> End | None:
        process = self.server.process
        if process is not None and (code := process.poll()) is not None:
            return End.of(code)
        return End("refuses") if isinstance(self.server, EmbeddedNats) and self.server.refuses() else None

    async def start(self) -> None:
        await asyncio.to_thread(self.server.stop)  # one that refuses still runs, and one that was killed left a record
        await start_together(self.server)


class Servers:
    """Starts what is missing, side by side; applies migrations as soon as the database answers."""

    def __init__(
        self, place: DataDir, environment: Mapping[str, str] = os.environ, settings: Settings | None = None
    ) -> None:
        self._settings = settings
        self.left_out: dict[str, str] = {}
        """Pack, as it is named, -> why the product goes without it."""
        self.packs: tuple[str, ...] = ()
        """What services are told to load, where it is not what their settings say."""
        self._place = place
        self._tidying: asyncio.Task[None] | None = None
        self._admin = AsyncExitStack()
        self._consumers: list[ConsumerSpec] = []
        self._nats_url = value_of(NATS, environment)
        self._database_url = value_of(DATABASE, environment)
        self.nats = None if self._nats_url else EmbeddedNats(place.folder / "nats")
        self.postgres = None if self._database_url else EmbeddedPostgres(place.folder / "postgres")

    @property
    def nats_url(self) -> str:
        return self.nats.url if self.nats else self._nats_url

    def nats_of(self, service: str, executors: tuple[str, ...] = ()) -> dict[str, str]:
        """The variables with which a service logs in to NATS: with its own key, where we have given it one."""
        if self.nats is None:
            return {NATS: self._nats_url}
        seed = self.nats.seed(user_of(service, executors))
        return {NATS: self.nats.door, "DREAM_NATS_NKEY_FILE": str(seed), "DREAM_BUS_DECLARE": "false"}

    def database_of(self, service: str) -> dict[str, str]:
        """The variables with which a service logs in to the database: as itself, where it is ours."""
        if self.postgres is None:
            return {DATABASE: self._database_url}
        packs = {PACKS_SECRET: self.postgres.packs_secret} if service in PACKED else {}
        return {DATABASE: self.postgres.url_of(service), **packs}

    @property
    def owner_url(self) -> str:
        """Who migrates. In a database of somebody else's we have no other login than that of services."""
        return self.postgres.owner_url if self.postgres else self._database_url

    @property
    def database_url(self) -> str:
        """As whoever looks at the ledger beside the services logs in; where the database is not ours, they as well."""
        return self.postgres.url if self.postgres else self._database_url

    @property
    def parts(self) -> list[ServerPart]:
        """Those that are ours to look after."""
        both = (("nats-server", self.nats), ("Postgres", self.postgres))
        return [ServerPart(name, server) for name, server in both if server]

    async def start(self) -> None:
        """Returns when both answer and the schema is up to date. On failure nothing is left running."""
        from backbone import packs
        from dream.ops.consumers import consumers, routes

        servers = [server for server in (self.nats, self.postgres) if server]
        settings = self._settings = self._settings or Settings()
        catalogue = await asyncio.to_thread(packs.load, settings.packs)
        self.left_out = dict(catalogue.failures)
        if self.nats:
            self.nats.routes = routes(settings, catalogue)
        await start_together(*servers)
        try:
            unmigrated = await self._migrate(settings.packs)
            if unmigrated:
                self.left_out |= unmigrated
                names = await asyncio.to_thread(packs.names_without, settings.packs, unmigrated)
                settings = self._settings = settings.model_copy(update={"packs": names})
                self.packs = names
                catalogue = await asyncio.to_thread(packs.load, names)
            if self.nats:
                self._consumers = consumers(settings, catalogue)
            await self._administer(settings)
        except BaseException:
            await self.stop()
            raise
        if self.postgres:
            self._tidying = asyncio.create_task(tidy(self._place), name="tidy")

    async def _migrate(self, names: tuple[str, ...]) -> dict[str, str]:
        """The packs whose tables are not what they need, each with the reason."""
        from backbone.ledger.migrate import PacksUnmigrated, migrate

        unmigrated: dict[str, str] = {}
        try:
            with database_errors():
                applied = await migrate(self.owner_url, names, self.database_url, **self._passwords())
        except PacksUnmigrated as error:
            applied, unmigrated = error.applied, error.failures
            for pack, reason in unmigrated.items():
                log.error("pack left out", extra={"pack": pack, "reason": reason})  # noqa: TRY400  # it says it all
        except DatabaseFailed as error:
            if error.sqlstate != NO_PRIVILEGE:
                raise
            # a managed database: an administrator runs `dream migrate`, we only use what is there
            log.warning("no right to apply migrations (%s): run dream migrate with an administrator's URL", error)
            return {}
        if applied:
            log.info("applied migrations: %s", ", ".join(applied))
        return unmigrated

    def _passwords(self) -> dict[str, Any]:
        return passwords(os.environ) if self.postgres is None else self.postgres.passwords()

    async def _administer(self, settings: Settings) -> None:
        """Declares stream and consumers, and from then on makes room; in a NATS of somebody else's our services declare
        them, or its admin does."""
        from backbone.bus.administration import Login, administer
        from backbone.bus.declare import stream_config
        from backbone.bus.keeper import Keeper
        from backbone.bus.port import BusUnavailable

        config = stream_config(settings.bus_max_bytes, settings.bus_max_age_hours * 3600, settings.bus_replicas)
        login = Login(self.nats_url, None if self.nats else settings.nats_nkey_file, settings.nats_ca_file)
        loop, over = asyncio.new_event_loop(), asyncio.Event()
        ready: Future[None] = Future()

        async def administer_it() -> None:
            try:
                async with administer(login, self._consumers, config, lasting=True) as bus:
                    if self.nats:
                        await bus.declare(alone=True)
                    ready.set_result(None)
                    await keep(Keeper(bus))
            except BusUnavailable as error:
                if ready.done():
                    log.warning("nobody makes room in the stream any more: %s", error)
                else:
                    ready.set_exception(error)

        async def keep(keeper: Keeper) -> None:
            ended, running = asyncio.create_task(over.wait()), asyncio.create_task(keeper.run())
            await asyncio.wait({ended, running}, return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

        def alone() -> None:
            try:
                with asyncio.Runner(loop_factory=lambda: loop) as runner:
                    runner.run(administer_it())
            finally:
                if not ready.done():
                    ready.set_exception(BusUnavailable("the admin of the bus has failed: see the log"))

        # a loop of its own: the services' may be busy, and that of who started us may rest between two tests
        thread = Thread(target=alone, name="bus:admin", daemon=True)
        thread.start()
        try:
            await asyncio.wrap_future(ready)
        except BusUnavailable as error:
            if self.nats:
                raise EmbeddedServerFailed(str(error)) from error
            log.warning("%s: let dream admin bus keep run with a user who may", error)
            return

        async def end() -> None:
            loop.call_soon_threadsafe(over.set)
            await asyncio.to_thread(thread.join, 10)

        self._admin.push_async_callback(end)

    async def stop(self) -> None:
        """nats-server first: nobody is told any more; then Postgres, with a checkpoint."""
        if self._tidying:
            self._tidying.cancel()
            await asyncio.wait({self._tidying})
        await self._admin.aclose()
        for server in (self.nats, self.postgres):
            if server:
                await asyncio.to_thread(server.stop)

    def kill(self) -> None:
        """At once, from a second Ctrl-C: the ledger recovers from its log on the next start, as after a crash."""
        if self.nats:
            self.nats.stop(signal.SIGKILL)
        if self.postgres:
            self.postgres.stop(signal.SIGQUIT)
