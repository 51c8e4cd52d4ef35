"""Tools that do as they are told: succeed, fail, take their time, have an effect that can be counted."""

import asyncio
import time
from datetime import timedelta

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import Reminder, ToolContext, ToolError
from tests.packs.effects.outbox import begin, charge, deliver


async def quick(params: JsonObject, ctx: ToolContext) -> JsonObject:
    return {}


async def nap(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Begins, takes its time on the event loop, has its effect."""
    begin(ctx.idempotency_key)
    await asyncio.sleep(_seconds(params))
    deliver(ctx.idempotency_key)
    return {}


def doze(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """The same in a process of its own, and deaf to everything but a signal."""
    begin(ctx.idempotency_key)
    time.sleep(_seconds(params))
    deliver(ctx.idempotency_key)
    return {}


async def fails(params: JsonObject, ctx: ToolContext) -> JsonObject:
    raise ToolError(Code.TOOL_FAILED, ctx.text("closed"))


async def moody(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Fails so many times, in a way that passes."""
    if deliver(ctx.idempotency_key) < int(str(params.get("times", 1))):
        raise ToolError(Code.TOOL_FAILED, ctx.text("not_now"), retryable=True)
    return {}


async def score(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Better with every round of its cycle: the key of a call ends in the round, from the second on."""
    _, _, _, *again = ctx.idempotency_key.split(":")
    number = int(again[0]) if again else 1
    return {"score": number * float(str(params.get("step", 0.5))), "round": number}


async def write(params: JsonObject, ctx: ToolContext) -> JsonObject:
    ctx.save(ctx.idempotency_key.encode(), name="note.txt", media_type="text/plain", type_="insight.note")
    return {}


async def gather(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Brings together what the others have written."""
    return {"notes": len(ctx.inputs("insight.note"))}


async def send(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """An effect outside, that happens as often as it is asked for."""
    charge(ctx.idempotency_key)
    return {}


async def unsure(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """A synthesis that always wants another round."""
    failed = [one.error for one in ctx.upstream if not one.succeeded]
    return {"complete": False, "summary": [ctx.text("unsure"), *failed]}


async def nudge(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Wants to be reminded so many seconds after the request."""
    at = ctx.now + timedelta(seconds=_seconds(params))
    ctx.remind(Reminder(text=ctx.text("nudge"), at=at, rule=str(params.get("rule", ""))))
    return {}


def _seconds(params: JsonObject) -> float:
    return float(str(params.get("seconds", 0.2)))
