"""Google Calendar and Google Tasks, through Google's own client library (extra `google`).

The library blocks, so each call of the port is one turn of a thread.

What Google's client library raises, as faults of the port. Nothing of a request or its answer is passed on: both may
carry tokens.

Google's JSON (Calendar v3, Tasks v1) and the port's values, one from the other. Pure."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from packs.assistant.calendars.port import Appointment, CalendarFault, Chore, Moment, in_order, open_first

SCOPES = ("https://www.googleapis.com/auth/calendar.events", "https://www.googleapis.com/auth/tasks")
SECONDS = 20.0
CALENDAR = "primary"
LIST = "@default"
GONE = frozenset({404, 410})
THERE = frozenset({409})
"""Ids of appointments are ours: a conflict says that an earlier attempt has come through."""
PAGES = 40
"""More pages than a person's appointments of a year fill; a server that never ends is stopped here."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GoogleCalendar:
    """See port.Calendar. `token_file` is an authorized-user JSON; `endpoint` replaces Google's address."""

    token_file: Path
    endpoint: str = ""

    async def add(self, appointment: Appointment) -> None:
        body = event_body(appointment)
        await _in_thread(lambda: _unless(THERE, self._events().insert(calendarId=CALENDAR, body=body)))

    async def between(self, start: datetime, end: datetime) -> Sequence[Appointment]:
        return await _in_thread(lambda: self._between(start, end))

    async def remove(self, uid: str, only: Moment | None = None) -> None:
        await _in_thread(lambda: self._remove(uid, only))

    async def change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        await _in_thread(lambda: self._change(old, new, series=series))

    async def add_chore(self, chore: Chore) -> None:
        await _in_thread(lambda: self._add_chore(chore))

    async def chores(self) -> Sequence[Chore]:
        return await _in_thread(lambda: open_first(chore_of(item) for item in self._tasks_listed(showCompleted=False)))

    async def complete(self, uid: str) -> None:
        await _in_thread(lambda: self._complete(uid))

    def _between(self, start: datetime, end: datetime) -> list[Appointment]:
        zone = start.tzinfo
        assert zone is not None
        events = self._events()
        window = {"calendarId": CALENDAR, "timeMin": utc(start), "timeMax": utc(end), "maxResults": 250}
        items = list(_paged(events, events.list(**window, singleEvents=True, orderBy="startTime")))
        rules: dict[str, str] = {}
        if any("recurringEventId" in item for item in items):
            # one of a series does not tell the rule: the series themselves do
            rules = {str(one["id"]): rule_of(one) for one in _paged(events, events.list(**window))}
        return in_order(appointment_of(item, rules, zone) for item in items if item.get("status") != "cancelled")

    def _remove(self, uid: str, only: Moment | None) -> None:
        events = self._events()
        for one in self._wanted(events, uid, only):
            _unless(GONE, events.delete(calendarId=CALENDAR, eventId=one))

    def _change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        events = self._events()
        for one in self._wanted(events, old.uid, None if series else old.original):
            if (event := _unless(GONE, events.get(calendarId=CALENDAR, eventId=one))) is not None:
                body = change_body(event, new, series=series)
                _unless(GONE, events.patch(calendarId=CALENDAR, eventId=one, body=body))

    def _wanted(self, events: Any, uid: str, only: Moment | None) -> list[str]:
        """The ids of what is meant: of a series that one, by the start that its rule gives it."""
        if only is None:
            return [uid]
        at = utc(only) if isinstance(only, datetime) else only.isoformat()
        event = _unless(GONE, events.get(calendarId=CALENDAR, eventId=uid))
        if not event or not rule_of(event):
            return [uid]
        found = _unless(GONE, events.instances(calendarId=CALENDAR, eventId=uid, originalStart=at)) or {}
        return [item["id"] for item in found.get("items", ())]

    def _add_chore(self, chore: Chore) -> None:
        if not any(marked(item) == chore.uid for item in self._tasks_listed(showCompleted=True, showHidden=True)):
            self._tasks().insert(tasklist=LIST, body=task_body(chore)).execute()

    def _complete(self, uid: str) -> None:
        for item in self._tasks_listed(showCompleted=False):
            if chore_of(item).uid == uid:
                _unless(GONE, self._tasks().patch(tasklist=LIST, task=item["id"], body={"status": "completed"}))

    def _tasks_listed(self, **which: bool) -> Iterator[dict[str, Any]]:
        tasks = self._tasks()
        return _paged(tasks, tasks.list(tasklist=LIST, maxResults=100, **which))

    def _events(self) -> Any:
        return self._service("calendar", "v3", "calendar/v3/").events()

    def _tasks(self) -> Any:
        return self._service("tasks", "v1", "").tasks()

    def _service(self, name: str, version: str, path: str) -> Any:
        """From the description inside the library: no request is spent on it."""
        import httplib2  # type: ignore[import-untyped]  # ships no types
        from google_auth_httplib2 import AuthorizedHttp  # type: ignore[import-untyped]  # ships no types
        from googleapiclient.discovery import build  # type: ignore[import-untyped]  # ships no types

        credentials = _credentials(str(self.token_file), _changed_at(self.token_file), self.endpoint.rstrip("/"))
        # a connection is of one thread, so each call has its own
        http = AuthorizedHttp(credentials, http=httplib2.Http(timeout=SECONDS))
        options = {"api_endpoint": f"{self.endpoint.rstrip('/')}/{path}"} if self.endpoint else None
        return build(name, version, http=http, static_discovery=True, client_options=options)


