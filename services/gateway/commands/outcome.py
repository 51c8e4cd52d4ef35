"""Waiting for what becomes of a command: from the live fan-out, and from the ledger when in doubt."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from uuid import UUID

from starlette.requests import ClientDisconnect

from backbone.ledger.port import LedgerUnavailable
from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.views.history import History

log = logging.getLogger(__name__)

T = TypeVar("T")
POLL = 1.0
"""Seconds of silence after which the ledger is read: the fan-out may have lost the outcome."""
Gone = Callable[[], Awaitable[bool]]
"""Whether the client has hung up."""


class OutcomeWaiter(ABC, Generic[T]):
    """Watches a session until `_outcome` is there. Subclasses say what they hear (fanout.Watcher) and read."""

    restarting = "the gateway restarts"
    """What is answered when the gateway stops meanwhile."""

    def __init__(self, session_id: UUID, run_id: UUID, history: History) -> None:
        self._session_id = session_id
        self._run_id = run_id
        self._history = history
        self._outcome: T | None = None
        self._read_needed = False
        self._closed = False
        self._wake = asyncio.Event()

    @abstractmethod
    async def _read(self) -> None:
        """Looks for the outcome in the ledger. Raises LedgerUnavailable."""

    def _in_doubt(self) -> bool:
        """After a second in which nothing came that matters: whether the ledger is to be read."""
        return True

    def recorded(self, version: int) -> None:
        """What is waited for is always offered."""

    def behind(self) -> None:
        self._read_needed = True
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def _awaited(self, gone: Gone) -> T:
        """The outcome. Raises Refused when the gateway stops, and ClientDisconnect when the client has hung up."""
        while self._outcome is None:
            if self._read_needed:
                self._read_needed = False
                try:
                    await self._read()
                except LedgerUnavailable as error:
                    log.warning("waiting for run %s: %s", self._run_id, error)  # the next look comes after POLL
            elif self._closed:
                session_id, run_id = str(self._session_id), str(self._run_id)
                raise Refused(Code.RUN_TIMEOUT, self.restarting, status=503, session_id=session_id, run_id=run_id)
            elif not await self._woken():
                if await gone():
                    raise ClientDisconnect
                self._read_needed = self._in_doubt()
        return self._outcome

    async def _woken(self) -> bool:
        try:
            async with asyncio.timeout(POLL):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        return True
