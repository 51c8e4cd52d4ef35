"""DependencyCalculator: cycles, unknown dependencies, topological order (source design 004 section 2.2)."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush

from contracts.errors import Code
from contracts.planning import TodoItem


class PlanInvalid(Exception):
    """A plan that may not run. `code` says why, `message` says it to developers, `detail` holds the values.

    `text` is the key of the sentence for the person; `detail` fills its placeholders."""

    def __init__(self, code: Code, message: str, *, why: str = "", **detail: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail
        self.text = f"error.{int(code)}.{why}" if why else f"error.{int(code)}"


def in_order(todos: Sequence[TodoItem]) -> tuple[TodoItem, ...]:
    """The todos with every dependency before its dependants, otherwise in the order given.

    Raises PlanInvalid for no todos, doubled ids, unknown dependencies and cycles."""
    if not todos:
        raise PlanInvalid(Code.PLAN_EMPTY, "a plan needs at least one todo")
    places: dict[str, int] = {}
    for place, todo in enumerate(todos):
        if todo.id in places:
            raise PlanInvalid(Code.PLAN_EDIT_INVALID, f"two todos have the id {todo.id!r}", why="doubled", todo=todo.id)
        places[todo.id] = place
    if not any(todo.depends_on for todo in todos):
        return tuple(todos)
    for todo in todos:
        for dependency in todo.depends_on:
            if dependency not in places:
                raise PlanInvalid(
                    Code.PLAN_DEPENDENCY_UNKNOWN, f"{todo.id!r} depends on {dependency!r}, which is not in the plan",
                    todo=todo.title, missing=dependency,
                )  # fmt: skip
    return _sorted(todos, places)


def _sorted(todos: Sequence[TodoItem], places: Mapping[str, int]) -> tuple[TodoItem, ...]:
    """Of those that may come next, the one that stands first: what is in order already stays as it is."""
    waits_for = [len(set(todo.depends_on)) for todo in todos]
    dependants: list[list[int]] = [[] for _ in todos]
    for place, todo in enumerate(todos):
        for dependency in set(todo.depends_on):
            dependants[places[dependency]].append(place)
    free = [place for place, count in enumerate(waits_for) if not count]
    heapify(free)
    order: list[TodoItem] = []
    while free:
        place = heappop(free)
        order.append(todos[place])
        for dependant in dependants[place]:
            waits_for[dependant] -= 1
            if not waits_for[dependant]:
                heappush(free, dependant)
    if len(order) < len(todos):
        raise _circle(todos)
    return tuple(order)


def _circle(todos: Sequence[TodoItem]) -> PlanInvalid:
    titles = {todo.id: todo.title for todo in todos}
    try:
        TopologicalSorter({todo.id: todo.depends_on for todo in todos}).prepare()
    except CycleError as error:
        ids: list[str] = error.args[1]
        return PlanInvalid(
            Code.PLAN_CYCLE, f"the todos wait for each other: {' -> '.join(ids)}",
            circle=" → ".join(titles[one] for one in ids), todos=" ".join(ids),
        )  # fmt: skip
    raise AssertionError("the todos have no order, and no circle either")
