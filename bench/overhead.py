"""What durability through five services costs, beside LangGraph with a Postgres checkpointer on the same servers.

Rounds of ours and the peer's alternate, so that a machine that drifts drifts for both; the median round counts."""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import asyncpg
import psutil
import websockets

from bench.load import Load, drive, quantile
from dream.processes import ProcessStack

SERVICES = ("gateway", "cognitive", "planning", "execution", "response")


class Connection:
    """One keep-alive HTTP connection: the client must cost as little as the peer's function call does."""

    def __init__(self, url: str) -> None:
        parts = urlparse(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Posts JSON; raises RuntimeError unless the answer is 2xx."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1",
            f"Host: {self._host}",
            "Content-Type: application/json",
            f"Content-Length: {len(data)}",
        )
        self._writer.write("\r\n".join((*head, "", "")).encode() + data)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length")
        )
        content = await self._reader.readexactly(length)
        if not answer.startswith(b"HTTP/1.1 2"):
            status = answer.split(b"\r\n", 1)[0]
            raise RuntimeError(f"{path}: {status!r} {content[:300]!r}")
        parsed: dict[str, Any] = json.loads(content)
        return parsed

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


async def ours(url: str, count: int, total: int, at_once: int) -> Load:
    """POST /agent/run of a command with `count` no-op todos: each run in a session of its own."""
    free = [Connection(url) for _ in range(at_once)]

    async def run() -> None:
        connection = free.pop()
        result = await connection.post("/agent/run", {"text": f"/noop {count}", "auto_approve": True})
        if result["status"] != "completed":
            raise RuntimeError(f"a run ended as {result['status']}: {result.get('error')}")
        free.append(connection)

    try:
        return await drive(run, total, at_once)
    finally:
        for connection in free:
            connection.close()


async def peer(database_url: str, count: int, total: int, at_once: int) -> dict[str, float]:
    """The peer in its own process, in a database of its own on the same server."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.peer_langgraph", database_url, str(count), str(total), str(at_once),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"the peer ended with {process.returncode}")
    figures: dict[str, float] = json.loads(output)
    return figures


async def commit_to_socket(url: str, runs: int) -> list[float]:
    """From the time an event was recorded to its frame at a WebSocket client, seconds, over all events of some runs."""
    connection = Connection(url)
    delays: list[float] = []
    begun = await connection.post("/agent/run-async", {"text": "/noop 8", "auto_approve": True})
    address = urlparse(url)
    async with websockets.connect(f"ws://{address.netloc}/ws/{begun['session_id']}") as socket:
        ended = 0
        while ended < runs:
            frame = json.loads(await socket.recv())
            if ended and "recorded_at" in frame:  # the first run had begun before the socket was there
                recorded = datetime.fromisoformat(frame["recorded_at"])
                delays.append((datetime.now(UTC) - recorded).total_seconds())
            if frame["type"] == "complete":
                ended += 1
                await socket.send(json.dumps({"type": "message", "text": "/noop 8", "auto_approve": True}))
    connection.close()
    return delays


async def peer_database(admin_url: str) -> str:
    """Creates an empty database for the peer; returns its URL."""
    connection = await asyncpg.connect(admin_url)
    try:
        await connection.execute("drop database if exists peer")
        await connection.execute("create database peer")
    finally:
        await connection.close()
    parts = urlparse(admin_url)
    return parts._replace(path="/peer").geturl()


async def measure(rounds: int, scale: float) -> dict[str, Any]:
    """All figures as one object. `scale` 1.0 is the full length."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        every = {name: {"DREAM_PACKS": "bench", "DREAM_LOG_LEVEL": "WARNING"} for name in SERVICES}
        async with ProcessStack(Path(folder), environment=every) as stack:
            await stack.wait_ready()
            database = await peer_database(stack.postgres.admin_url)
            await ours(stack.url, 8, 50, 4)
            figures: dict[str, Any] = {}
            for count, total, at_once in ((8, int(600 * scale), 16), (64, int(120 * scale), 4)):
                figures |= await _throughput(stack.url, database, count, total, at_once, rounds)
            figures |= await _latency(stack.url, database, int(200 * scale))
            figures["rss_mb"] = _memory({name: stack.pid(name) for name in SERVICES})
            return figures


