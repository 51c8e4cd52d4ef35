"""Folding: what each event means for the runs of a session. The decisions about it are in dispatch.py."""

from datetime import datetime
from typing import TypeGuard, assert_never, get_args

from backbone.runner.handlers import Recorded
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionStarted,
    TodoDispatched,
    TodoFailed,
    TodoSkipped,
    TodoStatus,
    TodoSucceeded,
    ToolBusy,
    ToolLeased,
)
from contracts.gateway import MessageReceived, RunControlRequested, SessionOpened
from contracts.model import ModelCalled
from contracts.planning import PlanApproved, PlanningOutput
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from contracts.timers import TimerFired
from contracts.tools import ErrorPolicy
from services.execution.domain import answers, control, retry
from services.execution.domain.rules import Rules
from services.execution.domain.run import Run, Session
from services.execution.domain.todo import Stage, Todo

__all__ = ["BY_CONTROL", "FOLDS", "Rules", "evolve"]

AboutTodo = TodoSucceeded | TodoFailed | TodoSkipped | ToolBusy | ToolLeased
Step = (
    PlanningOutput
    | PlanApproved
    | ExecutionStarted
    | TodoDispatched
    | AboutTodo
    | DecisionRequested
    | DecisionAnswered
    | DecisionExpired
    | RunControlRequested
    | TimerFired
)
End = ExecutionOutput | RunCompleted | RunFailed | RunCancelled
Folded = SessionOpened | MessageReceived | ModelCalled | Step | End
_FOLDED = frozenset(get_args(Folded))
FOLDS = frozenset(event.__name__ for event in _FOLDED)
BY_CONTROL = "control"
"""In the detail of a TodoFailed: the attempt was stopped by this control, not by itself."""


def _is_folded(event: Event) -> TypeGuard[Folded]:
    return type(event) in _FOLDED


def evolve(session: Session, recorded: Recorded, rules: Rules) -> Session:
    """Folds one event. Owns `session` and changes it in place: see DecisionHandler."""
    event, run_id = recorded.event, recorded.run_id
    if not _is_folded(event):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if isinstance(event, SessionOpened):
        session.user, session.timezone = event.user, event.profile.timezone
        return session
    if run_id is None:
        return session
    run = session.runs.get(run_id)
    if isinstance(event, MessageReceived):
        session.runs[run_id] = Run(requested_at=recorded.at, budget=event.budget)
    elif isinstance(event, End):
        session.runs.pop(run_id, None)  # let go of it: late results are facts that change nothing
    elif isinstance(event, ModelCalled):
        _charge(session, run, event.input_tokens + event.output_tokens, event.cost)
    elif run is not None:
        _advance(session, run, recorded, event, rules)
    return session


def _charge(session: Session, run: Run | None, tokens: int, money: float) -> None:
    for spent in (session.spent, *([run.spent] if run else ())):
        spent.tokens += tokens
        spent.money += money


def _advance(session: Session, run: Run, recorded: Recorded, event: Step, rules: Rules) -> None:
    match event:
        case PlanningOutput():
            run.proposed, run.language, run.inputs = event.plan, event.language, event.attachments
        case PlanApproved():
            _approve(run, recorded, event, rules)
        case ExecutionStarted():
            run.started = True
        case TodoDispatched():
            _dispatched(session, run, event)
        case TodoSucceeded() | TodoFailed() | TodoSkipped() | ToolBusy() | ToolLeased():
            if isinstance(event, TodoFailed) and event.will_retry_at is not None:
                run.retries[event.todo_id, event.attempt] = None
            todo = run.todos.get(event.todo_id)
            if todo is not None and todo.status is None:
                _told(session, run, todo, recorded.at, event, rules)
        case DecisionRequested():
            answers.asked(session, run, event, recorded.at)
        case DecisionAnswered() | DecisionExpired():
            answers.answered(session, run, event, recorded.at, rules)
        case RunControlRequested():
            control.fold(run, event.control, recorded.at)
        case TimerFired():
            _fired(run, event)
        case _:
            assert_never(event)


def _approve(run: Run, recorded: Recorded, event: PlanApproved, rules: Rules) -> None:
    # an approval is of exactly one version of one plan
    plan = run.proposed
    if plan is None or (plan.plan_id, plan.version) != (event.plan_id, event.plan_version):
        return
    if run.plan is not None and plan.version <= run.plan.version:
        return
    if run.plan is None:
        answers.set_clock(run, recorded.at, rules)
    run.by_person = event.approved_by == "person"
    run.approve(plan)


def _dispatched(session: Session, run: Run, event: TodoDispatched) -> None:
    todo = run.todos.get(event.todo.id)
    if todo is None:
        return
    run.take_off(todo, Stage.IN_FLIGHT)
    run.in_flight += 1
    todo.attempt, todo.failures = event.attempt, event.failures
    todo.waits_for_tool = todo.tool_granted = False
    run.spent.reserve(todo.item)
    session.spent.reserve(todo.item)


