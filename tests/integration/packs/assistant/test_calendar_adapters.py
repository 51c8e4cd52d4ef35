"""The four calendars keep the same promises."""

from uuid import uuid4

import pytest

from packs.assistant.calendars.dav import DavCalendar
from packs.assistant.calendars.embedded import EmbeddedCalendar
from packs.assistant.calendars.google import GoogleCalendar
from tests.fakes.calendar import MemoryCalendar
from tests.integration.packs.assistant.calendar_suite import DENTIST, NOW, CalendarSuite, at, weekly
from tests.integration.packs.assistant.radicale_process import LONELY, PASSWORD, USER


class TestInMemory(CalendarSuite):
    @pytest.fixture
    def calendar(self):
        return MemoryCalendar(lambda: NOW)


class TestEmbedded(CalendarSuite):
    @pytest.fixture
    def calendar(self, tables):
        return EmbeddedCalendar(tables, uuid4().hex, "Asia/Seoul", NOW)

    async def test_nobody_sees_or_takes_out_what_is_another_persons(self, calendar, tables):
        other = EmbeddedCalendar(tables, "juno", "Asia/Seoul", NOW)
        await calendar.add(DENTIST)
        await other.remove(DENTIST.uid)
        assert not await other.between(at(1), at(30))
        assert len(await calendar.between(at(1), at(30))) == 1


class TestCalDav(CalendarSuite):
    @pytest.fixture
    def calendar(self, dav_server):
        return DavCalendar(dav_server.new_calendar(), USER, PASSWORD, NOW)

    async def test_of_a_server_the_first_calendar_that_fits_is_taken(self, dav_server):
        addresses = [dav_server.new_calendar(LONELY) for _ in range(2)]
        await DavCalendar(dav_server.url, LONELY, PASSWORD, NOW).add(DENTIST)
        each = [await DavCalendar(one, LONELY, PASSWORD, NOW).between(at(23), at(24)) for one in addresses]
        assert sorted([event.title for event in events] for events in each) == [[], [DENTIST.title]]
        assert len(await DavCalendar(dav_server.url, LONELY, PASSWORD, NOW).between(at(23), at(24))) == 1


class TestGoogle(CalendarSuite):
    keeps_exceptions = False

    @pytest.fixture
    def calendar(self, google_server, tmp_path):
        return GoogleCalendar(google_server.token_file(tmp_path), google_server.url)

    async def test_one_of_a_series_that_was_moved_is_known_by_its_first_place(self, calendar, google_server):
        await calendar.add(weekly())
        google_server.events.move("e" * 32, at(16, 9), at(17, 14))
        (moved,) = await calendar.between(at(17), at(18))
        assert (moved.start, moved.original) == (at(17, 14), at(16, 9))
        await calendar.remove(moved.uid, only=moved.original)
        assert [one.start for one in await calendar.between(at(9), at(24))] == [at(9, 9), at(23, 9)]
