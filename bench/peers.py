"""Durable runs of no-op todos beside all that a team would choose instead: LangGraph and DBOS on the same Postgres, and
Temporal's development server with a file as its database. One sitting: each round has all of them, in turn.

`make bench-peers` makes the environment that DBOS and Temporal need."""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from bench.cost import per_run, seconds_of
from bench.layouts import NAMES, Product, laid_out
from bench.overhead import ours, peer, peer_database

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
LOADS = ((8, 16), (64, 4), (8, 64))
"""Todos of a run, runs at once."""
RUNS = {
    "five": (400, 100, 600),
    "one": (600, 150, 1000),
    "LangGraph": (150, 40, 150),
    "DBOS": (60, 20, 100),
    "Temporal": (20, 8, 80),
}
"""Of a round, by load: what is slow need not be watched for as long."""

Figures = dict[str, float]
System = Callable[[int, int, int], Awaitable[Figures]]
"""Runs of so many todos, so many of them, so many at once."""


def main(argv: list[str]) -> int:
    """Exit code 2 without the environment of the peers."""
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all five, in turn")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of runs")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args(argv)
    if not PYTHON.exists():
        sys.stderr.write("bench peers: DBOS and Temporal are not installed: run `make bench-peers`\n")
        return 2
    figures = asyncio.run(measure(given.rounds, given.scale))
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    for load, of in figures.items():
        for name, one in of.items():
            theirs = "" if name in NAMES else f" ({_beside(of, one)})"
            sys.stdout.write(
                f"{load:<20} {NAMES.get(name, name):<15} {one['runs_per_second']:>8.1f} runs/s"
                f" {one['cpu_ms']:>8.1f} ms of processor a run  p50 {one['p50_ms']:.0f} ms{theirs}\n"
            )
    return 0


def _beside(of: Mapping[str, Figures], peer: Figures) -> str:
    """How many times as fast ours is, and how many times less it costs, in five processes and in one."""
    speeds = (f"{of[layout]['runs_per_second'] / peer['runs_per_second']:.1f}" for layout in NAMES)
    costs = (f"{peer['cpu_ms'] / of[layout]['cpu_ms']:.1f}" for layout in NAMES)
    return f"runs/s {' and '.join(speeds)} x, processor {' and '.join(costs)} x"


async def measure(rounds: int, scale: float) -> dict[str, dict[str, Figures]]:
    """Medians of the rounds, by load and system."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        own = Path(folder)
        async with laid_out("five", own / "five") as five, laid_out("one", own / "one") as one:
            database, postgres = await peer_database(five.admin_url), five.pids["postgres"]

            async def mine(product: Product, count: int, total: int, at_once: int) -> Figures:
                before = seconds_of(product.pids)
                load = await ours(product.url, count, total, at_once)
                return {**load.as_json(), "cpu_ms": per_run(before, seconds_of(product.pids), total)["all"]}

            async def langgraph(count: int, total: int, at_once: int) -> Figures:
                return await peer(database, count, total, at_once, postgres)

            async def dbos(count: int, total: int, at_once: int) -> Figures:
                return await _other("dbos", database, count, total, at_once, postgres)

            async def temporal(count: int, total: int, at_once: int) -> Figures:
                with tempfile.TemporaryDirectory(prefix="dream-bench-") as own:
                    return await _other("temporal", own, count, total, at_once)

            for product in (five, one):
                await ours(product.url, 8, 50, 4)
            systems: dict[str, System] = {
                "five": partial(mine, five),
                "one": partial(mine, one),
                "LangGraph": langgraph,
                "DBOS": dbos,
                "Temporal": temporal,
            }
            figures = {}
            for number, (count, at_once) in enumerate(LOADS):
                totals = {name: max(int(RUNS[name][number] * scale), at_once) for name in systems}
                figures[f"N = {count}, {at_once} at once"] = await _load(systems, totals, count, at_once, rounds)
            return figures


async def _load(
    systems: Mapping[str, System],
    totals: dict[str, int],
    count: int,
    at_once: int,
    rounds: int,
) -> dict[str, Figures]:
    found: dict[str, list[Figures]] = {name: [] for name in systems}
    for number in range(1, rounds + 1):
        for name, system in systems.items():
            found[name].append(await system(count, totals[name], at_once))
            sys.stderr.write(f"N = {count}, round {number} of {rounds}: {name} {found[name][-1]}\n")
    return {
        name: {key: round(statistics.median(one[key] for one in each), 2) for key in each[0]}
        for name, each in found.items()
    }


async def _other(name: str, place: str, *numbers: int) -> Figures:
    """A peer in a process of its own, in the environment of the peers."""
    process = await asyncio.create_subprocess_exec(
        str(PYTHON), "-m", f"bench.peer_{name}", place, *map(str, numbers), stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"{name} ended with {process.returncode}")
    figures: Figures = json.loads(output.splitlines()[-1])
    return figures
