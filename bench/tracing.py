"""What traces cost: no-op runs through five processes with and without them, in turns; processor time is what counts,
for throughput belongs to whoever else uses the machine."""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

from bench.overhead import SERVICES, ours
from dream.local.processes import ProcessStack

SETTLES = 4.0
"""Seconds after a round until the last spans have left."""
_SINK = """
import http.server, sys
class Sink(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Sink).serve_forever()
"""


@contextmanager
def sink() -> Iterator[str]:
    """A collector that reads and forgets, in a process of its own."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", _SINK, str(port)], env={**os.environ})
    try:
        yield f"http://127.0.0.1:{port}/v1/traces"
    finally:
        process.kill()
        process.wait()


async def measure(rounds: int, scale: float, per_second: float | None = None) -> dict[str, Any]:
    """Runs per second and processor time without and with traces. What traces cost: by the least of all rounds, which
    others on the machine disturbed least, and by the median of the pairs."""
    async with AsyncExitStack() as exits:
        endpoint = exits.enter_context(sink())
        stacks = []
        traced = {"DREAM_OTLP_ENDPOINT": endpoint}
        if per_second is not None:
            traced["DREAM_TRACES_PER_SECOND"] = str(per_second)
        for more in ({}, traced):
            folder = exits.enter_context(tempfile.TemporaryDirectory(prefix="dream-bench-"))
            settings = {"DREAM_PACKS": "bench", "DREAM_LOG_LEVEL": "WARNING", **more}
            stack = ProcessStack(Path(folder), environment=dict.fromkeys(SERVICES, settings))
            await exits.enter_async_context(stack)
            await stack.wait_ready()
            await ours(stack.url, 8, 100, 4)
            stacks.append(stack)
        return await _compared(stacks, rounds, int(400 * scale))


async def _compared(stacks: Sequence[ProcessStack], rounds: int, total: int) -> dict[str, Any]:
    speeds: list[tuple[float, float]] = []
    work: list[tuple[float, float]] = []
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)  # who comes second finds another machine
        pair, spent = [0.0, 0.0], [0.0, 0.0]
        for which in order:
            before = processor_seconds(stacks[which])
            pair[which] = (await ours(stacks[which].url, 8, total, 16)).per_second
            await asyncio.sleep(SETTLES)  # what is told late is paid for too
            spent[which] = (processor_seconds(stacks[which]) - before) / total * 1000
        speeds.append((pair[0], pair[1]))
        work.append((spent[0], spent[1]))
        sys.stderr.write(
            f"round {number + 1} of {rounds}: {pair[0]:.1f} and, traced, {pair[1]:.1f} runs/s; "
            f"{spent[0]:.2f} and {spent[1]:.2f} ms of processor a run\n"
        )
    return {
        "runs_per_second": [round(statistics.median(one), 1) for one in zip(*speeds, strict=True)],
        "processor_ms_a_run": [round(statistics.median(one), 2) for one in zip(*work, strict=True)],
        "least_ms_a_run": [round(min(one), 2) for one in zip(*work, strict=True)],
        "cost_percent": round(100 * (min(traced for _, traced in work) / min(plain for plain, _ in work) - 1), 1),
        "cost_percent_of_pairs": round(100 * statistics.median(traced / plain - 1 for plain, traced in work), 1),
        "slower_percent": round(100 * statistics.median(1 - traced / plain for plain, traced in speeds), 1),
    }


def processor_seconds(stack: ProcessStack) -> float:
    """What the five services and Postgres have used so far, user and system."""
    processes = [psutil.Process(stack.pid(name)) for name in SERVICES]
    folder = str(stack.place.folder)
    for one in psutil.process_iter(["name", "cmdline"]):
        if "postgres" in (one.info["name"] or "") and any(folder in part for part in one.info["cmdline"] or ()):
            processes += [one, *one.children(recursive=True)]
    times = [one.cpu_times() for one in processes]
    return sum(time.user + time.system for time in times)


def main(argv: Sequence[str]) -> int:
    """python -m bench tracing [--rounds 5] [--scale 1.0] [--per-second N] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench tracing", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="pairs of rounds, without and with traces")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of runs")
    parser.add_argument("--per-second", type=float, help="DREAM_TRACES_PER_SECOND; a great one traces every run")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    figures = asyncio.run(measure(options.rounds, options.scale, options.per_second))
    lines = [f"{name:<20} {value}" for name, value in figures.items()]
    sys.stdout.write((json.dumps(figures) if options.json else "\n".join(lines)) + "\n")
    return 0
