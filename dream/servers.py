"""nats-server and the migrated ledger of one data directory: embedded ones, or those that the environment names."""

import asyncio
import logging
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from backbone.secret_files import value_of
from backbone.settings import Settings
from dream.database import NO_PRIVILEGE, DatabaseFailed, database_errors
from dream.embedded import EmbeddedNats, EmbeddedPostgres, Server, start_together
from dream.place import DataDir
from dream.restarts import End
from dream.supervisor import polled

log = logging.getLogger(__name__)

NATS = "DREAM_NATS_URL"
DATABASE = "DREAM_DATABASE_URL"


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

    def __init__(self, place: DataDir, environment: Mapping[str, str] = os.environ) -> None:
        self._nats_url = value_of(NATS, environment)
        self._database_url = value_of(DATABASE, environment)
        self.nats = None if self._nats_url else EmbeddedNats(place.folder / "nats")
        self.postgres = None if self._database_url else EmbeddedPostgres(place.folder / "postgres")

    @property
    def nats_url(self) -> str:
        return self.nats.url if self.nats else self._nats_url

    @property
    def owner_url(self) -> str:
        """Who migrates. In a database of somebody else's we have no other login than that of services."""
        return self.postgres.owner_url if self.postgres else self._database_url

    @property
    def database_url(self) -> str:
        """As services log in."""
        return self.postgres.url if self.postgres else self._database_url

    @property
    def parts(self) -> list[ServerPart]:
        """Those that are ours to look after."""
        both = (("nats-server", self.nats), ("Postgres", self.postgres))
        return [ServerPart(name, server) for name, server in both if server]

    async def start(self) -> None:
        """Returns when both answer and the schema is up to date. On failure nothing is left running."""
        servers = [server for server in (self.nats, self.postgres) if server]
        await start_together(*servers)
        try:
            await self._migrate()
        except BaseException:
            await self.stop()
            raise

    async def _migrate(self) -> None:
        from backbone.ledger.migrate import migrate

        try:
            with database_errors():
                applied = await migrate(self.owner_url, Settings().packs, self.database_url)
        except DatabaseFailed as error:
            if error.sqlstate != NO_PRIVILEGE:
                raise
            # a managed database: an administrator runs `dream migrate`, we only use what is there
            log.warning("no right to apply migrations (%s): run dream migrate with an administrator's URL", error)
            return
        if applied:
            log.info("applied migrations: %s", ", ".join(applied))

    async def stop(self) -> None:
        """nats-server first: nobody is told any more; then Postgres, with a checkpoint."""
        for server in (self.nats, self.postgres):
            if server:
                await asyncio.to_thread(server.stop)

    def kill(self) -> None:
        """At once, from a second Ctrl-C: the ledger recovers from its log on the next start, as after a crash."""
        if self.nats:
            self.nats.stop(signal.SIGKILL)
        if self.postgres:
            self.postgres.stop(signal.SIGQUIT)
