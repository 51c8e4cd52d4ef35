"""What the services of one process share: ledger, artifact store, connections; and whether all of that is there."""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self
from uuid import UUID

from backbone.artifacts.addresses import artifacts_at, folder_of
from backbone.artifacts.health import StoreHealth
from backbone.artifacts.port import ArtifactStore
from backbone.disk import has_room
from backbone.handover import Handover
from backbone.health import Checks, Pulse
from backbone.ledger import rights
from backbone.ledger.logins import SERVICES, role_of_service
from backbone.ledger.pool import Pool, guarded
from backbone.ledger.port import Ledger, LedgerUnavailable
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.readable import LedgerRefused, check_migrated, check_readable, check_rewritten
from backbone.ledger.sessions import check_sessions
from backbone.ledger.tables import PackTables
from backbone.patience import Telling, Waits, patiently
from backbone.settings import Settings
from backbone.toolbox.port import Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from backbone.witness import Relayed, Witness
from contracts.errors import Code

CONNECT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Backbone:
    """What the services of one process share."""

    settings: Settings
    ledger: Ledger
    artifacts: ArtifactStore
    toolbox: Toolbox
    pool: Pool
    """Connections to the database, for what stands beside the ledger."""
    tables: PackTables
    relayed: Relayed = field(default_factory=Relayed)
    handover: Handover = field(default_factory=Handover)
    checks: Checks = field(default_factory=Checks)
    """What has to be there for every service of the process. Whoever needs something more adds it:
    `backbone.checks.add(name, code, look)`."""
    pulse: Pulse = field(default_factory=Pulse)
    artifact_health: StoreHealth = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "artifact_health", StoreHealth(self.artifacts))  # frozen, and derived

    @classmethod
    async def connect(
        cls,
        settings: Settings,
        patience: float = CONNECT_SECONDS,
        waits: Waits | None = None,
        pulse: Pulse | None = None,
        service: str = "",
    ) -> Self:
        """Opens ledger and artifact store; waits for the ledger for up to `patience` seconds, then says what is
        missing. With the name of a service that has a role in the database it acts as that, where its login may, and
        its rights are looked at. Raises LedgerRefused at once, and Misconfigured."""
        connecting = partial(cls._connect, settings, pulse or Pulse(), service)
        return await patiently(connecting, patience, waits or Telling())

    @classmethod
    async def _connect(cls, settings: Settings, pulse: Pulse, service: str, beside: Self | None = None) -> Self:
        artifacts = beside.artifacts if beside else artifacts_at(settings.artifacts_url, settings.artifacts_cache_bytes)
        service = service if service in rights.LOGINS else ""
        url = partial(settings.current, "database_url")
        own = (settings.database_role,) if settings.database_role else (role_of_service(service), SERVICES)
        roles = own if service or settings.database_role else (SERVICES,)
        ledger = await PostgresLedger.connect(url, roles=roles, max_size=settings.database_pool, artifacts=artifacts)
        await _check(ledger, service)
        toolbox, tables = (
            PostgresToolbox(ledger.pool),
            PackTables(url, partial(settings.current, "database_packs_secret")),
        )
        relayed, handover = (beside.relayed, beside.handover) if beside else (Relayed(), Handover())
        backbone = cls(settings, ledger, artifacts, toolbox, ledger.pool, tables, relayed, handover, pulse=pulse)
        if beside:
            object.__setattr__(backbone, "artifact_health", beside.artifact_health)
        backbone.checks.add("ledger", Code.LEDGER_UNAVAILABLE, backbone._look_at_ledger)
        backbone.checks.add("packs", Code.LEDGER_UNAVAILABLE, backbone._look_at_packs)
        backbone.checks.add("artifacts", Code.ARTIFACT_STORE_UNAVAILABLE, backbone._look_at_artifacts)
        if service:
            look = partial(backbone._look_at_rights, service)
            backbone.checks.add("ledger-rights", Code.LEDGER_UNAVAILABLE, look)
        return backbone

    async def _look_at_rights(self, service: str) -> str:
        try:
            return await guarded(lambda: rights.problem(self.pool, service))
        except LedgerUnavailable:
            return ""  # another check says that

    async def _look_at_ledger(self) -> str:
        try:
            await self.ledger.head(UUID(int=0))
        except LedgerUnavailable as error:
            return str(error)
        return ""

    async def _look_at_packs(self) -> str:
        return self.tables.problem

    async def _look_at_artifacts(self) -> str:
        folder = folder_of(self.settings.artifacts_url)
        full = folder and folder.exists() and not has_room(folder)
        return f"the disk of {folder} is full" if full else self.artifact_health.problem

    async def beside(self, service: str, settings: Settings) -> Self:
        """The same for a service of this process that logs in to the database by itself. To be closed by itself."""
        return await self._connect(settings, self.pulse, service, self)

    def for_service(self, settings: Settings) -> Self:
        """The same for a service of this process that has settings of its own."""
        own = replace(self, settings=settings)
        object.__setattr__(own, "artifact_health", self.artifact_health)
        return own

    @property
    def witness(self) -> Witness:
        """Says what of the bus may be believed."""
        return Witness(self.ledger, self.relayed)

    async def close(self) -> None:
        await asyncio.gather(self.tables.close(), self.ledger.close())


async def _check(ledger: PostgresLedger, service: str) -> None:
    """Closes a ledger that this program may not work with, or not yet."""
    try:
        await guarded(lambda: check_sessions(ledger.pool))
        await guarded(lambda: check_readable(ledger.pool))
        await guarded(lambda: check_migrated(ledger.pool))
        await guarded(lambda: check_rewritten(ledger.pool))
        if service:
            await guarded(lambda: rights.check_rights(ledger.pool, service))
    except (LedgerRefused, LedgerUnavailable):
        await ledger.close()
        raise
