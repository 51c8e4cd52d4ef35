"""Waiting for a run without reading what does not matter."""

import asyncio
from uuid import UUID

from contracts.envelope import Message
from contracts.registry import RUN_ENDS
from services.gateway.commands.outcome import POLL, Gone, OutcomeWaiter
from services.gateway.domain.session import Run, Session
from services.gateway.views.history import History, fold_in
from services.gateway.views.protocol import RunResult, run_result
from services.gateway.ws.fanout import LiveMessage

WANTED = RUN_ENDS | {"DecisionRequested", "ResponseOutput", "RunControlRequested"}


class RunWaiter(OutcomeWaiter[RunResult]):
    """Watches a session for the end of one run, or for its question."""

    def __init__(self, session_id: UUID, run_id: UUID, history: History) -> None:
        super().__init__(session_id, run_id, history)
        self.restarting = f"the gateway restarts and the run goes on: see GET /sessions/{session_id}"
        self._heard = Session(runs={run_id: Run(run_id, "", 0)})
        self._ledger = Session()
        self._last_sign = 0.0

    def wants(self, type_: str) -> bool:
        """Whatever is published is a sign that the run goes on."""
        self._last_sign = asyncio.get_running_loop().time()
        return type_ in WANTED and self._outcome is None

    def offer(self, live: LiveMessage) -> None:
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
            self._outcome = result
        self._wake.set()

    async def result(self, version: int, *, fresh: bool, gone: Gone) -> RunResult:
        """The result of the run that began at `version`. Raises what `_awaited` raises."""
        self._ledger.version = version - 1
        self._read_needed = self._read_needed or not fresh
        return await self._awaited(gone)

    def _in_doubt(self) -> bool:
        return asyncio.get_running_loop().time() - self._last_sign >= POLL

    async def _read(self) -> None:
        await self._history.fold_on(self._session_id, self._ledger)
        self._outcome = run_result(self._session_id, self._ledger, self._run_id) or self._outcome
