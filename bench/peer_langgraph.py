"""The peer: the same four layers and N parallel no-op todos on LangGraph with AsyncPostgresSaver, durability sync.

python -m bench.peer_langgraph DATABASE_URL N TOTAL AT_ONCE [POSTGRES_PID]: one JSON object, with the processor time a
run of this process and of that server. One process, as its users run it."""

import asyncio
import json
import os
import sys
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.cost import family_seconds
from bench.load import Load, drive


def _merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    return {**left, **right}


class State(TypedDict, total=False):
    """What the source design calls AgentState."""

    text: str
    count: int
    cognitive: dict[str, Any]
    todos: list[dict[str, Any]]
    todo: dict[str, Any]
    results: Annotated[dict[str, Any], _merge]
    response: dict[str, Any]


async def cognitive(state: State) -> Command[str]:
    return Command(update={"cognitive": {"intent": "noop", "entities": []}}, goto="planning")


async def planning(state: State) -> Command[str]:
    todos = [{"id": f"t{number}", "tool": "noop"} for number in range(state["count"])]
    return Command(update={"todos": todos}, goto="dispatcher")


async def dispatcher(state: State) -> State:
    return {}


def fan_out(state: State) -> list[Send]:
    return [Send("execute_todo", {"todo": todo}) for todo in state["todos"]]


async def execute_todo(state: State) -> State:
    return {"results": {state["todo"]["id"]: {"ok": True}}}


async def collector(state: State) -> Command[str]:
    return Command(goto="response")


async def response(state: State) -> Command[str]:
    return Command(update={"response": {"text": f"Done: {len(state['results'])}"}}, goto=END)


def build() -> Any:
    """The source design's graph."""
    graph: Any = StateGraph(State)
    for node in (cognitive, planning, dispatcher, execute_todo, collector, response):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "cognitive")
    graph.add_conditional_edges("dispatcher", fan_out, ["execute_todo"])
    graph.add_edge("execute_todo", "collector")
    return graph


async def measure(url: str, count: int, total: int, at_once: int, postgres: int = 0) -> tuple[Load, float]:
    """Runs `total` graphs of `count` todos, `at_once` at a time; with the milliseconds of processor a run."""
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=8, max_size=16, kwargs=options, open=False) as pool:
        saver = AsyncPostgresSaver(pool)  # type: ignore[arg-type]  # its row type is a private alias of dict_row's
        await saver.setup()
        graph = build().compile(checkpointer=saver)

        async def run() -> None:
            config = {"configurable": {"thread_id": str(uuid4())}}
            end = await graph.ainvoke({"text": "noop", "count": count, "results": {}}, config, durability="sync")
            if end["response"]["text"] != f"Done: {count}":
                raise RuntimeError(f"the peer answered {end['response']!r}")

        await drive(run, 10, min(at_once, 4))
        pids = (os.getpid(), postgres) if postgres else (os.getpid(),)
        before = sum(map(family_seconds, pids))
        load = await drive(run, total, at_once)
        return load, (sum(map(family_seconds, pids)) - before) * 1000 / total


if __name__ == "__main__":
    load, cpu = asyncio.run(measure(sys.argv[1], *(int(one) for one in sys.argv[2:6])))
    sys.stdout.write(json.dumps({**load.as_json(), "cpu_ms": round(cpu, 2)}) + "\n")
