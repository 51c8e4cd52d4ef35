"""assistant.calendar as an executor runs it, on the calendar that is kept in the pack's tables."""

import dataclasses
from datetime import UTC, datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import icalendar
import pytest

from contracts.errors import Code
from packs.assistant.calendars.embedded import EmbeddedCalendar
from packs.assistant.calendars.port import Appointment
from tests.integration.packs.assistant.calendar_suite import SEOUL

DENTIST = {"title": "치과 예약", "date": "2026-11-23", "time": "15:00"}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ko", "11월 23일 (월) 오후 3시 치과 예약 일정을 넣었어요."),
        ("en", "I put “치과 예약” in your calendar for Mon 23 Nov at 3 pm."),
        ("ja", "11月23日（月）午後3時に「치과 예약」の予定を入れました。"),
    ],
)
async def test_an_appointment_is_put_in_and_told_in_the_persons_language(desk, language, sentence):
    desk.language = language
    result = await desk("calendar", **DENTIST)
    assert result["summary"] == [sentence]
    assert result["event"]["start"] == "2026-11-23T15:00:00+09:00"
    assert result["event"]["end"] == "2026-11-23T16:00:00+09:00"


async def test_the_file_of_an_appointment_opens_again_with_what_was_asked(desk):
    result = await desk("calendar", **DENTIST, minutes=90, place="강남역", recurrence="FREQ=MONTHLY;COUNT=3")
    (attachment,) = desk.attachments
    assert (attachment.type, attachment.media_type) == ("calendar.event", "text/calendar")
    assert attachment.name == "2026-11-23_치과_예약.ics"
    content = b"".join([chunk async for chunk in await desk.artifacts.open(attachment.artifact_id)])
    (event,) = icalendar.Calendar.from_ical(content).events
    assert (event["summary"], event["location"], event["uid"]) == ("치과 예약", "강남역", result["event"]["uid"])
    assert event.start == datetime(2026, 11, 23, 15, tzinfo=ZoneInfo("Asia/Seoul"))
    assert event.duration.total_seconds() == 90 * 60
    assert event["rrule"].to_ical() == b"FREQ=MONTHLY;COUNT=3"


async def test_a_repeated_call_keeps_one_and_says_the_same(desk):
    run = uuid4()
    first, second = await desk("calendar", run, **DENTIST), await desk("calendar", run, **DENTIST)
    assert first == second
    assert (await desk("calendar", action="list", date="2026-11-23"))["count"] == 1


async def test_what_is_at_the_same_time_is_told(desk):
    await desk("calendar", title="팀 회의", date="2026-11-23", time="15:30", place="3층")
    await desk("calendar", title="출장", date="2026-11-23")
    await desk("calendar", title="산책", date="2026-11-23", time="16:00")
    result = await desk("calendar", **DENTIST)
    assert result["summary"][1:] == ["같은 시간에 다른 일정이 있어요: 11월 23일 (월) 오후 3시 30분 팀 회의 (3층)"]


async def test_without_a_time_it_lasts_all_day(desk):
    result = await desk("calendar", title="휴가", date="2027-01-04")
    assert result["summary"] == ["2027년 1월 4일 (월) 종일 휴가 일정을 넣었어요."]
    assert (result["event"]["start"], result["event"]["end"]) == ("2027-01-04", "2027-01-05")


async def test_a_series_begins_with_its_first_own_day_still_to_come(desk):
    result = await desk("calendar", title="요가", date="2026-11-22", time="07:00", recurrence="FREQ=WEEKLY;BYDAY=TU")
    assert result["summary"] == ["11월 24일 (화) 오전 7시부터 매주 요가 일정을 넣었어요."]
    found = await desk("calendar", action="list", date="2026-11-22", until="2026-12-05")
    assert [one["start"][:10] for one in found["events"]] == ["2026-11-24", "2026-12-01"]