async def _in_thread(work: Callable[[], T]) -> T:
    def turn() -> T:
        with translated():
            return work()

    return await asyncio.to_thread(turn)


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        raise CalendarFault("token_file", path=path.name) from None


@lru_cache(maxsize=64)
def _credentials(path: str, changed_at: int, endpoint: str) -> Any:
    """Kept from call to call, so that a token is refreshed once an hour; read again when the file is replaced."""
    from google.oauth2.credentials import Credentials

    try:
        found: Any = Credentials.from_authorized_user_file(path, SCOPES)  # type: ignore[no-untyped-call]  # partial types
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        raise CalendarFault("token_file", path=Path(path).name) from None
    return found.with_token_uri(f"{endpoint}/token") if endpoint else found


def _paged(resource: Any, request: Any) -> Iterator[dict[str, Any]]:
    for _ in range(PAGES):
        if request is None:
            return
        answer = request.execute()
        yield from answer.get("items", ())
        request = resource.list_next(request, answer)
    raise CalendarFault("too_many", server=SERVER)


def _unless(harmless: frozenset[int], request: Any) -> dict[str, Any] | None:
    """The answer; none for a status that says that there is nothing left to do."""
    from googleapiclient.errors import HttpError  # type: ignore[import-untyped]  # ships no types

    try:
        answer: dict[str, Any] | None = request.execute() or None
    except HttpError as error:
        if error.status_code not in harmless:
            raise
        return None
    return answer


_TOO_MANY = ("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded")
_BY_STATUS = {401: "login", 403: "forbidden", 404: "missing", 408: "unreachable", 429: "busy"}
_PASSES = ("unreachable", "busy", "broken")
SERVER = "Google"


@contextmanager
def translated() -> Iterator[None]:
    """Around the use of the library: raises CalendarFault for whatever it raises."""
    from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
    from googleapiclient.errors import Error, HttpError
    from httplib2 import HttpLib2Error

    try:
        yield
    except HttpError as error:
        raise fault(int(error.status_code), _reasons(error)) from None
    except RefreshError as error:
        passes = bool(error.retryable)
        raise _named(error, "broken" if passes else "login", passes=passes) from None
    except (TransportError, HttpLib2Error, OSError) as error:
        raise _named(error, "unreachable", passes=True) from None
    except GoogleAuthError as error:
        raise _named(error, "login", passes=False) from None
    except (Error, ValueError, KeyError, TypeError, AttributeError) as error:
        # no JSON, or JSON of another shape: what stands between us and Google answers in its place
        raise _named(error, "unreadable", passes=True) from None


def _named(error: Exception, reason: str, *, passes: bool) -> CalendarFault:
    return CalendarFault(reason, retryable=passes, server=SERVER, cause=type(error).__name__)


def fault(status: int, reasons: str = "") -> CalendarFault:
    """The fault of an HTTP status; 403 also stands for too many requests, told by the reasons."""
    if status == 403 and any(reason in reasons for reason in _TOO_MANY):
        status = 429
    reason = _BY_STATUS.get(status, "broken" if status >= 500 else "refused")
    return CalendarFault(reason, retryable=reason in _PASSES, server=SERVER, status=status)


def _reasons(error: Any) -> str:
    details = error.error_details
    if not isinstance(details, list):
        return ""
    return " ".join(str(one.get("reason", "")) for one in details if isinstance(one, dict))


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
