"""The dispatcher as a process manager: fold.py folds what happened, `pending` says what is owed.

A todo is dispatched the moment its last dependency has succeeded; there is no barrier between levels.

What a run's end says: one result per todo, and how good the whole is.

Which strategy a plan calls for (source design 004 section 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from backbone.runner.handlers import NOTHING, Emit, Outcome, Recorded
from contracts.artifacts import FOUND, MADE
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionResult,
    ExecutionStarted,
    ExecutionStatus,
    ExecutionStrategy,
    TodoDispatched,
    TodoFailed,
    TodoSkipped,
    TodoStatus,
)
from contracts.gateway import RunControlRequested
from contracts.planning import Plan, TodoItem, TodoRole
from contracts.shape import Event
from services.execution.domain import control, retry
from services.execution.domain.budget import BudgetVerdict, Spent, is_limited, verdict
from services.execution.domain.fold import evolve
from services.execution.domain.question import DecisionRequests, deadline
from services.execution.domain.rules import Rules
from services.execution.domain.run import Run, Session
from services.execution.domain.todo import Skip, Stage, Todo

AT_ONCE = 0.02
"""Seconds. Todos that take no longer go to one executor process together, the others each to one that is free."""


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """The decision handler's three functions, under the operator's rules."""

    rules: Rules

    def evolve(self, session: Session, recorded: Recorded) -> Session:
        return evolve(session, recorded, self.rules)

    def decide(self, session: Session, recorded: Recorded) -> Outcome:
        """What is owed now, to the run of the message and to others that wait for a slot: it follows from the state
        alone, but for timers, which are set and cancelled with the message that moves them."""
        run_id = recorded.run_id
        run = session.runs.get(run_id) if run_id else None
        free = self.rules.window(session) - session.in_flight
        context = DispatchContext(self.rules, recorded.at, session, replace(session.spent), free)
        owed: list[tuple[UUID, Emit]] = []
        # the fewest in flight first, and who has just had a slot last: a wide or long plan must not make the next one
        # wait behind all of it
        for one, other in sorted(session.runs.items(), key=lambda each: (each[1].in_flight, each[0] == run_id)):
            if other is run or other.ready:
                owed += [(one, emit) for emit in pending(one, other, context)]
        moved = [_moved(run_id, run, recorded)] if run and run_id else []
        moved += [_timers(session.runs[one], one, emit.event) for one, emit in owed]
        over = {one for one, emit in owed if isinstance(emit.event, ExecutionOutput)}
        return Outcome(
            tuple(emit if one == run_id else emit._replace(run_id=one) for one, emit in owed),
            tuple(timer for outcome in moved for timer in outcome.timers if timer.run_id not in over),
            tuple(timer_id for outcome in moved for timer_id in outcome.cancel_timers),
        )


@dataclass(slots=True)
class DispatchContext:
    """What a decision is made with: the rules, the time, the session, what it will have used up and how many more of
    its todos may be in flight."""

    rules: Rules
    now: datetime
    session: Session
    spent: Spent
    free: int

    def requests(self, run_id: UUID, run: Run) -> DecisionRequests:
        return DecisionRequests(run_id, run.language, self.rules.say, self.now + self.rules.patience)


def _moved(run_id: UUID, run: Run, recorded: Recorded) -> Outcome:
    """Timers that the message itself moves. None is left while the run is paused."""
    event, paused = recorded.event, bool(run.pause)
    if isinstance(event, RunControlRequested):
        held = () if paused or run.cancelled else control.timers(run_id, run)
        # those that were set in the pause are there, with a time that has passed meanwhile
        return Outcome(timers=held, cancel_timers=control.timer_ids(run_id, run))
    if isinstance(event, DecisionAnswered) and event.kind is DecisionKind.BUDGET and run.raises:
        clock = () if paused else control.clock(run_id, run)
        return Outcome(timers=clock, cancel_timers=(control.clock_id(run_id, run.raises - 1),))
    if isinstance(event, TodoFailed) and event.will_retry_at is not None and paused:
        return Outcome(cancel_timers=(retry.timer_id(run_id, event.todo_id, event.attempt),))
    if isinstance(event, DecisionRequested) and paused:
        return Outcome(cancel_timers=(event.decision_id,))
    return NOTHING


def _timers(run: Run, run_id: UUID, event: Event) -> Outcome:
    """Timers that begin or end with what is decided."""
    if isinstance(event, DecisionRequested):
        return Outcome(timers=(deadline(run_id, event),))
    if isinstance(event, ExecutionStarted) and not run.pause:
        return Outcome(timers=control.clock(run_id, run))
    if isinstance(event, ExecutionOutput):
        return Outcome(cancel_timers=control.timer_ids(run_id, run))
    return NOTHING


def pending(run_id: UUID, run: Run, context: DispatchContext) -> list[Emit]:
    """Everything owed to a run. Each of it, once recorded and folded, is owed no more. Nothing here takes longer in a
    longer plan, but for the output at its end."""
    plan = run.plan
    if plan is None:
        return []
    owed = [] if run.started else [Emit(_started(plan))]
    if run.cancelled:
        return [*owed, Emit(cancelled(run, plan))]
    if run.aborted is not None:
        return [*owed, *_stops(run, run.aborted), Emit(aborted(run, plan, run.aborted))]
    if run.pause:
        return owed
    requests = context.requests(run_id, run)
    owed += [Emit(_after_error(requests, run.todos[one])) for one in run.to_ask]
    owed += _dispatches(run, plan, context, requests)
    skips = _skips(run)
    owed += [Emit(TodoSkipped(todo_id=one, reason=why.reason, cause=why.cause)) for one, why in skips.items()]
    if run.open == len(skips):
        owed.append(Emit(finished(run, plan, skips)))
    return owed


def _stops(run: Run, error: ErrorInfo) -> list[Emit]:
    """Executors hear of a skip at once, of the run's end only when they look."""
    todos = run.todos.values()
    cause = next((todo.item.id for todo in todos if todo.status is TodoStatus.FAILED and todo.error == error), "")
    flying = [todo.item.id for todo in todos if todo.stage is Stage.IN_FLIGHT]
    return [Emit(TodoSkipped(todo_id=one, reason="cancelled", cause=cause)) for one in flying]


