"""What every calendar promises (packs.assistant.calendars.port), written once; each adapter inherits it."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from packs.assistant.calendars.port import Appointment, Calendar, Chore

SEOUL = ZoneInfo("Asia/Seoul")
NEW_YORK = ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 22, 10, 0, tzinfo=SEOUL)
DENTIST = Appointment(
    "d" * 32,
    "치과 예약",
    datetime(2026, 11, 23, 15, tzinfo=SEOUL),
    datetime(2026, 11, 23, 16, tzinfo=SEOUL),
    "강남역 2번 출구",
)


def at(day: int, hour: int = 0, zone: ZoneInfo = SEOUL) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=zone)


def weekly() -> Appointment:
    return Appointment("e" * 32, "주간 회의", at(2, 9), at(2, 10), rule="FREQ=WEEKLY;BYDAY=MO")


class CalendarSuite:
    """Inherited by a class per adapter, which brings the fixture `calendar`: an empty one."""

    keeps_exceptions = True

    @pytest.fixture
    def calendar(self) -> Calendar:
        raise NotImplementedError

    async def test_what_was_put_in_stands_at_its_time(self, calendar):
        await calendar.add(DENTIST)
        assert list(await calendar.between(at(23), at(24))) == [DENTIST]

    async def test_putting_the_same_in_twice_keeps_one(self, calendar):
        await calendar.add(DENTIST)
        await calendar.add(DENTIST)
        assert len(await calendar.between(at(1), at(30))) == 1

    async def test_only_what_touches_the_range_is_found_in_order(self, calendar):
        late = Appointment("a" * 32, "저녁", at(23, 19), at(23, 21))
        night = Appointment("b" * 32, "밤 기차", at(22, 23), at(23, 6))
        after = Appointment("c" * 32, "다음 날", at(24), at(24, 1))
        for one in (late, DENTIST, after, night):
            await calendar.add(one)
        assert [one.title for one in await calendar.between(at(23), at(24))] == ["밤 기차", "치과 예약", "저녁"]

    async def test_a_whole_day_stands_on_that_day_alone_before_its_times(self, calendar):
        trip = Appointment("a" * 32, "출장", date(2026, 11, 23), date(2026, 11, 24))
        await calendar.add(trip)
        await calendar.add(DENTIST)
        assert list(await calendar.between(at(23), at(24))) == [trip, DENTIST]
        assert not await calendar.between(at(22), at(23))
        assert not await calendar.between(at(24), at(25))

    async def test_a_series_is_spread_out_each_with_the_uid_and_rule_of_the_series(self, calendar):
        await calendar.add(weekly())
        found = await calendar.between(at(9), at(24))
        assert [one.start for one in found] == [at(9, 9), at(16, 9), at(23, 9)]
        assert {one.uid for one in found} == {"e" * 32}
        assert {one.rule for one in found} == {"FREQ=WEEKLY;BYDAY=MO"}
        assert [one.original for one in found] == [one.start for one in found]

    async def test_one_of_a_series_goes_and_the_others_stay(self, calendar):
        await calendar.add(weekly())
        await calendar.remove("e" * 32, only=at(16, 9))
        await calendar.remove("e" * 32, only=at(16, 9))
        assert [one.start for one in await calendar.between(at(9), at(24))] == [at(9, 9), at(23, 9)]

    async def test_a_day_of_a_series_of_whole_days_goes_alone(self, calendar):
        await calendar.add(
            Appointment("f" * 32, "휴가", date(2026, 11, 2), date(2026, 11, 3), rule="FREQ=DAILY;COUNT=3")
        )
        await calendar.remove("f" * 32, only=date(2026, 11, 3))
        days = [one.start for one in await calendar.between(at(1), at(30))]
        assert days == [date(2026, 11, 2), date(2026, 11, 4)]

    async def test_a_series_goes_as_a_whole_and_nothing_else_with_it(self, calendar):
        await calendar.add(weekly())
        await calendar.add(DENTIST)
        await calendar.remove("e" * 32)
        assert list(await calendar.between(at(1), at(30))) == [DENTIST]

    async def test_taking_out_what_is_gone_changes_nothing(self, calendar):
        await calendar.add(DENTIST)
        await calendar.remove("a" * 32)
        await calendar.remove("a" * 32, only=at(23, 9))
        assert len(await calendar.between(at(23), at(24))) == 1

    async def test_an_appointment_gets_another_day_length_and_name_and_keeps_its_place(self, calendar):
        await calendar.add(DENTIST)
        (old,) = await calendar.between(at(23), at(24))
        new = replace(old, title="치과 검진", start=at(25, 9), end=at(25, 11))
        for _ in range(2):
            await calendar.change(old, new, series=False)
        assert not await calendar.between(at(23), at(24))
        assert list(await calendar.between(at(25), at(26))) == [new]

    async def test_a_whole_day_becomes_a_time(self, calendar):
        await calendar.add(Appointment("a" * 32, "출장", date(2026, 11, 23), date(2026, 11, 24)))
        (old,) = await calendar.between(at(23), at(24))
        new = replace(old, start=at(23, 8), end=at(23, 9))
        await calendar.change(old, new, series=False)
        assert list(await calendar.between(at(22), at(25))) == [new]

    async def test_one_of_a_series_is_changed_and_the_others_stay(self, calendar):
        await calendar.add(weekly())
        old = (await calendar.between(at(16), at(17)))[0]
        for _ in range(2):
            await calendar.change(old, replace(old, start=at(17, 14), end=at(17, 15), rule=""), series=False)
        found = await calendar.between(at(9), at(24))
        assert [one.start for one in found] == [at(9, 9), at(17, 14), at(23, 9)]

    async def test_a_series_is_changed_as_a_whole_and_its_days_stay(self, calendar):
        await calendar.add(weekly())
        old = (await calendar.between(at(23), at(24)))[0]
        for _ in range(2):
            await calendar.change(old, replace(old, start=at(23, 11), end=at(23, 13), rule=""), series=True)
        found = await calendar.between(at(1), at(24))
        assert [(one.start, one.end) for one in found] == [(at(day, 11), at(day, 13)) for day in (2, 9, 16, 23)]

    async def test_what_was_taken_out_of_a_series_stays_out_when_it_is_changed(self, calendar):
        if not self.keeps_exceptions:
            pytest.skip("Google itself decides what becomes of them")
        await calendar.add(weekly())
        await calendar.remove("e" * 32, only=at(16, 9))
        old = (await calendar.between(at(23), at(24)))[0]
        await calendar.change(old, replace(old, start=at(23, 11), end=at(23, 12), rule=""), series=True)
        assert [one.start for one in await calendar.between(at(1), at(24))] == [at(day, 11) for day in (2, 9, 23)]

    async def test_one_appointment_becomes_a_series(self, calendar):
        await calendar.add(DENTIST)
        (old,) = await calendar.between(at(23), at(24))
        await calendar.change(old, replace(old, rule="FREQ=DAILY;COUNT=2"), series=True)
        assert [one.start for one in await calendar.between(at(23), at(30))] == [at(23, 15), at(24, 15)]

    async def test_changing_what_is_gone_changes_nothing(self, calendar):
        await calendar.add(DENTIST)
        gone = replace(DENTIST, uid="a" * 32)
        await calendar.change(gone, replace(gone, title="none"), series=False)
        assert list(await calendar.between(at(23), at(24))) == [DENTIST]

    async def test_nine_in_the_morning_stays_nine_when_the_clock_is_put_back(self, calendar):
        start = datetime(2026, 10, 31, 9, tzinfo=NEW_YORK)
        await calendar.add(
            Appointment("a" * 32, "Run", start, start + timedelta(minutes=30), rule="FREQ=DAILY;COUNT=3")
        )
        found = await calendar.between(datetime(2026, 10, 31, tzinfo=NEW_YORK), at(5, zone=NEW_YORK))
        assert [one.start.isoformat() for one in found] == [
            "2026-10-31T09:00:00-04:00",
            "2026-11-01T09:00:00-05:00",
            "2026-11-02T09:00:00-05:00",
        ]

    async def test_times_are_given_in_the_zone_of_the_one_who_looks(self, calendar):
        await calendar.add(DENTIST)
        found = await calendar.between(at(22, zone=NEW_YORK), at(24, zone=NEW_YORK))
        assert [one.start.isoformat() for one in found] == ["2026-11-23T01:00:00-05:00"]

    async def test_a_title_may_hold_any_characters(self, calendar):
        title = "A; B, C: \\n “50%” 100€ ☕ 日本 <b>&amp;"
        await calendar.add(Appointment("a" * 32, title, at(23, 9), at(23, 10)))
        assert [one.title for one in await calendar.between(at(23), at(24))] == [title]

    async def test_chores_are_given_by_the_day_they_are_due(self, calendar):
        some = [
            Chore("a" * 32, "책 반납"),
            Chore("b" * 32, "세금 신고", date(2026, 11, 30)),
            Chore("c" * 32, "우유 사기", date(2026, 11, 23)),
        ]
        for one in some:
            await calendar.add_chore(one)
        assert list(await calendar.chores()) == [some[2], some[1], some[0]]

    async def test_a_chore_put_in_twice_is_there_once(self, calendar):
        for _ in range(2):
            await calendar.add_chore(Chore("a" * 32, "책 반납"))
        assert len(await calendar.chores()) == 1

    async def test_a_chore_that_is_done_does_not_come_back(self, calendar):
        for uid, title in (("a" * 32, "책 반납"), ("b" * 32, "우유 사기")):
            await calendar.add_chore(Chore(uid, title))
        for _ in range(2):
            await calendar.complete("a" * 32)
        await calendar.complete("c" * 32)
        await calendar.add_chore(Chore("a" * 32, "책 반납"))
        assert [one.title for one in await calendar.chores()] == ["우유 사기"]
