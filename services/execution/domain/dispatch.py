"""The dispatcher as a process manager: `evolve` folds what happened, `pending` says what is owed.

A todo is dispatched the moment its last dependency has succeeded; there is no barrier between levels."""

from collections.abc import Mapping
from typing import assert_never, get_args

from backbone.runner.handlers import NOTHING, Emit, Outcome, Recorded
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionResult,
    ExecutionStarted,
    ExecutionStatus,
    TodoDispatched,
    TodoFailed,
    TodoSkipped,
    TodoStatus,
    TodoSucceeded,
)
from contracts.gateway import MessageReceived
from contracts.planning import Plan, PlanApproved, PlanningOutput
from contracts.response import RunCancelled, RunCompleted, RunFailed
from contracts.timers import TimerFired
from services.execution.domain import retry
from services.execution.domain.run import Run, Runs, Todo
from services.execution.domain.strategy import determine_strategy

Folded = (
    MessageReceived
    | PlanningOutput
    | PlanApproved
    | ExecutionStarted
    | TodoDispatched
    | TodoSucceeded
    | TodoFailed
    | TodoSkipped
    | TimerFired
    | ExecutionOutput
    | RunCompleted
    | RunFailed
    | RunCancelled
)
FOLDS = frozenset(event.__name__ for event in get_args(Folded))


def initial() -> Runs:
    return {}


def evolve(runs: Runs, recorded: Recorded) -> Runs:
    """Folds one event. Owns `runs` and changes it in place: see DecisionHandler."""
    event, run_id = recorded.event, recorded.run_id
    if not isinstance(event, Folded):
        raise TypeError(f"{type(event).__name__} is not folded here")
    if run_id is None:
        return runs
    if isinstance(event, MessageReceived):
        runs[run_id] = Run(requested_at=recorded.at)
    elif isinstance(event, ExecutionOutput | RunCompleted | RunFailed | RunCancelled):
        runs.pop(run_id, None)  # let go of it: late results are facts that change nothing
    elif run := runs.get(run_id):
        _advance(run, event)
    return runs


def _advance(
    run: Run,
    event: PlanningOutput
    | PlanApproved
    | ExecutionStarted
    | TodoDispatched
    | TodoSucceeded
    | TodoFailed
    | TodoSkipped
    | TimerFired,
) -> None:
    match event:
        case PlanningOutput():
            if not run.approved:
                run.plan, run.language, run.inputs = event.plan, event.language, event.attachments
        case PlanApproved():
            # an approval is of exactly one version of one plan
            plan = run.plan
            if not run.approved and plan and (plan.plan_id, plan.version) == (event.plan_id, event.plan_version):
                run.approve(plan)
        case ExecutionStarted():
            run.started = True
        case TodoDispatched():
            run.ready.pop(event.todo.id, None)
            if todo := run.todos.get(event.todo.id):
                todo.attempt, todo.failing = event.attempt, 0
        case TodoSucceeded() | TodoFailed() | TodoSkipped():
            _end(run, event)
        case TimerFired():
            _retry_due(run, event)
        case _:
            assert_never(event)


def _end(run: Run, event: TodoSucceeded | TodoFailed | TodoSkipped) -> None:
    todo = run.todos.get(event.todo_id)
    if todo is None or todo.status is not None:
        return
    if isinstance(event, TodoSkipped):
        run.to_skip.pop(event.todo_id, None)
        todo.skip_cause = event.cause
        run.end(todo, TodoStatus.SKIPPED)
    elif event.attempt != todo.attempt:
        return  # a late word of an earlier attempt
    elif isinstance(event, TodoSucceeded):
        todo.result, todo.attachments = event.result, event.attachments
        run.end(todo, TodoStatus.SUCCEEDED)
    else:
        todo.error = event.error
        if event.will_retry_at is not None and event.attempt <= todo.item.retries:
            todo.failing = event.attempt
        else:
            run.end(todo, TodoStatus.FAILED)


