"""What a tool's specification says of every todo that calls it."""

from typing import TypedDict

from contracts.shape import ArtifactType, ToolKey
from contracts.tools import ErrorPolicy, ToolSpec
from services.planning.domain.estimator import seconds_of


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
