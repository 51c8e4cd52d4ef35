"""Nothing, done well."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext


async def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Returns an empty result."""
    return {}
