"""Reads what a clause says about appointments, and what to do, to remember and to be reminded of
(contracts.reading.Reader): pure."""

import re
from collections.abc import Sequence
from datetime import timedelta

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant import actions, asking, facts, naming, titles
from packs.assistant.actions import is_deed
from packs.assistant.changes import read_change
from packs.assistant.moments import TIMES, at, length, of_that_day, of_type, said, shifted, span_of
from packs.assistant.period import period, several_days
from packs.assistant.phrases import core, pattern, turns, without

_NAMES = {
    "calendar": frozenset({"change", "delete", "add", "look"}),
    "reminder": frozenset({"change", "delete", "add", "remind"}),
}
_OF_MANY = frozenset({"delete"})
"""Of English reminders only what stands in words.yaml: "get rid of" may be what somebody wants to be reminded of."""
LONGEST = 1000
"""Characters of a text that is kept."""
A_YEAR = 365
"""Days to come of which everything is told."""


def read_calendar(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date, until, time, minutes, place, recurrence}, and of a change what changes.read_change says."""
    action = _wanted(clause, "calendar")
    if action == "change":
        return ({"action": action, **read_change(clause, "calendar")},)
    if action == "undo":
        return ({"action": action},)
    if action in ("delete", "list", "free"):
        return _looked_for(clause, action)
    if not action and titles.goes_on(clause, "calendar"):
        return ({"action": "change", **read_change(clause, "calendar")},)
    clause = titles.with_day(clause)
    slots = said(clause) | of_that_day(clause) | titles.same_day(clause)
    if days := several_days(clause):
        slots |= {"date": days[0].isoformat()} | ({"until": days[1].isoformat()} if days[0] < days[1] else {})
    if minutes := length(clause, of_type(clause, "time")):
        slots["minutes"] = minutes
    rest = without(clause.text, [one for one in clause.entities if one.type in {*TIMES, "date_range"}], clause.language)
    if place := pattern("calendar", clause.language, "place").search(rest):
        slots["place"] = place[1]
        rest = rest[: place.start()] + rest[place.end() :]
    title = titles.titled(rest, "calendar", clause.language)
    if is_deed(title, clause.language):
        return ({**slots, "action": "unclear"},)  # something is to be done with it, and nobody knows what
    if not slots and "title" not in clause.expecting and not actions.verb(clause.text, clause.language, ("add",)):
        return ()  # a few words that say neither when nor that it is to be put in are no appointment
    if not title and (known := {**clause.last, **clause.before}).get("action") == "delete":
        title = str(known.get("title") or "")  # what was taken out is put in again, for another day
    return _with_words(clause, slots, "title", title)


def _looked_for(clause: Clause, action: str) -> Sequence[JsonObject]:
    """What is looked for, to be told or to be taken out."""
    slots: JsonObject = {**said(clause), **of_that_day(clause), "action": action}
    _only_if_said(clause, slots)
    if action != "delete" and (days := period(clause)):
        slots |= {"date": days[0].isoformat(), "until": days[1].isoformat()}
    elif action == "list" and "date" not in slots and actions.says(clause.text, "all", clause.language):
        today = clause.now.date()
        slots |= {"date": today.isoformat(), "until": (today + timedelta(days=A_YEAR)).isoformat()}
    if action == "free":
        if minutes := length(clause, of_type(clause, "time")):
            slots["minutes"] = minutes
        elif "time" not in slots and (part := actions.part_of_day(clause.text, clause.language)):
            slots |= {"time": part[0], "minutes": part[1]}
    title = ""
    if action == "delete":
        title = naming.called(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    elif action == "list" and actions.says(clause.text, "asks", clause.language):
        rest = without(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
        title = core(actions.asked(rest, clause.language), "calendar", clause.language)
    if title:
        title = title if actions.names_one(title, clause.language) else ""
    return _with_words(clause, slots, "title", title)


def _wanted(clause: Clause, of: str) -> str:
    """What is to be done; empty for the ordinary thing."""
    text, language = clause.text, clause.language
    names = _NAMES[of] - _OF_MANY if of == "reminder" and language not in actions.LAST else _NAMES[of]
    deletes = [found.start() for found in pattern(of, language, "delete").finditer(text)]
    verb = actions.verb(text, language, names, deletes)
    if language not in actions.LAST and asking.begins_asking(text, language) and verb in ("add", "change", "delete"):
        verb = "look"
    if verb == "delete":
        return "undo" if actions.is_last_added(text, language) else "delete"
    if verb == "change":
        return "change"
    if of == "calendar":
        asks = text.rstrip().endswith(("?", "？")) and actions.says(text, "free", language)
        return "" if verb == "add" and not asks else _asked(clause, verb)
    return "list" if pattern(of, language, "list").search(text) or (not verb and asking.asks(text, language)) else ""


def _asked(clause: Clause, verb: str) -> str:
    """What a question about appointments asks for."""
    text, language = clause.text, clause.language
    if actions.says(text, "free", language):
        return "free"
    if verb == "look" or actions.says(text, "asks", language) or pattern("calendar", language, "list").search(text):
        return "list"
    if asking.asks(text, language) and not text.rstrip().endswith(("?", "？")):
        return "list"
    return "free" if text.rstrip().endswith(("?", "？")) and of_type(clause, "date") else ""


def read_todo(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date}: the day it is due, if one is said; of a change new_title or new_date."""
    text, language = clause.text, clause.language
    verb = actions.verb(text, language, ("add", "look", "delete", "change"))
    if verb == "delete" and actions.is_last_added(text, language):
        return ({"action": "undo"},)
    slots, action = said(clause), _todo_action(clause, verb)
    if action == "change":
        return ({"action": action, **read_change(clause, "todo")},)
    if action:
        slots["action"] = action
    _only_if_said(clause, slots)
    rest = without(text, [one for one in clause.entities if one.type in TIMES], language)
    if action == "complete":
        title = _ticked_off(rest, language)
    else:
        title = "" if action == "list" else titles.titled(rest, "todo", language)
    return _with_words(clause, slots, "title", title)


