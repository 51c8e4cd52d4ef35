"""Reminders that come again: on the clock of the wall, once per time, and never a heap of missed ones."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from backbone.runner.handlers import NOTHING, Recorded
from contracts.errors import Code
from contracts.timers import ReminderDue, occurrence
from contracts.tools import Reminder
from services.execution.dispatch.reminders import again
from services.execution.domain.recurrence import RuleInvalid, next_time
from services.execution.tools.faults import ToolFault
from services.execution.tools.resources import Owner, Reminders

SEOUL, BERLIN = "Asia/Seoul", "Europe/Berlin"


def at(text: str, zone: str = SEOUL) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def due(rule: str, first: datetime, zone: str = SEOUL) -> ReminderDue:
    return ReminderDue(reminder_id=uuid4(), text="물", due_at=first, rule=rule, timezone=zone, first_at=first)


def following(event: ReminderDue, recorded: datetime | None = None) -> ReminderDue | None:
    outcome = again(Recorded(event, uuid4(), None, recorded or event.due_at))
    if not outcome.timers:
        return None
    (timer,) = outcome.timers
    assert isinstance(timer.event, ReminderDue)
    assert (timer.due_at, timer.run_id) == (timer.event.due_at, None)
    assert timer.timer_id == occurrence(event.reminder_id, timer.due_at)
    return timer.event


def times(event: ReminderDue, count: int) -> list[str]:
    found: list[str] = []
    one = following(event)
    while one and len(found) < count:
        found.append(one.due_at.astimezone(ZoneInfo(event.timezone)).strftime("%m-%d %H:%M"))
        one = following(one)
    return found


@pytest.mark.parametrize(
    ("rule", "first", "zone", "expected"),
    [
        ("FREQ=DAILY", "2026-11-22T09:00", SEOUL, ["11-23 09:00", "11-24 09:00"]),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-11-23T09:00", SEOUL, ["11-30 09:00", "12-07 09:00"]),
        ("FREQ=MONTHLY", "2026-01-31T09:00", SEOUL, ["03-31 09:00", "05-31 09:00"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "2026-11-23T09:00", SEOUL, ["11-27 09:00", "12-07 09:00"]),
        # nine o'clock is nine o'clock on both sides of the change
        ("FREQ=DAILY", "2026-03-28T09:00", BERLIN, ["03-29 09:00", "03-30 09:00"]),
        ("FREQ=DAILY", "2026-10-24T09:00", BERLIN, ["10-25 09:00", "10-26 09:00"]),
        # half past two does not exist on that day, and is half past two again on the next
        ("FREQ=DAILY", "2026-03-28T02:30", BERLIN, ["03-29 03:30", "03-30 02:30"]),
        # half past two comes twice, and counts once
        ("FREQ=DAILY", "2026-10-24T02:30", BERLIN, ["10-25 02:30", "10-26 02:30"]),
        ("FREQ=DAILY;COUNT=3", "2026-11-22T09:00", SEOUL, ["11-23 09:00", "11-24 09:00"]),
        ("FREQ=DAILY;UNTIL=20261123", "2026-11-22T09:00", SEOUL, ["11-23 09:00"]),
        ("FREQ=DAILY;UNTIL=20261123T000000Z", "2026-11-22T09:00", SEOUL, ["11-23 09:00"]),
        ("FREQ=DAILY;UNTIL=20261122T235959Z", "2026-11-22T09:00", SEOUL, []),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2026-11-22T09:00", SEOUL, []),
    ],
)
def test_the_next_time_is_that_of_the_rule_on_the_clock_of_the_wall(rule, first, zone, expected):
    assert times(due(rule, at(first, zone), zone), 3)[: len(expected) or 1] == expected


def test_times_that_passed_while_nobody_was_there_are_one_reminder():
    event = due("FREQ=HOURLY", at("2026-11-22T09:00"))
    one = following(event, recorded=at("2026-11-25T17:20"))
    assert one is not None
    assert one.due_at == at("2026-11-25T18:00")


def test_a_time_with_a_fraction_of_a_second_keeps_it():
    one = following(due("FREQ=SECONDLY;INTERVAL=3", at("2026-11-22T09:00:00.7")))
    assert one is not None
    assert one.due_at == at("2026-11-22T09:00:03.7")


def test_a_repetition_sets_the_same_timer():
    event = due("FREQ=DAILY", at("2026-11-22T09:00"))
    assert following(event) == following(event)


def test_a_reminder_without_a_rule_or_with_one_that_nobody_understands_comes_once():
    event = due("FREQ=DAILY", at("2026-11-22T09:00"))
    for rule, zone in (("", SEOUL), ("nonsense", SEOUL), ("FREQ=OFTEN", SEOUL), ("FREQ=DAILY", "Mars/Olympus")):
        odd = event.model_copy(update={"rule": rule, "timezone": zone})
        assert again(Recorded(odd, uuid4(), None, event.due_at)) == NOTHING


@pytest.mark.parametrize("rule", ["", "FREQ", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;UNTIL=soon", "FREQ=DAILY;COUNT=x"])
def test_what_is_no_rule_is_refused_by_its_text(rule):
    with pytest.raises(RuleInvalid, match="is no rule"):
        next_time(rule, at("2026-11-22T09:00"), SEOUL, at("2026-11-22T09:00"))


UNCOUNTABLE = [
    ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "BYMONTH, BYMONTHDAY with FREQ=SECONDLY"),
    ("FREQ=MINUTELY;BYYEARDAY=366", "BYYEARDAY"),
    ("FREQ=DAILY;INTERVAL=0", "INTERVAL is less than 1"),
    (" INTERVAL=0;FREQ=DAILY", "INTERVAL is less than 1"),
    ("RRULE:RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "'RRULE:FREQ' is no name"),
    ("FREQ=DAILY;\nINTERVAL=0", "is no name"),
    ("FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7;BYMINUTE=1,2,3,4,5,6,7", "49 times of a day"),
    ("FREQ=YEARLY;BYMONTHDAY=" + "1," * 300 + "1", "characters"),
]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("rule", "why"), UNCOUNTABLE)
def test_a_rule_that_would_be_searched_for_without_end_is_refused_when_it_is_set(rule, why):
    first = at("2026-11-22T09:00")
    with pytest.raises(RuleInvalid, match=why):
        next_time(rule, first, SEOUL, first)
    reminders = Reminders(Owner("minji", uuid4(), SEOUL, "ko", first, lambda: "key"))
    with pytest.raises(ToolFault, match=why) as refused:
        reminders.set(Reminder(text="물", at=first, rule=rule))
    assert (refused.value.code, refused.value.detail["timezone"]) == (Code.TOOL_ARGUMENTS_INVALID, SEOUL)
    assert not reminders.timers


def test_days_are_not_counted_from_the_year_one():
    with pytest.raises(RuleInvalid, match="too long ago"):
        next_time("FREQ=DAILY", datetime(1, 1, 2, tzinfo=UTC), "UTC", at("2026-11-22T09:00"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=SECONDLY;INTERVAL=7", "2046-11-17 09:00:06+09:00"),
        ("FREQ=HOURLY;INTERVAL=5;UNTIL=20461117T100000", None),
        ("FREQ=HOURLY;INTERVAL=5;UNTIL=20461118", "2046-11-17 14:00:00+09:00"),
        ("FREQ=HOURLY;COUNT=3", None),
    ],
)
def test_seconds_and_hours_of_twenty_years_are_reckoned_and_not_searched(rule, expected):
    first = at("2026-11-22T09:00")
    found = next_time(rule, first, SEOUL, first + timedelta(days=7300))
    assert (found and str(found)) == expected


def test_two_hours_are_two_hours_when_the_clocks_change():
    first = at("2026-03-28T23:00", BERLIN)
    assert times(due("FREQ=HOURLY;INTERVAL=2", first, BERLIN), 2) == ["03-29 01:00", "03-29 04:00"]


def test_a_daily_reminder_of_ten_years_is_found_quickly():
    first = datetime(2016, 1, 1, 9, tzinfo=UTC)
    found = next_time("FREQ=DAILY", first, "UTC", first + timedelta(days=3650))
    assert found == first + timedelta(days=3651)
