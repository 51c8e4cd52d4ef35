"""assistant.reminder: sets a reminder, lists those that will come, takes one back."""

import asyncio
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import Reminder, ToolContext
from packs.assistant import reminders
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.port import best
from packs.assistant.calendars.rules import begun, frequency
from packs.assistant.calendars.speech import SHOWN, refused, short, when
from packs.assistant.calendars.window import day_of, here, start_of
from packs.assistant.reminders import Kept


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend."""
    actions = {"add": _add, "list": _list, "delete": _delete}
    action = str(params.get("action") or "add")
    with spoken(context):
        return {"action": action, **await actions[action](params, context)}


async def _add(params: JsonObject, context: ToolContext) -> JsonObject:
    text = _text(params) or _alarm(params, context)
    if not text:
        raise refused(context, "reminder.error.text_missing", value="")
    at, rule = _at(params, context), str(params.get("recurrence") or "")
    if rule:
        # in a thread: a rule that never comes true is searched for long
        rule, first = await asyncio.to_thread(begun, rule, at, here(context))
        at = first if isinstance(first, datetime) else at
    elif at <= context.now:
        raise refused(context, "reminder.error.past", value=when(at, context))
    reminder_id = context.remind(Reminder(text=text, at=at, rule=rule))
    before = params.get("minutes_before")
    kept = Kept(reminder_id, text, at, rule, context.timezone, before if isinstance(before, int) else None)
    await reminders.keep(context, kept)
    key = "reminder.set_series" if rule else "reminder.set"
    sentence = context.text(key, when=when(at, context), every=_every(rule, context), text=text)
    return {"summary": [sentence], "reminder": kept.as_json(at)}


def _at(params: JsonObject, context: ToolContext) -> datetime:
    """The moment; a time without a day is the next such time."""
    day, now = day_of(params, "date", context), here(context)
    if not params.get("time"):
        raise refused(context, "reminder.error.time_missing", text=_text(params))
    moment = start_of(params, day or now.date(), context)
    at = moment if isinstance(moment, datetime) else datetime.combine(moment, time(), now.tzinfo)
    return at + timedelta(days=1) if day is None and at <= now else at


async def _list(params: JsonObject, context: ToolContext) -> JsonObject:
    found = [(at, one) for at, one in await reminders.still_open(context) if _fits(at, one, params, context)]
    if not found:
        return {"summary": [context.text("reminder.nothing")], "reminders": [], "count": 0}
    lines = [_line(at, one, context) for at, one in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(context.text("reminder.more", count=len(found) - SHOWN))
    summary: list[JsonValue] = [context.text("reminder.listed", count=len(found)), *lines]
    return {"summary": summary, "reminders": [one.as_json(at) for at, one in found[:SHOWN]], "count": len(found)}


async def _delete(params: JsonObject, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is taken back."""
    text = _text(params) or _alarm(params, context)
    asked = " ".join(part for part in (str(params.get("date") or ""), text) if part)
    if not asked:
        raise refused(context, "reminder.error.delete_which", value="")
    choice = await chosen_before(context)
    if choice is None:
        fits = [(at, one) for at, one in await reminders.still_open(context) if _fits(at, one, params, context)]
        if text:
            called = best([one for _, one in fits], text)
            fits = [(at, one) for at, one in fits if one in called]
        if not fits:
            raise refused(context, "reminder.error.none_found", value=asked)
        if len(fits) > 1:
            named: list[JsonValue] = [_line(at, one, context) for at, one in fits[:SHOWN]]
            head = context.text("reminder.several", count=len(fits))
            return {"summary": [head, *named], "deleted": [], "matches": [one.as_json(at) for at, one in fits[:SHOWN]]}
        choice = await choose(context, _choice(*fits[0], context))
    deleted, times = choice["deleted"], choice["times"]
    if isinstance(deleted, dict) and isinstance(times, list):
        reminder_id = UUID(str(deleted["reminder_id"]))
        await reminders.cancel(context, reminder_id)
        for at in times:
            context.cancel_reminder(reminder_id, datetime.fromisoformat(str(at)))
    return {"summary": [choice["sentence"]], "deleted": [deleted]}


def _choice(at: datetime, one: Kept, context: ToolContext) -> JsonObject:
    return {
        "deleted": one.as_json(at),
        "times": [time_.isoformat() for time_ in one.due(context.now)],
        "sentence": context.text("reminder.deleted", text=short(one.title)),
    }


def _fits(at: datetime, one: Kept, params: JsonObject, context: ToolContext) -> bool:
    day: date | None = day_of(params, "date", context)
    return day is None or at.astimezone(ZoneInfo(one.timezone)).date() == day


def _line(at: datetime, one: Kept, context: ToolContext) -> str:
    moment = when(at.astimezone(ZoneInfo(context.timezone)), context)
    key = "reminder.line_series" if one.rule else "reminder.line"
    return context.text(key, when=moment, text=short(one.title), every=_every(one.rule, context))


def _every(rule: str, context: ToolContext) -> str:
    return context.text(f"calendar.every.{frequency(rule).lower() or 'other'}") if rule else ""


def _alarm(params: JsonObject, context: ToolContext) -> str:
    """What an alarm is called: its text is empty, and not left out."""
    return context.text("reminder.alarm") if "text" in params else ""


def _text(params: JsonObject) -> str:
    return " ".join(str(params.get("text") or "").split())