def _todo_action(clause: Clause, verb: str) -> str:
    text, language = clause.text, clause.language
    english = language not in actions.LAST
    if (
        asking.begins_asking(text, language)
        if english
        else (not verb or verb == "look") and asking.asks(text, language)
    ):
        return "list"
    if verb == "change" and (actions.says(text, "name", language) or clause.last):
        return "change"
    if verb != "add" and (verb == "delete" or asking.is_done(text, language)):
        return "complete"
    found = _action(clause, "todo", ("list", "complete"))
    return "" if found == "list" and verb == "add" else found or ("list" if verb == "look" else "")


def _ticked_off(rest: str, language: str) -> str:
    """What was done, by the words in front; by all that is left where there are none."""
    title = core(rest, "todo", language)
    if not titles.is_long(title, language):
        return title
    return naming.called(rest, (), language) or title


def read_memory(clause: Clause) -> Sequence[JsonObject]:
    """{action, text, corrects}; a recall without a text is about everything."""
    text, language = clause.text, clause.language
    action = _memory_action(clause)
    if action == "forget" and actions.is_last_added(text, language):
        return ({"action": "undo"},)
    if not action and (changed := facts.changed(text, language)):
        value = core(changed[1], "memory", language, "statement")
        return ({"action": "change", "text": changed[0], "value": value},)
    if action != "forget" and _is_about_everything(clause, action):
        return ({"action": "recall"},)
    if action == "forget":
        name = naming.called(text, (), language) or core(text, "memory", language, "question", "opening")
        return _with_words(clause, {"action": action}, "text", "" if naming.is_pointing(name, language) else name)
    if action:
        asked = core(naming.asked(text, language), "memory", language, "question", "opening")
        return _with_words(clause, {"action": action}, "text", asked)
    told = facts.kept(text, lambda part: core(part, "memory", language, "statement"), language)
    told = facts.with_name(told, str(clause.before.get("title") or ""), language)
    corrects: JsonObject = {"corrects": True} if facts.corrects(text, language) else {}
    return _with_words(clause, corrects, "text", told)


