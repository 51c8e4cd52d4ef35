"""An effect from a worker process, with a file as its receipt."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import deliver


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    deliver(ctx.idempotency_key)
    ctx.save(ctx.idempotency_key.encode(), name="receipt.txt", media_type="text/plain", type_="document.receipt")
    return {}
