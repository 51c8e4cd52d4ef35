"""What is there is changed, taken back and looked for by other words: the assistant's tools on their real tables."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from backbone.ledger.tables import PostgresTables
from contracts.errors import Code
from contracts.timers import ReminderDue
from tests.integration.packs.assistant.bureau import Bureau

CHOIR = {"title": "합창단 연습", "date": "2026-12-02", "time": "19:00"}


@pytest.fixture
def bureau(tables: PostgresTables) -> Bureau:
    return Bureau(tables)


async def day(bureau: Bureau, date: str) -> list[str]:
    """What is on that day: title and clock."""
    found = await bureau("calendar", action="list", date=date)
    return [f"{one['title']} {one['start'][11:16]}".strip() for one in found["events"]]


async def changed(bureau: Bureau, **params: Any) -> dict[str, Any]:
    return await bureau("calendar", action="change", **params)


@pytest.mark.parametrize(
    ("how", "start", "end"),
    [
        ({"new_time": "20:30"}, "2026-12-02T20:30", "2026-12-02T21:30"),
        ({"new_date": "2026-12-05"}, "2026-12-05T19:00", "2026-12-05T20:00"),
        ({"new_date": "2026-12-05", "new_time": "08:00"}, "2026-12-05T08:00", "2026-12-05T09:00"),
        ({"shift": -90}, "2026-12-02T17:30", "2026-12-02T18:30"),
        ({"longer": 45}, "2026-12-02T19:00", "2026-12-02T20:45"),
        ({"longer": -600}, "2026-12-02T19:00", "2026-12-02T19:05"),
        ({"minutes": 20}, "2026-12-02T19:00", "2026-12-02T19:20"),
    ],
)
async def test_an_appointment_becomes_what_was_said_and_is_still_one(bureau, how, start, end):
    added = await bureau("calendar", **CHOIR)
    run = uuid4()
    first = await bureau("calendar", run, action="change", title="합창단 연습", **how)
    assert await bureau("calendar", run, action="change", title="합창단 연습", **how) == first
    assert (first["event"]["start"][:16], first["event"]["end"][:16]) == (start, end)
    assert first["event"]["uid"] == added["event"]["uid"]
    everything = await bureau("calendar", action="list", date="2026-12-01", until="2026-12-31")
    assert everything["events"] == [first["event"]]


async def test_a_new_name_and_a_repetition_are_told_and_kept(bureau):
    await bureau("calendar", **CHOIR)
    named = await changed(bureau, title="합창단", new_title="성가대 연습")
    assert named["summary"] == ["‘합창단 연습’ 일정의 이름을 바꿨어요: 성가대 연습 (12월 2일 (수) 오후 7시)"]
    again = await changed(bureau, title="성가대 연습", recurrence="FREQ=WEEKLY")
    assert again["summary"] == ["성가대 연습 일정을 되풀이하게 했어요: 12월 2일 (수) 오후 7시부터 매주"]
    assert await day(bureau, "2026-12-16") == ["성가대 연습 19:00"]


async def test_where_it_shall_be_is_kept_with_it(bureau):
    await bureau("calendar", **CHOIR)
    placed = await changed(bureau, title="합창단", new_place="구민회관")
    assert placed["summary"] == ["‘합창단 연습’ 일정(12월 2일 (수) 오후 7시)의 장소를 적었어요: 구민회관"]
    moved = await changed(bureau, title="합창단", new_time="20:00")
    assert moved["event"]["place"] == "구민회관"


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("calendar", "やっぱり20時からにして"),
        ("reminder", "아니 8시로 해줘"),
        ("reminder", "make it 8 pm instead"),
        ("reminder", "20時にして"),
    ],
)
async def test_another_time_after_an_appointment_and_its_reminder_is_that_of_the_appointment(bureau, tool, said):
    await bureau("calendar", **CHOIR)
    await bureau("reminder", text="합창단 연습", date="2026-12-02", time="18:30", minutes_before=30)
    await bureau(tool, action="change", said=said, new_time="20:00")
    assert await day(bureau, "2026-12-02") == ["합창단 연습 20:00"]
    (left,) = (await bureau("reminder", action="list"))["reminders"]
    assert left["at"][:16] in ("2026-12-02T19:30", "2026-12-02T10:30"), "it goes with the appointment"


@pytest.mark.parametrize(
    "how",
    [
        {"said": "알림을 6시로 바꿔줘", "new_time": "18:00"}, {"said": "아니 6시에 알려줘", "new_time": "18:00"},
        {"said": "아니 60분 전으로", "minutes_before": 60}, {"text": "합창단", "said": "합창단 6시로", "new_time": "18:00"},
    ],
)  # fmt: skip
async def test_who_means_the_reminder_moves_the_reminder_alone(bureau, how):
    await bureau("calendar", **CHOIR)
    await bureau("reminder", text="합창단 연습", date="2026-12-02", time="18:30", minutes_before=30)
    await bureau("reminder", action="change", **how)
    assert await day(bureau, "2026-12-02") == ["합창단 연습 19:00"]


async def test_of_a_series_that_one_is_moved_whose_day_is_said_and_else_all_of_it(bureau):
    await bureau("calendar", **CHOIR, recurrence="FREQ=WEEKLY;BYDAY=WE")
    await changed(bureau, title="합창단 연습", date="2026-12-09", new_date="2026-12-10")
    assert await day(bureau, "2026-12-09") == []
    assert await day(bureau, "2026-12-10") == ["합창단 연습 19:00"]
    await changed(bureau, title="합창단 연습", new_time="18:00")
    assert [await day(bureau, f"2026-12-{one:02}") for one in (2, 16)] == [["합창단 연습 18:00"]] * 2


async def test_its_reminder_comes_with_it_and_what_is_at_the_new_time_is_told(bureau):
    await bureau("calendar", **CHOIR)
    await bureau("reminder", text="합창단 연습", date="2026-12-02", time="18:30", minutes_before=30)
    await bureau("calendar", title="반상회", date="2026-12-04", time="19:30")
    told = await changed(bureau, title="합창단 연습", new_date="2026-12-04")
    assert told["summary"][1:] == [
        "그 일정의 알림도 12월 4일 (금) 오후 6시 30분에 드릴게요: 합창단 연습",
        "같은 시간에 다른 일정이 있어요: 12월 4일 (금) 오후 7시 30분 반상회",
    ]
    (timer,) = bureau.done.timers
    assert timer.due_at == datetime(2026, 12, 4, 9, 30, tzinfo=UTC)
    assert len(bureau.done.cancel_timers) == 1
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_of_several_or_none_or_a_past_time_nothing_is_changed(bureau):
    await bureau("calendar", **CHOIR)
    await bureau("calendar", title="합창단 회식", date="2026-12-03", time="19:00")
    several = await changed(bureau, title="합창단", new_time="20:00")
    assert several["summary"][0].startswith("맞는 일정이 2개라서 아무것도 바꾸지 않았어요.")
    like = await changed(bureau, title="합창단 발표회", new_time="20:00")
    assert like["summary"][0].startswith("‘합창단 발표회’ 일정은 찾지 못했고")
    assert len(like["matches"]) == 2
    past = await bureau.error("calendar", action="change", title="합창단 연습", new_date="2026-11-01")
    how = await bureau.error("calendar", action="change", title="합창단 연습")
    none = await bureau.error("calendar", action="change", title="치과", new_time="09:00")
    assert {one.code for one in (past, how, none)} == {Code.TOOL_ARGUMENTS_INVALID}
    assert "어떻게 바꿀지" in how.message
    assert await day(bureau, "2026-12-02") == ["합창단 연습 19:00"]


@pytest.mark.parametrize("asked", ["고모 저녁식사", "저녁식사 고모", "고모의 저녁식사", "고모 회갑 저녁"])
async def test_it_is_found_by_words_of_its_title_in_any_order(bureau, asked):
    await bureau("calendar", title="고모 회갑 저녁식사", date="2026-12-02", time="19:00")
    await bureau("calendar", title="저녁 운동", date="2026-12-02", time="21:00")
    gone = await bureau("calendar", action="delete", title=asked)
    assert [one["title"] for one in gone["deleted"]] == ["고모 회갑 저녁식사"]


async def test_what_is_only_like_the_words_is_named_and_not_taken_out(bureau):
    await bureau("calendar", title="피아노 교습", date="2026-12-02", time="19:00")
    like = await bureau("calendar", action="delete", title="피아노 교슙")
    assert like["deleted"] == []
    assert like["summary"][1:] == ["12월 2일 (수) 오후 7시 피아노 교습"]
    assert await day(bureau, "2026-12-02") == ["피아노 교습 19:00"]


async def test_whether_a_time_is_free_is_answered_and_nothing_is_put_in(bureau):
    await bureau("calendar", **CHOIR)
    morning = await bureau("calendar", action="free", date="2026-12-02", time="06:00", minutes=360)
    assert morning["summary"] == ["12월 2일 (수) 오전 6시~오후 12시에는 일정이 없어요. 비어 있어요."]
    evening = await bureau("calendar", action="free", date="2026-12-02", time="17:00", minutes=360)
    assert evening["summary"][1:] == ["12월 2일 (수) 오후 7시 합창단 연습"]
    span = await bureau("calendar", action="free", date="2026-12-01", until="2026-12-07")
    assert (span["count"], await day(bureau, "2026-12-02")) == (1, ["합창단 연습 19:00"])


async def test_days_are_one_appointment_and_with_a_time_one_on_each_of_them(bureau):
    trip = await bureau("calendar", title="제주 여행", date="2026-12-24", until="2026-12-26")
    assert trip["summary"] == ["12월 24일 (목)부터 12월 26일 (토)까지 제주 여행 일정을 넣었어요."]
    assert (await bureau("calendar", action="list", date="2026-12-25"))["summary"][1] == (
        "12월 24일 (목)부터 12월 26일 (토)까지 종일 제주 여행"
    )
    assert await day(bureau, "2026-12-27") == []
    await bureau("calendar", title="강습", date="2026-12-14", until="2026-12-16", time="10:00", minutes=120)
    assert [await day(bureau, f"2026-12-{one}") for one in (14, 16, 17)] == [["강습 10:00"], ["강습 10:00"], []]


async def test_what_was_put_in_last_is_taken_back_one_after_the_other(bureau):
    await bureau("calendar", **CHOIR)
    await bureau("todo", title="화분 사기")
    await bureau("memory", text="우편함은 12번")
    await bureau("reminder", text="약 먹기", date="2026-12-02", time="09:00")
    run = uuid4()
    first = await bureau("calendar", run, action="undo")
    assert await bureau("calendar", run, action="undo") == first
    assert first["summary"] == ["방금 맞춘 ‘약 먹기’ 알림을 취소했어요."]
    assert len(bureau.done.cancel_timers) == 1
    told = [(await bureau(tool, action="undo"))["summary"][0] for tool in ("memory", "todo", "reminder", "calendar")]
    assert told[0] == "방금 기억한 것을 잊었어요: 우편함은 12번"
    assert told[1] == "방금 넣은 할 일 ‘화분 사기’ 항목을 지웠어요."
    assert told[2] == "방금 넣은 합창단 연습 일정을 지웠어요."
    assert told[3].startswith("되돌릴 것이 없어요.")
    assert await day(bureau, "2026-12-02") == []
    assert not bureau.notes.items


async def test_what_was_taken_out_by_its_name_is_not_taken_back_again(bureau):
    await bureau("calendar", **CHOIR)
    await bureau("calendar", title="반상회", date="2026-12-04")
    await bureau("calendar", action="delete", title="반상회")
    assert (await bureau("calendar", action="undo"))["summary"] == ["방금 넣은 합창단 연습 일정을 지웠어요."]


async def test_a_reminder_gets_another_time_and_its_old_one_does_not_come(bureau):
    await bureau("reminder", text="영양제", date="2026-11-23", time="09:00", recurrence="FREQ=DAILY")
    run = uuid4()
    first = await bureau("reminder", run, action="change", text="영양제", new_time="21:00")
    assert await bureau("reminder", run, action="change", text="영양제", new_time="21:00") == first
    assert "오전 9시 영양제 (매일) → " in first["summary"][0] and "오후 9시 영양제 (매일)" in first["summary"][0]
    (timer,) = bureau.done.timers
    assert isinstance(timer.event, ReminderDue)
    assert (timer.event.due_at.hour, timer.event.rule) == (21, "FREQ=DAILY")
    assert bureau.done.cancel_timers
    listed = await bureau("reminder", action="list")
    assert (listed["count"], listed["reminders"][0]["at"][11:16]) == (1, "21:00")


async def test_a_reminder_is_meant_by_its_hour_in_either_half_of_the_day(bureau):
    await bureau("reminder", text="", date="2026-11-23", time="07:00")
    await bureau("reminder", text="", date="2026-11-23", time="10:00")
    gone = await bureau("reminder", action="delete", text="", time="19:00")
    assert [one["at"][11:16] for one in gone["deleted"]] == ["07:00"]


async def test_a_reminder_knows_the_zone_of_whom_it_is_for(bureau):
    bureau.timezone = "America/New_York"
    await bureau("reminder", text="call", date="2026-11-23", time="09:00")
    (timer,) = bureau.done.timers
    assert isinstance(timer.event, ReminderDue)
    assert timer.event.timezone == "America/New_York"


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ("창고 열쇠 번호는 1180", "창고 열쇠 번호는 2290", ["창고 열쇠 번호는 2290"]),
        ("나는 땅콩을 못 먹어", "나는 새우를 못 먹어", ["나는 땅콩을 못 먹어", "나는 새우를 못 먹어"]),
        ("민지는 1990년생", "민지는 키가 165cm", ["민지는 1990년생", "민지는 키가 165cm"]),
        ("my locker is 12", "the locker is 48", ["the locker is 48"]),
    ],
)
async def test_another_figure_of_a_kind_takes_the_place_of_the_one_before_and_nothing_else_does(
    bureau, before, now, kept
):
    await bureau("memory", text=before)
    run = uuid4()
    told = await bureau("memory", run, text=now)
    assert await bureau("memory", run, text=now) == told
    assert [one.text for one in bureau.notes.items.values()] == kept
    assert (before in told["summary"][0]) == (len(kept) == 1)


async def test_what_has_become_another_is_remembered_in_place_of_what_it_was(bureau):
    await bureau("memory", text="사는 곳은 부산")
    told = await bureau("memory", action="change", text="사는 곳", value="대구")
    assert told["summary"] == ["바꿔서 기억했어요: 사는 곳: 대구 (전에는: 사는 곳은 부산)"]
    assert [one.text for one in bureau.notes.items.values()] == ["사는 곳: 대구"]


async def test_when_something_is_that_was_never_told_is_looked_for_in_the_calendar(bureau):
    await bureau("calendar", **CHOIR)
    assert (await bureau("memory", action="recall", text="합창단 연습"))["summary"] == [
        "12월 2일 (수) 오후 7시 합창단 연습"
    ]


async def test_of_what_is_only_like_the_words_nothing_is_forgotten(bureau):
    await bureau("memory", text="회의실 예약 비밀번호는 5150")
    like = await bureau("memory", action="forget", text="회의실 문 비밀번호")
    assert like["found"] == ["회의실 예약 비밀번호는 5150"]
    assert len(bureau.notes.items) == 1


async def test_what_nobody_understood_is_asked_and_not_put_in(bureau):
    told = await bureau("calendar", action="unclear", date="2026-12-02")
    assert told["summary"][0].startswith("이 일정을 어떻게 할지 알아듣지 못해서")
    assert await day(bureau, "2026-12-02") == []


async def test_what_is_not_named_is_what_was_touched_last_of_whatever_kind(bureau):
    await bureau("calendar", **CHOIR)
    await bureau("reminder", text="악보 챙기기", date="2026-12-02", time="17:00")
    told = await changed(bureau, new_time="05:30", either=True, said="5시 반으로 바꿔줘")
    assert told["summary"] == [
        "알림을 바꿨어요: 12월 2일 (수) 오후 5시 악보 챙기기 → 12월 2일 (수) 오후 5시 30분 악보 챙기기"
    ]
    assert await day(bureau, "2026-12-02") == ["합창단 연습 19:00"]


async def test_a_thing_of_another_kind_is_found_by_its_name_and_another_attempt_does_no_more(bureau):
    await bureau("todo", title="화분 사기")
    await bureau("todo", title="화분 물 받침 닦기")
    run = uuid4()
    first = await bureau("calendar", run, action="delete", title="화분 사기")
    assert first["summary"] == ["‘화분 사기’ 할 일을 끝낸 것으로 표시했어요."]
    assert await bureau("calendar", run, action="delete", title="화분 사기") == first
    assert [one["title"] for one in (await bureau("todo", action="list"))["tasks"]] == ["화분 물 받침 닦기"]


async def test_an_hour_without_its_half_of_the_day_is_the_one_nearer_to_the_old_one(bureau):
    await bureau("calendar", **CHOIR)
    assert (await changed(bureau, title="합창단", new_time="08:00", either=True))["event"]["start"][11:16] == "20:00"


async def test_a_to_do_gets_another_name(bureau):
    await bureau("todo", title="서랍 정리")
    told = await bureau("todo", action="change", new_title="서랍장 정리")
    assert told["summary"] == ["할 일을 바꿨어요: 서랍 정리 → 서랍장 정리"]
    assert [one["title"] for one in (await bureau("todo", action="list"))["tasks"]] == ["서랍장 정리"]


async def test_of_a_fact_that_was_corrected_only_the_new_value_is_told(bureau):
    await bureau("memory", text="내 우편함 번호 4번이야")
    await bureau("memory", text="우편함 바꿨다 이제 19번", corrects=True)
    told = await bureau("memory", action="recall", text="우편함 번호")
    assert told["found"] == ["우편함 번호: 19번"]
