"""An effect that must never be repeated, and that can be looked up. While the file FATAL is there, whoever has made
the effect dies before he can say so."""

import asyncio
import os
import signal
import tempfile
from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import EFFECTS, charge, keys_in

FATAL = "fatal"


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    charge(ctx.idempotency_key)
    fatal = Path(tempfile.gettempdir()) / FATAL
    if fatal.exists():
        fatal.unlink()
        os.killpg(0, signal.SIGKILL)  # this very service: what has happened is nobody's knowledge now
    await asyncio.sleep(float(str(params.get("seconds", 0))))
    return {"found": False}


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    made = keys_in(Path(tempfile.gettempdir()) / EFFECTS)[ctx.idempotency_key]
    return {"happened": made > 0, "result": {"found": True}}
