"""Google's JSON (Calendar v3, Tasks v1) and the port's values, one from the other. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from packs.assistant.calendars.port import Appointment, Chore, Moment

MARK = "dream:"
"""Google gives tasks ids of its own; ours stands in the notes, so that a repeated call finds its task."""


def event_body(appointment: Appointment) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": appointment.uid,
        "summary": appointment.title,
        "start": _when(appointment.start),
        "end": _when(appointment.end),
    }
    if appointment.place:
        body["location"] = appointment.place
    if appointment.rule:
        body["recurrence"] = [f"RRULE:{appointment.rule}"]
    return body


def change_body(event: Mapping[str, Any], new: Appointment, *, series: bool) -> dict[str, Any]:
    """What is patched. Of a whole series the first day stays, unless it gets a rule."""
    start = new.start
    if series and rule_of(event) and not new.rule:
        zone = start.tzinfo if isinstance(start, datetime) else None
        first = _moment(event["start"], zone or UTC)
        if isinstance(start, datetime):
            start = datetime.combine(first, start.time(), start.tzinfo)
        else:
            start = first.date() if isinstance(first, datetime) else first
    # a patch leaves what it does not name: the other form of the moment is taken out by name
    none = {"date": None, "dateTime": None, "timeZone": None}
    body: dict[str, Any] = {
        "summary": new.title,
        "start": none | _when(start),
        "end": none | _when(start + new.length),
    }
    return body | ({"recurrence": [f"RRULE:{new.rule}"]} if new.rule else {})


def _when(moment: Moment) -> dict[str, str]:
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat()}
    zone = moment.tzinfo
    name = zone.key if isinstance(zone, ZoneInfo) else "UTC"
    return {"dateTime": moment.isoformat(), "timeZone": name}


def appointment_of(item: Mapping[str, Any], rules: Mapping[str, str], zone: tzinfo) -> Appointment:
    """Raises KeyError, TypeError or ValueError for what is no event."""
    uid = str(item.get("recurringEventId") or item["id"])
    start, end = _moment(item["start"], zone), _moment(item["end"], zone)
    title, place = str(item.get("summary") or ""), str(item.get("location") or "")
    original = _moment(item["originalStartTime"], zone) if "recurringEventId" in item else None
    return Appointment(uid, title, start, end, place, rules.get(uid, ""), original)


def _moment(when: Mapping[str, str], zone: tzinfo) -> Moment:
    if "date" in when:
        return date.fromisoformat(when["date"])
    moment = datetime.fromisoformat(when["dateTime"])
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(zone)


def rule_of(item: Mapping[str, Any]) -> str:
    """The RRULE among an event's lines of recurrence."""
    lines: Sequence[str] = item.get("recurrence") or ()
    return next((line.removeprefix("RRULE:") for line in lines if line.startswith("RRULE:")), "")


def utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def task_body(chore: Chore) -> dict[str, Any]:
    body: dict[str, Any] = {"title": chore.title, "notes": MARK + chore.uid, "status": "needsAction"}
    if chore.due:
        body["due"] = f"{chore.due.isoformat()}T00:00:00.000Z"
    return body


def chore_of(item: Mapping[str, Any]) -> Chore:
    """Raises KeyError, TypeError or ValueError for what is no task."""
    due = str(item.get("due") or "")
    day = date.fromisoformat(due[:10]) if due else None
    return Chore(marked(item) or str(item["id"]), str(item.get("title") or ""), day, item.get("status") == "completed")


def marked(item: Mapping[str, Any]) -> str:
    """Our uid of a task; empty when somebody else made it."""
    lines = str(item.get("notes") or "").splitlines()
    return next((line.removeprefix(MARK) for line in lines if line.startswith(MARK)), "")
