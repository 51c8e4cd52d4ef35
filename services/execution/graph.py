"""The graphs of this service in LangGraph, and the only module that knows it: the worker job of source design 000, and
the agent loop of 003, whose state is the ledger (agent -> tools -> agent … until no tool call).

The job: pick_todo -> solve | select_tool -> acquire -> confirm -> execute -> save; a busy tool goes through `locked`.
The questions of `confirm` and `locked` are interrupts, one per node, resumed by their id. What a question hangs on is
in the ledger: the checkpoint only saves going through the nodes again, and a lost one is begun anew (ADR 0007)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt


class Gate(StrEnum):
    """Where a job may have to wait for a person."""

    TOOL = "tool"
    LOCK = "lock"


class Job(Protocol):
    """One attempt of one todo; what its nodes do. Each raises when the job cannot go on."""

    @property
    def thread_id(self) -> str:
        """Names the checkpoint: the same for every attempt of the todo."""

    @property
    def needs_tool(self) -> bool:
        """Otherwise a model solves it."""

    @property
    def asks_when_busy(self) -> bool: ...
    @property
    def answered(self) -> str:
        """Id of the interrupt that a person has answered since; empty without one."""

    @property
    def holds_tool(self) -> bool:
        """It has what it needs: a lease, or no need of one."""

    def check_arguments(self) -> None: ...
    async def solve(self) -> None: ...
    async def acquire(self, *, enqueue: bool) -> bool:
        """Whether the tool is free for it; with `enqueue` it stands in line otherwise."""

    async def let_go(self) -> None:
        """Gives the tool back: nobody should wait for it while a person thinks."""

    def is_approved(self) -> bool:
        """Whether it needs no approval, or the ledger has one of exactly these arguments."""

    async def execute(self) -> None: ...
    def save(self) -> None:
        """Checks the result; it is recorded together with the release of the tool."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the nodes are given besides the state; never in a checkpoint."""

    job: Job


class JobState(TypedDict, total=False):
    """What is kept while a person thinks."""

    in_line: bool
    free: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """The job waits for a person at a gate; `interrupt_id` is what the answer resumes."""

    gate: Gate
    interrupt_id: str


class JobGraph:
    """Compiled twice: with checkpoints for todos that may ask, without for the rest."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._plain = _build().compile()
        self._asking = _build().compile(checkpointer=saver)

    async def run(self, job: Job) -> Asked | None:
        """Runs a job that never asks."""
        await self._plain.ainvoke({}, context=Context(job))
        return None

    async def run_or_ask(self, job: Job) -> Asked | None:
        """Runs a job to its end, or to a question. Raises whatever a node raised."""
        config: Any = {"configurable": {"thread_id": job.thread_id}}
        given: Any = {}
        if job.answered:
            kept = await self._asking.aget_state(config)
            if any(one.id == job.answered for one in kept.interrupts):
                given = Command(resume={job.answered: True})
        try:
            # one checkpoint at the end, not one per node: it is read only when a person has answered
            state = await self._asking.ainvoke(given, config, context=Context(job), durability="exit")
        except BaseException:
            await self._saver.adelete_thread(job.thread_id)
            raise
        for one in state.get("__interrupt__", ()):
            return Asked(Gate(one.value), one.id)
        await self._saver.adelete_thread(job.thread_id)
        return None


def _build() -> Any:
    graph: Any = StateGraph(JobState, context_schema=Context)
    for node in (_pick_todo, _solve, _select_tool, _acquire, _locked, _confirm, _execute, _save):
        graph.add_node(node.__name__.removeprefix("_"), node)
    graph.add_edge(START, "pick_todo")
    graph.add_conditional_edges("pick_todo", _need_tool, ["select_tool", "solve"])
    graph.add_edge("solve", "save")
    graph.add_edge("select_tool", "acquire")
    graph.add_conditional_edges("acquire", _available, ["confirm", "locked", END])
    graph.add_edge("locked", "acquire")
    graph.add_conditional_edges("confirm", _held, ["execute", "acquire"])
    graph.add_edge("execute", "save")
    graph.add_edge("save", END)
    return graph


async def _pick_todo(state: JobState, runtime: Runtime[Context]) -> JobState:
    runtime.context.job.check_arguments()
    return {"in_line": not runtime.context.job.asks_when_busy, "free": False}


def _need_tool(state: JobState, runtime: Runtime[Context]) -> str:
    return "select_tool" if runtime.context.job.needs_tool else "solve"


async def _solve(state: JobState, runtime: Runtime[Context]) -> JobState:
    await runtime.context.job.solve()
    return {}


async def _select_tool(state: JobState, runtime: Runtime[Context]) -> JobState:
    # the plan names the tool, and the person approved it: there is nothing left to choose
    return {}


async def _acquire(state: JobState, runtime: Runtime[Context]) -> JobState:
    return {"free": await runtime.context.job.acquire(enqueue=state.get("in_line", False))}


def _available(state: JobState) -> str:
    if state.get("free"):
        return "confirm"
    return END if state.get("in_line") else "locked"


async def _locked(state: JobState, runtime: Runtime[Context]) -> JobState:
    interrupt(Gate.LOCK.value)
    return {"in_line": True}


async def _confirm(state: JobState, runtime: Runtime[Context]) -> JobState:
    if not runtime.context.job.is_approved():
        await runtime.context.job.let_go()
        interrupt(Gate.TOOL.value)
    return {}


def _held(state: JobState, runtime: Runtime[Context]) -> str:
    return "execute" if runtime.context.job.holds_tool else "acquire"


async def _execute(state: JobState, runtime: Runtime[Context]) -> JobState:
    await runtime.context.job.execute()
    return {}


async def _save(state: JobState, runtime: Runtime[Context]) -> JobState:
    runtime.context.job.save()
    return {}


class Loop(Protocol):
    """An agent loop: what its nodes do. It keeps its state itself, in the ledger."""

    @property
    def most_steps(self) -> int: ...
    @property
    def wants_tools(self) -> bool:
        """The model's last word holds calls that have no answer, and the loop may go on."""

    @property
    def is_parked(self) -> bool:
        """A call waits for a person."""

    async def think(self) -> None:
        """The model's next step, unless it is recorded already."""

    async def use_tools(self) -> None:
        """Makes the calls that are owed."""


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

    async def run(self, loop: Loop) -> None:
        """Until the model wants no tool call, a limit is reached, or a person is asked."""
        config: Any = {"recursion_limit": 2 * loop.most_steps + 10}
        await self._graph.ainvoke({"turn": 0}, config, context=LoopContext(loop))


class LoopState(TypedDict):
    """Counts only: messages and progress log are folded from the ledger."""

    turn: int


@dataclass(frozen=True, slots=True)
class LoopContext:
    """What the nodes are given besides the state."""

    loop: Loop


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
