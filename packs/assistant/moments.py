"""Days and times of a clause: what was said, what follows from it, and what the clause before it says."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]  # it has no stubs

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue
from packs.assistant.phrases import pattern

NEAR = 8
"""Characters after a span in which it says whether it lies before or after something."""
TIMES = frozenset({"date", "time", "recurrence", "span"})
_ON, _EVERY_DAY = "BYDAY", {"FREQ": "DAILY"}


class Span(NamedTuple):
    """So many minutes: before something, after now, or how long."""

    minutes: int
    before: bool
    after: bool


def of_type(clause: Clause, type_: str) -> list[Entity]:
    """In the order of the text."""
    return sorted((one for one in clause.entities if one.type == type_), key=lambda one: one.start)


def span_of(clause: Clause) -> Span | None:
    """The first one, with the word that goes with it."""
    found = next(iter(of_type(clause, "span")), None)
    if found is None or not isinstance(found.value, int) or isinstance(found.value, bool):
        return None
    around = found.text + clause.text[found.end : found.end + NEAR]
    led = clause.text[max(0, found.start - 3) : found.end]
    before = bool(pattern("common", clause.language, "before").search(around))
    later = pattern("common", clause.language, "after")
    return Span(found.value, before, not before and bool(later.search(around) or later.search(led.strip())))


def times_of(clause: Clause) -> list[Entity]:
    """What says when."""
    return [one for one in clause.entities if one.type in TIMES]


def said(clause: Clause) -> JsonObject:
    """Date, time and recurrence of the clause itself. A time alone is the next such time; a rule says its first day."""
    slots: JsonObject = {}
    for type_ in ("date", "time", "recurrence"):
        if found := of_type(clause, type_):
            slots[type_] = _rule(found) if type_ == "recurrence" else found[0].value
    clock = as_time(slots.get("time"))
    rule = slots.get("recurrence")
    if "date" not in slots and "date" not in clause.slots and not clause.before.get("date"):
        if isinstance(rule, str):
            slots |= _first(rule, clock, clause.now)
        elif clock is not None and not pattern("common", clause.language, "that_day").search(clause.text):
            passed = clock <= clause.now.time().replace(tzinfo=None)
            slots["date"] = (clause.now.date() + timedelta(days=passed)).isoformat()
    return slots


def _rule(found: Sequence[Entity]) -> JsonValue:
    """The rule that is said in pieces: how often, and on which days ("a weekly standup …, tuesdays"). Of two that go by
    other measures the first, unless that is every day and the other says on which."""
    parts: dict[str, str] = {}
    for one in found:
        said = dict(part.split("=", 1) for part in str(one.value).split(";"))
        if not parts or (parts == _EVERY_DAY and _ON in said):
            parts = said
        elif said["FREQ"] == parts["FREQ"]:
            days = [*parts.get(_ON, "").split(","), *said.get(_ON, "").split(",")]
            parts = {**parts, **said, _ON: ",".join(dict.fromkeys(filter(None, days)))}
    return ";".join(f"{name}={value}" for name, value in sorted(parts.items(), key=lambda one: one[0] == _ON) if value)


def spoken_of(last: Mapping[str, JsonValue]) -> JsonObject:
    """The day and time of what was asked for before, as far as its request says them."""
    found = {name: last.get(f"new_{name}") or last.get(name) or last.get(f"of_{name}") for name in ("date", "time")}
    return {name: value for name, value in found.items() if value}


def of_that_day(clause: Clause) -> JsonObject:
    """The day, and the time, of which the clause before it speaks: "and put the gym in that slot"."""
    if not pattern("common", clause.language, "that_day").search(clause.text):
        return {}
    last = spoken_of(clause.last)
    known = {
        "date": clause.before.get("day") or last.get("date"),
        "time": clause.before.get("time") or last.get("time"),
    }
    asked = "that_time" if pattern("common", clause.language, "that_time").search(clause.text) else ""
    return {
        name: value
        for name, value in known.items()
        if value and not of_type(clause, name) and (name == "date" or asked)
    }


def _first(rule: str, clock: time | None, now: datetime) -> JsonObject:
    since = now.replace(tzinfo=None, second=0, microsecond=0)
    try:
        first = rrulestr(rule, dtstart=datetime.combine(since.date(), clock or time(23, 59))).after(since)
    except (ValueError, TypeError, OverflowError):
        return {}
    return {"date": first.date().isoformat()} if first else {}


def shifted(slots: Mapping[str, JsonValue], minutes: int) -> JsonObject:
    """Date and time so many minutes earlier; nothing when they are not both known."""
    day, clock = as_date(slots.get("date")), as_time(slots.get("time"))
    if day is None or clock is None:
        return {}
    return at(datetime.combine(day, clock) - timedelta(minutes=minutes))


def at(moment: datetime) -> JsonObject:
    """As slots."""
    return {"date": moment.date().isoformat(), "time": moment.strftime("%H:%M")}


def length(clause: Clause, times: Sequence[Entity]) -> int | None:
    """Minutes between "from three" and "to five"; or those of a span."""
    if len(times) > 1:
        between = clause.text[times[0].end : times[1].start]
        begins, ends = as_time(times[0].value), as_time(times[1].value)
        if begins and ends and pattern("common", clause.language, "until").search(between):
            minutes = (ends.hour - begins.hour) * 60 + ends.minute - begins.minute
            return minutes if minutes > 0 else minutes + 24 * 60
    span = span_of(clause)
    return span.minutes if span and not (span.before or span.after) else None


def as_date(value: JsonValue) -> date | None:
    """None for what is no date."""
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def as_time(value: JsonValue) -> time | None:
    """None for what is no time of a day."""
    try:
        return datetime.strptime(value, "%H:%M").time() if isinstance(value, str) else None  # noqa: DTZ007  # on a wall
    except ValueError:
        return None
