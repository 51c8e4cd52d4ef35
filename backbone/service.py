"""The shell of every service: FastStream's broker and lifespan around our relay, runners and timers.

`Backbone` (backbone.py) is what a process shares; a `Service` is one layer in it. One process can hold one service or
all five."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from faststream import FastStream
from faststream.nats import NatsBroker

from backbone.backbone import CONNECT_SECONDS, Backbone
from backbone.bus.access import Access
from backbone.bus.jetstream import ConnectionLost, JetStreamBus
from backbone.bus.port import Bus, BusUnavailable
from backbone.bus.rights import Station
from backbone.connection import NatsLink
from backbone.gauges import measure
from backbone.handover import Joined
from backbone.health import Checks, Problem
from backbone.patience import FOREVER, Telling, Waits, heed_cancel, patiently
from backbone.relay import Relay
from backbone.runner.deciding import Decider
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import AnyHandler, DecisionHandler, WorkHandler, durables
from backbone.runner.work import WorkRunner
from backbone.traces import Traces
from contracts import subjects
from contracts.asking import ServiceStatus
from contracts.errors import Code

__all__ = ["CLOSE_SECONDS", "CONNECT_SECONDS", "STOP_SECONDS", "Backbone", "Background", "Service"]

log = logging.getLogger(__name__)

Background = Callable[["Service"], Awaitable[None]]
STOP_SECONDS = 7.0
"""After the grace of work in flight."""
CLOSE_SECONDS = 5.0
"""For the bus, for the broker, and for the database."""


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
    link: NatsLink = field(init=False)
    bus: Bus = field(init=False)
    app: FastStream = field(init=False)
    _tasks: list[asyncio.Task[None]] = field(init=False, default_factory=list)
    _runners: list[WorkRunner | DecisionRunner] = field(init=False, default_factory=list)
    _deciders: dict[str, Decider] = field(init=False, default_factory=dict)
    _relays: list[Relay] = field(init=False, default_factory=list)
    checks: Checks = field(init=False, default_factory=Checks)
    """What has to be there for this service alone."""
    started: bool = field(init=False, default=False)
    """It takes work."""
    _stopping: bool = field(init=False, default=False)
    _over: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _why: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.link = NatsLink(self.backbone.settings, self.station, self._disconnected, self._reconnected)
        self.checks.add("bus", Code.BUS_UNAVAILABLE, self._look_at_bus)
        self.checks.add("rights", Code.BUS_UNAVAILABLE, self._look_at_rights)
        self.backbone.handover.expect(durables(self.handlers))

        async def status() -> dict[str, Any]:
            return self.status().model_dump()

        self.broker.subscriber(subjects.status(self.name))(status)
        self.app = FastStream(self.broker, logger=None)

    @property
    def station(self) -> Station:
        """Its rights on the bus follow from it."""
        core = self.says, self.hears, self.answers
        return Station(self.name, durables(self.handlers), tuple(self.relays), *core, self.user)

    @property
    def broker(self) -> NatsBroker:
        return self.link.broker

    @property
    def access(self) -> Access:
        return self.link.access

    async def _disconnected(self) -> None:
        bus = getattr(self, "bus", None)
        if isinstance(bus, JetStreamBus):
            bus.disconnected()

    async def _reconnected(self) -> None:
        if isinstance(self.bus, JetStreamBus):
            await self.bus.reconnected()

    async def start(self, patience: float = 0.0, waits: Waits | None = None) -> None:
        """Connects and starts every loop; returns when the service can take messages, or else says which rights are
        missing. Raises BusUnavailable when there is no NATS within half a minute, or `patience` seconds if these are
        more."""
        settings = self.backbone.settings
        self.backbone.pulse.start()
        # before there is a bus, so that what is missing is told at once and not one after the other
        self._spawn(self.backbone.artifact_health.watch(), f"{self.name}:artifacts")
        wait = partial(self._wait, waits or Telling())
        client = await patiently(partial(self.link.connect, patient=patience == FOREVER), patience, wait)
        self.bus = JetStreamBus(
            client,
            may_create=settings.bus_declare,
            max_bytes=settings.bus_max_bytes,
            max_age_seconds=settings.bus_max_age_hours * 3600,
            replicas=settings.bus_replicas,
        )
        self.access.on_granted(self.bus.granted)
        await self.app.start()
        await self.access.verify()
        await patiently(self._found, patience, wait)
        for producer in self.relays:
            traces = Traces.following(self.backbone.ledger)
            relay = Relay(
                self.backbone.ledger, self.bus, producer, self.backbone.relayed, traces, self.backbone.handover
            )
            if traces:
                self._spawn(traces.run(), f"traces:{producer}")
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
        measuring = measure(self.name, self.bus, self.backbone.pool, self.handlers, self._runners)
        self._spawn(measuring, f"{self.name}:gauges")
        await self.backbone.artifact_health.first()
        self.started = True
        log.info("started", extra={"handlers": [handler.name for handler in self.handlers]})

    async def _found(self) -> None:
        """The stream is there, or we may not look: then that is told, and the rest is tried."""
        try:
            await self.bus.epoch()
        except BusUnavailable:
            if not self.access.problems():
                raise

    def _wait(self, waits: Waits, error: Exception) -> None:
        self.link.waits_for = str(error)
        waits(error)

    def _runner(self, handler: AnyHandler) -> WorkRunner | DecisionRunner:
        ledger, settings, witness = self.backbone.ledger, self.backbone.settings, self.backbone.witness
        joined = Joined(self.backbone.handover, self.bus)
        if isinstance(handler, WorkHandler):
            grace = settings.stop_grace_seconds
            decider = self._decider(handler.decided_by) if handler.decided_by else None
            return WorkRunner(handler, ledger, joined, settings.ack_wait_seconds, grace, witness, decider=decider)
        return DecisionRunner(handler, ledger, joined, settings.ack_wait_seconds, witness, self._decider(handler))

    def _decider(self, handler: DecisionHandler[Any]) -> Decider:
        """One for all who decide as this handler does: they share what is folded."""
        return self._deciders.setdefault(handler.name, Decider(handler, self.backbone.ledger))

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
        heed_cancel()  # of something that was successfully begun in the moment of the signal
        await self._over.wait()
        return self._why

    def ended(self) -> list[Problem]:
        """See backbone.health.Probed."""
        over = [task.get_name() for task in tuple(self._tasks) if task.done() and not self._stopping]
        return [Problem(name, Code.LOOP_ENDED, f"{name} has ended") for name in over]

    async def unready(self) -> list[Problem]:
        """See backbone.health.Probed."""
        if self._stopping:
            return [Problem("stop", Code.STOPPING, "it is stopping")]
        if not self.started:
            return [Problem("bus", Code.BUS_UNAVAILABLE, self.link.waits_for), *await self.backbone.checks.problems()]
        both = await asyncio.gather(self.backbone.checks.problems(), self.checks.problems())
        return self._unbound() + [problem for found in both for problem in found]

    def _unbound(self) -> list[Problem]:
        unbound = [
            (handler.name, runner.subscription.unbound if runner.subscription else "it is not bound yet")
            for handler, runner in zip(self.handlers, self._runners, strict=True)
        ]
        return [
            Problem(f"consumer:{name}", Code.BUS_UNAVAILABLE, f"the consumer {name} is not bound: {why}")
            for name, why in unbound
            if why
        ]

    async def unwell(self) -> list[str]:
        """See backbone.health.Probed."""
        return self.problems() if self.started else [self.link.waits_for]

    async def _look_at_rights(self) -> str:
        return "; ".join(self.access.missing())

    async def _look_at_bus(self) -> str:
        try:
            await self.bus.epoch()
        except BusUnavailable as error:
            return self.link.waits_for if self.link.lost else str(error)  # the client knows why it gets no connection
        return ""

    def problems(self) -> list[str]:
        """Why this service is not healthy; empty when it is. A loop that has ended or gone silent is a problem."""
        found = [f"{task.get_name()} has stopped" for task in self._tasks if task.done()]
        if (lag := self.backbone.pulse.lag) > 5:
            found.append(f"the event loop lags {lag:.1f} s")
        found += self.access.problems()
        found += [problem for relay in self._relays if (problem := relay.problem())]
        found += [problem] if (problem := self.backbone.artifact_health.problem) else []
        now = asyncio.get_running_loop().time()
        for handler, runner in zip(self.handlers, self._runners, strict=False):
            subscription = runner.subscription
            if subscription and now - subscription.last_contact > 30:
                silent = f"{handler.name} has heard nothing from the bus for {now - subscription.last_contact:.0f} s"
                found.append(f"{silent}: {why}" if (why := subscription.unbound) else silent)
        return found

    def status(self) -> ServiceStatus:
        """Answer to svc.<name>.status: health and the names of the handlers."""
        problems, handlers = tuple(self.problems()), tuple(handler.name for handler in self.handlers)
        return ServiceStatus(service=self.name, healthy=not problems, problems=problems, handlers=handlers)

    async def stop(self) -> None:
        """Ends loops (work in flight gets a grace), then the connection."""
        self._stopping = True
        left = set(self._tasks)
        # again, should a library have swallowed it; only after the grace that runners give to work in flight
        for patience in (STOP_SECONDS - 1 + self.backbone.settings.stop_grace_seconds, 1.0):
            for task in left:
                task.cancel()
            if left:
                _, left = await asyncio.wait(left, timeout=patience)
        for task in left:
            log.error("%s does not end; it is left behind", task.get_name())
        self._tasks.clear()
        bus = getattr(self, "bus", None)  # none when we never got a connection
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                if bus:
                    await bus.close()
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.app.stop()
        except* (TimeoutError, BusUnavailable, *ConnectionLost) as error:  # FastStream wraps them in a group
            log.warning("%s: the connection did not close in time: %r", self.name, error)
