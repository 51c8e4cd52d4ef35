"""Folding: what each event means for the runs of a session. The decisions about it are in dispatch.py."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never, get_args

from backbone.runner.handlers import Recorded
from contracts.budgets import Budget
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
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
from contracts.gateway import MessageReceived, RunControlRequested
from contracts.model import ModelCalled
from contracts.planning import PlanApproved, PlanningOutput
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.shape import JsonObject
from contracts.timers import TimerFired
from contracts.tools import ErrorPolicy
from services.execution.domain import budget, control, retry
from services.execution.domain.question import Question, Words
from services.execution.domain.run import Run, Session, Skip, Stage, Todo

Step = (
    PlanningOutput
    | PlanApproved
    | ExecutionStarted
    | TodoDispatched
    | TodoSucceeded
    | TodoFailed
    | TodoSkipped
    | ToolBusy
    | ToolLeased
    | DecisionRequested
    | DecisionAnswered
    | DecisionExpired
    | RunControlRequested
    | TimerFired
)
End = ExecutionOutput | RunCompleted | RunFailed | RunCancelled
Folded = MessageReceived | ModelCalled | Step | End
FOLDS = frozenset(event.__name__ for event in get_args(Folded))
BY_CONTROL = "control"
"""In the detail of a TodoFailed: the attempt was stopped by this control, not by itself."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has set, and the words for questions."""

    say: Words
    most_in_flight: int = 64
    """Todos of one session at once: a wide plan must not make other sessions wait behind all of it."""
    run_budget: Budget = field(default_factory=Budget)
    session_budget: Budget = field(default_factory=Budget)
    patience: timedelta = timedelta(days=1)
    """How long a person may think."""

    def of_run(self, run: Run) -> Budget:
        return run.budget or self.run_budget

    def of_session(self, session: Session) -> Budget:
        return session.budget or self.session_budget


def evolve(session: Session, recorded: Recorded, rules: Rules) -> Session:
    """Folds one event. Owns `session` and changes it in place: see DecisionHandler."""
    event, run_id = recorded.event, recorded.run_id
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
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
        case TodoSucceeded() | TodoFailed() | TodoSkipped():
            if todo := run.todos.get(event.todo_id):
                _ended(session, run, todo, event, rules)
        case ToolBusy() | ToolLeased():
            _in_line(run, event)
        case DecisionRequested():
            _asked(run, event)
        case DecisionAnswered() | DecisionExpired():
            _answered(session, run, event, rules)
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
    first = run.plan is None
    run.approve(plan)
    seconds = rules.of_run(run).seconds
    if first and seconds is not None:
        run.clock_due = recorded.at + timedelta(seconds=seconds)


def _dispatched(session: Session, run: Run, event: TodoDispatched) -> None:
    todo = run.todos.get(event.todo.id)
    if todo is None:
        return
    run.take_off(todo, Stage.IN_FLIGHT)
    run.in_flight += 1
    todo.attempt, todo.failures, todo.waits_for_tool = event.attempt, event.failures, False
    run.spent.reserve(todo.item)
    session.spent.reserve(todo.item)


_HEARS = (Stage.IN_FLIGHT, Stage.RETRYING)
"""Stages in which a todo's present attempt can still say something."""


def _ended(
    session: Session, run: Run, todo: Todo, event: TodoSucceeded | TodoFailed | TodoSkipped, rules: Rules
) -> None:
    if todo.status is not None:
        return
    if isinstance(event, TodoSkipped):
        run.to_skip.pop(event.todo_id, None)
        todo.skip_reason, todo.skip_cause = event.reason, event.cause
        run.end(todo, TodoStatus.SKIPPED)
    elif event.attempt != todo.attempt or todo.stage not in _HEARS:
        return  # a late word of an earlier attempt
    elif isinstance(event, TodoSucceeded):
        for spent in (run.spent, session.spent):
            spent.settle(todo.item, event.tokens, event.money)
        _succeeded(run, todo, event, rules)
    else:
        _failed(run, todo, event)


def _succeeded(run: Run, todo: Todo, event: TodoSucceeded, rules: Rules) -> None:
    todo.result, todo.attachments, todo.error = event.result, event.attachments, None
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


