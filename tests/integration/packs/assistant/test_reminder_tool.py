"""assistant.reminder on the pack's real tables: what it tells, and the timers that it asks for."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from backbone.ledger.tables import PostgresTables
from backbone.runner.handlers import Recorded
from contracts.timers import ReminderDue, occurrence
from contracts.tools import ToolError
from services.execution.dispatch.reminders import again
from tests.integration.packs.assistant.bureau import Bureau

DENTIST = {"text": "치과 예약", "date": "2026-11-23", "time": "14:30"}
WATER = {"text": "물 마시기", "time": "09:00", "date": "2026-11-23", "recurrence": "FREQ=WEEKLY;BYDAY=MO"}


@pytest.fixture
def bureau(tables: PostgresTables) -> Bureau:
    return Bureau(tables)


def due(bureau: Bureau) -> ReminderDue:
    (timer,) = bureau.done.timers
    assert isinstance(timer.event, ReminderDue)
    assert timer.timer_id == occurrence(timer.event.reminder_id, timer.due_at)
    return timer.event


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ko", "11월 23일 (월) 오후 2시 30분에 알려 드릴게요: 치과 예약"),
        ("en", "I will remind you on Mon 23 Nov at 2:30 pm: 치과 예약"),
        ("ja", "11月23日（月）午後2時30分にお知らせします：치과 예약"),
    ],
)
async def test_a_reminder_becomes_a_timer_and_is_told_in_the_persons_language(bureau, language, sentence):
    bureau.language = language
    result = await bureau("reminder", **DENTIST, minutes_before=30)
    assert result["summary"] == [sentence]
    event = due(bureau)
    assert (event.text, event.due_at, event.rule) == ("치과 예약", datetime(2026, 11, 23, 5, 30, tzinfo=UTC), "")
    assert result["reminder"]["at"] == "2026-11-23T14:30:00+09:00"


async def test_a_repeated_call_sets_the_same_timer_and_lists_one(bureau):
    run = uuid4()
    first, second = await bureau("reminder", run, **DENTIST), due(bureau)
    assert await bureau("reminder", run, **DENTIST) == first
    assert due(bureau) == second
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_a_recurring_reminder_begins_with_its_rules_first_time_and_is_listed_with_its_next(bureau):
    result = await bureau("reminder", **WATER)
    assert result["summary"] == ["11월 23일 (월) 오전 9시부터 매주 알려 드릴게요: 물 마시기"]
    event = due(bureau)
    assert (event.rule, event.timezone, event.due_at) == (
        "FREQ=WEEKLY;BYDAY=MO", "Asia/Seoul", datetime(2026, 11, 23, tzinfo=UTC)
    )  # fmt: skip
    await bureau("reminder", **DENTIST)
    assert (await bureau("reminder", action="list"))["summary"] == [
        "예정된 알림은 2개예요.",
        "11월 23일 (월) 오전 9시 물 마시기 (매주)",
        "11월 23일 (월) 오후 2시 30분 치과 예약",
    ]
    bureau.now += timedelta(days=9)
    assert (await bureau("reminder", action="list"))["summary"][1:] == ["12월 7일 (월) 오전 9시 물 마시기 (매주)"]


async def test_taking_a_recurring_reminder_back_cancels_the_very_timer_that_the_last_time_has_set(bureau):
    await bureau("reminder", **WATER)
    event = due(bureau)
    timers = []
    for _ in range(3):
        timers = list(again(Recorded(event, uuid4(), None, event.due_at)).timers)
        assert isinstance(timers[0].event, ReminderDue)
        event = timers[0].event
    bureau.now = event.due_at - timedelta(hours=1)
    run = uuid4()
    result = await bureau("reminder", run, action="delete", text="물")
    assert result["summary"] == ["‘물 마시기’ 알림을 취소했어요."]
    assert timers[0].timer_id in bureau.done.cancel_timers
    assert (await bureau("reminder", action="list"))["summary"] == ["예정된 알림이 없어요."]
    # another attempt of the same call does the same, though the reminder is gone
    assert await bureau("reminder", run, action="delete", text="물") == result
    assert timers[0].timer_id in bureau.done.cancel_timers


BEFORE = DENTIST | {"minutes_before": 30}
VISIT = {"title": "치과 예약", "date": "2026-11-23", "time": "15:00"}


async def test_who_takes_an_appointment_out_is_not_reminded_of_it(bureau):
    await bureau("calendar", **VISIT)
    await bureau("reminder", **BEFORE)
    timer = bureau.done.timers[0].timer_id
    await bureau("reminder", **DENTIST | {"text": "약 먹기"})  # at the same time, and of nothing
    run = uuid4()
    result = await bureau("calendar", run, action="delete", title="치과")
    assert result["summary"] == [
        "11월 23일 (월) 오후 3시 치과 예약 일정을 지웠어요.", "그 일정의 알림도 취소했어요: 치과 예약"
    ]  # fmt: skip
    assert timer in bureau.done.cancel_timers
    assert [one["text"] for one in (await bureau("reminder", action="list"))["reminders"]] == ["약 먹기"]
    # another attempt of the same call does the same, though both are gone
    assert await bureau("calendar", run, action="delete", title="치과") == result
    assert timer in bureau.done.cancel_timers


async def test_of_two_appointments_at_a_time_the_reminder_goes_with_the_one_it_names(bureau):
    await bureau("calendar", **VISIT)
    await bureau("calendar", **VISIT | {"title": "회의"})
    await bureau("reminder", **BEFORE)
    assert len((await bureau("calendar", action="delete", title="회의"))["summary"]) == 1
    assert len((await bureau("calendar", action="delete", title="치과"))["summary"]) == 2


async def test_a_series_keeps_its_reminder_until_it_is_taken_out_as_a_whole(bureau):
    weekly = {"recurrence": "FREQ=WEEKLY;BYDAY=MO"}
    await bureau("calendar", **VISIT, **weekly)
    await bureau("reminder", **BEFORE, **weekly)
    assert len((await bureau("calendar", action="delete", title="치과", date="2026-11-23"))["summary"]) == 1
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_a_recurring_reminder_does_not_go_with_an_appointment_of_one_day(bureau):
    await bureau("calendar", **VISIT)
    await bureau("reminder", **BEFORE | {"text": "약 먹기", "recurrence": "FREQ=WEEKLY;BYDAY=MO"})
    assert len((await bureau("calendar", action="delete", title="치과"))["summary"]) == 1
    assert (await bureau("reminder", action="list"))["count"] == 1


@pytest.mark.parametrize(("language", "name"), [("ko", "알람"), ("en", "Alarm"), ("ja", "アラーム")])
async def test_an_alarm_needs_no_text_and_is_taken_back_by_what_it_is(bureau, language, name):
    bureau.language = language
    assert (await bureau("reminder", text="", date="2026-11-23", time="07:00"))["reminder"]["text"] == name
    assert due(bureau).text == name
    assert (await bureau("reminder", action="delete", text=""))["deleted"][0]["text"] == name


async def test_of_several_that_fit_none_is_taken_back(bureau):
    await bureau("reminder", **DENTIST)
    await bureau("reminder", **DENTIST | {"time": "15:00", "text": "치과 결제"})
    result = await bureau("reminder", action="delete", text="치과")
    assert (
        result["summary"][0]
        == "맞는 알림이 2개라서 아무것도 취소하지 않았어요. 어느 것인지 내용이나 날짜로 알려 주세요."
    )
    assert (bureau.done.cancel_timers, len(result["matches"])) == ((), 2)
    assert (await bureau("reminder", action="delete", text="치과 결제"))["deleted"][0]["text"] == "치과 결제"
    assert [one["text"] for one in (await bureau("reminder", action="list"))["reminders"]] == ["치과 예약"]


async def test_a_time_alone_is_the_next_such_time(bureau):
    await bureau("reminder", text="x", time="13:00")
    assert due(bureau).due_at == datetime(2026, 11, 22, 4, tzinfo=UTC)
    await bureau("reminder", text="x", time="11:00")
    assert due(bureau).due_at == datetime(2026, 11, 23, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"text": "x", "date": "2026-11-21", "time": "09:00"}, "11월 21일 (토) 오전 9시: 이미 지난 때예요."),
        ({"text": "x", "date": "2026-02-30", "time": "09:00"}, "2026-02-30: 달력에 없는 날짜예요."),
        ({"text": "x", "date": "2026-11-23", "time": "29:00"}, "29:00: 없는 시각이에요."),
        ({"text": "약", "date": "2026-11-23"}, "‘약’ 알림을 몇 시에 드릴지 알려 주세요."),
        ({"time": "09:00"}, "무엇을 알려 드릴지 말씀해 주세요."),
        ({"text": "x", "time": "09:00", "recurrence": "FREQ=SECONDLY"}, "FREQ=SECONDLY: 이 반복 규칙은 쓸 수 없어요."),
        ({"action": "delete"}, "취소할 알림의 내용이나 날짜를 알려 주세요."),
        ({"action": "delete", "text": "없는 것"}, "‘없는 것’에 맞는 알림을 찾지 못해서"),
    ],
)
async def test_what_cannot_be_is_said_with_the_value_and_sets_nothing(bureau, params, sentence):
    error = await bureau.error("reminder", **params)
    assert error.message.startswith(sentence)
    assert not error.retryable
    assert (bureau.done.timers, (await bureau("reminder", action="list"))["count"]) == ((), 0)


async def test_nobody_sees_or_cancels_the_reminders_of_another(bureau, tables):
    await bureau("reminder", **DENTIST)
    other = Bureau(tables)
    assert (await other("reminder", action="list"))["count"] == 0
    assert (await other.error("reminder", action="delete", text="치과")).detail["value"] == "치과"
    (kept,) = (await bureau("reminder", action="list"))["reminders"]
    assert str(UUID(kept["reminder_id"])) == kept["reminder_id"]


async def test_the_day_on_which_it_will_be_done_anyway_is_why_a_reminder_goes(bureau):
    await bureau("reminder", **DENTIST)
    gone = await bureau(
        "reminder", action="delete", text="치과", date="2026-11-22", said="치과 알림은 지워줘 오늘 갈래"
    )
    assert [one["text"] for one in gone["deleted"]] == ["치과 예약"]


HAIR = {"title": "미용실", "date": "2026-11-24", "time": "15:00"}
SAID = {"action": "lead", "said": "2시간 전에 알려줘", "minutes_before": 120}


async def test_so_long_before_is_before_the_appointment_that_was_spoken_of_wherever_it_went_meanwhile(bureau):
    await bureau("calendar", **HAIR)
    await bureau("calendar", action="change", title="미용실", new_time="04:00", either=True)
    result = await bureau("reminder", **SAID)
    assert result["summary"] == ["11월 24일 (화) 오후 2시에 알려 드릴게요: 미용실"]
    assert due(bureau).due_at == datetime(2026, 11, 24, 5, tzinfo=UTC)
    told = await bureau("calendar", action="change", title="미용실", new_time="18:00")
    assert told["summary"][1:] == ["그 일정의 알림도 11월 24일 (화) 오후 4시에 드릴게요: 미용실"], (
        "it goes where that goes"
    )


async def test_what_is_named_counts_and_not_what_was_spoken_of_last(bureau):
    await bureau("calendar", **HAIR)
    await bureau("calendar", title="치과", date="2026-11-25", time="10:00")
    result = await bureau("reminder", action="lead", text="미용실", minutes_before=60)
    assert result["summary"] == ["11월 24일 (화) 오후 2시에 알려 드릴게요: 미용실"]


async def test_another_so_long_moves_the_reminder_and_it_still_leads_to_the_same(bureau):
    await bureau("calendar", **HAIR)
    await bureau("reminder", **SAID)
    changed = await bureau("reminder", action="change", said="아니 30분 전으로", minutes_before=30)
    assert changed["reminder"]["at"] == "2026-11-24T14:30:00+09:00"
    assert (await bureau("reminder", action="list"))["count"] == 1
    again = await bureau("reminder", action="change", said="하루 전으로", minutes_before=1440)
    assert again["reminder"]["at"] == "2026-11-23T15:00:00+09:00"


async def test_of_something_that_nobody_knows_the_time_of_none_is_set(bureau):
    for asked in (SAID, {"action": "lead", "text": "결혼식", "minutes_before": 60}):
        with pytest.raises(ToolError, match=r"언제 시작하는 일인지 모르겠어요|언제인지 몰라서"):
            await bureau("reminder", **asked)
    assert (await bureau("reminder", action="list"))["count"] == 0


LEASE = {
    "action": "lead",
    "text": "lease",
    "said": "remind me 60 days before the lease ends",
    "minutes_before": 60 * 1440,
}


async def test_before_a_day_that_is_told_it_is_set_and_another_day_moves_it(bureau):
    set_ = await bureau("reminder", **LEASE, of_date="2027-03-31")
    assert set_["reminder"]["at"] == "2027-01-30T09:00:00+09:00"
    moved = await bureau("reminder", **LEASE, of_date="2027-02-05")
    assert moved["reminder"]["at"] == "2027-02-05T09:00:00+09:00", "it is there already: then that is its own day"
    later = await bureau("reminder", **LEASE, of_date="2027-02-05", time="10:00", new_time="10:00")
    assert later["reminder"]["at"] == "2027-02-05T10:00:00+09:00"
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_so_many_months_before_it_at_its_own_hour(bureau):
    set_ = await bureau(
        "reminder", action="lead", text="lease", months_before=1, of_date="2027-03-31", time="18:00", said="x"
    )
    assert set_["reminder"]["at"] == "2027-02-28T18:00:00+09:00"


async def test_a_time_behind_what_was_not_set_changes_no_other_reminder(bureau):
    await bureau("reminder", text="", date="2026-11-23", time="08:00")
    how = {"action": "change", "new_time": "09:00", "said": "9시로"}
    with pytest.raises(ToolError):
        await bureau("reminder", **how, of_text="계약 끝나기")
    (kept,) = (await bureau("reminder", action="list"))["reminders"]
    assert kept["at"] == "2026-11-23T08:00:00+09:00"
    await bureau("reminder", **how)
    (kept,) = (await bureau("reminder", action="list"))["reminders"]
    assert kept["at"] == "2026-11-23T09:00:00+09:00"
