"""A tool whose duration is known."""

import asyncio

from contracts.shape import JsonObject
from contracts.tools import ToolContext


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    await asyncio.sleep(float(str(params["seconds"])))
    return {}
