"""Drives runs at a fixed concurrency and sums up what was measured."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """Wall time of the whole, and the latency of each run, seconds."""

    seconds: float
    latencies: tuple[float, ...]

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile_ms(self, q: float) -> float:
        return quantile(self.latencies, q) * 1000

    def as_json(self) -> dict[str, float]:
        return {
            "runs_per_second": round(self.per_second, 2),
            "p50_ms": round(self.quantile_ms(0.5), 2),
            "p99_ms": round(self.quantile_ms(0.99), 2),
        }


def quantile(values: Sequence[float], q: float) -> float:
    """The nearest-rank quantile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * q))]


async def drive(run: Callable[[], Awaitable[None]], total: int, at_once: int) -> Load:
    """Calls `run` `total` times, never more than `at_once` at a time. The first failure ends it."""
    latencies: list[float] = []
    left = iter(range(total))

    async def worker() -> None:
        for _ in left:
            start = time.perf_counter()
            await run()
            latencies.append(time.perf_counter() - start)

    start = time.perf_counter()
    async with asyncio.TaskGroup() as workers:
        for _ in range(at_once):
            workers.create_task(worker())
    return Load(time.perf_counter() - start, tuple(latencies))
