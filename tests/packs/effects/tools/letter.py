"""An effect from the service's own process."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import deliver


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    deliver(ctx.idempotency_key)
    return {}