def _after_error(requests: DecisionRequests, todo: Todo) -> DecisionRequested:
    reason = todo.error.message if todo.error else ""
    return requests.after_error(todo.item, todo.attempt, reason, retry.mends(todo.error))


def _started(plan: Plan) -> ExecutionStarted:
    return ExecutionStarted(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        strategy=determine_strategy(plan.todos),
        todo_count=len(plan.todos),
    )


def _dispatches(run: Run, plan: Plan, context: DispatchContext, requests: DecisionRequests) -> list[Emit]:
    """Ready todos in order, as long as there is room: in flight, and in the budgets."""
    owed: list[Emit] = []
    if not run.ready:
        return owed
    limits, of_all, spent = context.rules.of_run(run), context.rules.of_session(context.session), replace(run.spent)
    limited = is_limited(limits) or is_limited(of_all)
    tightest = BudgetVerdict.FULL if run.time_up and run.ready else BudgetVerdict.FREE
    for _, todo_id in run.ready:
        if context.free <= 0 or tightest is BudgetVerdict.FULL:
            break
        item = run.todos[todo_id].item
        space = (
            max(verdict(limits, spent, item), verdict(of_all, context.spent, item)) if limited else BudgetVerdict.FREE
        )
        tightest = max(tightest, space)
        if space is not BudgetVerdict.FULL:
            spent.reserve(item)
            context.spent.reserve(item)
            context.free -= 1
            dispatch = _dispatch(context.session, run, plan, run.todos[todo_id])
            owed.append(Emit(dispatch, item.executor, apart=item.estimate_seconds > AT_ONCE))
    if tightest is BudgetVerdict.FREE or (tightest is BudgetVerdict.SOFT and run.soft_passed):
        return owed
    if not any(question.kind is DecisionKind.BUDGET for question in run.questions.values()):
        budget, used = (limits, run.spent) if is_limited(limits) else (of_all, context.session.spent)
        owed.append(
            Emit(requests.about_budget(run.budget_questions, budget, used, hard=tightest is BudgetVerdict.FULL))
        )
    return owed


def _dispatch(session: Session, run: Run, plan: Plan, todo: Todo) -> TodoDispatched:
    return TodoDispatched(
        plan_id=plan.plan_id,
        todo=todo.item,
        attempt=todo.attempt + 1,
        inputs=run.inputs_of(todo),
        upstream=run.upstream_of(todo),
        language=run.language,
        user=session.user,
        timezone=session.timezone,
        requested_at=run.requested_at,
        failures=todo.failures,
        round=todo.round,
        waits_for_tool=todo.waits_for_tool,
    )


def _skips(run: Run) -> dict[str, Skip]:
    """All that can never run -> why, those that only a skipped todo makes impossible included."""
    skips = {one: why for one, why in run.to_skip.items() if run.todos[one].status is None}
    lost: dict[str, int] = {}
    queue = list(skips)
    for todo_id in queue:  # grows while it is read
        for dependant_id in run.todos[todo_id].dependants:
            dependant = run.todos[dependant_id]
            if dependant.merely_wants(todo_id) or dependant.stage is not Stage.BLOCKED:
                continue  # it may go on without; TodoSkipped is a message to this dispatcher, and then we see
            lost[dependant_id] = lost.get(dependant_id, 0) + 1
            if dependant.possible - lost[dependant_id] < dependant.needs and dependant_id not in skips:
                skips[dependant_id] = Skip("dependency_failed", skips[todo_id].cause or todo_id)
                queue.append(dependant_id)
    return skips


