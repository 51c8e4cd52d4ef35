"""A calendar on any CalDAV server (Nextcloud, Radicale, iCloud, Fastmail …), through the `caldav` library.

The library blocks, so each call of the port is one turn of a thread."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from packs.assistant.calendars import ical
from packs.assistant.calendars.port import Appointment, CalendarFault, Chore, Moment, open_first

if TYPE_CHECKING:
    from caldav.davclient import DAVClient

SECONDS = 20
_ADDRESSES: dict[tuple[str, str, str], str] = {}
"""(server, user, component) -> its calendar: found once, not with every call."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DavCalendar:
    """See port.Calendar. `url` is that of a calendar, or of the server, whose first fitting calendar is taken.
    `now` stamps what is written."""

    url: str
    user: str
    password: str = field(repr=False)
    now: datetime

    async def add(self, appointment: Appointment) -> None:
        text = ical.appointment_text(appointment, self.now)
        await self._in_thread("VEVENT", lambda calendar: _add_once(calendar.add_event, text))

    async def between(self, start: datetime, end: datetime) -> Sequence[Appointment]:
        def look(calendar: Any) -> list[Appointment]:
            found = calendar.search(event=True, start=start, end=end, expand=False)
            return ical.spread([str(one.data) for one in found], start, end)

        return await self._in_thread("VEVENT", look)

    async def remove(self, uid: str, only: Moment | None = None) -> None:
        def take_out(calendar: Any) -> None:
            if (found := _unless_gone(calendar.get_event_by_uid, uid)) is None:
                return
            if only is not None and ical.repeats(str(found.data)):
                found.data = ical.without(str(found.data), only)
                found.save()
            else:
                found.delete()

        await self._in_thread("VEVENT", take_out)

    async def change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        def put_in_place(calendar: Any) -> None:
            if (found := _unless_gone(calendar.get_event_by_uid, old.uid)) is not None:
                found.data = ical.changed(str(found.data), old, new, series=series)
                found.save()

        await self._in_thread("VEVENT", put_in_place)

    async def add_chore(self, chore: Chore) -> None:
        text = ical.chore_text(chore, self.now)
        await self._in_thread("VTODO", lambda calendar: _add_once(calendar.add_todo, text))

    async def chores(self) -> Sequence[Chore]:
        def look(calendar: Any) -> list[Chore]:
            return open_first(ical.read_chores(str(one.data) for one in calendar.get_todos()))

        return await self._in_thread("VTODO", look)

    async def complete(self, uid: str) -> None:
        def tick_off(calendar: Any) -> None:
            if (found := _unless_gone(calendar.get_todo_by_uid, uid)) is not None:
                found.data = ical.completed(str(found.data), self.now)
                found.save()

        await self._in_thread("VTODO", tick_off)

    async def _in_thread(self, component: str, work: Callable[[Any], T]) -> T:
        def turn() -> T:
            from caldav.davclient import DAVClient

            with (
                _translated(self.url),
                DAVClient(
                    self.url,
                    username=self.user,
                    password=self.password,
                    timeout=SECONDS,
                    enable_rfc6764=False,  # the address is the operator's; nothing else is asked where it might be
                ) as client,
            ):
                address = self._address(client, component)
                return work(client.calendar(url=address))  # type: ignore[no-untyped-call]  # its types are partial

        try:
            return await asyncio.to_thread(turn)
        except CalendarFault as fault:
            if fault.reason == "missing":  # it is gone from where it was: the next call looks for it again
                _ADDRESSES.pop((self.url, self.user, component), None)
            raise

    def _address(self, client: "DAVClient", component: str) -> str:
        key = (self.url, self.user, component)
        if key not in _ADDRESSES:
            _ADDRESSES[key] = _found(client, self.url, component)
        return _ADDRESSES[key]


def _found(client: Any, url: str, component: str) -> str:
    """The calendar at the address, or the first one of the server that takes such components."""
    from caldav.lib.error import NotFoundError, PropfindError

    try:
        if component in client.calendar(url=url).get_supported_components(with_fallback=False):
            return url
    except (PropfindError, NotFoundError):
        pass  # it is no calendar: the server knows whose calendars there are
    for calendar in client.principal().get_calendars():
        if component in calendar.get_supported_components():
            return str(calendar.url)
    raise CalendarFault("missing", server=_host(url))


def _add_once(add: Callable[..., Any], text: str) -> None:
    from caldav.lib.error import ConsistencyError

    try:
        add(text, no_overwrite=True)
    except ConsistencyError:
        return  # an earlier attempt has come through


def _unless_gone(find: Callable[[str], Any], uid: str) -> Any:
    from caldav.lib.error import NotFoundError

    try:
        return find(uid)
    except NotFoundError:
        return None


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


@contextmanager
def _translated(url: str) -> Iterator[None]:
    """Raises CalendarFault for whatever the library raises. Nothing of it is passed on: it may hold the address with
    what stands before the @, and answers of the server."""
    from caldav.lib.error import AuthorizationError, DAVError, ETagMismatchError, NotFoundError, RateLimitError
    from lxml.etree import LxmlError  # type: ignore[import-untyped]  # ships no types

    server = _host(url)
    try:
        yield
    except AuthorizationError as error:
        raise CalendarFault("forbidden" if error.status == 403 else "login", server=server) from None
    except (RateLimitError, ETagMismatchError):
        raise CalendarFault("busy", retryable=True, server=server) from None
    except NotFoundError:
        raise CalendarFault("missing", server=server) from None
    except DAVError as error:
        raise _fault(error.status, server) from None
    except OSError as error:
        raise CalendarFault("unreachable", retryable=True, server=server, cause=type(error).__name__) from None
    except (LxmlError, ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
        # an answer that is none of CalDAV: a portal, a proxy, another kind of server
        raise CalendarFault("unreadable", retryable=True, server=server, cause=type(error).__name__) from None


def _fault(status: int | None, server: str) -> CalendarFault:
    if status == 404:
        return CalendarFault("missing", server=server)
    if status is not None and 400 <= status < 500:
        return CalendarFault("refused", server=server, status=status)
    return CalendarFault("broken", retryable=True, server=server, status=status or 0)
