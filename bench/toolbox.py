"""How long a lease takes: acquire and release of a tool group, on an embedded Postgres, fsync on.

`python -m bench toolbox [--json]`: uncontended, and eight holders at once on a capacity of two."""

import argparse
import asyncio
import json
import time
from uuid import uuid4

from backbone.ledger.migrate import migrate
from backbone.ledger.pool import open_pool
from backbone.toolbox.port import Busy, Holder, Lease, Want
from backbone.toolbox.postgres import PostgresToolbox
from bench.load import quantile
from bench.servers import postgres

HOLDERS = 8
CAPACITY = 2


def _want(*groups: str, capacity: int = 1) -> Want:
    return Want(Holder(uuid4(), uuid4(), "t1"), "devices.movie", groups, capacity, 30.0)


async def uncontended(toolbox: PostgresToolbox, rounds: int) -> list[float]:
    """Seconds of acquire and release by one who is alone."""
    seconds = []
    for _ in range(rounds):
        since = time.perf_counter()
        lease = await toolbox.acquire(_want("screen"), enqueue=True)
        assert isinstance(lease, Lease)
        await toolbox.release(lease)
        seconds.append(time.perf_counter() - since)
    return seconds


class Line:
    """Holders that stand in line, and who tells them of their grants, as the execution service does."""

    def __init__(self, toolbox: PostgresToolbox) -> None:
        self._toolbox = toolbox
        self._waiting: dict[Holder, asyncio.Future[Lease]] = {}

    async def tell(self) -> None:
        """Until cancelled."""
        while True:
            leases = await self._toolbox.granted()
            for lease in leases:
                self._waiting.pop(lease.holder).set_result(lease)
            if leases:
                await self._toolbox.told([lease.lease_id for lease in leases])
            await asyncio.sleep(0.001)

    async def hold(self, rounds: int) -> list[float]:
        """Seconds of acquire, waiting and release, one after the other."""
        seconds = []
        for _ in range(rounds):
            wanted = _want("song", capacity=CAPACITY)
            told = self._waiting[wanted.holder] = asyncio.get_running_loop().create_future()
            since = time.perf_counter()
            lease = await self._toolbox.acquire(wanted, enqueue=True)
            if isinstance(lease, Busy):
                lease = await told
            else:
                del self._waiting[wanted.holder]
            await self._toolbox.release(lease)
            seconds.append(time.perf_counter() - since)
        return seconds


async def contended(toolbox: PostgresToolbox, rounds: int) -> list[float]:
    """Seconds of acquire, waiting and release, with eight at once where two have room."""
    line = Line(toolbox)
    teller = asyncio.create_task(line.tell())
    try:
        found = await asyncio.gather(*(line.hold(rounds) for _ in range(HOLDERS)))
    finally:
        teller.cancel()
    return [one for seconds in found for one in seconds]


def _figures(seconds: list[float]) -> dict[str, float]:
    return {f"p{q}_ms": round(quantile(seconds, q / 100) * 1000, 2) for q in (50, 95)} | {"n": len(seconds)}


async def measure(url: str, rounds: int) -> dict[str, dict[str, float]]:
    """Both figures, in a fresh database."""
    await migrate(url)
    pool = await open_pool(url, min_size=4, max_size=8)
    toolbox = PostgresToolbox(pool)
    try:
        await uncontended(toolbox, 50)  # plans are made, pages are warm
        alone = await uncontended(toolbox, rounds)
        return {"uncontended": _figures(alone), "contended": _figures(await contended(toolbox, rounds // HOLDERS))}
    finally:
        await pool.close()


def main(argv: list[str]) -> int:
    """python -m bench toolbox [--rounds 1000] [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench toolbox", description="Leases on tool groups.")
    parser.add_argument("--rounds", type=int, default=1000, help="how often a lease is taken")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    given = parser.parse_args(argv)
    with postgres() as url:
        figures = asyncio.run(measure(url, max(given.rounds, HOLDERS)))
    if given.json:
        print(json.dumps(figures))
    else:
        for name, values in figures.items():
            print(f"{name:<13}p50 {values['p50_ms']:>7} ms   p95 {values['p95_ms']:>7} ms   of {values['n']}")
    return 0
