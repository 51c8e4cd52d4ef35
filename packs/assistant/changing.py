"""An appointment becomes another: another day, time, length or name, or again and again; its reminders come with it."""

import asyncio
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from contracts.shape import JsonObject, JsonValue
from contracts.tools import Reminder, ToolContext
from packs.assistant import reminders
from packs.assistant.attached import attached
from packs.assistant.calendars import speech
from packs.assistant.calendars.choices import choose
from packs.assistant.calendars.port import Appointment, Calendar, Moment
from packs.assistant.calendars.rules import begun
from packs.assistant.calendars.window import day_of, end_of, here, start_of
from packs.assistant.reminders import Kept

CHANGES = ("new_title", "new_place", "new_date", "new_time", "new_end", "shift", "longer", "minutes", "recurrence")
SHORTEST = timedelta(minutes=5)
A_DAY = timedelta(days=1)
AN_HOUR, A_HALF_DAY, A_DAYS_MINUTES = 60, 12 * 60, 24 * 60


def says_how(params: JsonObject) -> bool:
    """Whether it is said what shall become of it."""
    return any(params.get(name) not in (None, "") for name in CHANGES)


async def chosen(found: Appointment, params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """What it shall become, kept. Raises ToolError: a time that has passed, a day that there is not."""
    new = await _becomes(found, params, context)
    whole = found.original is not None and not params.get("date") and _day(new.start) == _day(found.start)
    going = await attached(found, calendar, context, series=whole)
    becomes: JsonObject = {
        "of": "appointment",
        "old": _json(found),
        "new": _json(new),
        "series": whole or bool(new.rule),
    }
    return await choose(context, {**becomes, "reminders": [*going]})


async def again(choice: JsonObject, calendar: Calendar, context: ToolContext) -> Appointment:
    """Does what was chosen; another attempt of the call does the same."""
    old, new = _of_json(choice["old"], context), _of_json(choice["new"], context)
    await calendar.change(old, new, series=bool(choice["series"]))
    return new


async def told(choice: JsonObject, context: ToolContext) -> list[str]:
    """What has become of it, and of its reminders, which are moved with it."""
    old, new = _of_json(choice["old"], context), _of_json(choice["new"], context)
    by, moved = _by(old, new), choice["reminders"]
    following = moved if by and isinstance(moved, list) else []
    times = [(one, await _moved(one, by, context)) for one in following if isinstance(one, dict)]
    return [
        _sentence(old, new, context),
        *(
            context.text("calendar.reminder_moved", when=speech.when(at, context), text=str(one["text"]))
            for one, at in times
            if at is not None
        ),
    ]


def _by(old: Appointment, new: Appointment) -> timedelta:
    if isinstance(old.start, datetime) and isinstance(new.start, datetime):
        return new.start - old.start
    return timedelta()


async def _moved(one: JsonObject, by: timedelta, context: ToolContext) -> datetime | None:
    """When it comes now; one that would have to come before now is left as it is, and so is one that repeats."""
    reminder_id, times = UUID(str(one["reminder_id"])), one["times"]
    if one.get("rule") or not isinstance(times, list) or len(times) != 1:
        return None
    was = datetime.fromisoformat(str(times[0]))
    at = (was + by).astimezone(ZoneInfo(context.timezone))
    if at <= context.now:
        return None
    await reminders.cancel(context, reminder_id)
    context.cancel_reminder(reminder_id, was)
    text, before = str(one["text"]), one.get("before")
    moved = context.remind(Reminder(text=text, at=at, rule=""))
    await reminders.keep(
        context, Kept(moved, text, at, "", context.timezone, before if isinstance(before, int) else None)
    )
    return at


async def _becomes(found: Appointment, params: JsonObject, context: ToolContext) -> Appointment:
    start, now = _start(found, params, context), here(context)
    rule = str(params.get("recurrence") or "")
    if rule:
        # in a thread: a rule that never comes true is searched for long
        rule, start = await asyncio.to_thread(begun, rule, start, now)
    elif start != found.start and (start < now if isinstance(start, datetime) else start < now.date()):
        raise speech.refused(context, "calendar.error.past", value=speech.when(start, context))
    title = " ".join(str(params.get("new_title") or "").split()) or found.title
    place = " ".join(str(params.get("new_place") or "").split()) or found.place
    return replace(found, title=title, start=start, end=_end(found, start, params), place=place, rule=rule)


def _start(found: Appointment, params: JsonObject, context: ToolContext) -> Moment:
    was = found.start
    day, clock = day_of(params, "new_date", context) or _day(was), params.get("new_time")
    shift = params.get("shift")
    if isinstance(shift, int) and not isinstance(shift, bool):
        by = timedelta(minutes=shift)
        if isinstance(was, datetime):
            return end_of(was, shift)
        return was + timedelta(days=round(by / A_DAY))
    if clock:
        start = start_of({"time": clock}, day, context)
        return nearer_half(start, was, context) if params.get("either") else start
    return start_of({"time": f"{was:%H:%M}"}, day, context) if isinstance(was, datetime) else day


def nearer_half(start: Moment, was: Moment, context: ToolContext) -> Moment:
    """Of an hour that was said without its half of the day that one which is nearer to the hour it was, if it is to
    come: who moves the dinner from seven to eight means the evening."""
    if not isinstance(start, datetime) or not isinstance(was, datetime):
        return start
    halves = [start_of({"time": f"{(start.hour + by) % 24:02}:{start:%M}"}, start.date(), context) for by in (0, 12)]
    to_come = [one for one in halves if isinstance(one, datetime) and one > context.now]
    minutes = was.hour * 60 + was.minute
    return min(to_come, key=lambda one: abs(one.hour * 60 + one.minute - minutes), default=start)


def _end(found: Appointment, start: Moment, params: JsonObject) -> Moment:
    length = found.length
    if isinstance(start, datetime) and not isinstance(found.start, datetime):
        length = timedelta(minutes=AN_HOUR)
    minutes, longer = params.get("minutes"), params.get("longer")
    if (until := params.get("new_end")) and isinstance(start, datetime):
        minutes = minutes_until(start, str(until))
    if isinstance(minutes, int) and not isinstance(minutes, bool):
        length = timedelta(minutes=minutes)
    elif isinstance(longer, int) and not isinstance(longer, bool):
        length = max(SHORTEST, length + timedelta(minutes=longer))
    if isinstance(start, datetime):
        return end_of(start, round(length / timedelta(minutes=1)))
    return start + max(A_DAY, timedelta(days=round(length / A_DAY)))


def minutes_until(start: datetime, clock: str) -> int:
    """To the next such hour after it: of either half of the day, where the other one would be most of a day away."""
    ends = datetime.combine(start.date(), time.fromisoformat(clock), start.tzinfo)
    minutes = round((ends - start) / timedelta(minutes=1)) % A_DAYS_MINUTES
    return minutes - A_HALF_DAY if minutes > A_HALF_DAY else minutes or A_DAYS_MINUTES


def _sentence(old: Appointment, new: Appointment, context: ToolContext) -> str:
    title, at = speech.short(old.title), speech.when(new.start, context)
    if new.title != old.title:
        return context.text("calendar.renamed", title=title, new_title=speech.short(new.title), when=at)
    if new.rule:
        return context.text("calendar.repeated", title=title, when=at, every=speech.every(new.rule, context))
    if new.start != old.start:
        return context.text("calendar.moved", title=title, before=speech.when(old.start, context), after=at)
    if new.place != old.place:
        return context.text("calendar.placed", title=title, when=at, place=speech.short(new.place))
    return context.text("calendar.lasts", title=title, when=at, until=speech.until(new, context))


def _day(moment: Moment) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _json(one: Appointment) -> JsonObject:
    moments = {"start": one.start, "end": one.end, "original": one.original}
    kept: JsonObject = {name: value.isoformat() if value else None for name, value in moments.items()}
    return kept | {"uid": one.uid, "title": one.title, "place": one.place, "rule": one.rule}


def _of_json(kept: JsonValue, context: ToolContext) -> Appointment:
    assert isinstance(kept, dict)
    start, end, original = (_moment(kept[name], context) for name in ("start", "end", "original"))
    assert start is not None
    assert end is not None
    return Appointment(
        str(kept["uid"]), str(kept["title"]), start, end, str(kept["place"]), str(kept["rule"]), original
    )


def _moment(text: JsonValue, context: ToolContext) -> Moment | None:
    if not text:
        return None
    moment = datetime.fromisoformat(str(text))
    # in the named zone: an offset alone would not go with the clock when that is put back
    return moment.astimezone(ZoneInfo(context.timezone)) if "T" in str(text) else moment.date()
