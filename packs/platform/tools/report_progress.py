"""platform.report_progress as a todo of its own; in an agent loop the loop itself answers it (services.execution)."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Shows the words as progress."""
    title, description = str(params.get("title", "")), str(params.get("description", ""))
    context.progress(0.5, description or title)
    return {"title": title, "description": description}
