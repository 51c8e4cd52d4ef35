"""Reminders that come so long before something: whose day the tool has to know, and which is never today by default."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.shape import JsonObject
from packs.assistant.reading import read_calendar, read_reminder
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 12, 1, 6, 20, tzinfo=ZoneInfo("Asia/Seoul"))
DAYS_60: JsonObject = {"action": "lead", "text": "lease", "minutes_before": 60 * 1440}


def read(language: str, text: str, last: JsonObject | None = None, reader: Any = read_reminder) -> JsonObject:
    (slots,) = reader(clause_of(text, NOW, language)._replace(last=last or {}))
    return dict(slots)


def answered(language: str, answer: str, slot: str, slots: JsonObject) -> JsonObject:
    (said,) = read_reminder(clause_of(answer, NOW, language, (slot,), slots))
    return dict(said)


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("en", "Remind me 45 days before the lease ends", {"minutes_before": 45 * 1440, "text": "lease ends"}),
        ("en", "remind me the day before the rent is due", {"minutes_before": 1440, "text": "rent is due"}),
        ("en", "remind me a week before my passport expires at 8am", {"minutes_before": 7 * 1440, "time": "08:00"}),
        ("en", "remind me two months before the lease ends", {"months_before": 2, "text": "lease ends"}),
        ("en", "remind me 30 minutes before the meeting", {"minutes_before": 30, "text": "meeting"}),
        ("ko", "보증금 돌려받기 45일 전에 알려줘", {"minutes_before": 45 * 1440, "text": "보증금 돌려받기"}),
        ("ko", "적금 만기 석 달 전에 알려줘", {"months_before": 3, "text": "적금 만기"}),
        ("ko", "집들이 전날 8시에 알려줘", {"minutes_before": 1440, "text": "집들이", "time": "08:00"}),
        ("ja", "免許更新の40日前に知らせて", {"minutes_before": 40 * 1440, "text": "免許更新"}),
        ("ja", "保険の満期の2か月前に教えて", {"months_before": 2}),
        ("ja", "引っ越しの前日に知らせて", {"minutes_before": 1440, "text": "引っ越し"}),
    ],
)
def test_before_something_of_which_no_day_is_said_it_has_no_day_either(language, text, slots):
    read_ = read(language, text)
    assert read_["action"] == "lead"
    assert {name: read_[name] for name in slots} == slots
    assert "date" not in read_


@pytest.mark.parametrize(
    ("language", "text", "date"),
    [
        ("en", "remind me 3 days before my exam on 5 June", "2027-06-02"),
        ("en", "remind me the day before the exam on 5 June", "2027-06-04"),
        ("en", "remind me one month before the lease ends on 31 March", "2027-02-28"),
        ("ko", "시험이 12월 20일인데 사흘 전에 알려줘", "2026-12-17"),
        ("ja", "12月20日の試験の2日前に知らせて", "2026-12-18"),
    ],
)
def test_whole_days_before_a_day_that_is_said_the_hour_is_asked_for(language, text, date):
    slots = read(language, text)
    assert slots["date"] == date
    assert not slots.keys() & {"time", "action"}


@pytest.mark.parametrize(
    ("language", "text"), [("en", "remind me about it the day before at 9am"), ("ja", "それの前日9時に知らせて")]
)
def test_what_is_only_pointed_at_and_was_not_spoken_of_is_looked_for_nowhere(language, text):
    assert read(language, text) == {"action": "lead", "minutes_before": 1440, "said": "", "time": "09:00"}


@pytest.mark.parametrize(("language", "answer"), [("ko", "이사"), ("en", "the move"), ("ja", "引っ越し")])
def test_before_what_it_comes_is_asked_where_nothing_is_named(language, answer):
    asked = read(language, {"ko": "이틀 전에 알려줘", "en": "remind me two days before"}.get(language, "2日前に教えて"))
    assert asked == {"minutes_before": 2 * 1440}
    assert answered(language, answer, "text", asked)["action"] == "lead"


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "it's on 31 March", {"of_date": "2027-03-31"}),
        ("ko", "3월 31일이야", {"of_date": "2027-03-31"}),
        ("ja", "3月31日です", {"of_date": "2027-03-31"}),
        ("en", "9am", {"time": "09:00", "new_time": "09:00"}),
        ("ko", "오전 9시", {"time": "09:00", "new_time": "09:00"}),
        ("ja", "9時で", {"time": "09:00", "new_time": "09:00"}),
        ("en", "actually 10", {"time": "10:00", "new_time": "10:00"}),
    ],
)
def test_a_day_that_is_told_behind_it_is_that_of_the_thing_and_a_time_its_own(language, text, told):
    assert read(language, text, DAYS_60) == {**DAYS_60, "said": text, **told}


def test_of_a_lead_of_minutes_a_time_that_is_told_behind_it_is_that_of_the_thing():
    half: JsonObject = {"action": "lead", "text": "회의", "minutes_before": 30}
    assert read("ko", "3시", half) == {**half, "said": "3시", "of_date": "2026-12-01", "of_time": "15:00"}


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [
        ("en", "actually 11", "11:00"),
        ("en", "hm, 8 rather", "08:00"),
        ("ko", "아니 11", "11:00"),
        ("ja", "やっぱ11で", "11:00"),
    ],
)
def test_a_figure_alone_is_another_hour_of_what_has_one(language, text, time):
    last: JsonObject = {"date": "2026-12-02", "text": "call Ann", "time": "09:00"}
    slots = read(language, text, last)
    assert (slots["action"], slots["new_time"], slots["of_text"]) == ("change", time, "call Ann")
    assert "text" not in slots


@pytest.mark.parametrize(("language", "text"), [("en", "actually 11"), ("ko", "아니 11"), ("ja", "やっぱ11で")])
def test_a_figure_alone_is_no_hour_of_what_has_none(language, text):
    assert read(language, text, {"text": "call Ann"}).get("action") != "change"


def test_a_figure_is_the_time_that_was_asked_for():
    known: JsonObject = {"date": "2026-12-02", "text": "call Ann"}
    assert answered("en", "10", "time", known)["time"] == "10:00"
    assert answered("ko", "4", "time", known)["time"] == "16:00"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "알림도 같이 옮겨졌어?"),
        ("ko", "리마인더 시간 변경된 거 맞지"),
        ("en", "was my reminder changed as well?"),
        ("en", "and the alarm has moved too, yes?"),
        ("ja", "通知も変更されましたか？"),
    ],
)
def test_who_asks_whether_it_has_become_otherwise_is_shown_how_it_stands(language, text):
    last: JsonObject = {"action": "change", "title": "치과", "new_time": "15:00"}
    assert read(language, text, last) == {"action": "list"}
    assert read(language, text, last, read_calendar) == {"action": "list", "reminders": True}


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "알림 좀 바꿔줄래?"), ("en", "can you move the reminder to 5?"), ("ja", "通知を変えてくれる？")],
)
def test_who_asks_for_it_politely_wants_it_changed(language, text):
    assert read(language, text, {"text": "치과", "time": "15:00", "date": "2026-12-02"})["action"] == "change"
