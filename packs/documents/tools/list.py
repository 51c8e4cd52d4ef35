"""documents.list: the files of the session."""

from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext
from packs.documents.shelf import DOCUMENT

TABLE = "file.table"


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Names and sizes, oldest first, documents before tables; of two with one name, the newer."""
    inputs = [*context.inputs(DOCUMENT), *context.inputs(TABLE)]
    there = list({one.attachment.name: one.attachment for one in inputs}.values())
    found: list[JsonValue] = [{"name": one.name, "size": one.size, "media_type": one.media_type} for one in there]
    names = ", ".join(one.name for one in there)
    said = context.text("list.some", count=len(there), names=names) if there else context.text("list.none")
    return {"documents": found, "summary": [said]}
