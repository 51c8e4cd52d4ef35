"""assistant.reminder: sets a reminder, lists those that will come, gives one another time or text, takes one back."""

import asyncio
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]  # it has no stubs
from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import Reminder, ToolContext
from packs.assistant import additions, elsewhere, reminders, removals
from packs.assistant.additions import Added
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.rules import begun, frequency
from packs.assistant.calendars.speech import SHOWN, refused, short, when
from packs.assistant.calendars.window import day_of, here, start_of
from packs.assistant.changing import nearer_half
from packs.assistant.finding import among, best, near
from packs.assistant.likeness import by_meaning, means_one
from packs.assistant.reminders import Kept
from packs.assistant.touched import put_in, show, touched


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend."""
    actions = {"add": _add, "lead": _lead, "list": _list, "change": _change, "delete": _delete}
    action = str(params.get("action") or "add")
    with spoken(context):
        made = await elsewhere.of_before(action, params, context, "reminder")
        if made is None:
            made = await actions[action](params, context)
    return {"action": action, **made}


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
    kept = await _set(text, at, rule, _minutes(params.get("minutes_before")), context)
    key = "reminder.set_series" if rule else "reminder.set"
    sentence = context.text(key, when=when(at, context), every=_every(rule, context), text=text)
    return {"summary": [sentence], "reminder": kept.as_json(at)}


async def _lead(params: JsonObject, context: ToolContext) -> JsonObject:
    """It comes before an appointment or another thing with a time, and goes where that goes."""
    if (there := await _led_already(params, context)) is not None:
        own: JsonObject = {"new_time": params.get("new_time")}  # told alone: the day stays
        led = {"new_date": params.get("of_date"), "new_time": params.get("of_time")}
        return await _change({**(own if params.get("new_time") else led), elsewhere.ITEM: there}, context)
    title, moment = await _led_to(params, context)
    if moment is None:
        raise refused(context, "reminder.error.lead_when" if title else "reminder.error.lead_which", value=title)
    at = _so_long_before(moment, params)
    if at <= context.now:
        raise refused(context, "reminder.error.past", value=when(at, context))
    kept = await _set(title, at, "", round((moment - at) / timedelta(minutes=1)), context)
    sentence = context.text("reminder.set", when=when(kept.at, context), every="", text=title)
    return {"summary": [sentence], "reminder": kept.as_json(kept.at)}


async def _led_already(params: JsonObject, context: ToolContext) -> str | None:
    """The reminder that was set for this just now, where a day is told after it: then that is its new day."""
    thing = await touched(context) if params.get("of_date") or params.get("new_time") else None
    there = [one for _, one in await reminders.still_open(context) if thing and str(one.reminder_id) == thing.item]
    name = _text(params)
    led = [one for one in there if one.before is not None and (not name or best([one], name))]
    return str(led[0].reminder_id) if led else None


async def _led_to(params: JsonObject, context: ToolContext) -> tuple[str, datetime | None]:
    """What it comes before, and when that is: as the person says, or as it stands in what they have."""
    name, day = _text(params), day_of(params, "of_date", context)
    if day is not None:
        moment = start_of({"time": params.get("of_time") or f"{elsewhere.MORNING:%H:%M}"}, day, context)
        assert isinstance(moment, datetime)
        return name or context.text("reminder.alarm"), moment
    thing = await elsewhere.only_one(name, context) if name else await elsewhere.spoken_of(params, "reminder", context)
    if thing is None:
        return name, None
    return thing.title or name, await elsewhere.moment_of(thing, context)


def _so_long_before(moment: datetime, params: JsonObject) -> datetime:
    """At the same time of the day, or at one that was said."""
    at: datetime = moment - relativedelta(months=_minutes(params.get("months_before")) or 0)
    at -= timedelta(minutes=_minutes(params.get("minutes_before")) or 0)
    if clock := params.get("time"):
        return datetime.combine(at.date(), time.fromisoformat(str(clock)), at.tzinfo)
    return at


def _minutes(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


async def _set(text: str, at: datetime, rule: str, before: int | None, context: ToolContext) -> Kept:
    kept = Kept(context.remind(Reminder(text=text, at=at, rule=rule)), text, at, rule, context.timezone, before)
    await reminders.keep(context, kept)
    await put_in(context, Added("reminder", str(kept.reminder_id), text))
    return kept


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
    await show(context, [Added("reminder", str(one.reminder_id), one.title) for _, one in found])
    lines = [_line(at, one, context) for at, one in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(context.text("reminder.more", count=len(found) - SHOWN))
    summary: list[JsonValue] = [context.text("reminder.listed", count=len(found)), *lines]
    return {"summary": summary, "reminders": [one.as_json(at) for at, one in found[:SHOWN]], "count": len(found)}


async def _delete(params: JsonObject, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is taken back; so is what is only like the words."""
    choice = await chosen_before(context)
    if choice is None:
        meant = await _meant(params, context, "delete")
        if isinstance(meant, dict):
            return {"deleted": [], **meant} if "matches" in meant else meant
        choice = await choose(context, {**_choice(*meant, context), "was": removals.of_reminder(*meant)})
    await _cancel(choice, context)
    if isinstance(was := choice.get("was"), dict) and isinstance(gone := choice["deleted"], dict):
        await removals.note(context, Added("reminder", str(gone["reminder_id"]), str(gone["text"])), was)
    return {"summary": [choice["sentence"]], "deleted": [choice["deleted"]]}


