"""Which strategy a plan calls for (source design 004 section 3.2)."""

from collections.abc import Sequence
from itertools import pairwise

from contracts.execution import ExecutionStrategy
from contracts.planning import TodoItem


def determine_strategy(todos: Sequence[TodoItem]) -> ExecutionStrategy:
    """One todo is SINGLE; a chain, where each waits for the one before, is SEQUENTIAL; everything else is PARALLEL."""
    if len(todos) == 1:
        return ExecutionStrategy.SINGLE
    chained = all(earlier.id in later.depends_on for earlier, later in pairwise(todos))
    return ExecutionStrategy.SEQUENTIAL if chained else ExecutionStrategy.PARALLEL
