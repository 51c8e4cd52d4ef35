"""A service as a process of its own: `python -m services.<name>`. Says how it is from the first second, waits for what
it needs, stops cleanly on SIGTERM within its budget."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import NoReturn

from backbone.bus.port import BusUnavailable
from backbone.configuration import EX_CONFIG, Misconfigured, configured, unknown
from backbone.health import Probes, Problem, Pulse
from backbone.healthserver import HealthServer, HealthUnavailable
from backbone.ledger.port import LedgerUnavailable
from backbone.ledger.readable import LedgerRefused
from backbone.patience import FOREVER, Telling
from backbone.sealing import seal
from backbone.service import Backbone, Service
from backbone.settings import Settings
from backbone.stopping import end_after, stop_budget
from backbone.telemetry import logs, tracing
from contracts.errors import Code

log = logging.getLogger(__name__)

Build = Callable[[Backbone], Service]
Serve = Callable[[Settings, Probes], Coroutine[None, None, None]]


def main(name: str, build: Build) -> None:
    """Runs one service until SIGTERM or SIGINT."""
    run(name, serving(build))


def serving(build: Build) -> Serve:
    """Serves one service until it is over or cancelled."""

    async def serve(settings: Settings, probes: Probes) -> None:
        backbone = await connected(settings, probes)
        service = build(backbone)
        probes.service = service
        try:
            await service.start(FOREVER)
            raise ServiceOver(await service.over())
        finally:
            await service.stop()
            await backbone.close()

    return serve


def run(name: str, serve: Serve) -> None:
    """Runs what serves, with its probes on the health port. It waits for servers that are not there yet, and says so.

    Exit code 0 when it was told to stop; 78 with a line for each setting that cannot be used; 1 with one sentence when
    it cannot start for another reason, and when one of its loops has ended: a service that does half of its work is
    worse than one that is started again."""
    seal()
    try:
        settings = configured()
        logs.configure(name, settings.log_level, settings.log_format)
        tracing.configure(
            settings.otlp_endpoint, settings.otlp_header_fields, settings.trace_ratio, settings.traces_per_second
        )
    except (Misconfigured, tracing.TracingUnavailable) as error:
        _misconfigured(name, error)
    for sentence in unknown():
        log.warning(sentence)
    probes = Probes(name, Pulse(), settings.live_seconds)
    try:
        with_uvloop(until_signal(probed(settings, probes, serve), partial(_stopping, settings, probes)))
    except (LedgerUnavailable, BusUnavailable) as error:
        sys.exit(f"{name} cannot start: {error}. Check DREAM_DATABASE_URL and DREAM_NATS_URL.")
    except (LedgerRefused, HealthUnavailable) as error:
        sys.exit(f"{name} cannot start: {error}.")
    except Misconfigured as error:
        _misconfigured(name, error)
    except ServiceOver as error:
        sys.exit(f"{name} cannot go on: {error}")
    finally:
        tracing.shutdown()


def _misconfigured(name: str, error: Exception) -> NoReturn:
    lines = str(error).splitlines()
    print(f"{name} cannot start: {len(lines)} of its settings cannot be used", *lines, sep="\n  ", file=sys.stderr)  # noqa: T201  # logs are not configured yet
    sys.exit(EX_CONFIG)


async def probed(settings: Settings, probes: Probes, serve: Serve) -> None:
    """Serves with the probes on the health port, from before the beginning to after the end."""
    probes.pulse.start()
    server = HealthServer(probes)
    if settings.health_port:
        server.start(settings.host, settings.health_port)
    try:
        await serve(settings, probes)
    finally:
        await server.stop()


def _stopping(settings: Settings, probes: Probes) -> None:
    """SIGTERM: from now on nobody should send us anything, and we have so long."""
    probes.stopping = True
    end_after(stop_budget(probes.name, settings.stop_grace_seconds).seconds)


async def connected(settings: Settings, probes: Probes) -> Backbone:
    """The backbone, however long that takes; the probes say what is waited for."""
    tell = Telling()

    def waits(error: Exception) -> None:
        missing = ("artifacts", Code.ARTIFACT_STORE_UNAVAILABLE)
        if not isinstance(error, OSError):
            missing = ("ledger", Code.LEDGER_UNAVAILABLE)
        probes.waits_for = Problem(*missing, str(error))
        tell(error)

    try:
        return await Backbone.connect(settings, FOREVER, waits, probes.pulse, probes.name)
    except ValueError as error:
        raise Misconfigured([str(error)]) from None


class ServiceOver(Exception):
    """A loop of the service has ended by itself; the message says which and why."""


GC_THRESHOLDS = (50_000, 20, 100)
"""Messages are many small objects that die soon without cycles; looking for cycles every 700 of them is wasted."""


def spare_garbage() -> None:
    """For a process that serves from now on: what is there is not looked at for garbage again, the rest seldom."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def with_uvloop(work: Coroutine[None, None, None]) -> None:
    """Runs a coroutine on uvloop, where there is one."""
    spare_garbage()
    if sys.platform == "win32":
        asyncio.run(work)
    else:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work)


async def until_signal(work: Coroutine[None, None, None], stopping: Callable[[], None] = lambda: None) -> None:
    """Runs the work until SIGTERM or SIGINT cancels it, which may be while it waits for its servers; it cleans up.
    `stopping` is called before that."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def told() -> None:
        if not stop.is_set():
            stopping()
            stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told)
    working, stopped = loop.create_task(work), loop.create_task(stop.wait())
    await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
