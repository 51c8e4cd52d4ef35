"""minimal.coin: tosses a coin."""

import hashlib

from contracts.shape import JsonObject
from contracts.tools import ToolContext


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """The side comes of the call's key: whoever repeats the call after a crash sees the same coin."""
    heads = hashlib.sha256(context.idempotency_key.encode()).digest()[0] % 2 == 0
    side = "heads" if heads else "tails"
    return {"side": side, "summary": [context.text(f"coin.{side}")]}
