"""documents.search_conversations: what the person and we have said and done before, in all their sessions."""

from contracts.memory import MemoryKind
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext

KINDS = (MemoryKind.TURN, MemoryKind.FACT, MemoryKind.NOTE)
SHOWN = 600
QUOTED = 6
"""Characters: what is shorter stands in any answer."""


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """The best fits first, without what is being said just now."""
    query, limit = str(params["query"]), int(str(params.get("limit", 5)))
    asked = _asked(query)
    # more than are wanted: the present request is a turn as well, and fits itself best
    hits = await context.memories.search(query, limit + 5, KINDS)
    past = [hit for hit in hits if hit.item.recorded_at < context.now and _asked(hit.item.text) != asked]
    found: list[JsonValue] = [
        {
            "text": hit.item.text[:SHOWN],
            "kind": hit.item.kind.value,
            "said_at": hit.item.recorded_at.isoformat(),
            "session_id": str(hit.item.session_id) if hit.item.session_id else None,
            "score": round(hit.score, 6),
        }
        for hit in past
        if not any(_retells(hit.item.text, other.item.text) for other in past)
    ]
    sources: list[JsonValue] = [
        {"conversation": one["session_id"], "said_at": one["said_at"]} for one in found[:limit] if isinstance(one, dict)
    ]
    return {"query": query, "found": found[:limit], "sources": sources}


def _retells(text: str, other: str) -> bool:
    """Whether a turn has quoted another: somebody has looked for that before."""
    said, answered = other.partition("\n")[0], text.partition("\n")[2]
    return text != other and len(said) >= QUOTED and said in answered


def _asked(text: str) -> str:
    """What was said in a turn, however it is written; what was answered stands in the lines after it."""
    return " ".join(text.strip().partition("\n")[0].split()).casefold()
