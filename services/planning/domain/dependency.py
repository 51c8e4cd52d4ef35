"""DependencyCalculator: cycles, unknown dependencies, topological order (source design 004 section 2.2)."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from contracts.errors import Code
from contracts.planning import TodoItem


class PlanInvalid(Exception):
    """A plan that may not run; `code` says why, `detail` holds the ids."""

    def __init__(self, code: Code, message: str, **detail: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail


def in_order(todos: Sequence[TodoItem]) -> tuple[TodoItem, ...]:
    """The todos with every dependency before its dependants, otherwise in the order given.

    Raises PlanInvalid for no todos, doubled ids, unknown dependencies and cycles."""
    if not todos:
        raise PlanInvalid(Code.PLAN_EMPTY, "a plan needs at least one todo")
    by_id = {todo.id: todo for todo in todos}
    if len(by_id) != len(todos):
        doubled = next(todo.id for number, todo in enumerate(todos) if todo.id in {t.id for t in todos[:number]})
        raise PlanInvalid(Code.PLAN_EDIT_INVALID, f"two todos have the id {doubled!r}", todo=doubled)
    for todo in todos:
        for dependency in todo.depends_on:
            if dependency not in by_id:
                raise PlanInvalid(
                    Code.PLAN_DEPENDENCY_UNKNOWN, f"{todo.id!r} depends on {dependency!r}, which is not in the plan",
                    todo=todo.id, missing=dependency,
                )  # fmt: skip
    if not any(todo.depends_on for todo in todos):
        return tuple(todos)
    try:
        order = tuple(TopologicalSorter({todo.id: todo.depends_on for todo in todos}).static_order())
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise PlanInvalid(Code.PLAN_CYCLE, f"the todos wait for each other: {circle}", circle=circle) from None
    return tuple(by_id[todo_id] for todo_id in order)
