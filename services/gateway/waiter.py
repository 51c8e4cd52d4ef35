"""Waiting for a run without reading what does not matter: from the live fan-out, and from the ledger when in doubt."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import UUID

from starlette.requests import ClientDisconnect

from backbone.ledger.port import LedgerUnavailable
from contracts.envelope import Message
from contracts.errors import Code
from contracts.registry import RUN_ENDS
from services.gateway.domain.refusal import Refused
from services.gateway.domain.session import Run, Session
from services.gateway.fanout import Live
from services.gateway.history import History, fold_in
from services.gateway.protocol import RunResult, run_result

log = logging.getLogger(__name__)

WANTED = RUN_ENDS | {"DecisionRequested", "ResponseOutput", "RunControlRequested"}
POLL = 1.0
"""Seconds of silence after which the ledger is read: the fan-out may have lost the end."""


class RunWaiter:
    """Watches a session for the end of one run, or for its question."""

    def __init__(self, session_id: UUID, run_id: UUID, history: History) -> None:
        self._session_id = session_id
        self._run_id = run_id
        self._history = history
        self._heard = Session(runs={run_id: Run(run_id, "", 0)})
        self._ledger = Session()
        self._result: RunResult | None = None
        self._wake = asyncio.Event()
        self._last_sign = 0.0
        self._read_needed = False
        self._closed = False

    def wants(self, type_: str) -> bool:
        """Whatever is published is a sign that the run goes on."""
        self._last_sign = asyncio.get_running_loop().time()
        return type_ in WANTED and self._result is None

    def offer(self, live: Live) -> None:
        message = live.message
        # what a rebuilt bus says again is older than what was read
        if message.run_id != self._run_id or message.version <= self._ledger.version:
            return
        self._hear(message)

    def _hear(self, message: Message) -> None:
        fold_in(self._heard, message)
        result = run_result(self._session_id, self._heard, self._run_id)
        if result is None:
            return
        if message.type in RUN_ENDS and result.response is None:
            self._read_needed = True  # its answer may have been lost on the way
        else:
            self._result = result
        self._wake.set()

    def behind(self) -> None:
        self._read_needed = True
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def result(self, version: int, *, fresh: bool, gone: Callable[[], Awaitable[bool]]) -> RunResult:
        """The result of the run that began at `version`. `gone` says whether the client has hung up."""
        self._ledger.version = version - 1
        self._read_needed = self._read_needed or not fresh
        while self._result is None:
            if self._read_needed:
                self._read_needed = False
                await self._read()
                continue
            if self._closed:
                raise Refused(
                    Code.RUN_TIMEOUT,
                    f"the gateway restarts and the run goes on: see GET /sessions/{self._session_id}",
                    status=503,
                    session_id=str(self._session_id),
                    run_id=str(self._run_id),
                )
            if not await self._woken():
                if await gone():
                    raise ClientDisconnect
                silent = asyncio.get_running_loop().time() - self._last_sign
                self._read_needed = silent >= POLL
        return self._result

    async def _woken(self) -> bool:
        try:
            async with asyncio.timeout(POLL):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        return True

    async def _read(self) -> None:
        try:
            await self._history.fold_on(self._session_id, self._ledger)
        except LedgerUnavailable as error:
            log.warning("waiting for run %s: %s", self._run_id, error)  # the next look comes after POLL
            return
        self._result = run_result(self._session_id, self._ledger, self._run_id) or self._result
