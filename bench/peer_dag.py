"""The peer: a DAG of uneven todos as a LangGraph graph, one node per todo, run in supersteps with AsyncPostgresSaver.

python -m bench.peer_dag DATABASE_URL ROUNDS, the todos as JSON on standard input: [{"id", "seconds", "depends_on"}]."""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool


class State(TypedDict, total=False):
    """What came of each todo."""

    done: Annotated[list[str], lambda left, right: left + right]


def build(todos: list[dict[str, Any]]) -> Any:
    """An edge per dependency; a todo with several of them waits for all."""
    graph: Any = StateGraph(State)
    waited_for = {one for todo in todos for one in todo["depends_on"]}
    for todo in todos:
        graph.add_node(todo["id"], _node(todo["id"], todo["seconds"]))
        before = todo["depends_on"] or [START]
        graph.add_edge(before if len(before) > 1 else before[0], todo["id"])
        if todo["id"] not in waited_for:
            graph.add_edge(todo["id"], END)
    return graph


def _node(name: str, seconds: float) -> Callable[[State], Any]:
    async def run(state: State) -> State:
        await asyncio.sleep(seconds)
        return {"done": [name]}

    return run


async def measure(url: str, rounds: int, todos: list[dict[str, Any]]) -> list[float]:
    """Wall time of each run, s."""
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=2, max_size=8, kwargs=options, open=False) as pool:
        saver = AsyncPostgresSaver(pool)  # type: ignore[arg-type]  # its row type is a private alias of dict_row's
        await saver.setup()
        graph = build(todos).compile(checkpointer=saver)
        seconds = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            end = await graph.ainvoke({"done": []}, {"configurable": {"thread_id": str(uuid4())}}, durability="sync")
            seconds.append(time.perf_counter() - start)
            if len(end["done"]) != len(todos):
                raise RuntimeError(f"the peer ran {end['done']!r}")
        return seconds[1:]  # the first one warms up


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(measure(sys.argv[1], int(sys.argv[2]), json.load(sys.stdin)))) + "\n")