async def test_a_list_tells_a_day_or_a_range_in_order(desk):
    await desk("calendar", title="저녁 약속", date="2026-11-23", time="19:05")
    await desk("calendar", **DENTIST)
    await desk("calendar", title="휴가", date="2026-11-25")
    day = await desk("calendar", action="list", date="2026-11-23")
    assert day["summary"] == [
        "11월 23일 (월) 일정은 2개예요.",
        "11월 23일 (월) 오후 3시 치과 예약",
        "11월 23일 (월) 오후 7시 5분 저녁 약속",
    ]
    week = await desk("calendar", action="list")
    assert week["summary"][0] == "11월 22일 (일)부터 11월 28일 (토)까지 일정은 3개예요."
    assert week["summary"][-1] == "11월 25일 (수) 종일 휴가"
    assert (await desk("calendar", action="list", date="2026-11-30"))["summary"] == [
        "11월 30일 (월)에는 일정이 없어요."
    ]


async def test_a_list_beside_a_title_tells_only_what_answers_to_it(desk):
    await desk("calendar", **DENTIST)
    await desk("calendar", title="저녁", date="2026-11-23", time="19:00")
    assert [one["title"] for one in (await desk("calendar", action="list", title="치과"))["events"]] == ["치과 예약"]


async def test_an_appointment_is_taken_out_by_a_part_of_its_title(desk):
    await desk("calendar", **DENTIST)
    result = await desk("calendar", action="delete", title="치과")
    assert result["summary"] == ["11월 23일 (월) 오후 3시 치과 예약 일정을 지웠어요."]
    assert (await desk("calendar", action="list"))["count"] == 0


async def test_when_several_fit_they_are_named_and_none_is_taken_out(desk):
    await desk("calendar", **DENTIST)
    await desk("calendar", title="치과 검진", date="2026-11-27", time="09:00")
    result = await desk("calendar", action="delete", title="치과")
    assert result["summary"][1:] == ["11월 23일 (월) 오후 3시 치과 예약", "11월 27일 (금) 오전 9시 치과 검진"]
    assert (result["deleted"], len(result["matches"])) == ([], 2)
    assert (await desk("calendar", action="list"))["count"] == 2
    by_day = await desk("calendar", action="delete", title="치과", date="2026-11-27")
    assert [one["title"] for one in by_day["deleted"]] == ["치과 검진"]


async def test_with_a_day_one_of_a_series_goes_and_without_one_all_of_it(desk):
    await desk("calendar", title="요가", date="2026-11-24", time="07:00", recurrence="FREQ=WEEKLY")
    one = await desk("calendar", action="delete", title="요가", date="2026-12-01")
    assert one["summary"] == ["12월 1일 (화) 오전 7시 요가 일정을 지웠어요."]
    left = await desk("calendar", action="list", date="2026-11-24", until="2026-12-09")
    assert [event["start"][:10] for event in left["events"]] == ["2026-11-24", "2026-12-08"]
    whole = await desk("calendar", action="delete", title="요가")
    assert whole["summary"] == ["되풀이되는 요가 일정을 모두 지웠어요."]
    assert (await desk("calendar", action="list", date="2026-11-24", until="2027-11-24"))["count"] == 0


async def test_a_delete_that_died_before_it_answered_takes_nothing_else_the_second_time(desk):
    await desk("calendar", title="치과", date="2026-11-23", time="15:00")
    await desk("calendar", title="치과 검진", date="2026-11-27", time="09:00")
    run = uuid4()
    first = await desk("calendar", run, action="delete", title="치과")
    second = await desk("calendar", run, action="delete", title="치과")
    assert first == second
    assert [one["title"] for one in (await desk("calendar", action="list"))["events"]] == ["치과 검진"]


async def test_a_delete_that_is_repeated_says_what_it_did_though_it_is_gone(desk):
    await desk("calendar", **DENTIST)
    run = uuid4()
    first = await desk("calendar", run, action="delete", title="치과")
    assert await desk("calendar", run, action="delete", title="치과") == first


