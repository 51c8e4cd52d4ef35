"""A thing that is spoken of is looked for among all that a person has: "scrap the vet" may mean an appointment, a
reminder, something to do or a note. The tool that was asked looks at its own kind first, and hands on what is of
another."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from importlib import import_module
from zoneinfo import ZoneInfo

from contracts.memory import Found, MemoryKind
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.assistant import actions, additions, naming, reminders, removals
from packs.assistant.additions import Added, Kind
from packs.assistant.calendars.choices import chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.window import LONGEST, bounds, here
from packs.assistant.finding import best
from packs.assistant.touched import pointed_out, touched

ITEM = "item"
"""The parameter by which one tool tells another which thing is meant; no caller from outside has it."""
_LOOKED_AT = 10
_CHANGES = ("change", "delete", "complete")
MORNING = time(9)
A_MINUTE = timedelta(minutes=1)
_MODULES: Mapping[Kind, str] = {"appointment": "calendar", "reminder": "reminder", "chore": "todo", "note": "memory"}
_NAMES: Mapping[Kind, Mapping[str, str]] = {
    "appointment": {"text": "title", "new_text": "new_title"},
    "reminder": {"title": "text", "new_title": "new_text"},
    "chore": {"text": "title", "new_text": "new_title"},
    "note": {"title": "text"},
}


async def of_before(action: str, params: JsonObject, context: ToolContext, own: Kind) -> JsonObject | None:
    """What is done with what was done before: the last is taken back, put back or told, and a change that an earlier
    attempt of this call had begun elsewhere is finished there. None for what is new."""
    if action == "undo":
        return await additions.take_back(context)
    if action == "restore":
        return await removals.put_back(context)
    if action == "gone":
        return await removals.told(context)
    return await of_an_earlier_attempt(action, params, context, own) if action in _CHANGES else None


async def of_an_earlier_attempt(action: str, params: JsonObject, context: ToolContext, own: Kind) -> JsonObject | None:
    """What another kind's tool had begun for this call is finished by it."""
    choice = await chosen_before(context)
    kind = choice.get("of") if choice else None
    if kind is None or kind == own:
        return None
    return await _handed(_kind(str(kind)), {**params, "action": action}, context)


async def named(title: str, action: str, params: JsonObject, context: ToolContext, own: Kind) -> JsonObject | None:
    """Does it with the only thing of another kind that has that name; None where there is none, or several have it."""
    there = [one for one in await _everything(title, context) if one.kind != own and _may_be(action, one.kind, params)]
    found = best(there, title)
    if len({one.item for one in found}) != 1:
        return None
    return await handed_on(found[0], action, params, context)


async def due(day: date | None, clock: str, action: str, params: JsonObject, context: ToolContext) -> JsonObject | None:
    """Does it with the only reminder of that day and time, where a sentence goes on about something and says no more
    of it ("cancel the Monday one")."""
    if not params.get("said"):
        return None
    zone = ZoneInfo(context.timezone)
    there = {
        str(one.reminder_id): one.title
        for at, one in await reminders.still_open(context)
        if day in (None, at.astimezone(zone).date()) and clock in ("", f"{at.astimezone(zone):%H:%M}")
    }
    if len(there) != 1:
        return None
    ((item, title),) = there.items()
    kept = {name: value for name, value in params.items() if name not in ("date", "time")}
    return await handed_on(Added("reminder", item, title), action, kept, context)


async def told(title: str, context: ToolContext) -> list[str]:
    """What was remembered that has all of those words; nothing where there is no such note."""
    notes: Sequence[Found] = ()
    with suppress(ToolError):  # an executor without memories has none to offer
        notes = await context.memories.search(title, _LOOKED_AT, (MemoryKind.NOTE,))
    found = best([Added("note", str(one.item.item_id), one.item.text) for one in notes], title)
    return [context.text("memory.recalled", text=one.title) for one in found[:1]]


async def spoken_of(params: JsonObject, own: Kind, context: ToolContext) -> Added | None:
    """What another tool has found for this one, or what was touched last, where the sentence goes on about that. What
    it goes on about may never have come about, and is not the thing before it then."""
    if item := str(params.get(ITEM) or ""):
        return Added(own, item, "")
    said, name = str(params.get("said") or ""), str(params.get("of_text") or "")
    thing = await pointed_out(said, context) if said else None
    if thing is None or not name or thing.kind == "note" or best([thing], name):
        return thing
    return await only_one(name, context) if thing == await touched(context) else thing


async def pointed_at(said: str, action: str, context: ToolContext) -> Added | None:
    """What was touched last, where a sentence points at it, or says how it shall become: that can be changed back."""
    if action == "change" or naming.points(said, context.language):
        return await pointed_out(said, context)
    return None


