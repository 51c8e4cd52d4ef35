"""The desk where runs are controlled and their plans edited: I/O around the pure decision in domain/steering.py."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID, uuid5

from uuid_utils.compat import uuid7

from backbone import crash
from backbone.ledger.port import Append, Fact, Ledger, NotRecordable, Tail
from contracts.errors import Code
from contracts.gateway import PlanEdited, RunControlRequested
from contracts.shape import Event
from services.gateway.controls import Controlled, ControlRequest, EditRequest, PlanRevised
from services.gateway.domain.refusal import Refused
from services.gateway.domain.steering import FOLDS, Repeated, Steered, Steering, evolve, judge_control, judge_edit
from services.gateway.edits import EditWaiter
from services.gateway.fanout import FanOut
from services.gateway.handlers import finite
from services.gateway.history import History, told
from services.gateway.runs import NAME

PATIENCE = 10.0
"""Seconds that PATCH waits for planning's answer to an edit."""


class SteeringDesk:
    """Records what people want of a run that goes on."""

    def __init__(self, ledger: Ledger, history: History, fanout: FanOut) -> None:
        self._ledger = ledger
        self._history = history
        self._fanout = fanout

    async def control(self, session_id: UUID, run_id: UUID, request: ControlRequest, key: UUID | None) -> Controlled:
        """Pauses, resumes, interrupts or cancels. Raises Refused."""
        wanted = RunControlRequested(control=request.control, reason=request.reason)
        control_id = uuid5(key, "control") if key else uuid7()

        def judge(steering: Steering, handled: AbstractSet[UUID]) -> tuple[Steered, RunControlRequested] | Repeated:
            judged = judge_control(steering, run_id, wanted, control_id, handled=key in handled)
            return judged if isinstance(judged, Repeated) else (judged, wanted)

        version = await self._decided(session_id, run_id, control_id, key, judge)
        return Controlled(run_id=run_id, control=request.control, version=version)

    async def edit(self, session_id: UUID, run_id: UUID, request: EditRequest, edit_id: UUID, key: UUID | None) -> int:
        """The version of the recorded edit; what becomes of it, planning says. Raises Refused."""
        if not all(finite(operation) for operation in request.patch):
            raise Refused(
                Code.PLAN_EDIT_INVALID, "the patch holds a number that is infinite or none: send finite numbers"
            )

        def judge(steering: Steering, _: AbstractSet[UUID]) -> tuple[Steered, PlanEdited] | Repeated:
            return judge_edit(steering, run_id, request.plan_version, request.patch, edit_id)

        return await self._decided(session_id, run_id, edit_id, key, judge)

    async def revise(
        self,
        session_id: UUID,
        run_id: UUID,
        request: EditRequest,
        key: UUID | None,
        gone: Callable[[], Awaitable[bool]],
    ) -> PlanRevised:
        """Records the edit and waits for the plan that planning makes of it. Raises Refused."""
        edit_id = uuid5(key, "edit") if key else uuid7()
        waiter = EditWaiter(session_id, run_id, edit_id, self._history)
        # watching before recording: the answer may come before the append has returned
        with self._fanout.watch(session_id, waiter):
            version = await self.edit(session_id, run_id, request, edit_id, key)
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

    async def _decided(
        self,
        session_id: UUID,
        run_id: UUID,
        event_id: UUID,
        key: UUID | None,
        judge: Callable[[Steering, AbstractSet[UUID]], tuple[Steered, Event] | Repeated],
    ) -> int:
        crash.point(NAME, "received")
        cause = key or event_id
        earlier = 0

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal earlier
            judged = judge(told(tails, session_id, Steering(), evolve), handled)
            if isinstance(judged, Repeated):
                earlier = judged.version
                # the key is taken all the same: repeated later, it must not do then what it did not do now
                return (Append(session_id, cause),) if key and cause not in handled else ()
            crash.point(NAME, "decided")
            run, event = judged
            fact = Fact(event, event_id, run_id, run_id, run.cause, run.traceparent)
            return (Append(session_id, cause, (fact,)),)

        try:
            appended = await self._ledger.decide(NAME, NAME, {session_id: 0}, FOLDS, [cause], decision)
        except NotRecordable as error:
            raise Refused(Code.INVALID_REQUEST, f"this cannot be recorded ({error}): send less", status=413) from None
        crash.point(NAME, "appended")
        return (appended[0].last_version if appended else None) or earlier
