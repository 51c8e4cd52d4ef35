"""Events of a run told second by second, and who is next after them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from backbone.ledger.port import RunPlace
from backbone.liveness.fold import RunState, evolve
from backbone.liveness.turns import Margins
from backbone.liveness.view import Liveness, liveness
from contracts.cognitive import CognitiveOutput, Intent, Route
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionStarted,
    TodoDispatched,
    TodoFailed,
    TodoStarted,
    TodoSucceeded,
    ToolBusy,
    ToolLeased,
)
from contracts.gateway import MessageReceived, PlanEdited, RunControl, RunControlRequested
from contracts.planning import Estimate, Plan, PlanApproved, PlanEditRefused, PlanningOutput, PlanRejected, TodoItem
from contracts.registry import render
from contracts.shape import Event
from contracts.timers import TimerFired

RUN, SESSION, PLAN = (UUID(int=number) for number in (1, 2, 3))
T0 = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
BROKEN = ErrorInfo(code=Code.TOOL_FAILED, message="broken")

SAID = MessageReceived(text="이 리뷰들 분석해 줘", language="ko")
UNDERSTOOD = CognitiveOutput(
    text="x", language="ko", intent=Intent(domain="ANALYSIS", confidence=1.0), route=Route.PLAN
)
APPROVED = PlanApproved(plan_id=PLAN, plan_version=1, plan_hash="0" * 64, approved_by="person")
STARTED = ExecutionStarted(plan_id=PLAN, plan_version=1, strategy="parallel", todo_count=2)
OUTPUT = ExecutionOutput(plan_id=PLAN, plan_version=1, status="succeeded", results=())
REFUSED = PlanEditRefused(plan_id=PLAN, plan_version=1, error=BROKEN)
EDITED = PlanEdited(plan_id=PLAN, plan_version=1, patch=())


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def item(todo_id: str = "t1", **more: Any) -> TodoItem:
    return TodoItem(id=todo_id, title=todo_id, tool="marketing.collector", executor="data", timeout_seconds=60, **more)


def planned() -> PlanningOutput:
    estimate = Estimate(total_seconds=1, critical_path_seconds=1)
    return PlanningOutput(plan=Plan(plan_id=PLAN, todos=(item(),), estimate=estimate), language="ko")


def dispatched(todo_id: str = "t1", attempt: int = 1) -> TodoDispatched:
    return TodoDispatched(plan_id=PLAN, todo=item(todo_id), attempt=attempt, language="ko", requested_at=T0)


def succeeded(todo_id: str = "t1", attempt: int = 1) -> TodoSucceeded:
    return TodoSucceeded(todo_id=todo_id, attempt=attempt, started_at=T0, seconds=1)


def failed(todo_id: str = "t1", attempt: int = 1, again: float | None = None) -> TodoFailed:
    return TodoFailed(
        todo_id=todo_id, attempt=attempt, error=BROKEN, will_retry_at=None if again is None else at(again)
    )


def started(todo_id: str = "t1") -> TodoStarted:
    return TodoStarted(todo_id=todo_id, attempt=1, worker="data-1", started_at=T0)


def busy(todo_id: str = "t1") -> ToolBusy:
    return ToolBusy(todo_id=todo_id, tool="devices.movie", group_key="MonitorBox", position=1)


def leased(todo_id: str = "t1") -> ToolLeased:
    return ToolLeased(
        todo_id=todo_id, tool="devices.movie", group_key="MonitorBox", lease_id=PLAN, fencing_token=1, expires_at=at(30)
    )


def asked(kind: str = "plan", todo_id: str = "", decision: UUID = PLAN, deadline: float = 3600) -> DecisionRequested:
    subject: dict[str, Any] = {"todo_id": todo_id} if todo_id else {}
    return DecisionRequested(
        decision_id=decision, kind=kind, question="?", language="ko", answer_schema={}, deadline=at(deadline),
        subject=subject,
    )  # fmt: skip


def answered(kind: str = "plan", decision: UUID = PLAN) -> DecisionAnswered:
    return DecisionAnswered(decision_id=decision, kind=kind, answer={}, answered_by="a")


def expired(kind: str = "plan", default: dict[str, Any] | None = None) -> DecisionExpired:
    return DecisionExpired(decision_id=PLAN, kind=kind, default=default)


def rejected(*, final: bool) -> PlanRejected:
    return PlanRejected(plan_id=PLAN, plan_version=1, final=final)


def fired(todo_id: str = "t1") -> TimerFired:
    return TimerFired(timer_id=PLAN, purpose="todo_retry", due_at=T0, data={"todo_id": todo_id, "attempt": 1})


def control(what: RunControl) -> RunControlRequested:
    return RunControlRequested(control=what)


def told(events: Sequence[Event], *, session: UUID = SESSION, run: UUID = RUN) -> list[Message]:
    """The events as the ledger has them: one a second, from T0."""
    return [
        Message(
            uuid4(), session, version, type(event).__name__, 1, "x", run, run, None, None, at(version - 1),
            render(event).encode(), "data" if isinstance(event, TodoDispatched) else "",
        )
        for version, event in enumerate(events, 1)
    ]  # fmt: skip


def folded(messages: Sequence[Message], run: RunState | None = None) -> RunState:
    run = run or RunState()
    for message in messages:
        evolve(run, message, Margins())
    return run


def seen(*events: Event, now: float = 0.0) -> Liveness:
    """The run after the events, `now` seconds after the first of them."""
    return liveness(RunPlace(RUN, SESSION, 1, T0, len(events)), folded(told(events)), at(now))
