"""What a tool's specification says of every todo that calls it. ResourceEstimator: what the plan will cost in time,
money and tokens."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from contracts.planning import Estimate, TodoItem
from contracts.shape import ArtifactType, ToolKey
from contracts.tools import ErrorPolicy, ToolSpec


class TodoFields(TypedDict):
    """Fields of a TodoItem."""

    tool: ToolKey
    executor: str
    produces: tuple[ArtifactType, ...]
    on_error: ErrorPolicy
    retries: int
    timeout_seconds: float
    estimate_seconds: float
    tokens: int
    money: float


def todo_fields(tool: ToolSpec, input_bytes: int = 0) -> TodoFields:
    return TodoFields(
        tool=tool.tool_key,
        executor=tool.executor,
        produces=tool.produces,
        on_error=tool.on_error,
        retries=tool.retries,
        timeout_seconds=tool.timeout_seconds,
        estimate_seconds=seconds_of(tool, input_bytes),
        tokens=tool.cost.tokens,
        money=tool.cost.money,
    )


def estimate(todos: Sequence[TodoItem], tools: Mapping[str, ToolSpec]) -> Estimate:
    """Sums over the todos (in topological order), and the longest chain of dependencies."""
    ends: dict[str, float] = {}
    for todo in todos:
        start = max((ends[dependency] for dependency in todo.depends_on), default=0.0)
        ends[todo.id] = start + todo.estimate_seconds
    costs = [tools[todo.tool].cost for todo in todos if todo.tool in tools]
    return Estimate(
        total_seconds=round(sum(todo.estimate_seconds for todo in todos), 3),
        critical_path_seconds=round(max(ends.values(), default=0.0), 3),
        money=round(sum(cost.money for cost in costs), 6),
        tokens=sum(cost.tokens for cost in costs),
    )


def seconds_of(tool: ToolSpec, input_bytes: int) -> float:
    """The expected wall time of one call, s."""
    return round(tool.cost.seconds + tool.cost.seconds_per_mb * input_bytes / 1_000_000, 3)
