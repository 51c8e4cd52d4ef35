"""Waiting for what planning makes of an edit: from the live fan-out, and from the ledger when in doubt."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import UUID

from starlette.requests import ClientDisconnect

from backbone.ledger.port import LedgerUnavailable
from contracts.envelope import Message
from contracts.errors import Code
from contracts.planning import PlanEditRefused, PlanningOutput
from contracts.registry import RUN_ENDS
from services.gateway.controls import PlanRevised
from services.gateway.domain.refusal import Refused
from services.gateway.fanout import Live
from services.gateway.history import History

log = logging.getLogger(__name__)

ANSWERS = frozenset({"PlanningOutput", "PlanEditRefused"})
POLL = 1.0
"""Seconds after which the ledger is read: the fan-out may have lost the answer."""


class EditWaiter:
    """Watches a session for the answer to one edit: it is the one that the edit caused, whatever else is edited."""

    def __init__(self, session_id: UUID, run_id: UUID, edit_id: UUID, history: History) -> None:
        self._session_id = session_id
        self._run_id = run_id
        self._edit_id = edit_id
        self._history = history
        self._outcome: PlanRevised | Refused | None = None
        self._wake = asyncio.Event()
        self._closed = False

    def wants(self, type_: str) -> bool:
        return type_ in ANSWERS or type_ in RUN_ENDS

    def offer(self, live: Live) -> None:
        if live.type in ANSWERS:
            self._hear(live.message)
        elif live.type in RUN_ENDS:
            self._wake.set()  # perhaps before the answer: the ledger knows

    def behind(self) -> None:
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    def _hear(self, message: Message) -> None:
        if message.causation_id == self._edit_id and message.type in ANSWERS:
            event = message.event
            if isinstance(event, PlanEditRefused):
                self._outcome = Refused(event.error.code, event.error.message, run_id=str(self._run_id))
            elif isinstance(event, PlanningOutput):
                self._outcome = PlanRevised(run_id=self._run_id, version=message.version, plan=event.plan)
        elif message.type in RUN_ENDS and message.run_id == self._run_id:
            self._outcome = Refused(
                Code.RUN_ALREADY_ENDED, f"run {self._run_id} has ended before its plan could be edited"
            )
        if self._outcome is not None:
            self._wake.set()

    async def outcome(self, version: int, gone: Callable[[], Awaitable[bool]]) -> PlanRevised:
        """What became of the edit recorded at `version`. `gone` says whether the client has hung up. Raises Refused."""
        await self._read(version)  # an edit that is repeated may be answered already
        while self._outcome is None:
            if self._closed:
                raise Refused(
                    Code.RUN_TIMEOUT, "the gateway restarts: the edit is recorded, its outcome is an event", status=503
                )
            heard = await self._woken()
            if self._outcome is None:
                if not heard and await gone():
                    raise ClientDisconnect
                await self._read(version)
        if isinstance(self._outcome, Refused):
            raise self._outcome
        return self._outcome

    async def _woken(self) -> bool:
        try:
            async with asyncio.timeout(POLL):
                await self._wake.wait()
        except TimeoutError:
            return False
        finally:
            self._wake.clear()
        return True

    async def _read(self, version: int) -> None:
        try:
            async for messages in self._history.pages(self._session_id, version):
                for message in messages:
                    if self._outcome is None:
                        self._hear(message)
        except LedgerUnavailable as error:
            log.warning("waiting for the edit of run %s: %s", self._run_id, error)  # the next look comes after POLL
