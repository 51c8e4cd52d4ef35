"""documents.list: the documents of the session."""

from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext
from packs.documents.shelf import documents


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Names and sizes, oldest first."""
    there = [one.attachment for one in documents(context)]
    found: list[JsonValue] = [{"name": one.name, "size": one.size, "media_type": one.media_type} for one in there]
    names = ", ".join(one.name for one in there)
    said = context.text("list.some", count=len(there), names=names) if there else context.text("list.none")
    return {"documents": found, "summary": [said]}
