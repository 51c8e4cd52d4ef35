"""An effect that must never be repeated, and that can be looked up. While the file FATAL is there, whoever makes the
effect dies: before it, or after it and before he can say so, as the file says."""

import asyncio
import os
import signal
import tempfile
from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import EFFECTS, charge, keys_in

FATAL = "fatal"
BEFORE, AFTER = "before", "after"


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    _die(BEFORE)
    charge(ctx.idempotency_key)
    _die(AFTER)
    await asyncio.sleep(float(str(params.get("seconds", 0))))
    return {"found": False}


def _die(moment: str) -> None:
    fatal = Path(tempfile.gettempdir()) / FATAL
    if fatal.exists() and fatal.read_text(encoding="utf-8") == moment:
        fatal.unlink()
        os.killpg(0, signal.SIGKILL)  # this very service: what has happened is nobody's knowledge now


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    made = keys_in(Path(tempfile.gettempdir()) / EFFECTS)[ctx.idempotency_key]
    return {"happened": made > 0, "result": {"found": True}}
