"""A gated effect that comes at the end of a call: whoever asks in the middle is told that nothing has happened yet."""

import asyncio
import tempfile
from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import EFFECTS, charge, keys_in

SECONDS = 0.4


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    await asyncio.sleep(SECONDS)
    charge(ctx.idempotency_key)
    return {"found": False}


async def reconcile(params: JsonObject, ctx: ToolContext) -> JsonObject:
    made = keys_in(Path(tempfile.gettempdir()) / EFFECTS)[ctx.idempotency_key]
    return {"happened": made > 0, "result": {"found": True}}
