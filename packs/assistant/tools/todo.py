"""assistant.todo: puts something to do in, lists what is open, ticks it off."""

from datetime import date

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.assistant import additions, elsewhere, facts, removals
from packs.assistant.additions import Added
from packs.assistant.calendars import speech
from packs.assistant.calendars.choices import choose, chosen_before
from packs.assistant.calendars.choose import calendar_of
from packs.assistant.calendars.faults import spoken
from packs.assistant.calendars.port import Calendar, Chore, uid_for
from packs.assistant.calendars.window import bounds, day_of, here
from packs.assistant.finding import best, near, plain
from packs.assistant.likeness import by_meaning
from packs.assistant.touched import put_in, show, touched

_KEPT = 50


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError: what the person has to mend, or what the calendar cannot do."""
    actions = {"add": _add, "list": _list, "complete": _complete, "delete": _complete, "change": _change}
    action = str(params.get("action") or "add")
    with spoken(context):
        if action == "undo":
            return {"action": action, **await additions.take_back(context)}
        if action == "restore":
            return {"action": action, **await removals.put_back(context)}
        if action in ("change", "delete", "complete"):
            earlier = await elsewhere.of_an_earlier_attempt(action, params, context, "chore")
            if earlier is not None:
                return {"action": action, **earlier}
        made = await actions[action](params, calendar_of(context), context)
    return {"action": action, **made}


async def _add(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    due = day_of(params, "date", context)
    if due is not None and due < here(context).date():
        raise speech.refused(context, "calendar.error.past", value=speech.day(due, context))
    chore = Chore(uid_for(context.user, context.idempotency_key), _title(params, context), due)
    if due and (open_ := [one for one in await calendar.chores() if _is_one(one, chore) and one.uid != chore.uid]):
        return await _change({"title": open_[0].title, "new_date": due.isoformat()}, calendar, context)
    await calendar.add_chore(chore)
    await put_in(context, Added("chore", chore.uid, chore.title))
    key = "task.added_due" if due else "task.added"
    sentence = context.text(key, title=chore.title, day=speech.day(due, context) if due else "")
    return {"summary": [sentence], "task": _json(chore)}


def _is_one(there: Chore, said: Chore) -> bool:
    """Whether it is on the list already, and only a day is said for it."""
    return plain(facts.OWN.sub("", there.title)) == plain(facts.OWN.sub("", said.title)) and there.due != said.due


async def _list(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    found = list(await calendar.chores())
    if day := day_of(params, "date", context):
        found = [one for one in found if one.due == day]
        there = [] if found else await calendar.between(*bounds(day, day, context))
        if there:
            # of a day that has only appointments those are told
            told = speech.listed(there, day, day, context)
            return {"summary": list[JsonValue](told), "tasks": [], "count": 0}
    await show(context, [Added("chore", one.uid, one.title) for one in found])
    head = context.text("task.listed" if found else "task.nothing", count=len(found))
    sentences = [head, *_lines(found, context)]
    return {"summary": list[JsonValue](sentences), "tasks": [_json(one) for one in found[:_KEPT]], "count": len(found)}


async def _complete(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """Several that fit are named, and none is ticked off."""
    choice = await chosen_before(context)
    if choice is None and params.get("all") and (choice := await _everything(calendar, context)) is None:
        return {"summary": [context.text("task.nothing", count=0)], "tasks": [], "count": 0}
    if choice is not None and isinstance(uids := choice.get("uids"), list):
        for uid in uids:
            await calendar.complete(str(uid))
        return {"summary": [choice["sentence"]], "tasks": choice["tasks"], "count": len(uids)}
    if choice is None:
        fits = await _meant(params, calendar, context, "delete")
        if not isinstance(fits, Chore):
            return fits
        done = Chore(fits.uid, fits.title, fits.due, done=True)
        sentence = context.text("task.completed", title=speech.short(done.title))
        chosen: JsonObject = {"of": "chore", "uid": done.uid, "sentence": sentence, "task": _json(done)}
        choice = await choose(context, {**chosen, "was": removals.of_chore(done), "title": done.title})
    await calendar.complete(str(choice["uid"]))
    if isinstance(was := choice.get("was"), dict):
        await removals.note(context, Added("chore", str(choice["uid"]), str(choice["title"])), was)
    return {"summary": [choice["sentence"]], "task": choice["task"]}


async def _everything(calendar: Calendar, context: ToolContext) -> JsonObject | None:
    """All that is open, chosen to be ticked off; None where nothing is."""
    open_ = list(await calendar.chores())
    if not open_:
        return None
    titles = ", ".join(speech.short(one.title) for one in open_)
    done = [_json(Chore(one.uid, one.title, one.due, done=True)) for one in open_[:_KEPT]]
    sentence = context.text("task.completed_all", count=len(open_), titles=titles)
    return await choose(
        context, {"of": "chore", "uids": [one.uid for one in open_], "sentence": sentence, "tasks": list(done)}
    )


async def _change(params: JsonObject, calendar: Calendar, context: ToolContext) -> JsonObject:
    """Another one takes its place on the list: a calendar's task is not told apart by its name."""
    choice = await chosen_before(context)
    if choice is None:
        fits = await _meant(params, calendar, context, "change")
        if not isinstance(fits, Chore):
            return fits
        title = " ".join(str(params.get("new_title") or "").split()) or fits.title
        due = day_of(params, "new_date", context) or fits.due
        if (title, due) == (fits.title, fits.due):
            raise speech.refused(context, "task.error.change_how", title=speech.short(fits.title))
        new = Chore(uid_for(context.user, context.idempotency_key), title, due)
        sentence = context.text("task.changed", before=_line(fits, context), after=_line(new, context))
        choice = await choose(context, {"of": "chore", "uid": fits.uid, "sentence": sentence, "task": _json(new)})
    made = choice["task"]
    assert isinstance(made, dict)
    until = date.fromisoformat(str(made["due"])) if made.get("due") else None
    chore = Chore(str(made["uid"]), str(made["title"]), until)
    await calendar.add_chore(chore)
    await calendar.complete(str(choice["uid"]))
    await additions.gone(context, str(choice["uid"]))
    await put_in(context, Added("chore", chore.uid, chore.title))
    return {"summary": [choice["sentence"]], "task": made}


