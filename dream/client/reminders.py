"""Reminders in a running conversation: shown once, and then seen."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dream.client.gateway_client import Client, Frame, Refused, ServerGone


class Reminders:
    """Those of one session. Only what was shown is recorded as seen."""

    def __init__(self, client: Client, say: Callable[..., None]) -> None:
        self._client = client
        self._say = say
        self._shown: set[tuple[str, datetime]] = set()

    async def waiting(self, session: str) -> None:
        """Shows what was due while nobody looked."""
        for reminder in (await self._client.session(session)).get("reminders", ()):
            await self.show(session, reminder)

    async def show(self, session: str, reminder: Frame) -> None:
        """A ReminderDue, or a reminder of the session's state."""
        reminder_id, at = str(reminder["reminder_id"]), _local(reminder)
        if (reminder_id, at) in self._shown:
            return
        self._shown.add((reminder_id, at))
        self._say("reminder.due", at=f"{at:%Y-%m-%d %H:%M}", text=reminder["text"])
        try:
            await self._client.seen(session, reminder_id, str(reminder["due_at"]))
        except (Refused, ServerGone) as error:
            self._say("reminder.refused", why=error.detail if isinstance(error, Refused) else error)


def _local(reminder: Frame) -> datetime:
    """When it is due, on the clock of the person who asked for it; on this machine's where that is not known."""
    at = datetime.fromisoformat(str(reminder["due_at"]))
    try:
        return at.astimezone(ZoneInfo(str(reminder["timezone"])))
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return at.astimezone()
