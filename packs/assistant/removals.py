"""What a person has had taken out, the newest of which can be put back: who says "no, leave it" wants it back."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from contracts.memory import MemoryKind
from contracts.shape import JsonObject
from contracts.tools import Reminder, ToolContext
from packs.assistant import additions, reminders
from packs.assistant.additions import Added, Kind
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.port import Appointment, Chore, Moment, uid_for
from packs.assistant.calendars.speech import refused, short, when
from packs.assistant.reminders import Kept
from packs.assistant.touched import put_in, touch

_OLD = "delete from removals where user_id = $1 and at < clock_timestamp() - interval '1 day'"
_NOTE = """insert into removals (user_id, key, kind, item, was) values ($1, $2, $3, $4, $5::jsonb)
on conflict do nothing"""
_NEWEST = """update removals set back_by = $2 where user_id = $1 and key = coalesce(
  (select key from removals where user_id = $1 and back_by = $2),
  (select key from removals where user_id = $1 and back_by is null
     and at > clock_timestamp() - interval '1 hour' order by at desc limit 1)
) returning kind, item, was::text as was"""
_LAST = """select kind, title, at from (
  select kind, was->>'title' as title, at from removals where user_id = $1 and back_by is null
  union all select kind, title, gone_at from additions where user_id = $1 and gone_at is not null
    and item not in (select item from removals where user_id = $1)
) as gone order by at desc limit 1"""
_WAS = "select was->>'title' as title from removals where user_id = $1 and item = $2 and back_by is null"


async def note(context: ToolContext, thing: Added, was: JsonObject) -> None:
    """It is taken out, and is what "that" means next; `was` is what puts it back, its title beside it."""
    kept = json.dumps({**was, "title": thing.title}, ensure_ascii=False)
    async with context.database.transaction() as rows:
        await rows.execute(_OLD, context.user)
        await rows.execute(_NOTE, context.user, context.idempotency_key, thing.kind, thing.item, kept)
    await additions.gone(context, thing.item)
    await touch(context, thing)


async def gone_already(thing: Added | None, context: ToolContext) -> JsonObject | None:
    """What is said of a thing that was taken out just before, and is to be taken out again."""
    if thing is None:
        return None
    async with context.database.transaction() as rows:
        row = await rows.fetchrow(_WAS, context.user, thing.item)
    return None if row is None else {"summary": [context.text("restore.gone_already", title=short(row["title"]))]}


async def told(context: ToolContext) -> JsonObject:
    """Says what was taken out last, of whatever kind, and when; nothing is done."""
    async with context.database.transaction() as rows:
        row = await rows.fetchrow(_LAST, context.user)
    if row is None:
        return {"summary": [context.text("gone.nothing")]}
    at = when(row["at"].astimezone(ZoneInfo(context.timezone)), context)
    return {"summary": [context.text(f"gone.{row['kind']}", title=short(row["title"]), when=at)]}


async def put_back(context: ToolContext) -> JsonObject:
    """Puts in again what was taken out last, of whatever kind. Nothing was: then all of it is there."""
    async with context.database.transaction() as rows:
        row = await rows.fetchrow(_NEWEST, context.user, context.idempotency_key)
    if row is None:
        return {"summary": [context.text("restore.nothing")]}
    was: JsonObject = json.loads(row["was"])
    kind: Kind = row["kind"]
    thing = Added(kind, await _PUT[kind](was, context), str(was["title"]))
    await put_in(context, thing)
    return {"summary": [context.text(f"restore.{kind}", title=short(thing.title))]}


def of_appointment(one: Appointment) -> JsonObject:
    """What puts it back."""
    return {"start": one.start.isoformat(), "end": one.end.isoformat(), "place": one.place, "rule": one.rule}


def of_chore(one: Chore) -> JsonObject:
    """What puts it back."""
    return {"due": one.due.isoformat() if one.due else None}


def of_reminder(at: datetime, one: Kept) -> JsonObject:
    """What puts it back."""
    return {"at": at.isoformat(), "rule": one.rule, "before": one.before}


async def _appointment(was: JsonObject, context: ToolContext) -> str:
    start, end = (_moment(str(was[name]), context) for name in ("start", "end"))
    # a uid of its own: some calendars keep that of what was taken out, and take no other by it
    uid = uid_for(context.user, context.idempotency_key)
    again = Appointment(uid, str(was["title"]), start, end, str(was["place"]), str(was["rule"]))
    await calendar_of(context).add(again)
    return uid


async def _chore(was: JsonObject, context: ToolContext) -> str:
    uid, due = uid_for(context.user, context.idempotency_key), was["due"]
    await calendar_of(context).add_chore(Chore(uid, str(was["title"]), date.fromisoformat(str(due)) if due else None))
    return uid


async def _reminder(was: JsonObject, context: ToolContext) -> str:
    title, at, rule = str(was["title"]), datetime.fromisoformat(str(was["at"])), str(was["rule"])
    if not rule and at <= context.now:
        raise refused(context, "reminder.error.past", value=when(at.astimezone(ZoneInfo(context.timezone)), context))
    before = was["before"] if isinstance(was["before"], int) else None
    kept = Kept(context.remind(Reminder(text=title, at=at, rule=rule)), title, at, rule, context.timezone, before)
    await reminders.keep(context, kept)
    return str(kept.reminder_id)


async def _note(was: JsonObject, context: ToolContext) -> str:
    return str(await context.memories.keep(MemoryKind.NOTE, str(was["title"])))


_PUT: Mapping[Kind, Callable[[JsonObject, ToolContext], Awaitable[str]]] = {
    "appointment": _appointment,
    "chore": _chore,
    "reminder": _reminder,
    "note": _note,
}


def _moment(text: str, context: ToolContext) -> Moment:
    # in the named zone: an offset alone would not go with the clock when that is put back
    return (
        datetime.fromisoformat(text).astimezone(ZoneInfo(context.timezone)) if "T" in text else date.fromisoformat(text)
    )
