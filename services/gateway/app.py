"""Composition: the routes, the HTTP server, and the service shell behind them."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse
from uuid import UUID

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from backbone import packs
from backbone.bus.port import BusUnavailable
from backbone.disk import has_room
from backbone.ledger.port import LedgerUnavailable
from backbone.service import Backbone, Service
from contracts import subjects
from services.gateway.domain.origins import Neighbourhood
from services.gateway.frontdoor import HEADERS, FrontDoor
from services.gateway.openapi import openapi
from services.gateway.parts import Parts
from services.gateway.problems import HANDLERS
from services.gateway.routes.agent import AgentRoutes
from services.gateway.routes.artifacts import ArtifactRoutes
from services.gateway.routes.control import ControlRoutes
from services.gateway.routes.dead_letters import LetterRoutes
from services.gateway.routes.feedback import FeedbackRoutes
from services.gateway.routes.runs import RunRoutes
from services.gateway.routes.sessions import SessionRoutes
from services.gateway.routes.stream import StreamRoutes
from services.gateway.routes.system import Check, SystemRoutes
from services.gateway.runs import NAME
from services.gateway.socket import SocketDoor
from services.gateway.wire import LimitedHttp, Socket

log = logging.getLogger(__name__)

FRAME_LIMIT = 1024 * 1024
GRACE = 5
KEEP_ALIVE = 75
"""Seconds; longer than proxies keep their connections, so that they are the ones to close."""
CHECK_SECONDS = 2.0
Problems = Callable[[], list[str]]
Endpoint = Callable[[Request], Awaitable[Response]]


class GatewayUnavailable(Exception):
    """The gateway cannot listen where it should."""


def create_app(parts: Parts, check: Check) -> FastAPI:
    """The HTTP application. Plain routes: nothing is resolved or validated that a handler does not ask for."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, exception_handlers=HANDLERS)
    agent, sessions, artifacts = AgentRoutes(parts), SessionRoutes(parts), ArtifactRoutes(parts)
    control = ControlRoutes(parts.steering, parts.keys)
    runs, letters = RunRoutes(parts.backbone.ledger), LetterRoutes(parts.letters)
    system = SystemRoutes(check, openapi)
    stream = StreamRoutes(parts, packs.load((packs.PLATFORM,)).say)
    routes: dict[tuple[str, str], Endpoint] = {
        ("POST", "/agent/run"): agent.run,
        ("POST", "/agent/run-async"): agent.run_async,
        ("POST", "/artifacts"): artifacts.upload,
        ("GET", "/artifacts/{artifact_id}"): artifacts.download,
        ("POST", "/sessions"): sessions.open,
        ("GET", "/sessions/{session_id}"): sessions.show,
        ("GET", "/sessions/{session_id}/events"): sessions.events,
        ("GET", "/sessions/{session_id}/stream"): stream.stream,
        ("GET", "/sessions/{session_id}/decisions"): sessions.decisions,
        ("POST", "/sessions/{session_id}/decisions/{decision_id}"): sessions.answer,
        ("POST", "/sessions/{session_id}/reminders/{reminder_id}/seen"): sessions.seen,
        ("POST", "/sessions/{session_id}/feedback"): FeedbackRoutes(parts.feedback, parts.keys).give,
        ("POST", "/sessions/{session_id}/runs/{run_id}/control"): control.control,
        ("PATCH", "/sessions/{session_id}/runs/{run_id}/plan"): control.edit,
        ("GET", "/runs"): runs.index,
        ("GET", "/runs/{run_id}"): runs.show,
        ("GET", "/dead-letters"): letters.index,
        ("GET", "/dead-letters/{letter_id}"): letters.show,
        ("POST", "/dead-letters/{letter_id}/retry"): letters.retry,
        ("POST", "/dead-letters/{letter_id}/discard"): letters.discard,
        ("GET", "/health"): system.health,
        ("GET", "/metrics"): system.metrics,
        ("GET", "/openapi.json"): system.openapi,
        ("GET", "/asyncapi.json"): system.asyncapi,
    }
    for (method, path), endpoint in routes.items():
        app.add_route(path, endpoint, methods=[method])
    door = SocketDoor.of(parts)
    app.router.add_websocket_route("/ws/{session_id}", door.attend)
    return app


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers (the process that holds us has its own), and which says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for connection in tuple(self.server_state.connections):
                if isinstance(connection, LimitedHttp):
                    connection.check(now)
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class GatewayService:
    """The gateway in a process, alone or beside other services."""

    name = NAME

    def __init__(self, backbone: Backbone, beside: Problems = list) -> None:
        self._backbone = backbone
        self._beside = beside
        artifacts = urlparse(backbone.settings.artifacts_url)
        self._folders = {backbone.settings.data_dir, Path(unquote(artifacts.netloc + artifacts.path))}
        self.parts = Parts.of(backbone)
        hears = (subjects.EVENTS, subjects.LIVE)
        self.shell = Service(NAME, backbone, relays=(NAME,), background=(self._bury, self._show), hears=hears)
        self.app = create_app(self.parts, self.check)
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._port = 0

    async def _bury(self, _: Service) -> None:
        await self.parts.burials.run()

    async def _show(self, _: Service) -> None:
        await self.parts.fanout.run()

    @property
    def url(self) -> str:
        """Where it listens, once started."""
        host = self._backbone.settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self._port}"

    async def start(self) -> None:
        """Returns when requests are answered. Raises GatewayUnavailable when the port is taken."""
        settings = self._backbone.settings
        listener = _listen(settings.host, settings.port)
        self._port = listener.getsockname()[1]
        try:
            await self.shell.start()
            await self.parts.keys.load(self._backbone.ledger)
            await self.parts.fanout.start(self.shell.bus)
            await self.parts.lines.start(self.shell.bus)
        except BaseException:
            listener.close()
            raise
        neighbourhood = Neighbourhood.of(settings.host, settings.public_url, settings.allowed_hosts)
        config = uvicorn.Config(
            FrontDoor(self.app, neighbourhood), http=LimitedHttp, ws=Socket, lifespan="off",
            log_config=None, access_log=False, server_header=False, headers=list(HEADERS),
            # who we are is ours to say (DREAM_PUBLIC_URL), not a header's
            proxy_headers=False,
            ws_max_size=FRAME_LIMIT, ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE, timeout_keep_alive=KEEP_ALIVE,
        )  # fmt: skip
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve([listener]), name="gateway:http")
        await self._server.listening.wait()
        log.info("listening", extra={"url": self.url})

    async def stop(self) -> None:
        """Sockets are closed with 1012, waiting runs answered with 503; then the server ends, then the connections."""
        self.parts.fanout.close()
        if self._server is not None and self._serving is not None:
            await asyncio.sleep(0)  # those who were told take their leave before their connections are shut
            self._server.should_exit = True
            await asyncio.gather(self._serving, return_exceptions=True)
        await self.parts.committer.close()
        await self.shell.stop()

    async def over(self) -> str:
        """See Service.over; the HTTP server is one of its loops."""
        assert self._serving is not None
        shell = asyncio.ensure_future(self.shell.over())
        try:
            await asyncio.wait({shell, self._serving}, return_when=asyncio.FIRST_COMPLETED)
            return shell.result() if shell.done() else "the HTTP server has ended"
        finally:
            shell.cancel()

    def problems(self) -> list[str]:
        """What has stopped in this process; empty when all is well."""
        found = self.shell.problems()
        if self._serving is not None and self._serving.done():
            found.append("the HTTP server has stopped")
        found += [
            f"the disk of {folder} is full" for folder in self._folders if folder.exists() and not has_room(folder)
        ]
        return found + self._beside()

    async def check(self) -> list[str]:
        """`problems`, and whether ledger and bus answer now."""
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


def service(backbone: Backbone, beside: Problems = list) -> GatewayService:
    """The gateway over a backbone. `beside` tells the problems of services that share its process."""
    return GatewayService(backbone, beside)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise GatewayUnavailable(
            f"cannot listen on {host}:{port}: {error.strerror}. Set DREAM_HOST and DREAM_PORT (0 = any free port)"
        ) from error
