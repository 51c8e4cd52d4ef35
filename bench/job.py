"""What orchestration adds to the main job, a report about reviews: the same calls of the same tools in a plain script,
one after another, beside the product from the approval of the plan to the end of the run. Seconds, processor time of
all services and their tools, and what the services that never hold the table have in memory."""

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
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import httpx
import psutil

from backbone import packs
from backbone.ledger.port import Ledger
from backbone.ledger.postgres import PostgresLedger
from bench.cost import seconds_of
from bench.dialogue_file import Turn
from bench.dialogue_play import PlayedDialogue
from bench.layouts import NAMES, QUIET, Product, laid_out
from bench.table import LONG, table
from contracts.execution import TodoDispatched, TodoSucceeded
from contracts.planning import PlanApproved
from contracts.response import RunCompleted

ROUNDS = 5
AIMS = {2_400: 0.10, 100_000: 0.03}
"""Rows -> what orchestration may add to the seconds of a script."""
SAYS = "이 리뷰들 감성 분석해서 리포트 만들어줘"


async def measure(layout: str, rows: int, rounds: int) -> dict[str, Any]:
    """Medians of rounds of both, in turn."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        async with laid_out(layout, Path(folder), QUIET) as stack:
            return await _measured(stack, layout, rows, rounds)


async def _measured(stack: Product, layout: str, rows: int, rounds: int) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=stack.url, trust_env=False, timeout=LONG) as http:
        ledger = await PostgresLedger.connect(stack.admin_url, min_size=0, roles=())
        try:
            _, before, _ = await _run(http, stack, ledger, rows, seed=0)  # who comes first loads modules and models
            resident = _resident(stack)
            played = [await _round(http, stack, ledger, rows, seed, before) for seed in range(1, rounds + 1)]
        finally:
            await ledger.close()
        grown = {name: size - resident[name] for name, size in _resident(stack).items()}
    ours, script = ([one[side] for one in played] for side in ("ours", "script"))
    median = {
        side: {what: round(statistics.median(one[what] for one in taken), 3) for what in ("seconds", "processor")}
        for side, taken in (("ours", ours), ("script", script))
    }
    return {
        "layout": NAMES[layout],
        "rows": rows,
        **median,
        "added": round(statistics.median(one["ours"]["seconds"] / one["script"]["seconds"] for one in played) - 1, 3),
        "added_ms": round(1000 * (median["ours"]["seconds"] - median["script"]["seconds"])),
        "aim": AIMS.get(rows),
        "grown_mb": grown,
    }


async def _round(
    http: httpx.AsyncClient,
    stack: Product,
    ledger: Ledger,
    rows: int,
    seed: int,
    before: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    ours, calls, results = await _run(http, stack, ledger, rows, seed)
    script = await _script(before, calls)
    if (told := script.pop("results")) != results:
        raise RuntimeError(f"the script's results are others: {told!r} and {results!r}")
    return {"ours": ours, "script": script}


async def _run(
    http: httpx.AsyncClient, stack: Product, ledger: Ledger, rows: int, seed: int
) -> tuple[dict[str, float], list[dict[str, Any]], list[Any]]:
    """Seconds and processor time of a run, the calls that were made in it, and their results in the same order."""
    talk = PlayedDialogue(http, f"bench-{uuid4()}", {"reviews.csv": table(rows, seed)}, patience=LONG)
    before = _spent(stack)
    await talk.say(Turn(say=SAYS, attach=("reviews.csv",)))
    taken = _spent(stack) - before
    told = await ledger.read(UUID(talk.session_id))
    at: dict[type, datetime] = {type(one.event): one.recorded_at for one in told}
    dispatched = [one.event for one in told if isinstance(one.event, TodoDispatched)]
    made = {one.event.todo_id: one.event.result for one in told if isinstance(one.event, TodoSucceeded)}
    seconds = (at[RunCompleted] - at[PlanApproved]).total_seconds()
    catalogue = packs.load()
    files = stack.folder / "artifacts"
    calls = [_call(catalogue, files, one) for one in dispatched]
    return {"seconds": seconds, "processor": taken}, calls, [made[one.todo.id] for one in dispatched]


def _call(catalogue: packs.Catalogue, files: Path, dispatched: TodoDispatched) -> dict[str, Any]:
    spec = catalogue.tools[dispatched.todo.tool]
    texts = catalogue.packs[spec.pack].texts
    return {
        "entry": spec.entry,
        "params": dispatched.todo.params,
        "language": dispatched.language,
        "now": dispatched.requested_at.astimezone(ZoneInfo(dispatched.timezone or "UTC")).isoformat(),
        "key": dispatched.todo.id,
        "user": dispatched.user,
        "timezone": dispatched.timezone,
        "texts": texts.get("en", {}) | texts.get(dispatched.language, {}),
        "inputs": [
            {"attachment": one.model_dump(mode="json"), "path": str(next(files.rglob(one.artifact_id)))}
            for one in dispatched.inputs
        ],
    }


async def _script(before: Sequence[dict[str, Any]], calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"before": before, "calls": calls}, file)
        file.flush()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.plain_script", file.name, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"the script ended with {process.returncode}")
    return dict(json.loads(said))


def _spent(product: Product) -> float:
    """Processor seconds so far of the services and their tools."""
    spent = seconds_of(product.pids)
    return sum(spent[name] for name in product.services)


def _resident(stack: Product) -> dict[str, int]:
    """Megabytes of each service's own process; tools are processes of their own."""
    return {name: psutil.Process(pid).memory_info().rss >> 20 for name, pid in stack.services.items()}


def main(argv: Sequence[str]) -> int:
    """0 when orchestration adds no more than it may, 1 when it does."""
    parser = argparse.ArgumentParser(prog="python -m bench job", description=__doc__)
    parser.add_argument("--layout", choices=NAMES, default="five", help="five processes or one")
    parser.add_argument("--rows", type=int, default=2_400, help="reviews; 2,400 and 100,000 have aims")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of both, in turn")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    found = asyncio.run(measure(options.layout, options.rows, options.rounds))
    if options.json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        sys.stdout.writelines(f"{name}: {value}\n" for name, value in found.items())
    return int(found["aim"] is not None and found["added"] > found["aim"])
