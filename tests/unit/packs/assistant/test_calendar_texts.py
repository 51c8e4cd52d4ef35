"""Calendars that other programs have written are read as they were meant."""

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from packs.assistant.calendars import ical
from packs.assistant.calendars.port import Appointment, CalendarFault, uid_for
from packs.assistant.calendars.rules import begun, frequency
from packs.assistant.calendars.window import end_of
from packs.assistant.finding import best

SEOUL, NEW_YORK = ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")
PACK = Path(ical.__file__).parents[1]
NOW = datetime(2026, 11, 22, 10, tzinfo=SEOUL)
SERIES = """BEGIN:VEVENT
UID:s
SUMMARY:Standup
DTSTART;TZID=America/New_York:20261102T090000
DTEND;TZID=America/New_York:20261102T091500
RRULE:FREQ=DAILY;COUNT=3
END:VEVENT
BEGIN:VEVENT
UID:s
SUMMARY:Standup, late
RECURRENCE-ID;TZID=America/New_York:20261103T090000
DTSTART;TZID=America/New_York:20261103T140000
DTEND;TZID=America/New_York:20261103T141500
END:VEVENT
"""


def text_of(*components: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//EN\n{''.join(components)}END:VCALENDAR\n".replace("\n", "\r\n")


def at(day: int, hour: int = 0, zone: ZoneInfo = SEOUL) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=zone)


def test_one_of_a_series_that_was_moved_stands_where_it_was_moved_to():
    found = ical.spread([text_of(SERIES)], at(1), at(30))
    assert [(one.title, one.start) for one in found] == [
        ("Standup", at(2, 9, NEW_YORK)),
        ("Standup, late", at(3, 14, NEW_YORK)),
        ("Standup", at(4, 9, NEW_YORK)),
    ]
    assert found[1].original == at(3, 9, NEW_YORK)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_any_of_a_series_goes_alone_moved_or_not_whoever_looks(gone):
    found = ical.spread([text_of(SERIES)], at(1), at(30))
    left = ical.spread([ical.without(text_of(SERIES), found[gone].original)], at(1), at(30))
    assert left == [one for one in found if one is not found[gone]]


def test_a_time_without_a_zone_is_meant_where_the_person_is():
    floating = "BEGIN:VEVENT\nUID:f\nSUMMARY:Breakfast\nDTSTART:20261123T080000\nDURATION:PT30M\nEND:VEVENT\n"
    (found,) = ical.spread([text_of(floating)], at(23, zone=NEW_YORK), at(24, zone=NEW_YORK))
    assert (found.start, found.end) == (at(23, 8, NEW_YORK), at(23, 8, NEW_YORK) + timedelta(minutes=30))


def test_what_was_called_off_is_not_told():
    off = "BEGIN:VEVENT\nUID:c\nSUMMARY:Off\nSTATUS:CANCELLED\nDTSTART:20261123T080000Z\nEND:VEVENT\n"
    assert ical.spread([text_of(off)], at(1), at(30)) == []


@pytest.mark.parametrize("text", ["", "<html>", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:tomorrow"])
def test_what_is_no_calendar_is_a_fault(text):
    with pytest.raises(CalendarFault) as caught:
        ical.spread([text], at(1), at(30))
    assert caught.value.reason == "unreadable"


def test_a_chore_due_at_a_time_is_due_on_that_day():
    todo = "BEGIN:VTODO\nUID:t\nSUMMARY:Tax\nDUE;TZID=Asia/Seoul:20261130T180000\nEND:VTODO\n"
    (chore,) = ical.read_chores([text_of(todo)])
    assert (chore.title, chore.due, chore.done) == ("Tax", date(2026, 11, 30), False)
    assert ical.read_chores([ical.completed(text_of(todo), NOW)])[0].done


def test_two_hours_are_two_hours_in_the_night_when_the_clock_is_put_back():
    start = datetime(2026, 11, 1, 0, 30, tzinfo=NEW_YORK)
    assert end_of(start, 120).isoformat() == "2026-11-01T01:30:00-05:00"


@pytest.mark.parametrize(
    ("rule", "start", "first"),
    [
        ("FREQ=WEEKLY;BYDAY=MO", at(22, 9), at(23, 9)),
        ("FREQ=DAILY", at(22, 9), at(23, 9)),
        ("FREQ=DAILY", date(2026, 11, 20), date(2026, 11, 22)),
        ("FREQ=MONTHLY;BYDAY=1MO", date(2026, 11, 22), date(2026, 12, 7)),
        ("FREQ=DAILY;UNTIL=20261124", at(23, 9), at(23, 9)),
    ],
)
def test_a_series_begins_with_its_first_own_time_to_come(rule, start, first):
    assert begun(rule, start, NOW)[1] == first


def test_a_last_day_counts_to_its_end_where_the_person_is():
    assert begun("FREQ=DAILY;UNTIL=20261124", at(23, 9), NOW)[0] == "FREQ=DAILY;UNTIL=20261124T145959Z"


@pytest.mark.parametrize(
    "rule", ["", "FREQ=HOURLY", "FREQ=DAILY;BYHOUR=1,2,3", "FREQ=DAILY;INTERVAL=0", "DAILY", "FREQ="]
)
def test_a_rule_that_cannot_be_is_a_fault_with_its_value(rule):
    with pytest.raises(CalendarFault) as caught:
        begun(rule, at(23), NOW)
    assert caught.value.values == {"value": rule}


def test_every_other_week_is_not_every_week():
    assert [frequency("FREQ=WEEKLY;BYDAY=MO"), frequency("FREQ=WEEKLY;INTERVAL=2")] == ["WEEKLY", ""]


def test_the_very_title_goes_before_those_that_have_it_in_them():
    titles = ["치과", "치과 예약", "저녁"]
    found = [Appointment(str(n), title, at(23), at(24)) for n, title in enumerate(titles)]
    assert [one.title for one in best(found, "치과")] == ["치과"]
    assert [one.title for one in best(found, "치과예약") + best(found, " ")] == ["치과 예약"]


def test_a_single_letter_has_to_begin_a_word():
    found = [Appointment(str(n), title, at(23), at(24)) for n, title in enumerate(["치과 예약", "아침 약 먹기"])]
    assert [one.title for one in best(found, "약")] == ["아침 약 먹기"]


def test_every_fault_has_its_sentence_in_every_language():
    code = "".join(path.read_text() for path in (PACK / "calendars").glob("*.py"))
    reasons = set(re.findall(r'(?:CalendarFault\(|_named\(error, |\d{3}: )"(\w+)"', code)) | {
        "login",
        "broken",
        "refused",
    }
    assert len(reasons) > 15
    for language in ("ko", "en", "ja"):
        texts = yaml.safe_load((PACK / "texts" / f"{language}.yaml").read_text())
        assert [one for one in sorted(reasons) if f"calendar.error.{one}" not in texts] == []


def test_a_uid_follows_from_the_call_and_the_person():
    assert uid_for("a", "k") == uid_for("a", "k") != uid_for("b", "k")
