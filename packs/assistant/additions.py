"""What a person has had put in, the newest of which can be taken back: appointments, things to do, reminders, notes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant import reminders
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.speech import short

Kind = Literal["appointment", "chore", "reminder", "note"]
_ADD = "insert into additions (user_id, key, kind, item, title) values ($1, $2, $3, $4, $5) on conflict do nothing"
_NEWEST = """select kind, item, title from additions where user_id = $1 and gone_at is null
order by added_at desc limit 1"""
_GONE = "update additions set gone_at = $3 where user_id = $1 and item = $2 and gone_at is null"


@dataclass(frozen=True, slots=True)
class Added:
    kind: Kind
    item: str
    title: str


async def note(context: ToolContext, added: Added) -> None:
    """Another attempt of the call notes it once."""
    async with context.database.transaction() as rows:
        await rows.execute(_ADD, context.user, context.idempotency_key, added.kind, added.item, added.title)


async def gone(context: ToolContext, item: str) -> None:
    """It is not there any more, and the one before it is the newest."""
    async with context.database.transaction() as rows:
        await rows.execute(_GONE, context.user, item, context.now)


async def take_back(context: ToolContext) -> JsonObject:
    """Takes out what was put in last, of whatever kind; says so when there is nothing."""
    choice = await chosen_before(context)
    if choice is None:
        newest = await _newest(context)
        if newest is None:
            return {"summary": [context.text("undo.nothing")]}
        sentence = context.text(f"undo.{newest.kind}", title=short(newest.title))
        times = await _times(newest, context)
        chosen: JsonObject = {"kind": newest.kind, "item": newest.item, "sentence": sentence, "times": times}
        choice = await choose(context, chosen)
    item = str(choice["item"])
    match choice["kind"]:
        case "appointment":
            await calendar_of(context).remove(item)
        case "chore":
            await calendar_of(context).complete(item)
        case "note":
            await context.memories.forget(UUID(item))
        case _:
            await reminders.cancel(context, UUID(item))
            for at in choice["times"] if isinstance(choice["times"], list) else ():
                context.cancel_reminder(UUID(item), datetime.fromisoformat(str(at)))
    await gone(context, item)
    return {"summary": [choice["sentence"]]}


async def _newest(context: ToolContext) -> Added | None:
    async with context.database.transaction() as rows:
        row = await rows.fetchrow(_NEWEST, context.user)
    return None if row is None else Added(row["kind"], row["item"], row["title"])


async def _times(newest: Added, context: ToolContext) -> list[JsonValue]:
    if newest.kind != "reminder":
        return []
    return [
        at.isoformat()
        for _, one in await reminders.still_open(context)
        if str(one.reminder_id) == newest.item
        for at in one.due(context.now)
    ]
