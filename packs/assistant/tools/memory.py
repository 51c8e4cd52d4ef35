"""assistant.memory: remembers what a person says, finds it again, takes what it has become instead, forgets it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from pydantic import JsonValue

from contracts.memory import Found, MemoryItem, MemoryKind
from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant import actions, additions, corrected, elsewhere, facts, removals
from packs.assistant.additions import Added
from packs.assistant.calendars import speech
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.port import CalendarFault
from packs.assistant.calendars.speech import refused, short
from packs.assistant.calendars.window import LONGEST, bounds, day_of, here
from packs.assistant.finding import best, near
from packs.assistant.likeness import nearest_notes
from packs.assistant.touched import put_in, touch, touched

LOOKED_AT = 10
SHOWN = 3
LISTED, COUNTED = 20, 1000
"""Of everything that is remembered: so many are told, so many are counted."""
NEARLY = 0.9
"""Of the best one's score: what fits nearly as well is told too."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A note as something with a title."""

    title: str


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend."""
    action = str(params.get("action") or "remember")
    text, value = (" ".join(str(params.get(name) or "").split()) for name in ("text", "value"))
    if (not text and action not in ("recall", "undo", "forget", "restore", "gone")) or (
        action == "change" and not value
    ):
        raise refused(context, f"memory.error.{action}_what", value="")
    with spoken(context):
        if (done := await elsewhere.of_before(action, params, context, "note")) is not None:
            return {"action": action, **done}
        if action == "change":
            return {"action": action, **await _change(text, value, context)}
        if action == "forget":
            earlier = await elsewhere.of_an_earlier_attempt("delete", params, context, "note")
            made = earlier or await _forget(text, str(params.get(elsewhere.ITEM) or ""), context)
            return {"action": action, **made}
        if action == "remember" and params.get("corrects"):
            becomes = await _corrected(text, context)
            if becomes is not None:
                return {"action": "change", **becomes}
        if action == "recall":
            return {"action": action, **await _recall(text, day_of(params, "date", context), context)}
        return {"action": action, **await _remember(text, context)}


async def _remember(text: str, context: ToolContext) -> JsonObject:
    """Another figure for the same thing takes the place of the one before: nothing has two door codes."""
    found = await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,))
    return await _keep(text, [one.item for one in found if facts.replaces(text, one.item.text)], context)


async def _corrected(text: str, context: ToolContext) -> JsonObject | None:
    """The note that it corrects becomes what it says now; None where it is about none, or about several alike."""
    found = [one.item for one in await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,))]
    found_of = corrected.corrected(text, [item.text for item in found], context.language)
    if found_of is None:
        last = await touched(context)
        found_of = corrected.of_the_last(text, last.title, context.language) if last and last.kind == "note" else None
    if found_of is None:
        return None
    subject, value = found_of
    becomes = context.text("memory.fact", of=subject, says=value)
    found += [one.item for one in await context.memories.search(subject, LOOKED_AT, (MemoryKind.NOTE,))]
    same = {item.item_id: item for item in found if corrected.is_same_fact(item.text, subject, context.language)}
    before = list(same.values())
    return await _keep(becomes, [item for item in before if item.text != becomes], context)


async def _change(subject: str, value: str, context: ToolContext) -> JsonObject:
    """What was remembered of that is forgotten for what it is now."""
    found = await context.memories.search(subject, LOOKED_AT, (MemoryKind.NOTE,))
    before = [
        one.item
        for one in found
        if facts.is_about(one.item.text, subject) or corrected.is_same_fact(one.item.text, subject, context.language)
    ]
    if not before:
        ends = [one.item for one in found if corrected.ends_with(one.item.text, subject)]
        before = ends if len(ends) == 1 else []  # "the code of the lock", where one lock alone has a note
        subject = corrected.subject_of(before[0].text) if before else subject
    text = context.text("memory.fact", of=subject, says=value)
    return await _keep(text, [item for item in before if item.text != text], context)


async def _keep(text: str, before: Sequence[MemoryItem], context: ToolContext) -> JsonObject:
    choice = await chosen_before(context)
    if choice is None:
        key = "memory.changed" if before else "memory.kept"
        sentence = context.text(key, text=text, before=", ".join(short(one.text) for one in before))
        choice = await choose(
            context, {"of": "note", "sentence": sentence, "before": [str(one.item_id) for one in before]}
        )
    item = await context.memories.keep(MemoryKind.NOTE, text)
    await put_in(context, Added("note", str(item), text))
    gone = choice["before"]
    for one in gone if isinstance(gone, list) else []:
        await context.memories.forget(UUID(str(one)))
        await additions.gone(context, str(one))
    return {"summary": [choice["sentence"]]}


async def _recall(text: str, day: date | None, context: ToolContext) -> JsonObject:
    """Only what was to be remembered: what was forgotten is still in the conversation, and must not come back from
    there."""
    if not text and day is None:
        return await _everything(context)
    found = await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,)) if text else []
    told = [one for one in found if one.score >= NEARLY * found[0].score][:SHOWN]
    # who names it exactly means that one
    told = _named(told, text) or told
    if not told and (dated := await _in_calendar(text, day, context)):
        return {"summary": dated, "found": []}
    if not told and (like := await nearest_notes(text, context) if text else []):
        if len(like) == 1:
            await touch(context, Added("note", str(like[0].item_id), like[0].text))
        return {"summary": [context.text("memory.nearest", text=short(one.text)) for one in like], "found": []}
    if not told:
        return {"summary": [context.text("memory.nothing", text=text)], "found": []}
    if len(told) == 1:
        await touch(context, Added("note", str(told[0].item.item_id), told[0].item.text))
    if all(corrected.is_of_another(text, one.item.text, context.language) for one in told):
        return {"summary": [context.text("memory.nearest", text=short(one.item.text)) for one in told], "found": []}
    texts: list[JsonValue] = [one.item.text for one in told]
    lines: list[JsonValue] = [context.text("memory.recalled", text=one.item.text) for one in told]
    return {"summary": lines, "found": texts}


async def _in_calendar(text: str, day: date | None, context: ToolContext) -> list[JsonValue]:
    """Appointments of that name: "when was the dentist?" asks for what was put in as well as for what was said."""
    first = day or here(context).date()
    last = day or first + timedelta(days=LONGEST - 1)
    try:
        there = await calendar_of(context).between(*bounds(first, last, context))
    except CalendarFault as fault:
        context.log(f"no calendar was asked: {fault.reason}")
        return []
    if day is not None:
        named = best(there, text) if text else there
        return list[JsonValue](speech.listed(named or there, day, day, context))
    found = list({one.uid: one for one in reversed(best(there, text))}.values())[::-1]
    return [speech.line(one, context) for one in found[:SHOWN]]


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


async def _forget(text: str, meant: str, context: ToolContext) -> JsonObject:
    """Only a note in which everything that was said occurs; of several that fit none is forgotten. `meant` is a note
    that was found already."""
    choice = await chosen_before(context)
    if choice is None:
        if not text and not meant:
            last = await touched(context)
            if last is None:
                raise refused(context, "memory.error.forget_what", value="")
            if last.kind != "note":
                return await elsewhere.handed_on(last, "delete", {}, context)
            text, meant = last.title, last.item
        there = await context.memories.search(text, LOOKED_AT, (MemoryKind.NOTE,))
        fits = [one for one in there if str(one.item.item_id) == meant] if meant else _named(there, text)
        if not fits and not meant and (made := await elsewhere.named(text, "delete", {}, context, "note")):
            return made
        like = [] if fits else near([Remembered(one.item.text) for one in there], text)
        if like:
            lines: list[JsonValue] = [short(one.title) for one in like]
            return {"summary": [context.text("memory.near", value=text), *lines], "found": lines}
        if not fits:
            raise refused(context, "memory.error.none_found", value=text)
        if len(fits) > 1:
            named: list[JsonValue] = [short(one.item.text) for one in fits]
            return {"summary": [context.text("memory.several", count=len(fits)), *named], "found": named}
        item = fits[0].item
        sentence = context.text("memory.forgotten", text=short(item.text))
        choice = await choose(
            context, {"of": "note", "item": str(item.item_id), "sentence": sentence, "title": item.text}
        )
    await context.memories.forget(UUID(str(choice["item"])))
    if title := choice.get("title"):
        await removals.note(context, Added("note", str(choice["item"]), str(title)), {})
    return {"summary": [choice["sentence"]]}


def _named(found: Sequence[Found], text: str) -> list[Found]:
    said = [word for word in text.split() if word.casefold() not in actions.every("asked_with")] or text.split()
    words = [_plain(word) for word in said]
    return [one for one in found if words and all(word in _plain(one.item.text) for word in words)]


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
