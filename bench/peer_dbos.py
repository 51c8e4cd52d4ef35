"""The peer DBOS: the same four layers and N parallel no-op todos, each a step, on a Postgres database of its own.

python -m bench.peer_dbos DATABASE_URL N TOTAL AT_ONCE [POSTGRES_PID]: one JSON object, with the processor time a run of
this process and of that server. One process, as its users run it; in the environment of bench/requirements.txt."""

import asyncio
import json
import logging
import os
import sys
from typing import Any

from dbos import DBOS, DBOSConfig

from bench.cost import family_seconds
from bench.load import drive


@DBOS.step()
async def cognitive(text: str) -> dict[str, Any]:
    return {"intent": text, "entities": []}


@DBOS.step()
async def planning(count: int) -> list[dict[str, Any]]:
    return [{"id": f"t{number}", "tool": "noop"} for number in range(count)]


@DBOS.step()
async def execute_todo(todo: dict[str, Any]) -> dict[str, Any]:
    return {"id": todo["id"], "ok": True}


@DBOS.step()
async def response(results: list[dict[str, Any]]) -> str:
    return f"Done: {len(results)}"


@DBOS.workflow()
async def agent(text: str, count: int) -> str:
    await cognitive(text)
    todos = await planning(count)
    return await response(list(await asyncio.gather(*(execute_todo(todo) for todo in todos))))


async def measure(count: int, total: int, at_once: int, postgres: int) -> dict[str, float]:
    """Runs `total` workflows of `count` todos, `at_once` at a time."""

    async def run() -> None:
        handle = await DBOS.start_workflow_async(agent, "noop", count)
        end = await handle.get_result(polling_interval_sec=0.001)
        if end != f"Done: {count}":
            raise RuntimeError(f"DBOS answered {end!r}")

    await drive(run, 10, min(at_once, 4))
    pids = (os.getpid(), postgres) if postgres else (os.getpid(),)
    before = sum(map(family_seconds, pids))
    load = await drive(run, total, at_once)
    return {**load.as_json(), "cpu_ms": round((sum(map(family_seconds, pids)) - before) * 1000 / total, 2)}


def main(url: str, count: int, total: int, at_once: int, postgres: int = 0) -> None:
    config: DBOSConfig = {"name": "peer", "system_database_url": url, "run_admin_server": False, "log_level": "WARNING"}
    logging.disable(logging.INFO)
    DBOS(config=config)
    DBOS.launch()
    try:
        sys.stdout.write(json.dumps(asyncio.run(measure(count, total, at_once, postgres))) + "\n")
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    main(sys.argv[1], *(int(one) for one in sys.argv[2:6]))
