"""Sockets that wait: the gateway's memory and work for each, and a turn of somebody else meanwhile."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import psutil
import websockets.asyncio.client as websocket

from bench.load import quantile
from bench.overhead import Connection
from dream.local.processes import ProcessStack
from dream.local.stack import SERVICES

WARM = 100
TURNS = 20
AT_ONCE = 50
LONG, TURNS_OF_LONG = 10, 40
"""Sessions with a long conversation behind them, and their turns; a tenth of the sockets are of these afterwards."""
COMMAND = {"text": "/noop 1", "auto_approve": True}
MANY = 20
"""Todos of the run that a session has behind it."""


async def sessions(url: str, count: int) -> list[str]:
    """Sessions with one finished run each."""
    found: list[str] = []
    free = [Connection(url) for _ in range(8)]

    async def run() -> None:
        connection = free.pop()
        found.append((await connection.post("/agent/run", COMMAND | {"text": f"/noop {MANY}"}))["session_id"])
        free.append(connection)

    left = count
    while left:
        now = min(left, len(free))
        await asyncio.gather(*(run() for _ in range(now)))
        left -= now
    for connection in free:
        connection.close()
    return found


async def turns(url: str) -> list[float]:
    """Seconds of single turns, one after the other."""
    connection, taken = Connection(url), []
    for _ in range(TURNS):
        since = time.perf_counter()
        await connection.post("/agent/run", COMMAND)
        taken.append(time.perf_counter() - since)
    connection.close()
    return taken


async def attend(url: str, of: Sequence[str], all_open: AsyncExitStack) -> None:
    """Opens a socket per session and reads its history; then nothing comes any more."""
    address = urlparse(url).netloc

    async def one(session: str) -> None:
        opened = websocket.connect(f"ws://{address}/ws/{session}", proxy=None, ping_interval=None, open_timeout=None)
        socket = await all_open.enter_async_context(opened)
        while json.loads(await socket.recv()).get("type") != "complete":
            pass

    for first in range(0, len(of), AT_ONCE):
        await asyncio.gather(*(one(session) for session in of[first : first + AT_ONCE]))


async def talk(url: str, session: str) -> None:
    """The turns that a long session has behind it."""
    connection = Connection(url)
    for _ in range(TURNS_OF_LONG - 1):
        await connection.post("/agent/run", COMMAND | {"session_id": session})
    connection.close()


async def measure(count: int, idle_seconds: float) -> dict[str, Any]:
    """All figures as one object."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        every = {name: {"DREAM_PACKS": "bench", "DREAM_LOG_LEVEL": "WARNING"} for name in SERVICES}
        async with ProcessStack(Path(folder), environment=every) as stack:
            await stack.wait_ready()
            gateway = psutil.Process(stack.pid("gateway"))
            known = await sessions(stack.url, count + WARM)
            async with AsyncExitStack() as warm:
                await attend(stack.url, known[:WARM], warm)
            alone = await turns(stack.url)
            before = gateway.memory_info().rss
            async with AsyncExitStack() as all_open:
                await attend(stack.url, known[WARM:], all_open)
                cpu = sum(gateway.cpu_times()[:2])
                await asyncio.sleep(idle_seconds)
                cpu = sum(gateway.cpu_times()[:2]) - cpu
                after = gateway.memory_info().rss
                crowded = await turns(stack.url)
            long = known[:LONG]
            await asyncio.gather(*(talk(stack.url, session) for session in long))
            before_long = gateway.memory_info().rss
            async with AsyncExitStack() as all_open:
                await attend(stack.url, [long[number % LONG] for number in range(count // 10)], all_open)
                await asyncio.sleep(idle_seconds / 2)
                of_long = gateway.memory_info().rss
            return {
                "sockets": count,
                "kib_per_socket": round((after - before) / count / 1024, 1),
                "kib_per_socket_long": round((of_long - before_long) / (count // 10) / 1024, 1),
                "cpu_percent_idle": round(100 * cpu / idle_seconds, 2),
                "turn_p50_ms": round(quantile(alone, 0.5) * 1000, 1),
                "turn_max_ms": round(max(alone) * 1000, 1),
                "turn_crowded_p50_ms": round(quantile(crowded, 0.5) * 1000, 1),
                "turn_crowded_max_ms": round(max(crowded) * 1000, 1),
            }


def main(argv: Sequence[str]) -> int:
    """python -m bench sockets [--count 1000] [--seconds 20] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench sockets", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="sockets")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long nothing happens, s")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    figures = asyncio.run(measure(options.count, options.seconds))
    told = json.dumps(figures) if options.json else "\n".join(f"{name:<22}{value}" for name, value in figures.items())
    sys.stdout.write(f"{told}\n")
    return 0
