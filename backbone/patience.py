"""Waiting for servers that are not there yet. Whoever waits says for what, and is not started again for it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from backbone.bus.port import BusUnavailable
from backbone.ledger.port import LedgerUnavailable

log = logging.getLogger(__name__)
T = TypeVar("T")

FOREVER = float("inf")
FIRST_DELAY, LONGEST_DELAY = 0.25, 2.0
AGAIN_SECONDS = 60.0
"""The same reason is logged again so often."""

Waits = Callable[[Exception], None]
"""Hears at each attempt what is missing."""


class Telling:
    """Logs what is waited for: once, when it is another thing, and once a minute."""

    def __init__(self) -> None:
        self._said = ""
        self._again = 0.0

    def __call__(self, error: Exception) -> None:
        now = time.monotonic()
        if str(error) != self._said or now > self._again:
            self._said, self._again = str(error), now + AGAIN_SECONDS
            log.warning("waiting: %s", error)


async def patiently(attempt: Callable[[], Awaitable[T]], seconds: float, waits: Waits) -> T:
    """Repeats an attempt while ledger, bus or a folder is not there; after `seconds` raises what it met last."""
    deadline = time.monotonic() + seconds
    delay = FIRST_DELAY
    while True:
        try:
            return await attempt()
        except (LedgerUnavailable, BusUnavailable, OSError) as error:
            heed_cancel()
            # a folder that refuses is for somebody at a terminal to hear of at once
            if time.monotonic() > deadline or (isinstance(error, OSError) and seconds < FOREVER):
                raise
            waits(error)
        await asyncio.sleep(delay)
        delay = min(delay * 1.5, LONGEST_DELAY)


def heed_cancel() -> None:
    """Raises CancelledError when this task was cancelled and what it waited for has swallowed that: connecting does,
    in libraries that use wait_for of Python 3.11. A signal must not be lost there."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
