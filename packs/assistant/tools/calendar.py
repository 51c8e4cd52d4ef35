"""assistant.calendar: puts an appointment in, lists days, says whether they are free, changes an appointment, takes one
out."""

import asyncio
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant import actions, changing, elsewhere, reminders, removals
from packs.assistant.additions import Added
from packs.assistant.attached import attached, cancelled
from packs.assistant.calendars import ical, speech
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.port import Appointment, Calendar, Moment, uid_for
from packs.assistant.calendars.rules import begun
from packs.assistant.calendars.window import LONGEST, at_the_time, bounds, day_of, end_of, here, overlaps, start_of
from packs.assistant.finding import NEAR, among, best, near
from packs.assistant.likeness import by_meaning, means_one
from packs.assistant.touched import put_in, show, touch, touched

EVENT = "calendar.event"
_LISTED_DAYS = 7
_LOOKED_FOR_DAYS = 366
_KEPT = 50


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend, or what the calendar cannot do."""
    doing = {"add": _add, "list": _list, "free": _free, "change": _change, "delete": _delete}
    action = str(params.get("action") or "add")
    with spoken(context):
        if action == "unclear":
            return {"action": action, "summary": [context.text("calendar.unclear")]}
        made = await elsewhere.of_before(action, params, context, "appointment")
        if made is None:
            made = await doing[action](params, calendar_of(context), context)
    return {"action": action, **made}


async def _add(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    appointment = await _asked(params, context)
    clashes = await _clashes(appointment, calendar)
    await calendar.add(appointment)
    added = Added("appointment", appointment.uid, appointment.title)
    await put_in(context, added)
    _save(appointment, context)
    sentences = speech.added(appointment, clashes, context, tells_end="minutes" in params)
    if appointment.length == timedelta(days=1) and appointment.whole_day and _has_an_hour(params, context.language):
        sentences.append(context.text("calendar.ask_hour"))
    return {"summary": list[JsonValue](sentences), "event": _json(appointment)}


async def _asked(params: JsonObject, context: ToolContext) -> Appointment:
    title = " ".join(str(params.get("title") or "").split())
    day = day_of(params, "date", context)
    if not title:
        raise speech.refused(context, "calendar.error.title_missing", value=str(params.get("title") or ""))
    if day is None:
        raise speech.refused(context, "calendar.error.date_missing", title=title)
    start, rule, now = start_of(params, day, context), str(params.get("recurrence") or ""), here(context)
    last = day_of(params, "until", context) or day
    if last < day or (last - day).days > LONGEST:
        raise speech.refused(context, "calendar.error.range", first=f"{day}", last=f"{last}", days=LONGEST)
    if last > day and not rule and isinstance(start, datetime):
        rule = f"FREQ=DAILY;COUNT={(last - day).days + 1}"  # at that time on each of the days
    if rule:
        # in a thread: a rule that never comes true is searched for long
        rule, start = await asyncio.to_thread(begun, rule, start, now)
    elif start < now if isinstance(start, datetime) else start < now.date():
        raise speech.refused(context, "calendar.error.past", value=speech.when(start, context))
    minutes = params.get("minutes")
    end = end_of(start, minutes if isinstance(minutes, int) else 60)
    if not isinstance(start, datetime) and not rule:
        end = start + (last - day) + timedelta(days=1)
    uid = uid_for(context.user, context.idempotency_key)
    return Appointment(uid, title, start, end, str(params.get("place") or "").strip(), rule)


def _has_an_hour(params: JsonObject, language: str) -> bool:
    """Whether one has to be there at some hour: nobody takes a dentist for a whole day."""
    title = str(params.get("title") or "")
    if not actions.has(title, "with_an_hour", language) or actions.has(title, "whole_days", language):
        return False
    return not params.get("until")


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
    """A week from today without a day, or what comes later where it is empty; a year for what has a title, and what is
    like it where it is not there. Of days without appointments the reminders are told."""
    title = str(params.get("title") or "").strip()
    if params.get("ends") and not title and (thing := await touched(context)):
        title = thing.title
    first, last = _days(params, context, _LOOKED_FOR_DAYS if title else _LISTED_DAYS)
    found: Sequence[Appointment] = await calendar.between(*bounds(first, last, context))
    if not (found or title or params.get("date")):
        until = first + timedelta(days=_LOOKED_FOR_DAYS - 1)
        found = await calendar.between(*bounds(first, until, context))
        last = until if found else last
    sentences = speech.listed(found, first, last, context)
    if not (found or title) or params.get("reminders"):
        sentences += await _reminders(first, last, context)
    if title:
        named = best(found, title)
        if not named and (told := await elsewhere.told(title, context)):
            return {"summary": list[JsonValue](told), "events": [], "count": 0}
        found = named or near(found, title) or await by_meaning(found, title, context)
        head = [] if named else [context.text("calendar.like" if found else "calendar.not_there", value=title)]
        sentences = [*head, *speech.shortened(found, lambda one: speech.line(one, context), context)]
        sentences += _end_of(found, params, context)
    await show(context, [Added("appointment", one.uid, one.title) for one in found])
    return {"summary": list[JsonValue](sentences), "events": [_json(one) for one in found[:_KEPT]], "count": len(found)}


def _end_of(found: Sequence[Appointment], params: JsonObject, context: ToolContext) -> list[str]:
    """When it ends, where that was asked of one."""
    one = found[0] if len(found) == 1 else None
    if not params.get("ends") or one is None or one.whole_day:
        return []
    return [context.text("calendar.until", until=speech.until(one, context))]


async def _reminders(first: date, last: date, context: ToolContext) -> list[str]:
    there = await reminders.coming(context, *bounds(first, last, context))
    lines = [
        context.text("reminder.line", when=speech.when(at.astimezone(here(context).tzinfo), context), text=one.title)
        for at, one in there[: speech.SHOWN]
    ]
    return [context.text("reminder.listed", count=len(there)), *lines] if there else []


def _days(params: JsonObject, context: ToolContext, most: int) -> tuple[date, date]:
    asked, until = day_of(params, "date", context), day_of(params, "until", context)
    first = asked or here(context).date()
    return first, until or (first if asked else first + timedelta(days=most - 1))


async def _free(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """What there is in the days, or in that time of the day; nothing is put in."""
    first, last = _days(params, context, 1 if params.get("time") else _LISTED_DAYS)
    found = list(await calendar.between(*bounds(first, last, context)))
    when = speech.day(first, context)
    if params.get("time") and first == last:
        start = start_of(params, first, context)
        minutes = params.get("minutes")
        end = end_of(start, minutes if isinstance(minutes, int) else 60)
        assert isinstance(start, datetime)
        assert isinstance(end, datetime)
        found = [one for one in found if one.whole_day or overlaps(one, start, end)]
        when = speech.between(start, end, context)
    elif first != last:
        when = context.text("calendar.span", first=when, last=speech.day(last, context))
    head = context.text("calendar.busy" if found else "calendar.free", when=when, count=len(found))
    sentences = [head, *speech.shortened(found, lambda one: speech.line(one, context), context)]
    return {"summary": list[JsonValue](sentences), "events": [_json(one) for one in found[:_KEPT]], "count": len(found)}


async def _change(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is changed; so is what is only like the words."""
    choice = await chosen_before(context)
    if choice is None:
        fits = await _meant(params, calendar, context, "change")
        if not isinstance(fits, list):
            return fits
        if not changing.says_how(params):
            raise speech.refused(context, "calendar.error.change_how", title=speech.short(fits[0].title))
        choice = await changing.chosen(fits[0], params, calendar, context)
    new = await changing.again(choice, calendar, context)
    await touch(context, Added("appointment", new.uid, new.title))
    sentences = await changing.told(choice, context)
    if clashes := await _clashes(new, calendar):
        sentences.append(speech.clash(clashes, context))
    return {"summary": list[JsonValue](sentences), "event": _json(new)}


