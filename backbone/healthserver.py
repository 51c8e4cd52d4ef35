"""GET /health/live, /health/ready, /health and /metrics of a process, from a thread of their own: they answer before
the process is connected to anything, and when its event loop is stuck they can say so."""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import orjson
import uvicorn
from prometheus_client import make_asgi_app

from backbone.health import CHECK_SECONDS, Probes, Problem
from contracts.errors import Code

STOP_SECONDS = 2.0
ANSWER_SECONDS = CHECK_SECONDS + 1.0
BACKLOG = 64
T = TypeVar("T")


class HealthUnavailable(Exception):
    """The port for health and metrics cannot be listened on."""


class HealthServer:
    """Answers from `start` to `stop`, which is when nothing is left to be told."""

    def __init__(self, probes: Probes) -> None:
        self._probes = probes
        self._metrics = make_asgi_app()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self, host: str, port: int) -> None:
        """Call it on the loop that the service runs on. Raises HealthUnavailable."""
        self._loop = asyncio.get_running_loop()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise HealthUnavailable(
                f"cannot listen on {host}:{port}: {error.strerror}. Set DREAM_HOST and DREAM_HEALTH_PORT (0 = none)"
            ) from None
        config = uvicorn.Config(
            self, log_config=None, lifespan="off", access_log=False, loop="asyncio", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="health", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Does not wait for long: nobody may be held up by who asks."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            await asyncio.to_thread(self._thread.join, STOP_SECONDS)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        path = scope["path"].rstrip("/")
        if path == "/metrics":
            await self._metrics(scope, receive, send)
        elif path == "/health/live":
            await self._tell(send, "live", self._probes.live())
        elif path == "/health/ready":
            await self._tell(send, "ready", await self._ready())
        elif path == "/health":
            problems = await self._unwell()
            await _answer(send, 503 if problems else 200, b"text/plain", ("\n".join(problems) or "ok").encode())
        else:
            await _answer(send, 404, b"text/plain", b"/health/live /health/ready /health /metrics")

    async def _tell(self, send: Any, what: str, problems: list[Problem]) -> None:
        body = orjson.dumps(self._probes.told(what, problems))
        await _answer(send, 503 if problems else 200, b"application/json", body)

    async def _ready(self) -> list[Problem]:
        try:
            return await self._there(self._probes.ready())
        except TimeoutError:
            return [Problem("loop", Code.LOOP_STUCK, self._stuck())]

    async def _unwell(self) -> list[str]:
        try:
            return await self._there(self._probes.unwell())
        except TimeoutError:
            return [self._stuck()]

    def _stuck(self) -> str:
        return f"the event loop has not turned for {self._probes.pulse.lag:.0f} s"

    async def _there(self, work: Coroutine[Any, Any, list[T]]) -> list[T]:
        """What a coroutine answers on the service's loop."""
        assert self._loop is not None
        asked: Future[list[T]] = asyncio.run_coroutine_threadsafe(work, self._loop)
        async with asyncio.timeout(ANSWER_SECONDS):
            return await asyncio.wrap_future(asked)


async def _answer(send: Any, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), (b"cache-control", b"no-store"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