def cancelled(run: Run, plan: Plan) -> ExecutionOutput:
    return _output(run, plan, {}, ExecutionStatus.CANCELLED, None)


def aborted(run: Run, plan: Plan, error: ErrorInfo) -> ExecutionOutput:
    """Stopped for this reason. A budget that is used up does not take away what was made within it."""
    useful = error.code == Code.BUDGET_EXHAUSTED and _useful(run)
    return _output(run, plan, {}, ExecutionStatus.PARTIAL if useful else ExecutionStatus.FAILED, error)


def finished(run: Run, plan: Plan, skips: Mapping[str, Skip]) -> ExecutionOutput:
    """Every todo has come to an end, `skips` with this very decision."""
    if all(_as_wished(todo, skips) for todo in run.todos.values()):
        return _output(run, plan, skips, ExecutionStatus.SUCCEEDED, None)
    status = ExecutionStatus.PARTIAL if _useful(run) else ExecutionStatus.FAILED
    return _output(run, plan, skips, status, _first_error(run))


def _output(
    run: Run, plan: Plan, skips: Mapping[str, Skip], status: ExecutionStatus, error: ErrorInfo | None
) -> ExecutionOutput:
    return ExecutionOutput(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        status=status,
        results=tuple(_result(run, todo, skips) for todo in run.todos.values()),
        error=error,
    )


def _result(run: Run, todo: Todo, skips: Mapping[str, Skip]) -> ExecutionResult:
    if todo.status is TodoStatus.SUCCEEDED or todo.status is TodoStatus.FAILED:
        return todo.as_result(todo.status, todo.error)
    if todo.status is None and todo.item.id not in skips:
        return todo.as_result(TodoStatus.CANCELLED, todo.error)
    why = skips.get(todo.item.id) or Skip(todo.skip_reason, todo.skip_cause)
    if why.reason == "policy" and why.cause:
        return todo.as_result(TodoStatus.SKIPPED, None)  # another was first and good: nothing is wrong with it
    failure = run.because(why.cause)
    error = failure and ErrorInfo(code=Code.DEPENDENCY_FAILED, message=failure.message, detail={"cause": why.cause})
    return todo.as_result(TodoStatus.SKIPPED, todo.error or error)


def _first_error(run: Run) -> ErrorInfo | None:
    """What failed comes before what is not good enough, or was left out."""
    found = sorted((todo for todo in run.todos.values() if todo.error), key=lambda todo: _RANKS.index(todo.status))
    return found[0].error if found else None


_RANKS = (TodoStatus.FAILED, TodoStatus.SUCCEEDED, TodoStatus.SKIPPED, TodoStatus.CANCELLED, None)


def _as_wished(todo: Todo, skips: Mapping[str, Skip]) -> bool:
    """It succeeded, well enough; or another was first and good."""
    if todo.status is TodoStatus.SUCCEEDED:
        return todo.error is None
    why = skips.get(todo.item.id) or Skip(todo.skip_reason, todo.skip_cause)
    return why.reason == "policy" and bool(why.cause)


def _useful(run: Run) -> bool:
    """Something useful is there when a todo that others do not merely build on has succeeded."""
    good = [todo for todo in run.todos.values() if todo.status is TodoStatus.SUCCEEDED]
    return any(not todo.dependants or _is_for_people(todo.item) for todo in good)


def _is_for_people(item: TodoItem) -> bool:
    return any(type_.startswith((*FOUND, *MADE)) for type_ in item.produces)


def determine_strategy(todos: Sequence[TodoItem]) -> ExecutionStrategy:
    """SWARM when a todo brings together what several workers found, CYCLIC when a result is tested and may send the
    work back; one todo is SINGLE; a chain, where each waits for the one before, is SEQUENTIAL; the rest is PARALLEL."""
    if any(todo.role is TodoRole.SYNTHESIS for todo in todos):
        return ExecutionStrategy.SWARM
    if any(todo.until is not None for todo in todos):
        return ExecutionStrategy.CYCLIC
    if len(todos) == 1:
        return ExecutionStrategy.SINGLE
    chained = all(earlier.id in later.depends_on for earlier, later in pairwise(todos))
    return ExecutionStrategy.SEQUENTIAL if chained else ExecutionStrategy.PARALLEL
