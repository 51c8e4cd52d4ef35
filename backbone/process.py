"""A service as a process of its own: `python -m services.<name>`. Starts, serves health, stops cleanly on SIGTERM."""

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import nullcontext, suppress
from typing import Any

import uvicorn
from prometheus_client import make_asgi_app

from backbone.bus.port import BusUnavailable
from backbone.ledger.port import LedgerUnavailable
from backbone.ledger.readable import DatabaseUnfit
from backbone.sealing import seal
from backbone.service import Backbone, Service
from backbone.settings import Settings
from backbone.telemetry import logs, tracing

Build = Callable[[Backbone], Service]


def main(name: str, build: Build) -> None:
    """Runs one service until SIGTERM or SIGINT. Exit code 1 with one sentence when it cannot start, and when one of its
    loops has ended: a service that does half of its work is worse than one that is started again."""
    seal()
    settings = Settings()
    logs.configure(name, settings.log_level, settings.log_format)
    tracing.configure(name, settings.otlp_endpoint)
    try:
        with_uvloop(until_signal(_serve(settings, build)))
    except (LedgerUnavailable, BusUnavailable) as error:
        sys.exit(f"{name} cannot start: {error}. Check DREAM_DATABASE_URL and DREAM_NATS_URL.")
    except DatabaseUnfit as error:
        sys.exit(f"{name} cannot start: {error}.")
    except ServiceOver as error:
        sys.exit(f"{name} cannot go on: {error}")


class ServiceOver(Exception):
    """A loop of the service has ended by itself; the message says which and why."""


GC_THRESHOLDS = (50_000, 20, 100)
"""Messages are many small objects that die soon without cycles; looking for cycles every 700 of them is wasted."""


def with_uvloop(work: Coroutine[None, None, None]) -> None:
    """Runs a coroutine on uvloop, where there is one. What was imported is not looked at for garbage again."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    if sys.platform == "win32":
        asyncio.run(work)
    else:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work)


async def until_signal(work: Coroutine[None, None, None]) -> None:
    """Runs the work until SIGTERM or SIGINT cancels it, which may be while it waits for its servers; it cleans up."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    working, stopped = loop.create_task(work), loop.create_task(stop.wait())
    await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


async def _serve(settings: Settings, build: Build) -> None:
    backbone = await Backbone.connect(settings)
    service = build(backbone)
    health: asyncio.Task[None] | None = None
    try:
        await service.start()
        if settings.health_port:
            health = asyncio.create_task(serve_health(service, settings.host, settings.health_port))
        raise ServiceOver(await service.over())
    finally:
        if health:
            health.cancel()
        await service.stop()
        await backbone.close()
        tracing.shutdown()


async def serve_health(service: Service, host: str, port: int) -> None:
    """GET /health (200 or 503 with the problems) and GET /metrics, for the cluster."""
    metrics = make_asgi_app()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if scope["path"].startswith("/metrics"):
            await metrics(scope, receive, send)
            return
        problems = service.problems()
        body = ("\n".join(problems) or "ok").encode()
        status = 503 if problems else 200
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": body})

    config = uvicorn.Config(app, host=host, port=port, log_config=None, lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # the process's own handlers stop it
    await server.serve()
