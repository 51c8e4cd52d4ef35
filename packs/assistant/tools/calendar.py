"""assistant.calendar: puts an appointment in, lists days, takes an appointment out."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant.attached import attached, cancelled
from packs.assistant.calendars import ical, speech
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.port import Appointment, Calendar, Moment, best, uid_for
from packs.assistant.calendars.rules import begun
from packs.assistant.calendars.window import bounds, day_of, end_of, here, overlaps, start_of

EVENT = "calendar.event"
_LISTED_DAYS = 7
_LOOKED_FOR_DAYS = 366
_KEPT = 50


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend, or what the calendar cannot do."""
    actions = {"add": _add, "list": _list, "delete": _delete}
    action = str(params.get("action") or "add")
    with spoken(context):
        made = await actions[action](params, calendar_of(context), context)
    return {"action": action, **made}


async def _add(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    appointment = await _asked(params, context)
    clashes = await _clashes(appointment, calendar)
    await calendar.add(appointment)
    _save(appointment, context)
    sentences = speech.added(appointment, clashes, context)
    return {"summary": list[JsonValue](sentences), "event": _json(appointment)}


async def _asked(params: JsonObject, context: ToolContext) -> Appointment:
    title = " ".join(str(params.get("title") or "").split())
    day = day_of(params, "date", context)
    if not title:
        raise speech.refused(context, "calendar.error.title_missing", value=str(params.get("title") or ""))
    if day is None:
        raise speech.refused(context, "calendar.error.date_missing", title=title)
    start, rule, now = start_of(params, day, context), str(params.get("recurrence") or ""), here(context)
    if rule:
        # in a thread: a rule that never comes true is searched for long
        rule, start = await asyncio.to_thread(begun, rule, start, now)
    elif start < now if isinstance(start, datetime) else start < now.date():
        raise speech.refused(context, "calendar.error.past", value=speech.when(start, context))
    minutes = params.get("minutes")
    end = end_of(start, minutes if isinstance(minutes, int) else 60)
    uid = uid_for(context.user, context.idempotency_key)
    return Appointment(uid, title, start, end, str(params.get("place") or "").strip(), rule)


async def _clashes(appointment: Appointment, calendar: Calendar) -> list[Appointment]:
    """What else is at that time; an earlier attempt of this call has perhaps put the same in."""
    start, end = appointment.start, appointment.end
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return []
    found = await calendar.between(start, end)
    return [one for one in found if one.uid != appointment.uid and overlaps(one, start, end)]


def _save(appointment: Appointment, context: ToolContext) -> None:
    """As a file that any calendar program opens."""
    name = re.sub(r"[^\w-]+", "_", appointment.title)[:40].strip("_") or "event"
    context.save(
        ical.appointment_text(appointment, context.now).encode(),
        name=f"{appointment.start:%Y-%m-%d}_{name}.ics",
        media_type="text/calendar",
        type_=EVENT,
        uid=appointment.uid,
    )


async def _list(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    asked, until = day_of(params, "date", context), day_of(params, "until", context)
    first = asked or here(context).date()
    last = until or (first if asked else first + timedelta(days=_LISTED_DAYS - 1))
    title = str(params.get("title") or "")
    found: Sequence[Appointment] = await calendar.between(*bounds(first, last, context))
    if title:
        found = best(found, title)
    sentences = speech.listed(found, first, last, context)
    return {"summary": list[JsonValue](sentences), "events": [_json(one) for one in found[:_KEPT]], "count": len(found)}


async def _delete(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is taken out. With a day only that one of a series goes."""
    title, day = str(params.get("title") or "").strip(), day_of(params, "date", context)
    if not title and day is None:
        raise speech.refused(context, "calendar.error.delete_which", value="")
    choice = await chosen_before(context)
    if choice is None:
        first = day or here(context).date()
        last = day or first + timedelta(days=_LOOKED_FOR_DAYS - 1)
        fits = await _fits(params, calendar, bounds(first, last, context), context)
        if len({one.uid for one in fits}) > 1:
            lines = speech.shortened(fits, lambda one: speech.line(one, context), context)
            head = context.text("calendar.several", count=len(fits))
            return {"summary": [head, *lines], "deleted": [], "matches": [_json(one) for one in fits[:_KEPT]]}
        chosen = _choice(fits[0], context, one_of_series=day is not None)
        series = fits[0].original is not None and day is None
        going = await attached(fits[0], calendar, context, series=series)
        choice = await choose(context, {**chosen, "reminders": [*going]})
    only = choice["only"]
    await calendar.remove(str(choice["uid"]), _moment(str(only)) if only else None)
    told = await cancelled(choice.get("reminders"), context)
    return {"summary": [choice["sentence"], *told], "deleted": [choice["event"]]}


async def _fits(
    params: JsonObject, calendar: Calendar, window: tuple[datetime, datetime], context: ToolContext
) -> list[Appointment]:
    """Of a series that is meant as a whole only the next one."""
    title, clock = str(params.get("title") or "").strip(), str(params.get("time") or "")
    found = list(await calendar.between(*window))
    if clock:
        found = [one for one in found if isinstance(one.start, datetime) and f"{one.start:%H:%M}" == clock]
    if title:
        found = best(found, title)
    if not found:
        asked = " ".join(part for part in (str(params.get("date") or ""), clock, title) if part)
        raise speech.refused(context, "calendar.error.none_found", value=asked)
    return list({one.uid: one for one in reversed(found)}.values())[::-1] if not params.get("date") else found


def _choice(one: Appointment, context: ToolContext, *, one_of_series: bool) -> JsonObject:
    whole = one.original is not None and not one_of_series
    key = "calendar.removed_series" if whole else "calendar.removed"
    at = speech.when(one.start, context)
    return {
        "uid": one.uid,
        "only": one.original.isoformat() if one.original and one_of_series else None,
        "sentence": context.text(key, when=at, title=speech.short(one.title)),
        "event": _json(one),
    }


def _moment(text: str) -> Moment:
    moment = datetime.fromisoformat(text)
    return moment if "T" in text else moment.date()


def _json(one: Appointment) -> JsonObject:
    return {
        "uid": one.uid,
        "title": speech.short(one.title),
        "start": one.start.isoformat(),
        "end": one.end.isoformat(),
        "whole_day": one.whole_day,
        "place": speech.short(one.place),
        "recurrence": one.rule,
    }
