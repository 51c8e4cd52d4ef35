"""Waiting for what planning makes of an edit."""

from uuid import UUID

from contracts.envelope import Message
from contracts.errors import Code
from contracts.planning import PlanEditRefused, PlanningOutput
from contracts.registry import RUN_ENDS
from services.gateway.commands.outcome import Gone, OutcomeWaiter
from services.gateway.domain.refusal import Refused
from services.gateway.views.history import History
from services.gateway.views.run_control import PlanRevised
from services.gateway.ws.fanout import LiveMessage

ANSWERS = frozenset({"PlanningOutput", "PlanEditRefused"})


class EditWaiter(OutcomeWaiter[PlanRevised | Refused]):
    """Watches a session for the answer to one edit: it is the one that the edit caused, whatever else is edited."""

    restarting = "the gateway restarts: the edit is recorded, its outcome is an event"

    def __init__(self, session_id: UUID, run_id: UUID, edit_id: UUID, history: History) -> None:
        super().__init__(session_id, run_id, history)
        self._edit_id = edit_id
        self._version = 0

    def wants(self, type_: str) -> bool:
        return type_ in ANSWERS or type_ in RUN_ENDS

    def offer(self, live: LiveMessage) -> None:
        if live.type in ANSWERS:
            self._hear(live.message)
        elif live.type in RUN_ENDS:
            self.behind()  # perhaps before the answer: the ledger knows

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

    async def outcome(self, version: int, gone: Gone) -> PlanRevised:
        """What became of the edit recorded at `version`. Raises Refused, and what `_awaited` raises."""
        self._version = version
        self._read_needed = True  # an edit that is repeated may be answered already
        outcome = await self._awaited(gone)
        if isinstance(outcome, Refused):
            raise outcome
        return outcome

    async def _read(self) -> None:
        async for messages in self._history.pages(self._session_id, self._version):
            for message in messages:
                if self._outcome is None:
                    self._hear(message)