async def only_one(title: str, context: ToolContext) -> Added | None:
    """The only thing of that name which may have a time; None where there is none, or several have it."""
    found = best([one for one in await _everything(title, context) if one.kind != "note"], title)
    appointments = [one for one in found if one.kind == "appointment"] or found
    return appointments[0] if len({one.item for one in appointments}) == 1 else None


async def moment_of(thing: Added, context: ToolContext) -> datetime | None:
    """When it begins, or what a reminder of it leads to; of what has only a day, when that begins for most people."""
    zone = ZoneInfo(context.timezone)
    if thing.kind == "reminder":
        there = [(at, one) for at, one in await reminders.still_open(context) if str(one.reminder_id) == thing.item]
        return next((at.astimezone(zone) + timedelta(minutes=one.before or 0) for at, one in there), None)
    calendar, today = calendar_of(context), here(context).date()
    starts: list[date | None]
    if thing.kind == "chore":
        starts = [one.due for one in await calendar.chores() if one.uid == thing.item]
    else:
        days = bounds(today, today + timedelta(days=LONGEST - 1), context)
        starts = [one.start for one in await calendar.between(*days) if one.uid == thing.item]
    start = next(iter(starts), None)
    return start if isinstance(start, datetime) or start is None else datetime.combine(start, MORNING, zone)


async def what_moves(thing: Added | None, params: JsonObject, context: ToolContext) -> Added | None:
    """What gets another day or time that is said of nothing by name: of a reminder that leads to an appointment of its
    name, the appointment, with which the reminder goes. Who means the reminder says so, or how long before."""
    timed = any(params.get(name) not in (None, "") for name in ("new_date", "new_time", "shift"))
    said = str(params.get("said") or "")
    if thing is None or thing.kind != "reminder" or not timed or params.get("minutes_before") is not None:
        return thing
    if actions.verb(said, context.language, ("remind",)) or actions.has(said, "reminders", context.language):
        return thing
    leading = [one for _, one in await reminders.still_open(context) if str(one.reminder_id) == thing.item]
    moment = await moment_of(thing, context) if leading and leading[0].before is not None else None
    if moment is None:
        return thing
    at_once = [one for one in await calendar_of(context).between(moment, moment + A_MINUTE) if one.start == moment]
    led = best(at_once, leading[0].title)
    return Added("appointment", led[0].uid, led[0].title) if len({one.uid for one in led}) == 1 else thing


async def handed_on(thing: Added, action: str, params: JsonObject, context: ToolContext) -> JsonObject:
    """Has it done by the tool of its kind."""
    return await _handed(thing.kind, {**params, "action": action, ITEM: thing.item}, context)


async def _handed(kind: Kind, params: JsonObject, context: ToolContext) -> JsonObject:
    renamed = {_NAMES[kind].get(name, name): value for name, value in params.items()}
    if kind != "reminder" and isinstance(lead := renamed.pop("minutes_before", None), int):
        renamed["shift"] = -lead  # an hour before: where it stood before it
    if kind == "note" and renamed["action"] == "delete":
        renamed["action"] = "forget"
    elif kind == "note":
        renamed |= {"action": "remember", "corrects": True, "text": renamed.get("said") or renamed.get("text") or ""}
    run: Callable[[JsonObject, ToolContext], Awaitable[JsonObject]]
    run = import_module(f"packs.assistant.tools.{_MODULES[kind]}").run
    made = await run(renamed, context)
    return {"summary": made["summary"]}


def _may_be(action: str, kind: Kind, params: JsonObject) -> bool:
    """A note has no time, and something to do no hour."""
    timed = any(params.get(name) for name in ("new_time", "shift", "longer", "minutes", "recurrence"))
    return action == "delete" or (kind != "note" and not (kind == "chore" and timed))


async def _everything(title: str, context: ToolContext) -> list[Added]:
    calendar, today = calendar_of(context), here(context).date()
    days = bounds(today, today + timedelta(days=LONGEST - 1), context)
    appointments = {one.uid: one for one in await calendar.between(*days)}.values()
    notes: Sequence[Found] = ()
    with suppress(ToolError):  # an executor without memories has none to offer
        notes = await context.memories.search(title, _LOOKED_AT, (MemoryKind.NOTE,))
    return [
        *(Added("appointment", one.uid, one.title) for one in appointments),
        *(Added("reminder", str(one.reminder_id), one.title) for _, one in await reminders.still_open(context)),
        *(Added("chore", one.uid, one.title) for one in await calendar.chores()),
        *(Added("note", str(one.item.item_id), one.item.text) for one in notes),
    ]


def _kind(name: str) -> Kind:
    return next(kind for kind in _MODULES if kind == name)