def _memory_action(clause: Clause) -> str:
    text, language = clause.text, clause.language
    keeps = actions.has(text, "not_forgotten", language)
    verb = actions.verb(text, language, ("delete", "change"))
    if not keeps and (pattern("memory", language, "forget").search(text) or verb == "delete"):
        return "forget"
    if facts.tells(text, language):
        return ""
    english = language not in actions.LAST
    if asking.begins_asking(text, language) if english else asking.asks(text, language):
        return "recall"
    return "recall" if not keeps and pattern("memory", language, "recall").search(text) else ""


def read_reminder(clause: Clause) -> Sequence[JsonObject]:
    """{action, text, date, time, recurrence, minutes_before}; the time is that of the reminder itself. The text of an
    alarm is empty."""
    slots, span = said(clause) | of_that_day(clause), span_of(clause)
    action = _wanted(clause, "reminder")
    if action == "undo":
        return ({"action": action},)
    if action == "change":
        return ({"action": action, **_of_reminder(read_change(clause, "reminder"))},)
    if not action and titles.goes_on(clause, "reminder"):
        return ({"action": "change", **_of_reminder(read_change(clause, "reminder"))},)
    if not action:
        slots = {**slots, **titles.same_day(clause), **titles.morning(clause, slots)}
    if action:
        slots["action"] = action
        _only_if_said(clause, slots)
    elif span and span.after and "time" not in slots:
        slots |= at(clause.now + timedelta(minutes=span.minutes))
    elif span and span.before:
        # before the appointment of the clause before, unless this one says itself before what
        spoken_of = {**clause.before, **clause.slots, **slots}
        slots |= {"minutes_before": span.minutes} | shifted(spoken_of, span.minutes)
    rest = without(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    if action == "delete":
        text = naming.called(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    else:
        text = "" if action == "list" else titles.titled(rest, "reminder", clause.language)
    if pattern("reminder", clause.language, "bare").fullmatch(text):
        text = ""
    for ending, becomes in turns("reminder", clause.language):
        text = ending.sub(becomes, text)
    if not text and not action and "text" not in clause.slots:
        found = clause.before.get("title") or clause.before.get("text")
        text = found if isinstance(found, str) else ""
    if not text and action != "list" and pattern("reminder", clause.language, "alarm").search(clause.text):
        slots["text"] = ""  # an alarm says nothing but that it is time
    if not action and (slots.keys() & {"date", "time", "recurrence", "minutes_before"}) <= {"time"}:
        known: JsonObject = {name: value for name in ("date", "time") if (value := clause.before.get(name))}
        slots = {**known, **slots}
    return _with_words(clause, slots, "text", text)


def _of_reminder(slots: JsonObject) -> JsonObject:
    """A reminder has a text, and no length."""
    names = {"title": "text", "new_title": "new_text", "longer": "shift"}
    return {names.get(name, name): value for name, value in slots.items() if name != "minutes"}


def _is_about_everything(clause: Clause, action: str) -> bool:
    """Whether it asks what is remembered, and names nothing of it."""
    asks = action == "recall" or pattern("memory", clause.language, "all").search(clause.text)
    beside = pattern("memory", clause.language, "everything").sub("", clause.text)
    return bool(asks) and not re.search(r"\w", beside)


def _action(clause: Clause, of: str, names: Sequence[str]) -> str:
    """What is to be done, where it is not the ordinary thing."""
    return next((name for name in names if pattern(of, clause.language, name).search(clause.text)), "")


def _only_if_said(clause: Clause, slots: JsonObject) -> None:
    """A day that follows from a time alone is a guess: good for what is added, not for what is looked for."""
    if not of_type(clause, "date"):
        slots.pop("date", None)


def _with_words(clause: Clause, slots: JsonObject, name: str, words: str) -> Sequence[JsonObject]:
    """The slots, with the thing itself unless it is known and something else was asked for."""
    if words and (name not in clause.slots or name in clause.expecting):
        slots[name] = words[:LONGEST]
    return (slots,) if slots else ()
