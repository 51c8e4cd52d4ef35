"""Composition: the routes, the HTTP server, and the service shell behind them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from uuid import UUID

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.types import ASGIApp

from backbone import packs
from backbone.artifacts.addresses import folder_of
from backbone.bus.port import BusUnavailable
from backbone.disk import has_room
from backbone.health import Probes, Problem
from backbone.ledger.port import LedgerUnavailable
from backbone.patience import Telling, patiently
from backbone.service import Backbone, Service
from contracts import subjects
from services.gateway import CONSOLE
from services.gateway.commands.runs import NAME
from services.gateway.composition import Composition
from services.gateway.domain.origins import is_loopback
from services.gateway.http.authentication import Authentication
from services.gateway.http.openapi import ROUTES
from services.gateway.http.problems import HANDLERS
from services.gateway.http.server import HttpServer
from services.gateway.ws.endpoint import WebSocketEndpoint

log = logging.getLogger(__name__)

_NONE_OF_ITS_OWN = TelemetryConfig(tracing=False, metrics=False, logs=False)
"""Our spans and metrics say what a request does (backbone.telemetry); to look for others at each is not free."""
CHECK_SECONDS = 2.0
CLOSE_SECONDS = 5.0
Beside = Callable[[], Sequence[Service]]


def create_app(composition: Composition, probes: Probes) -> FastAPI:
    """The HTTP application: the addresses of openapi.py, and the socket."""
    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, exception_handlers=HANDLERS, telemetry=_NONE_OF_ITS_OWN
    )
    app.state.composition, app.state.probes, app.state.say = composition, probes, packs.load((packs.PLATFORM,)).say
    app.state.console = CONSOLE
    app.router.routes.extend(ROUTES)
    app.router.add_websocket_route("/ws/{session_id}", WebSocketEndpoint(composition).serve)
    return app


class GatewayService:
    """The gateway in a process, alone or beside other services."""

    name = NAME

    def __init__(self, backbone: Backbone, beside: Beside = list, http: HttpServer | None = None) -> None:
        self._backbone = backbone
        self._beside = beside
        folder = folder_of(backbone.settings.artifacts_url)
        self._folders = {backbone.settings.data_dir, *([folder] if folder else ())}
        self.composition = Composition.of(backbone)
        hears = (subjects.EVENTS, subjects.LIVE)
        self.shell = Service(
            NAME,
            backbone,
            relays=(NAME,),
            background=(self._keep_dead_letters, self._show),
            hears=hears,
            says=(subjects.arrival(),),
        )
        self.probes = Probes(NAME, backbone.pulse, backbone.settings.live_seconds, self)
        self.app = create_app(self.composition, self.probes)
        self._http = http or HttpServer(backbone.settings, self.probes)

    async def _keep_dead_letters(self, _: Service) -> None:
        await self.composition.dead_letter_queue.run()

    async def _show(self, _: Service) -> None:
        await self.composition.fanout.run()

    @property
    def url(self) -> str:
        """Where it listens, once started."""
        return self._http.url

    async def start(self, patience: float = 0.0) -> None:
        """Returns when requests are answered. Raises GatewayUnavailable when the port is taken; `patience` as in
        Service.start."""
        await self._http.start()
        await self.shell.start(patience)
        await patiently(lambda: self.composition.keys.load(self._backbone.ledger), patience, Telling())
        await self.composition.fanout.start(self.shell.bus)
        self._backbone.handover.shown_by(self.composition.fanout)
        await self.composition.log_stream.start(self.shell.bus)
        self.composition.arrivals.bus = self.shell.bus
        self._http.open(self._asking_who())
        log.info("listening", extra={"url": self.url})

    def _asking_who(self) -> ASGIApp:
        """The application, behind keys where the settings say so."""
        if self._backbone.settings.auth == "keys":
            most = self._backbone.settings.sockets_per_person
            return Authentication(self.app, self.composition.known, self.composition.history, most)
        if not is_loopback(self._backbone.settings.host):
            log.warning(
                "everybody who reaches the gateway may ask: set DREAM_AUTH=keys, or put it behind what proves who asks"
            )
        return self.app

    async def stop(self) -> None:
        """Sockets are closed with 1012, waiting runs answered with 503; then the server ends, then the connections."""
        self.probes.stopping = True
        self.composition.fanout.close()
        await asyncio.sleep(0)  # those who were told take their leave before their connections are shut
        await self._http.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.composition.committer.close()
        await self.shell.stop()

    async def over(self) -> str:
        """See Service.over; the HTTP server is one of its loops."""
        serving = self._http.serving
        assert serving is not None
        shell = asyncio.ensure_future(self.shell.over())
        try:
            await asyncio.wait({shell, serving}, return_when=asyncio.FIRST_COMPLETED)
            return shell.result() if shell.done() else "the HTTP server has ended"
        finally:
            shell.cancel()

    def problems(self) -> list[str]:
        """What has stopped in this process; empty when all is well."""
        found = self.shell.problems()
        if self._http.serving is not None and self._http.serving.done():
            found.append("the HTTP server has stopped")
        found += [
            f"the disk of {folder} is full" for folder in self._folders if folder.exists() and not has_room(folder)
        ]
        return found + [problem for service in self._beside() for problem in service.problems()]

    def ended(self) -> list[Problem]:
        """See backbone.health.Probed."""
        return [problem for service in (self.shell, *self._beside()) for problem in service.ended()]

    async def unready(self) -> list[Problem]:
        """See backbone.health.Probed."""
        services = (self.shell, *self._beside())
        found = await asyncio.gather(*(service.unready() for service in services))
        # what services share, the ledger say, is told once
        return list(dict.fromkeys(problem for problems in found for problem in problems))

    async def unwell(self) -> list[str]:
        """`problems`, and whether ledger and bus answer now."""
        if waits_for := await self.shell.unwell() if not self.shell.started else []:
            return waits_for
        found = self.problems()
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await self._backbone.ledger.head(UUID(int=0))
        except (LedgerUnavailable, TimeoutError) as error:
            found.append(f"the ledger does not answer: {error}")
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                if not await self.shell.broker.ping(CHECK_SECONDS / 2):
                    found.append("the bus is not connected")
                else:
                    await self.shell.bus.epoch()
        except (BusUnavailable, TimeoutError) as error:
            found.append(f"the bus does not answer: {error}")
        return found


def service(backbone: Backbone, beside: Beside = list, http: HttpServer | None = None) -> GatewayService:
    """The gateway over a backbone. `beside` gives the services that share its process; `http` listens already."""
    return GatewayService(backbone, beside, http)
