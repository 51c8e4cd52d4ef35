"""The dispatcher as a process manager: `evolve` folds what happened, `pending` says what is owed.

A todo is dispatched the moment its last dependency has succeeded; there is no barrier between levels."""

import random
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from backbone.runner.handlers import Emit, Outcome, Recorded
from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
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
from services.execution.domain.run import Run, Runs, Todo
from services.execution.domain.strategy import determine_strategy

FOLDS = frozenset(
    {
        "MessageReceived", "PlanningOutput", "PlanApproved", "ExecutionStarted", "TodoDispatched", "TodoSucceeded",
        "TodoFailed", "TodoSkipped", "TimerFired", "ExecutionOutput", "RunCompleted", "RunFailed", "RunCancelled",
    }
)  # fmt: skip
RETRY_PURPOSE = "todo_retry"


def initial() -> Runs:
    return {}


def evolve(runs: Runs, recorded: Recorded) -> Runs:
    """Folds one event. Owns `runs` and changes it in place: see DecisionHandler."""
    event, run_id = recorded.event, recorded.run_id
    if run_id is None:
        return runs
    if isinstance(event, MessageReceived):
        runs[run_id] = Run(requested_at=recorded.at)
        return runs
    run = runs.get(run_id)
    if run is None:
        return runs  # the run is over; late results are facts that change nothing
    match event:
        case PlanningOutput():
            run.plan, run.language, run.inputs = event.plan, event.language, event.attachments
        case PlanApproved():
            if not run.approved:
                run.approve()
        case ExecutionStarted():
            run.started = True
        case TodoDispatched():
            _dispatched(run, event)
        case TodoSucceeded() | TodoFailed() | TodoSkipped():
            _ended(run, event)
        case TimerFired():
            _retry_due(run, event)
        case ExecutionOutput() | RunCompleted() | RunFailed() | RunCancelled():
            del runs[run_id]
        case _:
            raise AssertionError(f"{type(event).__name__} is folded but not handled")
    return runs


def _dispatched(run: Run, event: TodoDispatched) -> None:
    todo = run.todos[event.todo.id]
    todo.attempt = event.attempt
    run.ready.pop(todo.item.id, None)
    run.to_retry.pop(todo.item.id, None)
    run.to_schedule.pop(todo.item.id, None)


def _ended(run: Run, event: TodoSucceeded | TodoFailed | TodoSkipped) -> None:
    todo = run.todos.get(event.todo_id)
    if todo is None or todo.status is not None:
        return
    if isinstance(event, TodoSkipped):
        run.to_skip.pop(event.todo_id, None)
        todo.error = _because(run, event.cause)
        run.end(todo, TodoStatus.SKIPPED)
        return
    if event.attempt != todo.attempt:
        return  # a late word of an earlier attempt
    if isinstance(event, TodoSucceeded):
        todo.result, todo.attachments = event.result, event.attachments
        run.end(todo, TodoStatus.SUCCEEDED)
        return
    todo.error = event.error
    if event.error.retryable and todo.attempt <= todo.item.retries:
        run.to_schedule[todo.item.id] = None
    else:
        run.end(todo, TodoStatus.FAILED)


def _because(run: Run, cause: str) -> ErrorInfo | None:
    failed = run.todos.get(cause)
    if failed is None or failed.error is None:
        return None
    return ErrorInfo(code=Code.DEPENDENCY_FAILED, message=failed.error.message, detail={"cause": cause})


def _retry_due(run: Run, event: TimerFired) -> None:
    todo = run.todos.get(str(event.data.get("todo_id")))
    if event.purpose != RETRY_PURPOSE or todo is None or todo.status is not None:
        return
    if event.data.get("attempt") == todo.attempt:
        run.to_schedule.pop(todo.item.id, None)
        run.to_retry[todo.item.id] = None


def decide(runs: Runs, recorded: Recorded) -> Outcome:
    """What is owed now, for the run of the message: ids and times follow from the state and the message alone."""
    run = runs.get(recorded.run_id) if recorded.run_id else None
    if run is None or recorded.run_id is None or not run.approved or run.plan is None:
        return Outcome()
    plan = run.plan
    emits: list[Emit] = []
    if not run.started:
        emits.append(Emit(_started(plan)))
    emits += [Emit(_dispatch(run, plan, run.todos[i]), run.todos[i].item.executor) for i in (*run.ready, *run.to_retry)]
    timers = tuple(_timer(recorded.run_id, run, todo_id, recorded.at) for todo_id in run.to_schedule)
    run.to_schedule.clear()  # a timer leaves no event of its own behind that evolve could see
    skipped = _skips(run)
    emits += [Emit(event) for event in skipped]
    if run.open - len(skipped) == 0:
        emits.append(Emit(_output(run, plan, skipped)))
    return Outcome(tuple(emits), timers)


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


def _timer(run_id: UUID, run: Run, todo_id: str, now: datetime) -> Timer:
    """Backoff 1, 2, 4 … s, at most 60, with jitter that is the same on every replay."""
    attempt = run.todos[todo_id].attempt
    timer_id = uuid5(run_id, f"{RETRY_PURPOSE}:{todo_id}:{attempt}")
    jitter = random.Random(timer_id.int).uniform(0.5, 1.0)  # noqa: S311  # spreads load, hides nothing
    due = now + timedelta(seconds=min(2 ** (attempt - 1), 60) * jitter)
    fired = TimerFired(timer_id=timer_id, purpose=RETRY_PURPOSE, due_at=due, data={"todo_id": todo_id, "attempt": attempt})
    return Timer(timer_id, run_id, due, fired)


def _skips(run: Run) -> list[TodoSkipped]:
    """All that can never run, the dependants of the skipped included."""
    skips, queue, seen = [], list(run.to_skip.items()), set(run.to_skip)
    while queue:
        todo_id, cause = queue.pop(0)
        skips.append(TodoSkipped(todo_id=todo_id, reason="dependency_failed", cause=cause))
        for dependant in run.todos[todo_id].dependants:
            if dependant not in seen and run.todos[dependant].status is None:
                seen.add(dependant)
                queue.append((dependant, cause))
    return skips


def _output(run: Run, plan: Plan, skipped: list[TodoSkipped]) -> ExecutionOutput:
    for event in skipped:
        todo = run.todos[event.todo_id]
        todo.error = _because(run, event.cause)
    results = tuple(
        todo.as_result() if todo.status else todo.as_result().model_copy(update={"status": TodoStatus.SKIPPED})
        for todo in run.todos.values()
    )
    return ExecutionOutput(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        status=_status(run),
        results=results,
        error=next((todo.error for todo in run.todos.values() if todo.status is TodoStatus.FAILED), None),
    )


def _status(run: Run) -> ExecutionStatus:
    good = [todo for todo in run.todos.values() if todo.status is TodoStatus.SUCCEEDED]
    if len(good) == len(run.todos):
        return ExecutionStatus.SUCCEEDED
    # Something useful is there when a todo that others do not merely build on has succeeded.
    useful = any(not todo.dependants or _is_insight(todo) for todo in good)
    return ExecutionStatus.PARTIAL if useful else ExecutionStatus.FAILED


def _is_insight(todo: Todo) -> bool:
    return any(type_.startswith(("insight.", "document.", "content.", "ops.")) for type_ in todo.item.produces)
