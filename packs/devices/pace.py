"""A device is in use for a while: the time that a showing takes, and how far it has come."""

import asyncio
from collections.abc import Callable

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError

WORDS = 20
"""Words of progress at most: each of them is kept for good."""
SHORTEST = 0.5
"""Seconds between two of them at least."""


async def hold(seconds: float, context: ToolContext, say: Callable[[int], str]) -> None:
    """Returns when so many seconds of use are over. The setting SPEED is how many of them one real second takes.

    `say` makes a sentence of the whole seconds that have passed."""
    clock = asyncio.get_running_loop().time
    speed = _speed(context)
    began, lasts = clock(), seconds / speed
    step = max(SHORTEST, lasts / WORDS)
    while (passed := clock() - began) < lasts:
        context.progress(passed / lasts, say(int(passed * speed)))
        await asyncio.sleep(min(step, lasts - passed))
    context.progress(1.0, say(round(seconds)))


def check(context: ToolContext) -> None:
    """Raises ToolError for a SPEED that is none, before anything is made."""
    _speed(context)


def _speed(context: ToolContext) -> float:
    said = context.config.get("SPEED") or "1"
    try:
        speed = float(said)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 10_000:  # not a number is in no range either
        raise ToolError(Code.TOOL_FAILED, context.text("error.speed", value=said), setting="SPEED", value=said)
    return speed
