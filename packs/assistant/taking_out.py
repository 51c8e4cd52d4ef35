"""Reads which appointment shall be taken out: by its name, or everything of a day. Pure."""

from datetime import timedelta

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant import actions, naming
from packs.assistant.changes import spoken
from packs.assistant.moments import times_of

A_YEAR = 365
"""Days to come of which everything is meant."""
_OF_BEFORE = ("of_date", "of_time")


def named_to_go(clause: Clause, slots: JsonObject) -> tuple[JsonObject, str]:
    """The slots, and what it is called. Of what is named nobody knows when what was spoken of before is."""
    title = naming.called_with(clause.text, times_of(clause), clause.language)
    title = title if actions.names_one(title, clause.language) else ""
    if actions.says(clause.text, "all", clause.language):
        title, slots = _all_of_them(title, slots, clause)
    else:
        slots = slots | spoken(clause)
    return {name: value for name, value in slots.items() if not (title and name in _OF_BEFORE)}, title


def _all_of_them(title: str, slots: JsonObject, clause: Clause) -> tuple[str, JsonObject]:
    """Of an order that everything shall go: no thing is called that. It is about the day that is said, or about all to
    come, and never about what was spoken of last."""
    title = actions.without_all(title, clause.language)
    if title or slots.keys() & {"date", "time"}:
        return title, slots
    today = clause.now.date()
    return "", {**slots, "date": today.isoformat(), "until": (today + timedelta(days=A_YEAR)).isoformat()}