async def _change(params: JsonObject, context: ToolContext) -> JsonObject:
    """It is taken back, and another is set in its place."""
    choice = await chosen_before(context)
    if choice is None:
        meant = await _meant(params, context, "change")
        if isinstance(meant, dict):
            return meant
        choice = await choose(context, await _becomes(*meant, params, context))
    await _cancel(choice, context)
    at = datetime.fromisoformat(str(choice["at"])).astimezone(ZoneInfo(context.timezone))
    kept = await _set(str(choice["text"]), at, str(choice["rule"]), _minutes(choice["before"]), context)
    return {"summary": [choice["sentence"]], "reminder": kept.as_json(at)}


async def _becomes(at: datetime, one: Kept, params: JsonObject, context: ToolContext) -> JsonObject:
    was = at.astimezone(ZoneInfo(context.timezone))
    shift, day = _minutes(params.get("shift")), day_of(params, "new_date", context)
    lead = _minutes(params.get("minutes_before"))
    text = " ".join(str(params.get("new_text") or "").split()) or one.title
    rule = str(params.get("recurrence") or one.rule)
    when_ = was
    if lead is not None and one.before is not None:
        when_ = was + timedelta(minutes=one.before - lead)
    elif shift is not None:
        when_ = was + timedelta(minutes=shift)
    elif day or params.get("new_time"):
        moment = start_of({"time": params.get("new_time") or f"{was:%H:%M}"}, day or was.date(), context)
        if params.get("either"):
            moment = nearer_half(moment, was, context)
        assert isinstance(moment, datetime)
        # an hour alone is the next of its name
        when_ = moment if day or moment > context.now else moment + timedelta(days=1)
    elif text == one.title and rule == one.rule:
        raise refused(context, "reminder.error.change_how", text=short(one.title))
    if rule:
        rule, first = await asyncio.to_thread(begun, rule, when_, here(context))
        when_ = first if isinstance(first, datetime) else when_
    elif when_ <= context.now:
        raise refused(context, "reminder.error.past", value=when(when_, context))
    before = one.before if lead is None else lead
    new = Kept(one.reminder_id, text, when_, rule, context.timezone, before)
    sentence = context.text("reminder.moved", before=_line(at, one, context), after=_line(when_, new, context))
    becomes: JsonObject = {"text": text, "at": when_.isoformat(), "rule": rule, "before": before}
    return {**_choice(at, one, context), **becomes, "sentence": sentence}


