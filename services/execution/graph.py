"""The graphs of this service in LangGraph, and the only module that knows it: the worker job of source design 000, and
the agent loop of 003, whose state is the ledger (agent -> tools -> agent … until no tool call).

The job: check -> acquire -> confirm -> call -> save; a busy tool that is to be asked about goes to `locked`. The
questions of `confirm` and `locked` are interrupts, and each ends the attempt: the answer is in the ledger, and the next
attempt begins at `check` with it. So nothing is kept between two attempts (ADR 0050)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

if TYPE_CHECKING:
    from services.execution.agent.loop import AgentLoop
    from services.execution.execute.job import ToolJob


class Gate(StrEnum):
    """Where a job may have to wait for a person."""

    TOOL = "tool"
    LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Context:
    """What the nodes are given besides the state."""

    job: "ToolJob"


class JobState(TypedDict, total=False):
    """What an edge is chosen by."""

    free: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """The job ends here, and waits for a person at a gate. `interrupt_id` names the interrupt."""

    gate: Gate
    interrupt_id: str


class JobGraph:
    """Compiled once. `interrupt()` wants a saver: it is empty again when a job ends."""

    def __init__(self) -> None:
        self._saver = InMemorySaver()
        graph: Any = StateGraph(JobState, context_schema=Context)
        for node in (_check, _acquire, _locked, _confirm, _call, _save):
            graph.add_node(node.__name__.removeprefix("_"), node)
        graph.add_edge(START, "check")
        graph.add_edge("check", "acquire")
        graph.add_conditional_edges("acquire", _available, ["confirm", "locked", END])
        graph.add_edge("locked", END)
        graph.add_edge("confirm", "call")
        graph.add_edge("call", "save")
        graph.add_edge("save", END)
        self._graph = graph.compile(checkpointer=self._saver)

    async def run(self, job: "ToolJob") -> Asked | None:
        """Runs a job to its end, to a place in line, or to a question. Raises whatever a node raised."""
        if not job.may_stop:  # the same functions: a graph would cost more than most of what runs here
            await job.check()
            await job.call()
            job.save()
            return None
        thread = str(uuid4())
        config: Any = {"configurable": {"thread_id": thread}}
        try:
            state = await self._graph.ainvoke({}, config, context=Context(job), durability="exit")
        finally:
            await self._saver.adelete_thread(thread)
        for one in state.get("__interrupt__", ()):
            return Asked(Gate(one.value), one.id)
        return None


async def _check(state: JobState, runtime: Runtime[Context]) -> JobState:
    await runtime.context.job.check()
    return {}


async def _acquire(state: JobState, runtime: Runtime[Context]) -> JobState:
    job = runtime.context.job
    return {"free": await job.acquire(enqueue=not job.asks_when_busy)}


def _available(state: JobState, runtime: Runtime[Context]) -> str:
    if state.get("free"):
        return "confirm"
    return "locked" if runtime.context.job.asks_when_busy else END


async def _locked(state: JobState, runtime: Runtime[Context]) -> JobState:
    interrupt(Gate.LOCK.value)
    return {}


async def _confirm(state: JobState, runtime: Runtime[Context]) -> JobState:
    if not runtime.context.job.is_approved():
        await runtime.context.job.let_go()
        interrupt(Gate.TOOL.value)
    return {}


async def _call(state: JobState, runtime: Runtime[Context]) -> JobState:
    await runtime.context.job.call()
    return {}


async def _save(state: JobState, runtime: Runtime[Context]) -> JobState:
    runtime.context.job.save()
    return {}


class LoopGraph:
    """The chart of source design 003, compiled once."""

    def __init__(self) -> None:
        graph: Any = StateGraph(LoopState, context_schema=LoopContext)
        graph.add_node("agent", _agent)
        graph.add_node("tools", _tools)
        graph.add_edge(START, "agent")
        graph.add_conditional_edges("agent", _should_continue, ["tools", END])
        graph.add_conditional_edges("tools", _may_go_on, ["agent", END])
        self._graph = graph.compile()

    async def run(self, loop: "AgentLoop") -> None:
        """Until the model wants no tool call, a limit is reached, or a person is asked."""
        config: Any = {"recursion_limit": 2 * loop.most_steps + 10}
        await self._graph.ainvoke({"turn": 0}, config, context=LoopContext(loop))


class LoopState(TypedDict):
    """Counts only: messages and progress log are folded from the ledger."""

    turn: int


@dataclass(frozen=True, slots=True)
class LoopContext:
    """What the nodes are given besides the state."""

    loop: "AgentLoop"


async def _agent(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    await runtime.context.loop.think()
    return {"turn": state["turn"] + 1}


def _should_continue(state: LoopState, runtime: Runtime[LoopContext]) -> str:
    return "tools" if runtime.context.loop.wants_tools else END


async def _tools(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    await runtime.context.loop.use_tools()
    return state


def _may_go_on(state: LoopState, runtime: Runtime[LoopContext]) -> str:
    return END if runtime.context.loop.is_parked else "agent"
