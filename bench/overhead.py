"""What durability through five services costs, in five processes and in one, beside LangGraph with a Postgres
checkpointer on the same servers.

Rounds of ours and the peer's alternate, so that a machine that drifts drifts for both; the median round counts.
Throughput belongs to whoever else uses the machine; processor time a run does not, and is what is compared first."""

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

from bench.cost import Written, last_xid, per_run, seconds_of
from bench.layouts import NAMES, Product, laid_out
from bench.load import Load, drive, quantile
from dream.local.embedded import EmbeddedPostgres

SERVICES = ("gateway", "cognitive", "planning", "execution", "response")
LOADS = ((8, 600, 16), (64, 120, 4), (8, 1200, 64))
"""Todos of a run, runs, runs at once."""


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


async def peer(database_url: str, count: int, total: int, at_once: int, postgres: int = 0) -> dict[str, float]:
    """The peer in its own process, in a database of its own on the same server, whose process id is `postgres`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.peer_langgraph", database_url, str(count), str(total), str(at_once),
        str(postgres), stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"the peer ended with {process.returncode}")
    figures: dict[str, float] = json.loads(output)
    return figures


async def committed_to_socket(product: Product, runs: int) -> dict[str, list[float]]:
    """From the commit of an event to its frame at a WebSocket client, and from the time at which it says that it was
    recorded, which is that of its transaction's beginning; seconds, over all events of some runs. The times of commits
    are Postgres's own."""
    await ours(product.url, 8, 50, 1)
    connection = Connection(product.url)
    begun = await connection.post("/agent/run-async", {"text": "/noop 8", "auto_approve": True})
    connection.close()
    session, received = begun["session_id"], dict[int, datetime]()
    async with websockets.connect(f"ws://{urlparse(product.url).netloc}/ws/{session}") as socket:
        ended = 0
        while ended < runs:
            frame = json.loads(await socket.recv())
            if ended and "recorded_at" in frame:  # the first run had begun before the socket was there
                received[frame["version"]] = datetime.now(UTC)
            if frame["type"] == "complete":
                ended += 1
                await socket.send(json.dumps({"type": "message", "text": "/noop 8", "auto_approve": True}))
    server = await asyncpg.connect(product.admin_url)
    rows = await server.fetch(_COMMITTED, session, list(received))
    await server.close()
    return {
        name: [(received[row["version"]] - row[name]).total_seconds() for row in rows]
        for name in ("committed", "recorded")
    }


_COMMITTED = """select version, recorded_at as recorded, pg_xact_commit_timestamp(xid::xid) as committed
    from ledger.events where stream_id = $1::text::uuid and version = any($2)"""


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


async def measure(
    layout: str, rounds: int, scale: float, loads: Sequence[tuple[int, int, int]] = LOADS, *, alone: bool = False
) -> dict[str, Any]:
    """All figures of one layout as one object. `scale` 1.0 is the full length; `alone`: without the peer."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        async with laid_out(layout, Path(folder)) as product:
            database = await peer_database(product.admin_url)
            await ours(product.url, 8, 50, 4)
            figures: dict[str, Any] = {}
            for count, total, at_once in loads:
                figures[_key(count, at_once)] = await _load(
                    product, database, count, max(int(total * scale), at_once), at_once, rounds, alone=alone
                )
            if not alone:
                figures |= await _latency(product, database, int(200 * scale))
            figures["rss_mb"] = _memory(product.services)
        if not alone:
            delays = await _delays(layout, max(int(20 * scale), 5))
            figures |= {
                f"{name}_to_socket_p{percent}_ms": round(quantile(delays[name], percent / 100) * 1000, 2)
                for name in ("committed", "recorded")
                for percent in (50, 99)
            }
        return figures


async def _delays(layout: str, runs: int) -> dict[str, list[float]]:
    """Of an installation of its own: that Postgres keeps the times of commits costs something."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        postgres = EmbeddedPostgres(Path(folder) / "postgres")
        await asyncio.to_thread(postgres.start)
        server = await asyncpg.connect(postgres.admin_url)
        await server.execute("alter system set track_commit_timestamp = on")
        await server.close()
        await asyncio.to_thread(postgres.stop)
        async with laid_out(layout, Path(folder)) as product:
            return await committed_to_socket(product, runs)


def _key(count: int, at_once: int) -> str:
    return f"n{count}_at{at_once}"


