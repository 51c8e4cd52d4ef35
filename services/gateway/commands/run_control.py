"""Controls of runs, and edits of their plans: I/O around the pure decision in domain/steering.py."""

import asyncio
from uuid import UUID

from backbone.ledger.port import Fact, Ledger
from contracts.errors import Code
from contracts.gateway import RunControlRequested
from contracts.shape import Event
from services.gateway.commands.edit_outcome import EditWaiter
from services.gateway.commands.outcome import Gone
from services.gateway.commands.record import Command, Fold, record_command, refuse_infinite
from services.gateway.domain.refusal import Refused
from services.gateway.domain.repeated import Repeated
from services.gateway.domain.steering import FOLDS, Steered, Steering, evolve, judge_control, judge_edit
from services.gateway.views.history import History
from services.gateway.views.run_control import Controlled, ControlRequest, EditRequest, PlanRevised
from services.gateway.ws.fanout import FanOut

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