async def test_nobody_meets_another_persons_appointments(desk):
    await desk("calendar", **DENTIST)
    other = dataclasses.replace(desk, user="somebody else")
    assert (await other("calendar", action="list"))["count"] == 0
    assert (await other.error("calendar", action="delete", title="치과")).code is Code.TOOL_ARGUMENTS_INVALID
    assert (await desk("calendar", action="list"))["count"] == 1


async def test_times_are_those_of_the_persons_zone(desk):
    desk.timezone, desk.language, desk.now = "America/New_York", "en", datetime(2026, 11, 22, 3, tzinfo=UTC)
    result = await desk("calendar", title="Call", date="2026-11-21", time="22:30")
    assert result["summary"] == ["I put “Call” in your calendar for Sat 21 Nov at 10:30 pm."]
    assert result["event"]["start"] == "2026-11-21T22:30:00-05:00"


async def test_a_time_that_the_clock_leaps_over_is_the_one_it_leaps_to(desk):
    desk.timezone, desk.language = "America/New_York", "en"
    result = await desk("calendar", title="Night shift", date="2027-03-14", time="02:30")
    assert result["event"]["start"] == "2027-03-14T03:30:00-04:00"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"date": "2026-11-23"}, "무슨 일정인지 알려 주세요."),
        ({"title": "   ", "date": "2026-11-23"}, "무슨 일정인지 알려 주세요."),
        ({"title": "치과"}, "치과 일정을 며칠로 잡을지 알려 주세요."),
        ({"title": "치과", "date": "2026-02-30"}, "2026-02-30"),
        ({"title": "치과", "date": "2026-11-23", "time": "25:00"}, "25:00"),
        ({"title": "치과", "date": "2026-11-21"}, "11월 21일 (토)"),
        ({"title": "치과", "date": "2026-11-22", "time": "09:59"}, "11월 22일 (일) 오전 9시 59분"),
        ({"title": "치과", "date": "2026-11-23", "recurrence": "FREQ=SECONDLY"}, "FREQ=SECONDLY"),
        ({"title": "치과", "date": "2026-11-23", "recurrence": "매주"}, "매주"),
        ({"title": "치과", "date": "2026-11-23", "recurrence": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}, "BYMONTHDAY=30"),
        ({"title": "치과", "date": "2026-11-23", "recurrence": "FREQ=DAILY;UNTIL=20261101"}, "UNTIL=20261101"),
        ({"action": "list", "date": "2026-11-23", "until": "2026-11-22"}, "2026-11-22"),
        ({"action": "list", "date": "2026-11-23", "until": "2036-11-22"}, "2036-11-22"),
        ({"action": "delete"}, "제목이나 날짜"),
        ({"action": "delete", "title": "미용실"}, "미용실"),
        ({"action": "delete", "title": "치과", "date": "2026-12-24"}, "2026-12-24 치과"),
    ],
)
async def test_what_cannot_be_is_refused_with_the_value_and_changes_nothing(desk, params, said):
    await desk("calendar", title="병원", date="2026-11-25")
    error = await desk.error("calendar", **params)
    assert error.code is Code.TOOL_ARGUMENTS_INVALID
    assert said in error.message
    assert not error.retryable
    assert (await desk("calendar", action="list", date="2026-11-01", until="2027-10-31"))["count"] == 1


async def test_a_long_title_of_another_program_does_not_break_the_answer(desk):
    calendar = EmbeddedCalendar(desk.tables, desk.user, "Asia/Seoul", desk.now)
    for number in range(60):
        start = datetime(2026, 11, 23, 9, number % 60, tzinfo=SEOUL)
        await calendar.add(Appointment(f"{number:032x}", "긴 제목" * 500, start, start))
    result = await desk("calendar", action="list", date="2026-11-23")
    assert (result["count"], len(result["events"]), len(result["summary"])) == (60, 50, 32)
    assert result["summary"][-1] == "그 밖에 30개가 더 있어요."