async def _meant(params: JsonObject, context: ToolContext, doing: str) -> tuple[datetime, Kept] | JsonObject:
    """The only one that fits, with its next time; or what is said instead. What is not named was spoken of last,
    and what is of another kind is done there."""
    text = _text(params) or _alarm(params, context)
    asked = " ".join(part for part in (str(params.get("date") or ""), str(params.get("time") or ""), text) if part)
    if params.get(elsewhere.ITEM) or not asked:
        thing = await elsewhere.spoken_of(params, "reminder", context)
        return await _pointed_at(thing, params, context, doing)
    every = await reminders.still_open(context)
    there = [(at, one) for at, one in every if _fits(at, one, params, context)]
    titles = [one for _, one in there]
    alone = best([one for _, one in every], _text(params)) if doing == "delete" and _text(params) else []
    if len(alone) == 1 and not best(titles, _text(params)):
        there, titles = every, alone  # its name is enough: the day is why it goes ("I do it today")
    called = best(titles, text) if text else titles
    if not called and not _text(params) and len(titles) == 1:
        called = titles  # "the alarm", and there is one, whatever it is for
    if not called and text and (made := await elsewhere.named(text, doing, params, context, "reminder")):
        return made
    # what is taken out has all the words that were said for it
    said = "" if doing == "delete" and _text(params) else str(params.get("said") or "")
    if not called and said:
        called = among(titles, said)
    like = [] if called or not _text(params) else await by_meaning(titles, text, context)
    if like and not (doing == "change" and means_one(like)):
        return _listed(there, like, "reminder.near", asked, context)
    called = called or like
    if said and not called and (pointed := await elsewhere.pointed_at(said, doing, context)):
        return await _pointed_at(pointed, params, context, doing)
    if len(called) == 1:
        return next((at, one) for at, one in there if one in called)
    return _told(there, called, asked, text, doing, context)


async def _pointed_at(
    thing: Added | None, params: JsonObject, context: ToolContext, doing: str
) -> tuple[datetime, Kept] | JsonObject:
    thing = await elsewhere.what_moves(thing, params, context) if doing == "change" and not _is_meant(params) else thing
    if thing is not None and thing.kind != "reminder":
        return await elsewhere.handed_on(thing, doing, params, context)
    for at, one in await reminders.still_open(context):
        if thing is not None and str(one.reminder_id) == thing.item:
            return at, one
    if doing == "delete" and (gone := await removals.gone_already(thing, context)):
        return gone
    raise refused(context, f"reminder.error.{doing}_which", value="")


def _is_meant(params: JsonObject) -> bool:
    """Whether it is said by its words, or by another tool, that a reminder is meant."""
    return bool(_text(params) or params.get(elsewhere.ITEM))


def _told(
    there: list[tuple[datetime, Kept]], called: list[Kept], asked: str, text: str, doing: str, context: ToolContext
) -> JsonObject:
    """Those that fit, or are like it, for the person to say which."""
    key = "reminder.several" if doing == "delete" else "reminder.several_change"
    if not called and text:
        called, key = near([one for _, one in there], text), "reminder.near"
    return _listed(there, called, key, asked, context)


def _listed(
    there: list[tuple[datetime, Kept]], called: list[Kept], key: str, asked: str, context: ToolContext
) -> JsonObject:
    fits = [(at, one) for at, one in there if one in called]
    if not fits:
        raise refused(context, "reminder.error.none_found", value=asked)
    named: list[JsonValue] = [_line(at, one, context) for at, one in fits[:SHOWN]]
    head = context.text(key, count=len(fits), value=asked)
    return {"summary": [head, *named], "matches": [one.as_json(at) for at, one in fits[:SHOWN]]}


async def _cancel(choice: JsonObject, context: ToolContext) -> None:
    deleted, times = choice["deleted"], choice["times"]
    if isinstance(deleted, dict) and isinstance(times, list):
        reminder_id = UUID(str(deleted["reminder_id"]))
        await reminders.cancel(context, reminder_id)
        await additions.gone(context, str(reminder_id))
        for at in times:
            context.cancel_reminder(reminder_id, datetime.fromisoformat(str(at)))


def _choice(at: datetime, one: Kept, context: ToolContext) -> JsonObject:
    return {
        "of": "reminder",
        "deleted": one.as_json(at),
        "times": [time_.isoformat() for time_ in one.due(context.now)],
        "sentence": context.text("reminder.deleted", text=short(one.title)),
    }


def _fits(at: datetime, one: Kept, params: JsonObject, context: ToolContext) -> bool:
    """The day of it, and the hour by its name: "the 7 o'clock one" may be in the morning."""
    day: date | None = day_of(params, "date", context)
    local, clock = at.astimezone(ZoneInfo(one.timezone)), str(params.get("time") or "")
    named = not clock or (local.hour % 12, local.minute) == (int(clock[:2]) % 12, int(clock[3:]))
    return named and (day is None or local.date() == day)


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
