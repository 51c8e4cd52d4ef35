"""Appointments and chores as iCalendar text (RFC 5545), and back: for the calendar kept here and for CalDAV.

The libraries are imported where they are used: most calls of a service never touch a calendar."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from packs.assistant.calendars.port import Appointment, CalendarFault, Chore, Moment, in_order

if TYPE_CHECKING:
    from icalendar import Calendar, Component, Timezone

PRODUCT = "-//Dream Agent//Assistant//EN"


def appointment_text(appointment: Appointment, stamp: datetime) -> str:
    """One VEVENT in a calendar of its own, with the rules of its time zone, so that any program can open it."""
    from icalendar import Event, vRecur

    event = Event()
    event.add("uid", appointment.uid)
    event.add("dtstamp", stamp.astimezone(UTC))
    event.add("summary", appointment.title)
    event.add("dtstart", appointment.start)
    event.add("dtend", appointment.end)
    if appointment.place:
        event.add("location", appointment.place)
    if appointment.rule:
        event.add("rrule", vRecur.from_ical(appointment.rule))
    return _wrapped(event)


def chore_text(chore: Chore, stamp: datetime) -> str:
    from icalendar import Todo

    todo = Todo()
    todo.add("uid", chore.uid)
    todo.add("dtstamp", stamp.astimezone(UTC))
    todo.add("summary", chore.title)
    if chore.due:
        todo.add("due", chore.due)
    todo.add("status", "COMPLETED" if chore.done else "NEEDS-ACTION")
    return _wrapped(todo)


def _wrapped(component: "Component") -> str:
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add_component(component)
    for name in calendar.get_missing_tzids():
        calendar.subcomponents.insert(0, _zone(name))
    return _text(calendar)


@lru_cache(maxsize=64)
def _zone(name: str) -> "Timezone":
    """The rules of a time zone. Working them out takes 3 to 15 ms."""
    from icalendar import Timezone

    return Timezone.from_tzid(name)


def _text(calendar: "Calendar") -> str:
    return str(calendar.to_ical().decode())


def parsed(text: str) -> "Calendar":
    """Raises CalendarFault for what is no iCalendar text."""
    from icalendar import Calendar

    try:
        return Calendar.from_ical(text)
    except (ValueError, KeyError, IndexError) as error:
        raise CalendarFault("unreadable") from error


def spread(texts: Iterable[str], start: datetime, end: datetime) -> list[Appointment]:
    """The appointments of some calendar texts that touch start..end, each of a series by itself, in order."""
    return in_order(one for text in texts for one in _spread(text, start, end))


def _spread(text: str, start: datetime, end: datetime) -> Iterator[Appointment]:
    import recurring_ical_events  # type: ignore[import-untyped]  # ships no types

    calendar = parsed(text)
    rules = {str(event.get("uid", "")): _rule(event) for event in calendar.walk("VEVENT") if "RRULE" in event}
    zone = start.tzinfo or UTC
    for event in recurring_ical_events.of(calendar, components=["VEVENT"]).between(start, end):
        uid = str(event.get("uid", ""))
        begins, ends = _local(event.start, zone), _local(event.end, zone)
        if event.get("status") == "CANCELLED" or not _touches(begins, ends, start, end):
            continue
        title, place = str(event.get("summary", "")), str(event.get("location", ""))
        original = _local(event["recurrence-id"].dt, zone) if uid in rules and "recurrence-id" in event else None
        yield Appointment(uid, title, begins, ends, place, rules.get(uid, ""), original)


def _rule(event: "Component") -> str:
    rule: Any = event["rrule"]
    return str((rule[0] if isinstance(rule, list) else rule).to_ical().decode())


def _local(moment: Moment, zone: tzinfo) -> Moment:
    if not isinstance(moment, datetime):
        return moment
    # a time without a zone is meant wherever the person is (RFC 5545: floating)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(zone)


def _touches(begins: Moment, ends: Moment, start: datetime, end: datetime) -> bool:
    first, last = instant(begins, start.tzinfo or UTC), instant(ends, start.tzinfo or UTC)
    return first < end and (last > start or first == last == start)


def instant(moment: Moment, zone: tzinfo) -> datetime:
    """A moment as a point in time; a day begins at its midnight in the zone."""
    return moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day, tzinfo=zone)


def without(text: str, only: Moment) -> str:
    """The series without that one of it, moved or not."""
    calendar = parsed(text)
    for event in calendar.events:
        if "RRULE" in event:
            event.add("exdate", _as_in(event.start, only))
        elif "RECURRENCE-ID" in event:
            original: Any = event["recurrence-id"]
            if _as_in(original.dt, only) == original.dt:
                calendar.subcomponents.remove(event)
    return _text(calendar)


def _as_in(like: Moment, moment: Moment) -> Moment:
    """The moment in the zone of another: exceptions are written as the series is."""
    if not isinstance(moment, datetime) or not isinstance(like, datetime):
        return moment
    return moment.astimezone(like.tzinfo) if like.tzinfo else moment.replace(tzinfo=None)


def repeats(text: str) -> bool:
    return any("RRULE" in event for event in parsed(text).walk("VEVENT"))


def read_chores(texts: Iterable[str]) -> list[Chore]:
    return [_chore(todo) for text in texts for todo in parsed(text).walk("VTODO")]


def _chore(todo: "Component") -> Chore:
    due: Any = todo.get("due")
    when: Moment | None = due.dt if due is not None else None
    day: date | None = when.date() if isinstance(when, datetime) else when
    done = todo.get("status") in {"COMPLETED", "CANCELLED"} or "COMPLETED" in todo
    return Chore(str(todo.get("uid", "")), str(todo.get("summary", "")), day, done)


def completed(text: str, at: datetime) -> str:
    """The chore, marked as done."""
    calendar = parsed(text)
    for todo in calendar.walk("VTODO"):
        for name, value in (("status", "COMPLETED"), ("percent-complete", 100), ("completed", at.astimezone(UTC))):
            todo.pop(name, None)
            todo.add(name, value)
    return _text(calendar)


def changed(text: str, old: Appointment, new: Appointment, *, series: bool) -> str:
    """The calendar text with `new` in the place of `old`: of a series that one, or its times, title and place alone."""
    calendar = parsed(text)
    if old.original is not None and not series:
        return _with_exception(calendar, old.original, new)
    for event in calendar.events:
        if "RECURRENCE-ID" in event:
            continue  # what was changed by itself stays as it was
        begins = new.start
        if "RRULE" in event and not new.rule:
            begins = _at_time_of(event.start, new.start)
            _move_exceptions(event, begins)
        length = new.length
        _put(event, new, begins, begins + length)
        if new.rule:
            _set(event, "rrule", _recur(new.rule))
    return _text(calendar)


def _with_exception(calendar: "Calendar", original: Moment, new: Appointment) -> str:
    master = next((event for event in calendar.events if "RRULE" in event), None)
    if master is None:
        return _text(calendar)
    rule_day = _as_in(master.start, original)
    for event in list(calendar.events):
        of: Any = event.get("recurrence-id")
        if of is not None and of.dt == rule_day:
            calendar.subcomponents.remove(event)
    exception = type(master)()
    for name in ("uid", "dtstamp", "location", "description"):
        if name in master:
            exception[name] = master[name]
    exception.add("recurrence-id", rule_day)
    _put(exception, new, new.start, new.end)
    calendar.add_component(exception)
    return _text(calendar)


def _at_time_of(day: Moment, moment: Moment) -> Moment:
    """The first day of a series at the new time."""
    if not isinstance(moment, datetime):
        return day.date() if isinstance(day, datetime) else day
    local = day.astimezone(moment.tzinfo) if isinstance(day, datetime) and day.tzinfo else day
    return datetime(local.year, local.month, local.day, moment.hour, moment.minute, tzinfo=moment.tzinfo)


def _move_exceptions(event: "Component", begins: Moment) -> None:
    """What was taken out of a series stays out of it."""
    out: Any = event.get("exdate")
    if out is None:
        return
    days = [one.dt for each in (out if isinstance(out, list) else [out]) for one in each.dts]
    del event["exdate"]
    for day in days:
        event.add("exdate", _at_time_of(day, begins))


def _put(event: "Component", new: Appointment, begins: Moment, ends: Moment) -> None:
    for name, value in (("summary", new.title), ("dtstart", begins), ("dtend", ends)):
        _set(event, name, value)
    if new.place:
        _set(event, "location", new.place)
    event.pop("duration", None)


def _set(event: "Component", name: str, value: Any) -> None:
    event.pop(name, None)
    event.add(name, value)


def _recur(rule: str) -> Any:
    from icalendar import vRecur

    return vRecur.from_ical(rule)