async def _load(  # noqa: PLR0913  # a load's own figures
    product: Product, database: str, count: int, total: int, at_once: int, rounds: int, *, alone: bool
) -> dict[str, Any]:
    pids = product.pids
    mine, theirs, written = [], [], {}
    speeds: list[tuple[float, float]] = []
    for number in range(1, rounds + 1):
        xid, before = await last_xid(product.admin_url), seconds_of(pids)
        speed = (await ours(product.url, count, total, at_once)).per_second
        mine.append(per_run(before, seconds_of(pids), total))
        written = (await Written.since(product.admin_url, xid)).per_run(total)
        their: dict[str, float] = {"runs_per_second": 0.0, "cpu_ms": 0.0}
        if not alone:
            their = await peer(database, count, max(total // 3, 20), at_once, pids["postgres"])
        theirs.append(their["cpu_ms"])
        speeds.append((speed, their["runs_per_second"]))
        _say(
            f"N = {count}, {at_once} at once, round {number} of {rounds}: {mine[-1]['all']:.1f} and {theirs[-1]:.1f} ms"
            f" of processor a run, {speed:.1f} and {their['runs_per_second']:.1f} runs/s"
        )
    cpu = {name: round(statistics.median(one[name] for one in mine), 2) for name in mine[0]}
    figures: dict[str, Any] = {
        "runs_per_second": round(statistics.median(speed for speed, _ in speeds), 1),
        "cpu_ms": cpu,
        "written": written,
    }
    if not alone:
        ratios = [a / b for a, b in speeds]
        figures |= {
            "peer_runs_per_second": round(statistics.median(speed for _, speed in speeds), 1),
            "peer_cpu_ms": round(statistics.median(theirs), 2),
            "ratio": round(statistics.median(ratios), 2),
            "ratios": [round(ratio, 2) for ratio in ratios],
            "cpu_ratio": round(statistics.median(b / a["all"] for a, b in zip(mine, theirs, strict=True)), 2),
        }
    return figures


async def _latency(product: Product, database: str, total: int) -> dict[str, Any]:
    lone = await ours(product.url, 8, total, 1)
    their = await peer(database, 8, total, 1)
    return {
        "lone_p50_ms": round(lone.quantile_ms(0.5), 2),
        "lone_p99_ms": round(lone.quantile_ms(0.99), 2),
        "peer_lone_p50_ms": their["p50_ms"],
        "peer_lone_p99_ms": their["p99_ms"],
    }


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _memory(pids: dict[str, int]) -> dict[str, float]:
    """Resident memory per service with its tools' processes, MB; servers are no service."""
    sizes = {}
    for name, pid in pids.items():
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        ours = [one for one in family if not one.name().startswith(("postgres", "nats"))]
        sizes[name] = round(sum(one.memory_info().rss for one in ours) / 1e6, 1)
    return sizes


def _table(layout: str, figures: dict[str, Any], loads: Sequence[tuple[int, int, int]], seconds: float) -> str:
    rows: list[tuple[Any, Any, Any, Any]] = [("", f"ours, {NAMES[layout]}", "LangGraph + Postgres, one", "ratio")]
    for count, _, at_once in loads:
        load, said = figures[_key(count, at_once)], f"N = {count}, {at_once} at once"
        cpu = load["cpu_ms"]["all"], load.get("peer_cpu_ms", ""), load.get("cpu_ratio", "")
        speed = load["runs_per_second"], load.get("peer_runs_per_second", ""), load.get("ratio", "")
        rows += [(f"CPU ms a run, {said}", *cpu), (f"runs/s, {said}", *speed)]
    latencies = ["lone_p50_ms", "lone_p99_ms"]
    latencies += [f"{name}_to_socket_{which}_ms" for name in ("committed", "recorded") for which in ("p50", "p99")]
    rows += [
        (f"N = 8, {name}", figures[name], figures.get(f"peer_{name}", ""), "") for name in latencies if name in figures
    ]
    rows += [(f"resident, {name}, MB", size, "", "") for name, size in figures["rss_mb"].items()]
    lines = [f"{a!s:<38}{b!s:>22}{c!s:>28}{d!s:>8}" for a, b, c, d in rows]
    for count, _, at_once in loads:
        load = figures[_key(count, at_once)]
        parts = " ".join(f"{name} {spent}" for name, spent in load["cpu_ms"].items())
        lines += [f"N = {count}, {at_once} at once: CPU {parts}", f"  {json.dumps(load['written'])}"]
    return "\n".join([*lines, f"(measured in one sitting, {seconds:.0f} s)"])


def main(argv: Sequence[str]) -> int:
    """python -m bench overhead [--layout five|one] [--rounds 3] [--scale 1.0] [--loads 3] [--alone] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench overhead", description=__doc__)
    parser.add_argument("--layout", choices=NAMES, help="five processes or one; without it both, one after the other")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of ours and the peer's, alternating")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of runs")
    parser.add_argument("--loads", type=int, default=len(LOADS), help="how many of the loads, from the first")
    parser.add_argument("--alone", action="store_true", help="without the peer, and without latencies")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    loads, told = LOADS[: options.loads], {}
    for layout in [options.layout] if options.layout else NAMES:
        start = time.monotonic()
        figures = asyncio.run(measure(layout, options.rounds, options.scale, loads, alone=options.alone))
        told[layout] = figures
        if not options.json:
            sys.stdout.write(_table(layout, figures, loads, time.monotonic() - start) + "\n")
    if options.json:
        sys.stdout.write(json.dumps(told) + "\n")
    return 0
