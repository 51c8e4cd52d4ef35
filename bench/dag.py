"""Scheduling: the makespan of an uneven DAG, and a thousand todos in one plan, beside LangGraph on the same Postgres.

Ours through five processes over HTTP; the peer in one. Rounds alternate, the median counts."""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from bench.overhead import SERVICES, ours, peer, peer_database
from dream.local.processes import ProcessStack
from understanding.kit.data import read_data

PACK = Path(__file__).parents[1] / "packs/bench/pack.yaml"
WIDE = 1000
PER_LEVEL = 0.020
"""Seconds allowed per level on top of 1.05 x the critical path."""


def uneven() -> list[dict[str, Any]]:
    """The DAG of the command /uneven, as plain data."""
    commands = read_data(PACK)["commands"]
    (command,) = [one for one in commands if one["name"] == "uneven"]
    return [
        {"id": todo["id"], "seconds": todo["params"]["seconds"], "depends_on": todo.get("depends_on", [])}
        for todo in command["todos"]
    ]


def critical_path(todos: Sequence[dict[str, Any]]) -> tuple[float, int]:
    """The longest path, s, and the number of levels."""
    ends: dict[str, float] = {}
    levels: dict[str, int] = {}
    for todo in todos:
        before = todo["depends_on"]
        ends[todo["id"]] = max((ends[one] for one in before), default=0.0) + todo["seconds"]
        levels[todo["id"]] = max((levels[one] for one in before), default=0) + 1
    return max(ends.values()), max(levels.values())


async def makespan(client: httpx.AsyncClient) -> float:
    """From ExecutionStarted to ExecutionOutput as recorded, s: what scheduling and its records cost."""
    answer = await client.post("/agent/run", json={"text": "/uneven", "auto_approve": True})
    result = answer.raise_for_status().json()
    if result["status"] != "completed":
        raise RuntimeError(f"the run ended as {result['status']}: {result.get('error')}")
    page = (await client.get(f"/sessions/{result['session_id']}/events", params={"limit": 500})).json()
    at = {event["event"]: datetime.fromisoformat(event["recorded_at"]) for event in page["events"]}
    return (at["ExecutionOutput"] - at["ExecutionStarted"]).total_seconds()


async def peer_makespans(database: str, rounds: int, todos: list[dict[str, Any]]) -> list[float]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.peer_dag", database, str(rounds),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate(json.dumps(todos).encode())
    if process.returncode != 0:
        raise RuntimeError(f"the peer ended with {process.returncode}")
    seconds: list[float] = json.loads(output)
    return seconds


async def measure(rounds: int) -> dict[str, Any]:
    """All figures as one object."""
    todos = uneven()
    longest, levels = critical_path(todos)
    every = {name: {"DREAM_PACKS": "bench", "DREAM_LOG_LEVEL": "WARNING"} for name in SERVICES}
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        async with ProcessStack(Path(folder), environment=every) as stack:
            await stack.wait_ready()
            database = await peer_database(stack.postgres.admin_url)
            async with httpx.AsyncClient(base_url=stack.url, timeout=120, trust_env=False) as client:
                await makespan(client)
                spans = [await makespan(client) for _ in range(2 * rounds + 1)]
            theirs = await peer_makespans(database, 2 * rounds + 1, todos)
            wide, peer_wide = [], []
            await ours(stack.url, WIDE, 1, 1)
            for _ in range(rounds):
                wide.append(WIDE * (await ours(stack.url, WIDE, 2, 1)).per_second)
                peer_wide.append(WIDE * (await peer(database, WIDE, 2, 1))["runs_per_second"])
    allowed = 1.05 * longest + PER_LEVEL * levels
    ratios = [one / other for one, other in zip(wide, peer_wide, strict=True)]
    return {
        "dag_critical_path_s": longest,
        "dag_allowed_s": round(allowed, 3),
        "dag_makespan_s": round(statistics.median(spans), 3),
        "dag_peer_makespan_s": round(statistics.median(theirs), 3),
        "wide_todos_per_second": round(statistics.median(wide), 1),
        "wide_peer_todos_per_second": round(statistics.median(peer_wide), 1),
        "wide_ratio": round(statistics.median(ratios), 2),
        "wide_ratios": [round(one, 2) for one in ratios],
    }


def main(argv: list[str]) -> int:
    """Prints the figures; with --json as one object."""
    parser = argparse.ArgumentParser(prog="python -m bench dag", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    figures = asyncio.run(measure(options.rounds))
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    sys.stdout.write(
        f"uneven DAG: {figures['dag_makespan_s']} s; critical path {figures['dag_critical_path_s']} s, allowed"
        f" {figures['dag_allowed_s']} s; LangGraph {figures['dag_peer_makespan_s']} s\n"
        f"{WIDE:,} todos in one plan: {figures['wide_todos_per_second']} todos/s; LangGraph"
        f" {figures['wide_peer_todos_per_second']}; ratio {figures['wide_ratio']} {figures['wide_ratios']}\n"
    )
    return 0
