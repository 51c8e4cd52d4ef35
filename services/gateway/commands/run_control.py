"""Controls of runs, and edits of their plans: I/O around the pure decision in domain/steering.py. Waiting for what
planning makes of an edit."""

import asyncio
from uuid import UUID

from backbone.ledger.port import Fact, Ledger
from contracts.envelope import Message
from contracts.errors import Code
from contracts.gateway import RunControlRequested
from contracts.planning import PlanEditRefused, PlanningOutput
from contracts.registry import RUN_ENDS
from contracts.shape import Event
from services.gateway.commands.outcome import Gone, OutcomeWaiter
from services.gateway.commands.record import Command, Fold, record_command, refuse_infinite
from services.gateway.domain.refusal import Refused, Repeated
from services.gateway.domain.steering import FOLDS, Steered, Steering, evolve, judge_control, judge_edit
from services.gateway.views.history import History
from services.gateway.views.run_control import Controlled, ControlRequest, EditRequest, PlanRevised
from services.gateway.ws.fanout import FanOut, LiveMessage

CONTROLS = Fold(FOLDS, Steering, evolve)
PATIENCE = 10.0
"""Seconds that PATCH waits for planning's answer to an edit."""


class RunControlCommands:
    """Records what people want of a run that goes on."""

    def __init__(self, ledger: Ledger, history: History, fanout: FanOut) -> None:
        self._ledger = ledger
        self._history = history
        self._fanout = fanout

    async def control(self, session_id: UUID, run_id: UUID, request: ControlRequest, key: UUID | None) -> Controlled:
        """Pauses, resumes, interrupts or cancels. Raises Refused."""
        wanted = RunControlRequested(control=request.control, reason=request.reason)
        command = Command.of(session_id, "control", key)

        def judge(steering: Steering, handled: bool) -> Fact | Repeated:  # noqa: FBT001  # as record_command calls it
            run = judge_control(steering, run_id, wanted, command.event_id, handled=handled)
            return run if isinstance(run, Repeated) else _fact(run, run_id, wanted, command)

        version = await record_command(self._ledger, command, CONTROLS, judge)
        return Controlled(run_id=run_id, control=request.control, version=version)

    async def edit(self, command: Command, run_id: UUID, request: EditRequest) -> int:
        """The version of the recorded edit; what becomes of it, planning says. Raises Refused."""
        refuse_infinite(list(request.patch), "the patch", Code.PLAN_EDIT_INVALID)

        def judge(steering: Steering, _: bool) -> Fact | Repeated:  # noqa: FBT001  # as record_command calls it
            edited = judge_edit(steering, run_id, request.plan_version, request.patch, command.event_id)
            if isinstance(edited, Repeated):
                return edited
            run, event = edited
            return _fact(run, run_id, event, command)

        return await record_command(self._ledger, command, CONTROLS, judge)

    async def revise(
        self, session_id: UUID, run_id: UUID, request: EditRequest, key: UUID | None, gone: Gone
    ) -> PlanRevised:
        """Records the edit and waits for the plan that planning makes of it. Raises Refused."""
        command = Command.of(session_id, "edit", key)
        waiter = EditWaiter(session_id, run_id, command.event_id, self._history)
        # watching before recording: the answer may come before the append has returned
        with self._fanout.watch(session_id, waiter):
            version = await self.edit(command, run_id, request)
            try:
                async with asyncio.timeout(PATIENCE):
                    return await waiter.outcome(version, gone)
            except TimeoutError:
                raise Refused(
                    Code.RUN_TIMEOUT,
                    f"the edit is recorded at version {version}, and was not answered within {PATIENCE:g} s:"
                    f" its outcome will be an event of the session",
                    session_id=str(session_id),
                    run_id=str(run_id),
                ) from None


def _fact(run: Steered, run_id: UUID, event: Event, command: Command) -> Fact:
    return Fact(event, command.event_id, run_id, run_id, run.cause, run.traceparent)


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
