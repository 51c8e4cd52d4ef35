"""How long the first run takes in a session after its services have died, by the session's length: a short session, a
long one that nobody has folded yet (no snapshots), and the long one once more."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import websockets

from backbone.ledger.port import Append, Fact
from backbone.ledger.postgres import PostgresLedger
from bench.overhead import SERVICES
from contracts.envelope import Message
from dream.local.processes import ProcessStack

LAYERS = ("cognitive", "planning", "execution", "response")
PRODUCER = "history"
"""Nobody relays for it: what it says is folded and not delivered."""
SHORT, BATCH = 100, 20
ROUNDS = 3


async def measure(events: int) -> list[dict[str, Any]]:
    """The figures of each state: seconds of the first run and of the next."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        every = {name: {"DREAM_PACKS": "bench", "DREAM_LOG_LEVEL": "WARNING"} for name in SERVICES}
        async with ProcessStack(Path(folder), environment=every) as stack:
            short, long = [await _session(stack, size) for size in (SHORT, events)]
            states = [("short", short), ("long, never folded", long)]
            states += [(name, session) for _ in range(ROUNDS) for name, session in (("short", short), ("long", long))]
            return [await _state(stack, name, session) for name, session in states]


async def _session(stack: ProcessStack, size: int) -> UUID:
    """One with a real run, and that run's events again and again, as other runs, until it is long enough."""
    async with httpx.AsyncClient(base_url=stack.url, trust_env=False, timeout=60) as http:
        done = (await http.post("/agent/run", json={"text": "/noop 8", "auto_approve": True})).raise_for_status().json()
    session = UUID(done["session_id"])
    ledger = await PostgresLedger.connect(stack.postgres.admin_url, min_size=0, roles=())
    try:
        run = [one for one in await ledger.read(session) if one.run_id]
        left = size - len(run)
        while left > 0:
            appends = [Append(session, uuid4(), _again(run)) for _ in range(min(BATCH, left // len(run) + 1))]
            await ledger.append(PRODUCER, PRODUCER, appends)
            left -= len(appends) * len(run)
    finally:
        await ledger.close()
    return session


def _again(run: Sequence[Message]) -> tuple[Fact, ...]:
    other = uuid4()
    return tuple(Fact(one.event, uuid4(), other, other, None, None, "") for one in run)


async def _state(stack: ProcessStack, name: str, session: UUID) -> dict[str, Any]:
    for service in LAYERS:
        await stack.kill(service)
    since = time.monotonic()
    for service in LAYERS:
        await stack.restart(service)
    await stack.wait_ready()
    ready = time.monotonic() - since
    other = await _session(stack, 0)  # who starts pays for imports, and it is not the session's doing
    await _run(stack, other)
    return {
        "session": name,
        "ready_s": round(ready, 2),
        "first_run_ms": round(1000 * await _run(stack, session), 1),
        "next_run_ms": round(1000 * await _run(stack, session), 1),
    }


async def _run(stack: ProcessStack, session: UUID) -> float:
    """Seconds from a message to the end of its run, as a client sees it that has seen all before."""
    async with httpx.AsyncClient(base_url=stack.url, trust_env=False) as http:
        head = (await http.get(f"/sessions/{session}/events", params={"after": 0, "limit": 1})).json()["version"]
    address = f"{stack.url.replace('http', 'ws', 1)}/ws/{session}?after={head}"
    async with websockets.connect(address) as socket:
        since = time.monotonic()
        await socket.send(json.dumps({"type": "message", "text": "/noop 8", "auto_approve": True}))
        while True:
            frame = json.loads(await socket.recv())
            if frame["type"] == "complete":
                return time.monotonic() - since


def main(argv: Sequence[str]) -> int:
    """python -m bench recovery [--events 100000] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench recovery", description=__doc__)
    parser.add_argument("--events", type=int, default=100_000, help="of the long session")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args(argv)
    states = asyncio.run(measure(options.events))
    if options.json:
        sys.stdout.writelines(json.dumps(state) + "\n" for state in states)
        return 0
    sys.stdout.write("".join(f"{name:>20}" for name in states[0]) + "\n")
    sys.stdout.writelines("".join(f"{value!s:>20}" for value in state.values()) + "\n" for state in states)
    return 0