async def _meant(params: JsonObject, calendar: Calendar, context: ToolContext, doing: str) -> Chore | JsonObject:
    """The only one that fits, or what is said instead. What is not named is what was spoken of last, and what is of
    another kind is done there."""
    title, item = " ".join(str(params.get("title") or "").split()), str(params.get(elsewhere.ITEM) or "")
    if not title and not item and (last := await touched(context)):
        if last.kind != "chore":
            return await elsewhere.handed_on(last, doing, params, context)
        item = last.item
    there = list(await calendar.chores())
    if item:
        found = next((one for one in there if one.uid == item), None)
        gone = (
            None
            if found or title or doing != "delete"
            else await removals.gone_already(Added("chore", item, ""), context)
        )
        if told := found or gone:
            return told
    if not title:
        raise speech.refused(context, "task.error.which", value="")
    fits = best(there, title) or (best(there, thing) if (thing := str(params.get("thing") or "")) else [])
    if not fits and (made := await elsewhere.named(title, doing, params, context, "chore")):
        return made
    if not fits and (like := near(there, title) or await by_meaning(there, title, context)):
        sentences = [context.text("task.near", value=title), *_lines(like, context)]
        return {"summary": list[JsonValue](sentences), "matches": [_json(one) for one in like]}
    if not fits:
        raise speech.refused(context, "task.error.none_found", value=thing or title)
    if len(fits) > 1:
        sentences = [context.text("task.several", count=len(fits)), *_lines(fits, context)]
        return {"summary": list[JsonValue](sentences), "matches": [_json(one) for one in fits[:_KEPT]]}
    return fits[0]


def _title(params: JsonObject, context: ToolContext) -> str:
    title = " ".join(str(params.get("title") or "").split())
    if not title:
        raise speech.refused(context, "task.error.title_missing", value=str(params.get("title") or ""))
    return title


def _lines(found: list[Chore], context: ToolContext) -> list[str]:
    lines = [_line(one, context) for one in found[: speech.SHOWN]]
    over = len(found) - speech.SHOWN
    return [*lines, context.text("task.more", count=over)] if over > 0 else lines


def _line(one: Chore, context: ToolContext) -> str:
    key = "task.line_due" if one.due else "task.line"
    return context.text(key, title=speech.short(one.title), day=speech.day(one.due, context) if one.due else "")


def _json(one: Chore) -> JsonObject:
    due = one.due.isoformat() if one.due else None
    return {"uid": one.uid, "title": speech.short(one.title), "due": due, "done": one.done}
