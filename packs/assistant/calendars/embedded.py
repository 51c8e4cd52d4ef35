"""The calendar that is kept here, in the pack's own tables: iCalendar text per person."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from contracts.tables import PackDatabase, Rows
from packs.assistant.calendars import ical
from packs.assistant.calendars.port import Appointment, Chore, Moment, open_first

_ADD = """insert into calendar_items (user_id, uid, kind, ics, begins, ends) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing"""
_BETWEEN = """select ics from calendar_items where user_id = $1 and kind = 'appointment'
and begins < $3 and (ends is null or ends >= $2)"""
_ONE = "select ics from calendar_items where user_id = $1 and kind = $2 and uid = $3 for update"
_EDIT = "update calendar_items set ics = $4 where user_id = $1 and kind = $2 and uid = $3"
_CHANGE = """update calendar_items set ics = $3, ends = $5,
begins = case when $6 then least(begins, $4::timestamptz) - interval '1 day' else $4 end
where user_id = $1 and kind = 'appointment' and uid = $2"""
_DELETE = "delete from calendar_items where user_id = $1 and kind = 'appointment' and uid = $2"
_CHORES = "select ics from calendar_items where user_id = $1 and kind = 'chore'"
_EARLIER = timedelta(days=1)
"""A time without a zone is meant wherever the person is, up to a day from where it was written down."""


@dataclass(frozen=True, slots=True)
class EmbeddedCalendar:
    """See port.Calendar. `now` stamps what is written; the tool has it from its request."""

    database: PackDatabase
    user: str
    timezone: str
    now: datetime

    async def add(self, appointment: Appointment) -> None:
        text = ical.appointment_text(appointment, self.now)
        zone = ZoneInfo(self.timezone)
        begins = ical.instant(appointment.start, zone)
        ends = None if appointment.rule else ical.instant(appointment.end, zone)
        await self._insert("appointment", appointment.uid, text, begins, ends)

    async def between(self, start: datetime, end: datetime) -> Sequence[Appointment]:
        async with self.database.transaction() as rows:
            found = await rows.fetch(_BETWEEN, self.user, start - _EARLIER, end + _EARLIER)
        # a long series takes a while to spread out: the loop serves other calls meanwhile
        return await asyncio.to_thread(ical.spread, [row["ics"] for row in found], start, end)

    async def remove(self, uid: str, only: Moment | None = None) -> None:
        async with self.database.transaction() as rows:
            text = await self._locked(rows, "appointment", uid)
            if text is not None and only is not None and ical.repeats(text):
                await rows.execute(_EDIT, self.user, "appointment", uid, ical.without(text, only))
            elif text is not None:
                await rows.execute(_DELETE, self.user, uid)

    async def change(self, old: Appointment, new: Appointment, *, series: bool) -> None:
        zone = ZoneInfo(self.timezone)
        async with self.database.transaction() as rows:
            if (text := await self._locked(rows, "appointment", old.uid)) is None:
                return
            text = ical.changed(text, old, new, series=series)
            # a series may have been brought forward, and goes on
            begins, ends = ical.instant(new.start, zone), ical.instant(new.end, zone)
            repeats = ical.repeats(text)
            await rows.execute(_CHANGE, self.user, old.uid, text, begins, None if repeats else ends, repeats)

    async def add_chore(self, chore: Chore) -> None:
        await self._insert("chore", chore.uid, ical.chore_text(chore, self.now))

    async def chores(self) -> Sequence[Chore]:
        async with self.database.transaction() as rows:
            found = await rows.fetch(_CHORES, self.user)
        return open_first(ical.read_chores(row["ics"] for row in found))

    async def complete(self, uid: str) -> None:
        async with self.database.transaction() as rows:
            if (text := await self._locked(rows, "chore", uid)) is not None:
                await rows.execute(_EDIT, self.user, "chore", uid, ical.completed(text, self.now))

    async def _insert(
        self, kind: str, uid: str, text: str, begins: datetime | None = None, ends: datetime | None = None
    ) -> None:
        async with self.database.transaction() as rows:
            await rows.execute(_ADD, self.user, uid, kind, text, begins, ends)

    async def _locked(self, rows: Rows, kind: str, uid: str) -> str | None:
        row = await rows.fetchrow(_ONE, self.user, kind, uid)
        return None if row is None else str(row["ics"])
