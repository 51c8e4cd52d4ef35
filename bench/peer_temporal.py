"""The peer Temporal: the same four layers and N parallel no-op todos, each an activity, on its development server with
a file as its database.

python -m bench.peer_temporal FOLDER N TOTAL AT_ONCE: one JSON object, with the processor time a run of this process and
of that server. One worker, as its users run it; in the environment of bench/requirements.txt."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import Worker

from bench.cost import family_seconds
from bench.load import drive

QUEUE = "peer"
AT_MOST = timedelta(seconds=60)


@activity.defn
async def cognitive(text: str) -> dict[str, Any]:
    return {"intent": text, "entities": []}


@activity.defn
async def planning(count: int) -> list[dict[str, Any]]:
    return [{"id": f"t{number}", "tool": "noop"} for number in range(count)]


@activity.defn
async def execute_todo(todo: dict[str, Any]) -> dict[str, Any]:
    return {"id": todo["id"], "ok": True}


@activity.defn
async def response(results: list[dict[str, Any]]) -> str:
    return f"Done: {len(results)}"


@workflow.defn(sandboxed=False)
class Agent:
    """The source design's graph."""

    @workflow.run
    async def run(self, count: int) -> str:
        await workflow.execute_activity(cognitive, "noop", start_to_close_timeout=AT_MOST)
        todos = await workflow.execute_activity(planning, count, start_to_close_timeout=AT_MOST)
        each = (workflow.execute_activity(execute_todo, todo, start_to_close_timeout=AT_MOST) for todo in todos)
        results = list(await asyncio.gather(*each))
        return await workflow.execute_activity(response, results, start_to_close_timeout=AT_MOST)


@asynccontextmanager
async def server(folder: Path) -> AsyncIterator[str]:
    """Its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    database = str(folder / "temporal.db")
    command = (
        str(Path(sys.executable).parent / "temporal"), "server", "start-dev", "--headless", "--ip", "127.0.0.1",
        "--port", str(port), "--db-filename", database, "--log-level", "error",
    )  # fmt: skip
    with (folder / "temporal.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            await process.wait()


async def connected(address: str) -> Client:
    for _ in range(300):
        try:
            return await Client.connect(address)
        except RuntimeError:
            await asyncio.sleep(0.1)
    raise RuntimeError("Temporal's development server does not answer")


async def measure(folder: Path, count: int, total: int, at_once: int) -> dict[str, float]:
    """Runs `total` workflows of `count` todos, `at_once` at a time."""
    async with server(folder) as address:
        client = await connected(address)
        activities = [cognitive, planning, execute_todo, response]
        async with Worker(client, task_queue=QUEUE, workflows=[Agent], activities=activities):

            async def run() -> None:
                end = await client.execute_workflow(Agent.run, count, id=str(uuid4()), task_queue=QUEUE)
                if end != f"Done: {count}":
                    raise RuntimeError(f"Temporal answered {end!r}")

            await drive(run, 2, 2)
            before = family_seconds(os.getpid())
            load = await drive(run, total, at_once)
            return {**load.as_json(), "cpu_ms": round((family_seconds(os.getpid()) - before) * 1000 / total, 2)}


if __name__ == "__main__":
    figures = asyncio.run(measure(Path(sys.argv[1]), *(int(one) for one in sys.argv[2:5])))
    sys.stdout.write(json.dumps(figures) + "\n")