def _retry_due(run: Run, event: TimerFired) -> None:
    todo = run.todos.get(str(event.data.get("todo_id")))
    if event.purpose != retry.PURPOSE or todo is None or todo.status is not None:
        return
    if todo.failing and event.data.get("attempt") == todo.failing:
        run.ready[todo.item.id] = None


def decide(runs: Runs, recorded: Recorded) -> Outcome:
    """What is owed now to the run of the message: it follows from the state alone."""
    run = runs.get(recorded.run_id) if recorded.run_id else None
    owed = pending(run) if run else ()
    return Outcome(tuple(owed)) if owed else NOTHING


def pending(run: Run) -> list[Emit]:
    """Everything owed to a run. Each of it, once recorded and folded, is owed no more."""
    plan = run.plan
    if not run.approved or plan is None:
        return []
    owed = [] if run.started else [Emit(_started(plan))]
    owed += [Emit(_dispatch(run, plan, run.todos[one]), run.todos[one].item.executor) for one in run.ready]
    skipped = _skips(run)
    owed += [Emit(TodoSkipped(todo_id=one, reason="dependency_failed", cause=cause)) for one, cause in skipped.items()]
    if run.open == len(skipped):
        owed.append(Emit(_output(run, plan, skipped)))
    return owed


def _started(plan: Plan) -> ExecutionStarted:
    return ExecutionStarted(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        strategy=determine_strategy(plan.todos),
        todo_count=len(plan.todos),
    )


def _dispatch(run: Run, plan: Plan, todo: Todo) -> TodoDispatched:
    return TodoDispatched(
        plan_id=plan.plan_id,
        todo=todo.item,
        attempt=todo.attempt + 1,
        inputs=run.inputs_of(todo),
        language=run.language,
        requested_at=run.requested_at,
    )


def _skips(run: Run) -> dict[str, str]:
    """All that can never run -> the first cause, those that only a skipped todo makes impossible included."""
    skips = dict(run.to_skip)
    lost: dict[str, int] = {}
    queue = list(skips)
    for todo_id in queue:  # grows while it is read
        for dependant_id in run.todos[todo_id].dependants:
            dependant = run.todos[dependant_id]
            if todo_id in dependant.item.wants:
                continue  # it may go on without; TodoSkipped is a message to this dispatcher, and then we see
            lost[dependant_id] = lost.get(dependant_id, 0) + 1
            impossible = dependant.possible - lost[dependant_id] < dependant.needs
            if impossible and dependant.status is None and dependant_id not in skips:
                skips[dependant_id] = skips[todo_id]
                queue.append(dependant_id)
    return skips


def _output(run: Run, plan: Plan, skipped: Mapping[str, str]) -> ExecutionOutput:
    return ExecutionOutput(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        status=_status(run),
        results=tuple(_result(run, todo, skipped.get(todo.item.id, todo.skip_cause)) for todo in run.todos.values()),
        error=next((todo.error for todo in run.todos.values() if todo.status is TodoStatus.FAILED), None),
    )


def _result(run: Run, todo: Todo, cause: str) -> ExecutionResult:
    if todo.status in (TodoStatus.SUCCEEDED, TodoStatus.FAILED):
        return todo.as_result(todo.status, todo.error if todo.status is TodoStatus.FAILED else None)
    failure = run.because(cause)
    error = failure and ErrorInfo(code=Code.DEPENDENCY_FAILED, message=failure.message, detail={"cause": cause})
    return todo.as_result(TodoStatus.SKIPPED, error)


def _status(run: Run) -> ExecutionStatus:
    good = [todo for todo in run.todos.values() if todo.status is TodoStatus.SUCCEEDED]
    if len(good) == len(run.todos):
        return ExecutionStatus.SUCCEEDED
    # Something useful is there when a todo that others do not merely build on has succeeded.
    useful = any(not todo.dependants or _is_insight(todo) for todo in good)
    return ExecutionStatus.PARTIAL if useful else ExecutionStatus.FAILED


def _is_insight(todo: Todo) -> bool:
    return any(type_.startswith(("insight.", "document.", "content.", "ops.")) for type_ in todo.item.produces)
