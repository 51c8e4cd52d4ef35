"""Runs whose clock can be moved: durable timers fire when they are due, executors answer as they are told to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from backbone.ledger.port import Timer
from backbone.runner.handlers import DecisionHandler, Emit, Outcome, Recorded
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, TodoDispatched, TodoFailed, TodoStatus, ToolBusy, ToolLeased
from contracts.gateway import Budget, MessageReceived, RunControl, RunControlRequested
from contracts.planning import TodoItem
from contracts.shape import Event, JsonObject
from services.execution.domain.fold import BY_CONTROL
from services.execution.domain.question import DecisionRequests
from services.execution.domain.retry import MENDS, retry
from services.execution.domain.run import Session
from tests.unit.services.catalogues import catalogue
from tests.unit.services.execution.dispatching import under
from tests.unit.services.given import NOW, RUN, Happened
from tests.unit.services.plans import approved, planned, succeeded

PAUSE, RESUME, INTERRUPT, CANCEL = (
    RunControlRequested(control=RunControl(one)) for one in ("pause", "resume", "interrupt", "cancel")
)


@dataclass
class Timeline:
    """A session as DecisionRunner handles it, with the ledger's table of timers beside it."""

    handler: DecisionHandler[Session]
    now: datetime = NOW
    told: list[Recorded] = field(default_factory=list)
    timers: dict[UUID, Timer] = field(default_factory=dict)
    run_id: UUID = RUN
    """The run that is spoken of."""

    def __post_init__(self) -> None:
        self.state = self.handler.initial()

    def fold(self, event: Event, run_id: UUID | None = None) -> Recorded:
        one = Recorded(event, uuid4(), run_id or self.run_id, self.now)
        if type(event).__name__ in self.handler.folds:
            self.told.append(one)
            self.state = self.handler.evolve(self.state, one)
        return one

    def when(self, *events: Event) -> Happened:
        """Several messages are one drain: all are folded before the first is decided. Everything that they did."""
        taken = [self.fold(event) for event in events]
        emits: list[Emit] = []
        timers: list[Timer] = []
        cancelled: list[UUID] = []
        for one in taken:
            outcome = self.handler.decide(self.state, one)
            self.set(outcome)
            emits += outcome.emits
            timers += outcome.timers
            cancelled += outcome.cancel_timers
            for emitted in outcome.emits:
                self.fold(emitted.event, emitted.run_id)
        return Happened(Outcome(tuple(emits), tuple(timers), tuple(cancelled)))

    def set(self, outcome: Outcome) -> None:
        """As the ledger does it: what is cancelled goes first, and a timer that stands is not moved."""
        for timer_id in outcome.cancel_timers:
            self.timers.pop(timer_id, None)
        for timer in outcome.timers:
            self.timers.setdefault(timer.timer_id, timer)

    def wait(self, seconds: float) -> list[Event]:
        """Time goes by, timers fire; what that did."""
        until = self.now + timedelta(seconds=seconds)
        done: list[Event] = []
        while due := [one for one in self.timers.values() if one.due_at <= until]:
            first = min(due, key=lambda one: one.due_at)
            self.now = max(self.now, first.due_at)
            del self.timers[first.timer_id]
            happened = self.about(first.run_id).when(first.event)
            done += happened.events
        self.now = until
        return done

    def about(self, run_id: UUID | None) -> "Timeline":
        self.run_id = run_id or self.run_id
        return self

    def begin(self, *todos: TodoItem, budget: Budget | None = None, approved_by: str = "person") -> Happened:
        self.fold(MessageReceived(text="해줘", budget=budget))
        self.fold(planned(*todos))
        return self.when(approved().model_copy(update={"approved_by": approved_by}))

    def edit(self, *todos: TodoItem, version: int = 2) -> Happened:
        self.fold(planned(*todos, version=version))
        return self.when(approved(version))

    def attempt(self, todo_id: str) -> TodoDispatched:
        """The last one."""
        found = [
            one.event
            for one in self.told
            if one.run_id == self.run_id and isinstance(one.event, TodoDispatched) and one.event.todo.id == todo_id
        ]
        return found[-1]

    def success(self, todo_id: str, **fields: Any) -> Event:
        return succeeded(todo_id, self.attempt(todo_id).attempt, **fields)

    def ok(self, *todo_ids: str, **fields: Any) -> Happened:
        return self.when(*(self.success(one, **fields) for one in todo_ids))

    def failure(
        self,
        todo_id: str,
        *,
        retryable: bool = False,
        stopped_by: str = "",
        message: str = "안 돼요",
        code: Code = Code.TOOL_FAILED,
        mends: Sequence[JsonObject] = (),
    ) -> Event:
        """What the executor records, with the timer that it sets."""
        last = self.attempt(todo_id)
        code = Code.TOOL_CANCELLED if stopped_by else code
        detail: dict[str, Any] = {BY_CONTROL: stopped_by} if stopped_by else {}
        detail |= {MENDS: list(mends)} if mends else {}
        error = ErrorInfo(code=code, message=message, retryable=retryable, detail=detail)
        again = None if stopped_by else retry(self.run_id, last.todo, last.attempt, error, self.now, last.failures)
        self.set(Outcome(timers=(again,) if again else ()))
        due = again.due_at if again else None
        return TodoFailed(todo_id=todo_id, attempt=last.attempt, error=error, will_retry_at=due)

    def fails(self, todo_id: str, **fields: Any) -> Happened:
        return self.when(self.failure(todo_id, **fields))

    def ask(self, kind: DecisionKind, todo_id: str) -> DecisionRequested:
        """An executor's question about the present attempt; recorded with its deadline, and no message to us."""
        last = self.attempt(todo_id)
        asker = DecisionRequests(self.run_id, "ko", catalogue().say, self.now + timedelta(days=1))
        if kind is DecisionKind.TOOL:
            asked = asker.about_tool(last.todo, last.attempt, last.todo.title, "0" * 64)
        else:
            asked = asker.about_lock(last.todo, last.attempt, ("G",))
        self.set(Outcome(timers=(_deadline(asked, self.run_id),)))
        self.fold(asked)
        return asked

    def answer(self, asked: DecisionRequested, action: str, **fields: Any) -> Happened:
        """The gateway records it, and cancels the deadline."""
        self.timers.pop(asked.decision_id, None)
        answer = {"action": action, **fields}
        return self.when(
            DecisionAnswered(decision_id=asked.decision_id, kind=asked.kind, answer=answer, answered_by="x")
        )

    @property
    def output(self) -> ExecutionOutput:
        """How the run ended."""
        (found,) = [
            one.event for one in self.told if one.run_id == self.run_id and isinstance(one.event, ExecutionOutput)
        ]
        return found

    @property
    def statuses(self) -> dict[str, TodoStatus]:
        return {one.todo_id: one.status for one in self.output.results}


def _deadline(asked: DecisionRequested, run_id: UUID) -> Timer:
    expired = DecisionExpired(decision_id=asked.decision_id, kind=asked.kind, default=asked.default)
    return Timer(asked.decision_id, run_id, asked.deadline, expired)


def timeline(*todos: TodoItem, budget: Budget | None = None, approved_by: str = "person", **rules: Any) -> Timeline:
    """A run whose plan has been approved and whose first todos are dispatched."""
    line = Timeline(under(**rules))
    line.begin(*todos, budget=budget, approved_by=approved_by)
    return line


def sent(done: Happened | Iterable[Event]) -> list[str]:
    """The ids of the todos that were dispatched."""
    events = done.events if isinstance(done, Happened) else done
    return [event.todo.id for event in events if isinstance(event, TodoDispatched)]


def busy(todo_id: str) -> ToolBusy:
    return ToolBusy(todo_id=todo_id, tool="test.work", group_key="G", position=1)


def leased(todo_id: str) -> ToolLeased:
    return ToolLeased(
        todo_id=todo_id, tool="test.work", group_key="G", lease_id=uuid4(), fencing_token=1, expires_at=NOW
    )
