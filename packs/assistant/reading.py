"""Reads what a clause says about appointments, and what to do, to remember and to be reminded of
(contracts.reading.Reader): pure."""

import re
from collections.abc import Sequence
from datetime import timedelta

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant.moments import TIMES, at, length, of_that_day, of_type, said, shifted, span_of
from packs.assistant.period import period
from packs.assistant.phrases import core, pattern, turns, without

LONGEST = 1000
"""Characters of a text that is kept."""


def read_calendar(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date, until, time, minutes, place, recurrence}"""
    slots = said(clause) | of_that_day(clause)
    action = _action(clause, "calendar", ("delete", "list"))
    if action:
        slots["action"] = action
        _only_if_said(clause, slots)
        if action == "list" and (days := period(clause)):
            slots |= {"date": days[0].isoformat(), "until": days[1].isoformat()}
    elif minutes := length(clause, of_type(clause, "time")):
        slots["minutes"] = minutes
    rest = without(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    if not action and (place := pattern("calendar", clause.language, "place").search(rest)):
        slots["place"] = place[1]
        rest = rest[: place.start()] + rest[place.end() :]
    title = "" if action == "list" else core(rest, "calendar", clause.language)
    if not title and not action and clause.before.get("action") == "delete":
        title = str(clause.before.get("title") or "")  # what was taken out is put in again, for another day
    return _with_words(clause, slots, "title", title)


def read_todo(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date}: the day it is due, if one is said."""
    slots = said(clause)
    action = _action(clause, "todo", ("list", "complete"))
    if action:
        slots["action"] = action
    _only_if_said(clause, slots)
    rest = without(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    title = "" if action == "list" else core(rest, "todo", clause.language)
    return _with_words(clause, slots, "title", title)


def read_memory(clause: Clause) -> Sequence[JsonObject]:
    """{action, text}; a recall without a text is about everything."""
    action = _action(clause, "memory", ("forget", "recall"))
    if action != "forget" and _is_about_everything(clause, action):
        return ({"action": "recall"},)
    slots: JsonObject = {"action": action} if action else {}
    last = ("question", "opening") if action else ("statement",)
    text = core(clause.text, "memory", clause.language, *last)
    return _with_words(clause, slots, "text", text)


def read_reminder(clause: Clause) -> Sequence[JsonObject]:
    """{action, text, date, time, recurrence, minutes_before}; the time is that of the reminder itself. The text of an
    alarm is empty."""
    slots, span = said(clause) | of_that_day(clause), span_of(clause)
    action = _action(clause, "reminder", ("list", "delete"))
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
    text = "" if action == "list" else core(rest, "reminder", clause.language)
    if pattern("reminder", clause.language, "bare").fullmatch(text):
        text = ""
    for ending, becomes in turns("reminder", clause.language):
        text = ending.sub(becomes, text)
    if not text and not action and "text" not in clause.slots:
        found = clause.before.get("title") or clause.before.get("text")
        text = found if isinstance(found, str) else ""
    if not text and pattern("reminder", clause.language, "alarm").search(clause.text):
        slots["text"] = ""  # an alarm says nothing but that it is time
    if not action and (slots.keys() & {"date", "time", "recurrence", "minutes_before"}) <= {"time"}:
        known: JsonObject = {name: value for name in ("date", "time") if (value := clause.before.get(name))}
        slots = {**known, **slots}
    return _with_words(clause, slots, "text", text)


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
