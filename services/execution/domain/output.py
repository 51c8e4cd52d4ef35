"""What a run's end says: one result per todo, and how good the whole is."""

from collections.abc import Mapping

from contracts.artifacts import FOUND, MADE
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.planning import Plan, TodoItem
from services.execution.domain.run import Run
from services.execution.domain.todo import Skip, Todo


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
