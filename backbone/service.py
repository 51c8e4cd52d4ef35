"""The shell of every service: FastStream's broker and lifespan around our relay, runners and timers.

`Backbone` is what a process shares; a `Service` is one layer in it. One process can hold one service or all five."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlparse

from faststream import FastStream
from faststream.nats import NatsBroker
from faststream.nats.security import NatsNKey, NatsSecurity

from backbone.artifacts.local import LocalArtifacts
from backbone.artifacts.port import ArtifactStore
from backbone.bus import keys
from backbone.bus.access import Access
from backbone.bus.jetstream import ConnectionLost, JetStreamBus, connection_name
from backbone.bus.port import Bus, BusUnavailable
from backbone.bus.rights import Station, inbox_of
from backbone.ledger.pool import Pool, guarded
from backbone.ledger.port import Ledger, LedgerUnavailable
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.readable import DatabaseUnfit
from backbone.ledger.sessions import check_database
from backbone.ledger.tables import PackTables
from backbone.relay import Relay
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import AnyHandler, WorkHandler, durables
from backbone.runner.work import WorkRunner
from backbone.settings import Settings, shown
from backbone.toolbox.port import Toolbox
from backbone.toolbox.postgres import PostgresToolbox
from backbone.witness import Relayed, Witness
from contracts import subjects

log = logging.getLogger(__name__)

Background = Callable[["Service"], Awaitable[None]]
CONNECT_SECONDS = 30.0
STOP_SECONDS = 7.0
"""After the grace of work in flight."""


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

    @classmethod
    async def connect(cls, settings: Settings) -> Self:
        """Opens ledger and artifact store; waits for the ledger for up to half a minute, then says what is missing.
        Raises DatabaseUnfit at once."""
        deadline = time.monotonic() + 30
        while True:
            try:
                url = settings.database_url.get_secret_value()
                ledger = await PostgresLedger.connect(
                    url,
                    role=settings.database_role,
                    max_size=settings.database_pool,
                )
                await _check(ledger)
                toolbox = PostgresToolbox(ledger.pool)
                artifacts = artifacts_at(settings.artifacts_url)
                return cls(settings, ledger, artifacts, toolbox, ledger.pool, PackTables(url))
            except LedgerUnavailable:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.5)

    @property
    def witness(self) -> Witness:
        """Says what of the bus may be believed."""
        return Witness(self.ledger, self.relayed)

    async def close(self) -> None:
        await self.tables.close()
        await self.ledger.close()


async def _check(ledger: PostgresLedger) -> None:
    """Closes a ledger that this program may not work with."""
    try:
        await guarded(lambda: check_database(ledger.pool))
    except (DatabaseUnfit, LedgerUnavailable):
        await ledger.close()
        raise


def artifacts_at(url: str) -> ArtifactStore:
    """The artifact store at a URL. Only file:// so far; object stores come with their own issue."""
    if (parts := urlparse(url)).scheme != "file":
        raise ValueError(f"DREAM_ARTIFACTS_URL is {url!r}: only file:// is supported in this version")
    return LocalArtifacts(Path(unquote(parts.netloc + parts.path)))


