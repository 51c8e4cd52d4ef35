"""Google Calendar and Google Tasks, through Google's own client library (extra `google`).

The library blocks, so each call of the port is one turn of a thread."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from packs.assistant.calendars.google_faults import SERVER, translated
from packs.assistant.calendars.google_values import (
    appointment_of,
    change_body,
    chore_of,
    event_body,
    marked,
    rule_of,
    task_body,
    utc,
)
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