async def _throughput(url: str, database: str, count: int, total: int, at_once: int, rounds: int) -> dict[str, Any]:
    mine, theirs = [], []
    for number in range(1, rounds + 1):
        mine.append((await ours(url, count, total, at_once)).per_second)
        theirs.append((await peer(database, count, max(total // 3, 20), at_once))["runs_per_second"])
        _say(f"N = {count}, round {number} of {rounds}: {mine[-1]:.1f} and {theirs[-1]:.1f} runs/s")
    ratios = [a / b for a, b in zip(mine, theirs, strict=True)]
    return {
        f"n{count}_runs_per_second": round(statistics.median(mine), 1),
        f"peer_n{count}_runs_per_second": round(statistics.median(theirs), 1),
        f"n{count}_ratio": round(statistics.median(ratios), 2),
        f"n{count}_ratios": [round(ratio, 2) for ratio in ratios],
    }


async def _latency(url: str, database: str, total: int) -> dict[str, Any]:
    lone = await ours(url, 8, total, 1)
    their = await peer(database, 8, total, 1)
    delays = await commit_to_socket(url, max(total // 10, 5))
    return {
        "lone_p50_ms": round(lone.quantile_ms(0.5), 2),
        "lone_p99_ms": round(lone.quantile_ms(0.99), 2),
        "peer_lone_p50_ms": their["p50_ms"],
        "peer_lone_p99_ms": their["p99_ms"],
        "commit_to_socket_p50_ms": round(quantile(delays, 0.5) * 1000, 2),
        "commit_to_socket_p99_ms": round(quantile(delays, 0.99) * 1000, 2),
    }


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _memory(pids: dict[str, int]) -> dict[str, float]:
    """Resident memory per service with its children, MB."""
    sizes = {}
    for name, pid in pids.items():
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        sizes[name] = round(sum(one.memory_info().rss for one in family) / 1e6, 1)
    return sizes


def _table(figures: dict[str, Any], seconds: float) -> str:
    rows = [
        ("", "ours, five processes", "LangGraph + Postgres, one", "ratio"),
        *(
            (
                f"runs/s, N = {n}, {at} at once",
                figures[f"n{n}_runs_per_second"],
                figures[f"peer_n{n}_runs_per_second"],
                figures[f"n{n}_ratio"],
            )
            for n, at in ((8, 16), (64, 4))
        ),
        ("a lone run, N = 8, p50 ms", figures["lone_p50_ms"], figures["peer_lone_p50_ms"], ""),
        ("a lone run, N = 8, p99 ms", figures["lone_p99_ms"], figures["peer_lone_p99_ms"], ""),
        ("commit to WebSocket, p50 ms", figures["commit_to_socket_p50_ms"], "", ""),
        ("commit to WebSocket, p99 ms", figures["commit_to_socket_p99_ms"], "", ""),
        *((f"resident, {name}, MB", size, "", "") for name, size in figures["rss_mb"].items()),
    ]
    lines = [f"{a!s:<34}{b!s:>22}{c!s:>28}{d!s:>8}" for a, b, c, d in rows]
    return "\n".join([*lines, f"(measured in one sitting, {seconds:.0f} s)"])


def main(argv: Sequence[str]) -> int:
    """python -m bench overhead [--rounds 3] [--scale 1.0] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench overhead", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of ours and the peer's, alternating")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of runs")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    start = time.monotonic()
    figures = asyncio.run(measure(options.rounds, options.scale))
    seconds = time.monotonic() - start
    sys.stdout.write((json.dumps(figures) if options.json else _table(figures, seconds)) + "\n")
    return 0
