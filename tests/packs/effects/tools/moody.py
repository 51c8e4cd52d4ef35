"""Fails the first time it is called with a key, in a way that passes; later has an effect."""

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from tests.packs.effects.outbox import deliver


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    if deliver(ctx.idempotency_key) == 0:
        raise ToolError(Code.TOOL_FAILED, "not now", retryable=True)
    return {}
