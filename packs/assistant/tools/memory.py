"""assistant.memory: remembers what a person says, finds it again, forgets it."""

import unicodedata
from collections.abc import Sequence
from uuid import UUID

from pydantic import JsonValue

from contracts.memory import Found, MemoryKind
from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.speech import refused, short

LOOKED_AT = 10
SHOWN = 3
LISTED, COUNTED = 20, 1000
"""Of everything that is remembered: so many are told, so many are counted."""
NEARLY = 0.9
"""Of the best one's score: what fits nearly as well is told too."""


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend."""
    actions = {"remember": _remember, "recall": _recall, "forget": _forget}
    action = str(params.get("action") or "remember")
    text = " ".join(str(params.get("text") or "").split())
    if not text and action != "recall":
        raise refused(context, f"memory.error.{action}_what", value="")
    with spoken(context):
        return {"action": action, **await actions[action](text, context)}


async def _remember(text: str, context: ToolContext) -> JsonObject:
    await context.memories.keep(MemoryKind.NOTE, text)
    return {"summary": [context.text("memory.kept", text=text)]}


async def _recall(text: str, context: ToolContext) -> JsonObject:
    """Only what was to be remembered: what was forgotten is still in the conversation, and must not come back from
    there."""
    if not text:
        return await _everything(context)
    found = await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,))
    told = [one for one in found if one.score >= NEARLY * found[0].score][:SHOWN]
    # who names it exactly means that one
    told = _named(told, text) or told
    if not told:
        return {"summary": [context.text("memory.nothing", text=text)], "found": []}
    texts: list[JsonValue] = [one.item.text for one in told]
    lines: list[JsonValue] = [context.text("memory.recalled", text=one.item.text) for one in told]
    return {"summary": lines, "found": texts}


async def _everything(context: ToolContext) -> JsonObject:
    """All that was to be remembered, the newest first; what is too much for an answer is counted."""
    notes = await context.memories.newest(COUNTED, (MemoryKind.NOTE,))
    if not notes:
        return {"summary": [context.text("memory.empty")], "found": []}
    texts: list[JsonValue] = [short(one.text) for one in notes[:LISTED]]
    summary: list[JsonValue] = [context.text("memory.listed", count=len(notes)), *texts]
    if len(notes) > LISTED:
        summary.append(context.text("memory.more", count=len(notes) - LISTED))
    return {"summary": summary, "found": texts}


async def _forget(text: str, context: ToolContext) -> JsonObject:
    """Only a note in which everything that was said occurs; of several that fit none is forgotten."""
    choice = await chosen_before(context)
    if choice is None:
        fits = _named(await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,)), text)
        if not fits:
            raise refused(context, "memory.error.none_found", value=text)
        if len(fits) > 1:
            named: list[JsonValue] = [short(one.item.text) for one in fits]
            return {"summary": [context.text("memory.several", count=len(fits)), *named], "found": named}
        item = fits[0].item
        sentence = context.text("memory.forgotten", text=short(item.text))
        choice = await choose(context, {"item": str(item.item_id), "sentence": sentence})
    await context.memories.forget(UUID(str(choice["item"])))
    return {"summary": [choice["sentence"]]}


def _named(found: Sequence[Found], text: str) -> list[Found]:
    words = [_plain(word) for word in text.split()]
    return [one for one in found if words and all(word in _plain(one.item.text) for word in words)]


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
