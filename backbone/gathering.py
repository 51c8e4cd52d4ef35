"""What comes in one moment is handled together: the messages of a drain, the answers of a commit."""

import asyncio
from collections.abc import Callable

TURNS = 4
"""Turns of the event loop that bring nothing more, some 50 us on an idle loop. With more of them a commit holds more,
and a lone run takes longer."""


async def gathered(count: Callable[[], int], most: int) -> None:
    """Returns when nothing more comes, or `most` are there. Nothing is waited for: what is alone goes on at once."""
    there, quiet = count(), 0
    while quiet < TURNS and there < most:
        await asyncio.sleep(0)
        before, there = there, count()
        quiet = quiet + 1 if there == before else 0
