"""The HTTP server of the gateway. It answers from the first second: while the gateway waits for what it needs, probes
are told for what, and everybody else to come again."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backbone.health import Probes
from backbone.settings import Settings
from services.gateway.domain.origins import Neighbourhood
from services.gateway.domain.refusal import Refused
from services.gateway.http import system
from services.gateway.http.limits import LimitedHttp, Socket, stopping
from services.gateway.http.lingering import Lingering
from services.gateway.http.origin_check import HEADERS, OriginCheck
from services.gateway.http.problems import problem

FRAME_LIMIT = 1024 * 1024
GRACE = 5
KEEP_ALIVE = 75
"""Seconds; longer than proxies keep their connections, so that they are the ones to close."""


class GatewayUnavailable(Exception):
    """The gateway cannot listen where it should."""


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


class NotYetReady:
    """Answers while there is no gateway yet."""

    def __init__(self, probes: Probes) -> None:
        self._probes = probes
        self._known: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/health": lambda _: system.health(probes),
            "/health/live": lambda _: system.live(probes),
            "/health/ready": lambda _: system.ready(probes),
            "/metrics": lambda request: system.metrics(request.headers.get("accept", "")),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._known.get(scope["path"]) if scope["type"] == "http" else None
        if endpoint is not None:
            answer = await endpoint(Request(scope, receive))
        else:
            missing = (await self._probes.ready() or [self._probes.waits_for])[0]
            said = f"the gateway is not ready: {missing.message}. Send the same request again in a moment"
            answer = problem(Refused(missing.code, said, status=503))
            if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
                answer = Lingering(answer)
        await answer(scope, receive, send)


class HttpServer:
    """Listens from `start` to `stop`; from `open` on it is the application that answers."""

    def __init__(self, settings: Settings, probes: Probes) -> None:
        self._settings = settings
        self._app: ASGIApp = NotYetReady(probes)
        self._server: _Server | None = None
        self.serving: asyncio.Task[None] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Where it listens, once started."""
        host = self._settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    async def start(self) -> None:
        """Returns when requests are answered. Raises GatewayUnavailable when the port is taken. May be called again."""
        if self._server is not None:
            return
        settings = self._settings
        listener = _listen(settings.host, settings.port)
        self.port = listener.getsockname()[1]
        neighbourhood = Neighbourhood.of(settings.host, settings.public_url, settings.allowed_hosts)
        config = uvicorn.Config(
            OriginCheck(self._answer, neighbourhood), http=LimitedHttp, ws=Socket, lifespan="off",
            log_config=None, access_log=False, server_header=False, headers=list(HEADERS),
            # who we are is ours to say (DREAM_PUBLIC_URL), not a header's
            proxy_headers=False,
            ws_max_size=FRAME_LIMIT, ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE, timeout_keep_alive=KEEP_ALIVE,
        )  # fmt: skip
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        self._server = _Server(config)
        self.serving = asyncio.create_task(self._server.serve([listener]), name="gateway:http")
        await self._server.listening.wait()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def answering(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, answering)
        except asyncio.CancelledError:
            if not begun:  # the grace of a stop is over; uvicorn would say 500, as if we had failed
                await stopping()(scope, receive, send)
            raise

    def open(self, app: ASGIApp) -> None:
        """From now on the application answers."""
        self._app = app

    async def stop(self) -> None:
        """Lets requests end, within a grace. May be called again."""
        if self._server is not None and self.serving is not None:
            self._server.should_exit = True
            await asyncio.gather(self.serving, return_exceptions=True)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise GatewayUnavailable(
            f"cannot listen on {host}:{port}: {error.strerror}. Set DREAM_HOST and DREAM_PORT (0 = any free port)"
        ) from error