async def _delete(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is taken out. With a day only that one of a series goes."""
    choice = await chosen_before(context)
    if choice is None:
        fits = await _meant(params, calendar, context, "delete")
        if not isinstance(fits, list):
            return {"deleted": [], **fits} if "matches" in fits else fits
        dated = bool(params.get("date"))
        chosen = _choice(fits[0], context, one_of_series=dated)
        series = fits[0].original is not None and not dated
        going = await attached(fits[0], calendar, context, series=series)
        before = {**removals.of_appointment(fits[0]), "rule": "" if dated else fits[0].rule}
        choice = await choose(context, {**chosen, "was": before, "title": fits[0].title, "reminders": [*going]})
    only = choice["only"]
    await calendar.remove(str(choice["uid"]), _moment(str(only)) if only else None)
    if isinstance(was := choice.get("was"), dict):  # what an older version had chosen has none
        item = f"{choice['uid']} {only}" if only else str(choice["uid"])  # the others of a series are still there
        await removals.note(context, Added("appointment", item, str(choice["title"])), was)
    told = await cancelled(choice.get("reminders"), context)
    return {"summary": [choice["sentence"], *told], "deleted": [choice["event"]]}


async def _meant(
    params: JsonObject, calendar: Calendar, context: ToolContext, doing: str
) -> list[Appointment] | JsonObject:
    """The only one that fits the words, first; or what is said instead. Of a series that is meant as a whole only the
    next one counts. What is not named is what was spoken of last, and what is of another kind is done there."""
    title, day = str(params.get("title") or "").strip(), day_of(params, "date", context)
    clock = str(params.get("time") or "")
    first, last = _days(params, context, _LOOKED_FOR_DAYS)
    there: Sequence[Appointment] = await calendar.between(*bounds(first, last, context))
    if params.get(elsewhere.ITEM) or not (title or day or clock):
        thing = await elsewhere.spoken_of(params, "appointment", context)
        return await _pointed_at(thing, there, params, context, doing)
    there = at_the_time(there, clock)
    found = best(there, title) if title else there
    if not found and title and (made := await elsewhere.named(title, doing, params, context, "appointment")):
        return made
    if not found and not title and (made := await elsewhere.due(day, clock, doing, params, context)):
        return made
    if not found and title:
        return await _by_other_words(there, title, params, context, doing)
    return _only(found, day, doing, context) if found else await _not_found([], title, clock, params, context)


async def _by_other_words(
    there: Sequence[Appointment], title: str, params: JsonObject, context: ToolContext, doing: str
) -> list[Appointment] | JsonObject:
    """What is meant where no title has all the words. Nothing is taken out by less than that: "lunch with Bob" is no
    other lunch, however near it comes, and not what was spoken of last."""
    day, clock = day_of(params, "date", context), str(params.get("time") or "")
    said = str(params.get("said") or "") if day is None else ""
    found = among(there, said) if said else []
    like = [] if found else await by_meaning(there, title, context)
    if doing == "delete":
        doubted = {one.uid: one for one in (*near(there, title), *found, *like)}
        return await _not_found(list(doubted.values())[:NEAR], title, clock, params, context)
    if like and not means_one(like):
        return await _asked_back(like, title, context)
    found = found or like
    if said and not found and (pointed := await elsewhere.pointed_at(said, doing, context)):
        return await _pointed_at(pointed, there, params, context, doing)
    if found:
        return _only(found, day, doing, context)
    return await _not_found(near(there, title), title, clock, params, context)


def _only(
    found: Sequence[Appointment], day: date | None, doing: str, context: ToolContext
) -> list[Appointment] | JsonObject:
    """Those of one name; several are told."""
    if day is None:
        found = list({one.uid: one for one in reversed(found)}.values())[::-1]
    if len({one.uid for one in found}) > 1:
        lines = speech.shortened(found, lambda one: speech.line(one, context), context)
        head = context.text("calendar.several" if doing == "delete" else "calendar.several_change", count=len(found))
        return {"summary": [head, *lines], "matches": [_json(one) for one in found[:_KEPT]]}
    return list(found)


async def _pointed_at(
    thing: Added | None, there: Sequence[Appointment], params: JsonObject, context: ToolContext, doing: str
) -> list[Appointment] | JsonObject:
    thing = await elsewhere.what_moves(thing, params, context) if doing == "change" else thing
    if thing is not None and thing.kind != "appointment":
        return await elsewhere.handed_on(thing, doing, params, context)
    found = [one for one in there if thing and one.uid == thing.item][:1]
    if not found and doing == "delete" and (gone := await removals.gone_already(thing, context)):
        return gone
    if not found:
        raise speech.refused(context, f"calendar.error.{doing}_which", value="")
    return found


async def _not_found(
    like: Sequence[Appointment], title: str, clock: str, params: JsonObject, context: ToolContext
) -> JsonObject:
    if not like:
        asked = " ".join(part for part in (str(params.get("date") or ""), clock, title) if part)
        raise speech.refused(context, "calendar.error.none_found", value=asked)
    return await _asked_back(like, title, context)


async def _asked_back(like: Sequence[Appointment], title: str, context: ToolContext) -> JsonObject:
    """What may be meant, for the person to say; the next sentence may point at the only one."""
    if len(like) == 1:
        await touch(context, Added("appointment", like[0].uid, like[0].title))
    head = context.text("calendar.near", value=title)
    lines = [speech.line(one, context) for one in like]
    return {"summary": [head, *lines], "matches": [_json(one) for one in like]}


def _choice(one: Appointment, context: ToolContext, *, one_of_series: bool) -> JsonObject:
    whole = one.original is not None and not one_of_series
    key = "calendar.removed_series" if whole else "calendar.removed"
    at = speech.when(one.start, context)
    return {
        "of": "appointment",
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