@dataclass(slots=True, repr=False)
class Service:
    """One service: its handlers, the producers it relays for, and what else runs beside them."""

    name: str
    backbone: Backbone
    handlers: Sequence[AnyHandler] = ()
    relays: Sequence[str] = ()
    background: Sequence[Background] = ()
    says: tuple[str, ...] = ()  # these four: see backbone.bus.rights.Station
    hears: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    user: str = ""
    broker: NatsBroker = field(init=False)
    access: Access = field(init=False)
    bus: Bus = field(init=False)
    app: FastStream = field(init=False)
    _tasks: list[asyncio.Task[None]] = field(init=False, default_factory=list)
    _runners: list[WorkRunner | DecisionRunner] = field(init=False, default_factory=list)
    _relays: list[Relay] = field(init=False, default_factory=list)
    _loop_seen: float = field(init=False, default=0.0)
    _stopping: bool = field(init=False, default=False)
    _over: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _why: str = field(init=False, default="")

    def __post_init__(self) -> None:
        settings = self.backbone.settings
        self.access = Access(self.station, settings.nats_nkey_file)
        self.broker = NatsBroker(
            settings.nats_url,
            name=connection_name(self.name),
            security=_security(settings),
            inbox_prefix=inbox_of(self.station.name),
            error_cb=self.access.error,
            # Forever and soon: FastStream's default freezes the loop after 60 tries (docs/adr/0003)
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,  # type: ignore[arg-type]  # seconds, which nats-py gives to asyncio.sleep
            ping_interval=10,
            disconnected_cb=self._disconnected,
            reconnected_cb=self._reconnected,
            logger=logging.getLogger("faststream"),
        )

        async def status() -> dict[str, Any]:
            return self.status()

        self.broker.subscriber(subjects.status(self.name))(status)
        self.app = FastStream(self.broker, logger=None)

    @property
    def station(self) -> Station:
        """Its rights on the bus follow from it."""
        core = self.says, self.hears, self.answers
        return Station(self.name, durables(self.handlers), tuple(self.relays), *core, self.user)

    async def _disconnected(self) -> None:
        bus = getattr(self, "bus", None)
        if isinstance(bus, JetStreamBus):
            bus.disconnected()

    async def _reconnected(self) -> None:
        self.access.connected()
        if isinstance(self.bus, JetStreamBus):
            await self.bus.reconnected()

    async def start(self) -> None:
        """Connects and starts every loop; returns when it can take messages, or else says which rights are missing.
        Raises BusUnavailable when there is no NATS within half a minute."""
        settings = self.backbone.settings
        try:
            if settings.nats_nkey_file is not None:
                keys.public_key(settings.nats_nkey_file)
            async with asyncio.timeout(CONNECT_SECONDS):
                client = await self.broker.connect()
        except (TimeoutError, *ConnectionLost) as error:
            raise self.access.unreachable(shown(settings.nats_url), error) from None
        self.access.attach(client)
        self.bus = JetStreamBus(
            client,
            may_create=settings.bus_declare,
            max_bytes=settings.bus_max_bytes,
            max_age_seconds=settings.bus_max_age_hours * 3600,
        )
        self.access.on_granted(self.bus.granted)
        await self.app.start()
        await self.access.verify()
        try:
            await self.bus.epoch()
        except BusUnavailable:
            if not self.access.problems():
                raise
        for producer in self.relays:
            relay = Relay(self.backbone.ledger, self.bus, producer, self.backbone.relayed)
            self._relays.append(relay)
            await relay.start()
            self._spawn(relay.run(), f"relay:{producer}")
        for handler in self.handlers:
            runner = self._runner(handler)
            self._runners.append(runner)
            self._spawn(runner.run(), handler.name)
        for background in self.background:
            self._spawn(background(self), f"{self.name}:background")
        self._spawn(self.access.watch(), f"{self.name}:access")
        self._spawn(self._watch_loop(), f"{self.name}:loop")
        log.info("started", extra={"handlers": [handler.name for handler in self.handlers]})

    def _runner(self, handler: AnyHandler) -> WorkRunner | DecisionRunner:
        ledger, settings, witness = self.backbone.ledger, self.backbone.settings, self.backbone.witness
        if isinstance(handler, WorkHandler):
            grace = settings.stop_grace_seconds
            return WorkRunner(handler, ledger, self.bus, settings.ack_wait_seconds, grace, witness)
        return DecisionRunner(handler, ledger, self.bus, settings.ack_wait_seconds, witness)

    def _spawn(self, work: Any, name: str) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work, name=name)
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if self._stopping and error is None:
            return
        log.critical("%s has ended", task.get_name(), exc_info=error)
        self._why = self._why or f"{task.get_name()} has ended: {'nobody knows why' if error is None else repr(error)}"
        self._over.set()

    async def over(self) -> str:
        """Waits until one of its loops has ended by itself, and says which and why. There is nothing to mend then from
        inside: whoever started the service ends it, and starts it again."""
        await self._over.wait()
        return self._why

    async def _watch_loop(self) -> None:
        while True:
            self._loop_seen = time.monotonic()
            await asyncio.sleep(0.5)

    def problems(self) -> list[str]:
        """Why this service is not healthy; empty when it is. A loop that has ended or gone silent is a problem."""
        found = [f"{task.get_name()} has stopped" for task in self._tasks if task.done()]
        lag = time.monotonic() - self._loop_seen
        if self._loop_seen and lag > 5:
            found.append(f"the event loop lags {lag:.1f} s")
        found += self.access.problems()
        found += [problem for relay in self._relays if (problem := relay.problem())]
        now = asyncio.get_running_loop().time()
        for handler, runner in zip(self.handlers, self._runners, strict=False):
            subscription = runner.subscription
            if subscription and now - subscription.last_contact > 30:
                found.append(
                    f"{handler.name} has heard nothing from the bus for {now - subscription.last_contact:.0f} s"
                )
        return found

    def status(self) -> dict[str, Any]:
        """Answer to svc.<name>.status: health and the names of the handlers."""
        problems = self.problems()
        return {
            "service": self.name,
            "healthy": not problems,
            "problems": problems,
            "handlers": [h.name for h in self.handlers],
        }

    async def stop(self) -> None:
        """Ends loops (work in flight gets a grace), then the connection."""
        self._stopping = True
        left = set(self._tasks)
        while left:
            for task in left:
                task.cancel()
            # again, should a library have swallowed it; only after the grace that runners give to work in flight
            _, left = await asyncio.wait(left, timeout=STOP_SECONDS + self.backbone.settings.stop_grace_seconds)
        self._tasks.clear()
        bus = getattr(self, "bus", None)  # none when we never got a connection
        try:
            async with asyncio.timeout(5):
                if bus:
                    await bus.close()
            async with asyncio.timeout(5):
                await self.app.stop()
        except* (TimeoutError, BusUnavailable, *ConnectionLost) as error:  # FastStream wraps them in a group
            log.warning("%s: the connection did not close in time: %r", self.name, error)


def _security(settings: Settings) -> NatsSecurity | None:
    """Who we are to NATS, and whom we believe to be it. Raises OSError."""
    trusted = keys.trusting(settings.nats_ca_file)
    if settings.nats_nkey_file is not None:
        return NatsNKey.from_file(settings.nats_nkey_file, ssl_context=trusted)
    return NatsSecurity(ssl_context=trusted) if trusted is not None else None
