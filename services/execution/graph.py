"""The inner graph of a todo that runs in a tool process, in LangGraph: check the arguments, execute, check the result.

The only module of this service that knows LangGraph, compiled once. A todo on the event loop needs none: ADR 0006."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypedDict
from uuid import UUID

from langgraph.graph import END, START, StateGraph

from contracts.artifacts import Attachment
from contracts.execution import TodoDispatched
from contracts.shape import JsonObject
from contracts.tools import ToolSpec

Progress = Callable[[float, str], Awaitable[None]]


class Made(Protocol):
    """What executing a todo makes."""

    @property
    def result(self) -> JsonObject: ...
    @property
    def attachments(self) -> tuple[Attachment, ...]: ...


class TodoState(TypedDict, total=False):
    """What the nodes hand on."""

    run_id: UUID
    spec: ToolSpec
    dispatched: TodoDispatched
    progress: Progress
    made: Any


class TodoSteps(Protocol):
    """What the nodes do; each raises when the todo cannot go on."""

    def check_arguments(self, spec: ToolSpec, dispatched: TodoDispatched) -> None: ...
    async def execute(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, progress: Progress) -> Made: ...
    def check_result(self, spec: ToolSpec, made: Any) -> None: ...


class TodoGraph:
    """check_arguments -> execute -> check_result."""

    def __init__(self, steps: TodoSteps) -> None:
        self._steps = steps
        graph: Any = StateGraph(TodoState)
        graph.add_node("check_arguments", self._check_arguments)
        graph.add_node("execute", self._execute)
        graph.add_node("check_result", self._check_result)
        graph.add_edge(START, "check_arguments")
        graph.add_edge("check_arguments", "execute")
        graph.add_edge("execute", "check_result")
        graph.add_edge("check_result", END)
        self._compiled = graph.compile()

    async def run(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, progress: Progress) -> Any:
        """What the todo made. Raises whatever a step raised."""
        given = {"run_id": run_id, "spec": spec, "dispatched": dispatched, "progress": progress}
        return (await self._compiled.ainvoke(given))["made"]

    async def _check_arguments(self, state: TodoState) -> TodoState:
        self._steps.check_arguments(state["spec"], state["dispatched"])
        return {}

    async def _execute(self, state: TodoState) -> TodoState:
        made = await self._steps.execute(state["run_id"], state["spec"], state["dispatched"], state["progress"])
        return {"made": made}

    async def _check_result(self, state: TodoState) -> TodoState:
        self._steps.check_result(state["spec"], state["made"])
        return {}