def _failed(run: Run, todo: Todo, event: TodoFailed) -> None:
    todo.error = event.error
    if event.error.detail.get(BY_CONTROL) == "interrupt":
        run.take_off(todo, Stage.READY)
        run.make_ready(todo)
        return
    todo.failures += 1
    if event.will_retry_at is not None and todo.failures <= todo.item.retries:
        run.take_off(todo, Stage.RETRYING)
        todo.retry_at = event.will_retry_at
        return
    match todo.item.on_error:
        case ErrorPolicy.SKIP | ErrorPolicy.RETRY:
            run.end(todo, TodoStatus.FAILED)
        case ErrorPolicy.FAIL:
            run.end(todo, TodoStatus.FAILED)
            run.aborted = run.aborted or event.error
        case ErrorPolicy.ASK:
            run.take_off(todo, Stage.ASKING)
            run.to_ask[todo.item.id] = None
        case _:
            assert_never(todo.item.on_error)


def _in_line(run: Run, event: ToolBusy | ToolLeased) -> None:
    todo = run.todos.get(event.todo_id)
    if todo is None or todo.status is not None:
        return
    if isinstance(event, ToolBusy):
        if todo.stage is Stage.IN_FLIGHT:
            run.take_off(todo, Stage.IN_LINE)
    elif todo.stage is Stage.IN_LINE:
        todo.waits_for_tool = True
        run.make_ready(todo)


def _asked(run: Run, event: DecisionRequested) -> None:
    question = Question.of(event)
    run.questions[event.decision_id] = question
    todo = run.todos.get(question.todo_id)
    if todo is not None and todo.status is None:
        run.take_off(todo, Stage.ASKING)


def _answered(session: Session, run: Run, event: DecisionAnswered | DecisionExpired, rules: Rules) -> None:
    question = run.questions.pop(event.decision_id, None)
    if question is None:
        return
    answer = event.answer if isinstance(event, DecisionAnswered) else question.default or {}
    action = answer.get("action")
    todo = run.todos.get(question.todo_id)
    match question.kind:
        case DecisionKind.TOOL | DecisionKind.LOCK | DecisionKind.ERROR:
            if todo is not None and todo.stage is Stage.ASKING:
                _decided(run, todo, question.kind, str(action), rules, expired=isinstance(event, DecisionExpired))
        case DecisionKind.BUDGET:
            _about_budget(session, run, answer, rules)
        case DecisionKind.CLARIFY | DecisionKind.PLAN:
            pass  # not execution's questions
        case _:
            assert_never(question.kind)


def _decided(run: Run, todo: Todo, kind: DecisionKind, action: str, rules: Rules, *, expired: bool) -> None:
    if action in ("approve", "wait", "retry"):
        todo.waits_for_tool = action == "wait"
        run.make_ready(todo)
    elif action == "abort":
        run.aborted = todo.error
        run.end(todo, TodoStatus.FAILED)
    elif kind is DecisionKind.ERROR:
        run.end(todo, TodoStatus.FAILED)
    else:
        code = Code.DECISION_EXPIRED if expired else Code.APPROVAL_MISSING
        todo.error = ErrorInfo(code=code, message=rules.say(run.language, f"skipped.{int(code)}"))
        run.to_skip[todo.item.id] = Skip("policy" if expired else "person")


def _about_budget(session: Session, run: Run, answer: JsonObject, rules: Rules) -> None:
    action, wish = answer.get("action"), answer.get("budget")
    if action == "continue":
        run.soft_passed = True
    elif action == "raise":
        given = wish if isinstance(wish, dict) else {}
        run.budget = budget.raised(rules.of_run(run), run.spent, given)
        if budget.is_limited(rules.of_session(session)):
            session.budget = budget.raised(rules.of_session(session), session.spent, given)
        run.raises += 1
        run.soft_passed = run.time_up = False
    else:
        run.aborted = ErrorInfo(code=Code.BUDGET_EXHAUSTED, message=rules.say(run.language, "error.4010"))


def _fired(run: Run, event: TimerFired) -> None:
    if event.purpose == control.WALL_TIME:
        run.time_up = run.time_up or event.data.get("raises") == run.raises
        run.clock_due = None
        return
    todo = run.todos.get(str(event.data.get("todo_id")))
    if event.purpose != retry.PURPOSE or todo is None or todo.stage is not Stage.RETRYING:
        return
    if event.data.get("attempt") == todo.attempt:
        run.take_off(todo, Stage.READY)
        run.make_ready(todo)
