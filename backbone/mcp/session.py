"""One open session with one server: begun when it is needed, again when it was lost. Here the library enters."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from backbone.mcp.config import ServerSpec, VariableMissing

if TYPE_CHECKING:
    from mcp import Client
    from mcp.shared.dispatcher import ProgressFnT
    from mcp.types import CallToolResult

log = logging.getLogger(__name__)

CONNECT_SECONDS = 30.0
LIST_SECONDS = 15.0
PAGES = 32
TIMED_OUT = -32001
"""JSON-RPC code of a request that the library gave up."""

T = TypeVar("T")


class Unreachable(Exception):
    """No session can be had: nothing was asked of the server."""


class Lost(Exception):
    """The session ended in the middle of a call: nobody knows what the server has done."""


class Refused(Exception):
    """The server answered with an error of the protocol, in its own words."""


class Session:
    """See above. The library's connection has to end in the task that began it, so that a task of its own keeps it."""

    def __init__(self, server: str, config: ServerSpec) -> None:
        self.server = server
        self._config = config
        self._client: Client | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._opening = asyncio.Lock()
        self._calls = 0
        """In flight now."""

    async def tools(self) -> list[dict[str, Any]]:
        """What the server lists now, as plain JSON. Raises Unreachable."""
        try:
            return await self._listed()
        except Lost as error:
            if self._calls:
                # it may be at work for somebody else, who would lose it
                raise Unreachable(f"{self.server} is busy: {error}") from error
            # lost since the last time, or hung: the first request of a new one tells
            await self.close()
        try:
            return await self._listed()
        except Lost as error:
            await self.close()
            raise Unreachable(f"{self.server}: {error}") from error

    async def _listed(self) -> list[dict[str, Any]]:
        client = await self._connected()
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._guarded(client.list_tools(cursor=cursor), LIST_SECONDS)
            found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        return found

    async def call(
        self, tool: str, arguments: dict[str, Any], seconds: float, progress: "ProgressFnT | None" = None
    ) -> "CallToolResult":
        """Raises Unreachable before the call, Lost in its middle, Refused after it."""
        client = await self._connected()
        self._calls += 1
        try:
            return await self._guarded(client.call_tool(tool, arguments, seconds, progress), seconds)
        finally:
            self._calls -= 1

    async def _guarded(self, request: Awaitable[T], seconds: float) -> T:
        """The answer, unless the connection ends before it. Raises Lost and Refused."""
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED

        keeper = self._keeper
        asking = asyncio.ensure_future(request)
        waited = {asking, keeper} if keeper else {asking}
        try:
            await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
        except MCPError as error:
            if error.code in {CONNECTION_CLOSED, TIMED_OUT}:
                raise Lost(f"the connection ended ({error.code})") from error
            raise Refused(error.message) from error
        except Exception as error:
            raise Lost(f"{type(error).__name__}: {error}"[:300]) from error
        finally:
            if not asking.done():
                asking.cancel()
                # the library tells the server that nobody waits any more
                await asyncio.wait({asking}, timeout=1)
        raise Lost("the connection ended" if keeper and keeper.done() else f"no answer in {seconds:g} s")

    async def _connected(self) -> "Client":
        async with self._opening:
            if self._client is None or self._keeper is None or self._keeper.done():
                await self._open()
            if self._client is None:
                raise Unreachable(f"{self.server} cannot be reached")
            return self._client

    async def _open(self) -> None:
        self._client, self._end = None, asyncio.Event()
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(ready, self._end), name=f"mcp:{self.server}")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self._client = await asyncio.shield(ready)
        except TimeoutError:
            await self.close()
            raise Unreachable(f"{self.server} did not answer within {CONNECT_SECONDS:g} s") from None
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _keep(self, ready: "asyncio.Future[Client]", end: asyncio.Event) -> None:
        try:
            async with self._client_of() as client:
                ready.set_result(client)
                await end.wait()
        except Exception as error:  # noqa: BLE001  # whatever a library of a library raises: there is no session
            reason = f"{self.server} cannot be reached: {_innermost(error)}"
            if self._config.command is not None and not log.isEnabledFor(logging.DEBUG):
                reason += " (what it writes to standard error is shown with DREAM_LOG_LEVEL=DEBUG)"
            if ready.done():
                log.info("session ended", extra={"server": self.server, "reason": reason})
            else:
                ready.set_exception(Unreachable(reason))
        finally:
            if not ready.done():
                ready.cancel()

    @asynccontextmanager
    async def _client_of(self) -> "AsyncGenerator[Client]":
        from mcp import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client

        config = self._config
        async with AsyncExitStack() as stack:
            if config.url is not None:
                import httpx2

                timeout = httpx2.Timeout(30.0, read=config.timeout_seconds + 30.0)
                http = httpx2.AsyncClient(headers=config.headers(), timeout=timeout)
                transport = streamable_http_client(config.url, http_client=await stack.enter_async_context(http))
            else:
                parameters = StdioServerParameters(
                    command=config.command or "", args=list(config.args), env=config.environment(), cwd=config.cwd
                )
                transport = stdio_client(parameters, errlog=stack.enter_context(_errors()))
            # every listing is asked for: a tool that has changed has to be seen
            yield await stack.enter_async_context(Client(transport, cache=None))

    async def close(self) -> None:
        """Ends the session; a command is ended with it."""
        keeper, self._keeper, self._client = self._keeper, None, None
        if keeper is None:
            return
        self._end.set()
        done, _ = await asyncio.wait({keeper}, timeout=5)
        if not done:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait({keeper}, timeout=5)


def _errors() -> Any:
    """Where a command's standard error goes: it may write anything there, so it is kept from our log but for DEBUG."""
    if log.isEnabledFor(logging.DEBUG):
        return os.fdopen(os.dup(sys.stderr.fileno()), "w")
    return open(os.devnull, "w")  # noqa: PTH123  # the exit stack closes it


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, (VariableMissing, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error}"[:300]
