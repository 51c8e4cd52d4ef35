"""Which strategy a plan calls for (source design 004 section 3.2)."""

from collections.abc import Sequence
from itertools import pairwise

from contracts.execution import ExecutionStrategy
from contracts.planning import TodoItem, TodoRole


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