QUICK = 0.05
"""Seconds. Todos that are over sooner hold nobody up: more of them may be in flight."""
_HEARS = (Stage.IN_FLIGHT, Stage.RETRYING)
"""Stages in which a todo's present attempt can still say something."""


def _told(session: Session, run: Run, todo: Todo, at: datetime, event: AboutTodo, rules: Rules) -> None:
    match event:
        case ToolBusy() | ToolLeased():
            _in_line(session, run, todo, event)
        case TodoSkipped():
            todo.skip_reason, todo.skip_cause = event.reason, event.cause
            run.end(todo, TodoStatus.SKIPPED)
        case TodoSucceeded() | TodoFailed() if event.late:
            pass  # it was stopped for something that is recorded: nothing of it counts
        case TodoSucceeded() | TodoFailed() if event.attempt != todo.attempt or todo.stage not in _HEARS:
            pass  # a late word of an earlier attempt
        case TodoSucceeded():
            session.is_quick = event.seconds < QUICK
            for spent in (run.spent, session.spent):
                spent.settle(todo.item, event.tokens, event.money)
            _succeeded(run, todo, event, rules)
        case TodoFailed():
            if todo.stage is Stage.IN_FLIGHT:  # an attempt fails once
                _failed(run, todo, event, at)
        case _:
            assert_never(event)


def _succeeded(run: Run, todo: Todo, event: TodoSucceeded, rules: Rules) -> None:
    todo.result, todo.attachments, todo.error = event.result, event.attachments, None
    todo.from_before = event.from_before
    run.end(todo, TodoStatus.SUCCEEDED) if _good_enough(run, todo, rules) else run.begin_round(run.cycles[todo.item.id])


def _good_enough(run: Run, todo: Todo, rules: Rules) -> bool:
    """Whether the cycle that this todo closes, if any, need not run again. The last round is taken as it is."""
    cycle = run.cycles.get(todo.item.id)
    if cycle is None or not cycle.closes(todo.item.id) or cycle.is_good(todo.result):
        return True
    if cycle.exhausted:
        message = rules.say(run.language, f"error.{int(Code.QUALITY_NOT_REACHED)}", rounds=cycle.round)
        todo.error = ErrorInfo(code=Code.QUALITY_NOT_REACHED, message=message, detail={"rounds": cycle.round})
        return True
    run.take_off(todo, Stage.BLOCKED)
    return False


def _failed(run: Run, todo: Todo, event: TodoFailed, at: datetime) -> None:
    if event.error.detail.get(BY_CONTROL) == "interrupt":
        run.make_ready(todo)
        return
    todo.error = event.error
    todo.failures += 1
    if event.will_retry_at is not None:
        run.take_off(todo, Stage.RETRYING)
        todo.retry_at = run.pause.frozen(event.will_retry_at, at)
        return
    match todo.item.on_error:
        case ErrorPolicy.SKIP | ErrorPolicy.RETRY:
            run.end(todo, TodoStatus.FAILED)
        case ErrorPolicy.FAIL:
            run.end(todo, TodoStatus.FAILED)
            run.aborted = run.aborted or event.error
        case ErrorPolicy.ASK if event.error.code in retry.IN_VAIN and not (run.by_person and retry.mends(event.error)):
            run.end(todo, TodoStatus.FAILED)
        case ErrorPolicy.ASK:
            run.take_off(todo, Stage.ASKING)
            run.to_ask[todo.item.id] = None
        case _:
            assert_never(todo.item.on_error)


def _in_line(session: Session, run: Run, todo: Todo, event: ToolBusy | ToolLeased) -> None:
    """The tool may be granted before its being busy is recorded. An attempt that runs says ToolLeased too; it will not
    say ToolBusy any more, and the next one forgets."""
    in_flight = todo.stage is Stage.IN_FLIGHT
    if isinstance(event, ToolLeased) and in_flight:
        todo.tool_granted = True
        return
    if isinstance(event, ToolBusy) and in_flight:
        answers.waited(session, run, todo, Stage.IN_LINE)
    if todo.stage is Stage.IN_LINE and (todo.tool_granted or isinstance(event, ToolLeased)):
        todo.waits_for_tool = True
        run.make_ready(todo)


def _fired(run: Run, event: TimerFired) -> None:
    if event.purpose == control.WALL_TIME:
        if event.data.get("raises") == run.raises:  # else it is the clock of a budget that was raised since
            run.time_up, run.clock_due = True, None
        return
    if event.purpose != retry.PURPOSE:
        return
    todo_id, attempt = str(event.data.get("todo_id")), event.data.get("attempt")
    run.retries = {one: None for one in run.retries if one != (todo_id, attempt)}
    todo = run.todos.get(todo_id)
    if todo is not None and todo.stage is Stage.RETRYING and attempt == todo.attempt:
        run.make_ready(todo)
