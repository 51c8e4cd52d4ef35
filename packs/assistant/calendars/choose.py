"""Which calendar a person's words go to: the pack's setting CALENDAR, and what that one needs."""

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from contracts.tools import ToolContext
from packs.assistant.calendars.port import Calendar, CalendarFault

DEFAULT = "embedded"
_PERSON = re.compile(r"[\w@-][\w.@-]*")


def calendar_of(context: ToolContext) -> Calendar:
    """Raises CalendarFault when a setting is missing or wrong, or a library is not installed."""
    kind = context.config.get("CALENDAR", "").strip() or DEFAULT
    maker = _MAKERS.get(kind)
    if maker is None:
        raise CalendarFault("setting_unknown", value=kind, known=", ".join(_MAKERS))
    return maker(context)


def _embedded(context: ToolContext) -> Calendar:
    from packs.assistant.calendars.embedded import EmbeddedCalendar

    return EmbeddedCalendar(context.database, context.user, context.timezone, context.now)


def _caldav(context: ToolContext) -> Calendar:
    _installed("caldav", "execution")
    from packs.assistant.calendars.dav import DavCalendar

    url = _personal(_required(context.config, "CALDAV_URL"), context.user)
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        # not shown: what stands before the @ is a password
        raise CalendarFault("setting_address", name=_named("CALDAV_URL"))
    name = _personal(_required(context.config, "CALDAV_USER"), context.user)
    return DavCalendar(url, name, _required(context.config, "CALDAV_PASSWORD"), context.now)


def _google(context: ToolContext) -> Calendar:
    _installed("googleapiclient", "google")
    _installed("google_auth_httplib2", "google")
    from packs.assistant.calendars.google import GoogleCalendar

    file = _personal(_required(context.config, "GOOGLE_TOKEN_FILE"), context.user)
    return GoogleCalendar(Path(file), context.config.get("GOOGLE_ENDPOINT", ""))


_MAKERS: dict[str, Callable[[ToolContext], Calendar]] = {"embedded": _embedded, "caldav": _caldav, "google": _google}


def _required(config: Mapping[str, str], name: str) -> str:
    value = config.get(name, "").strip()
    if not value:
        raise CalendarFault("setting_missing", name=_named(name))
    return value


def _named(name: str) -> str:
    return f"DREAM_PACK_ASSISTANT_{name}"


def _personal(value: str, user: str) -> str:
    """With {user} in a setting everybody has a calendar of their own. A name that could leave the place is refused."""
    if "{user}" not in value:
        return value
    if not _PERSON.fullmatch(user):
        raise CalendarFault("setting_person", value=user)
    return value.replace("{user}", user)


def _installed(module: str, extra: str) -> None:
    try:
        found = find_spec(module) is not None
    except ValueError:  # set to None in sys.modules: it must not be imported
        found = False
    if not found:
        raise CalendarFault("extra", extra=extra, command=f"pip install 'dream-agent[{extra}]'")
