"""How often and how long a request is made again: a few times, as late as the server asks."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from backbone.model.chat.faults import RequestFault
from backbone.model.chat.stream import Written
from contracts.retry import RetryPolicy

POLICY = RetryPolicy(maximum_attempts=3, initial_interval=0.4)
LONGEST_WAIT = 20.0
"""Seconds. Whoever has to wait longer asks the next model instead."""


@dataclass(slots=True)
class Tally:
    """What one answer has cost so far."""

    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, written: Written) -> None:
        self.input_tokens += written.input_tokens
        self.output_tokens += written.output_tokens


async def patiently(request: Callable[[], Awaitable[Written]], tally: Tally, again: Callable[[], None]) -> Written:
    """`again` is called before a request is repeated. Raises RequestFault when it will not work."""
    for attempt in range(1, POLICY.maximum_attempts + 1):
        tally.attempts += 1
        try:
            written = await request()
        except RequestFault as fault:
            # longer each time, and never the same for all who wait
            jitter = random.uniform(0.75, 1.25)  # noqa: S311  # spreads load, no secret
            wait = fault.wait if fault.wait is not None else POLICY.pause(attempt) * jitter
            if not fault.passing or not POLICY.allows(attempt) or wait > LONGEST_WAIT:
                raise
            await asyncio.sleep(wait)
            again()
        else:
            tally.add(written)
            return written
    raise AssertionError("the last attempt returns or raises")
