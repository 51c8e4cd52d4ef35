"""Which thing a sentence means, with whom it is, and the days that are said apart from what is put in."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from packs.assistant.reading import read_calendar
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 12, 1, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))


def read(language: str, text: str) -> dict[str, Any]:
    (slots,) = read_calendar(clause_of(text, NOW, language))
    return dict(slots)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("ko", "점심 취소해줘, 윤대리랑 하는 거", {"점심", "윤대리"}),
        ("ko", "윤대리랑 하는 회의 취소해줘", {"윤대리랑", "회의"}),
        ("ko", "취소해줘 윤대리랑 같이 보는 영화", {"윤대리"}),
        ("en", "cancel the lunch, the one with Gwen", {"lunch", "Gwen"}),
        ("en", "delete my appointment with Dr Osei", {"Dr", "Osei"}),
        ("ja", "ランチを消して、森さんとのやつ", {"ランチ", "森さん"}),
    ],
)
def test_with_whom_it_is_says_which_one_is_taken_out(language, text, words):
    slots = read(language, text)
    assert slots["action"] == "delete"
    assert set(slots["title"].split()) == words


@pytest.mark.parametrize(("language", "text"), [("en", "cancel that, I can't be with you"), ("ko", "그거 취소해줘")])
def test_what_is_only_pointed_at_gets_no_name(language, text):
    assert "title" not in read(language, text)


@pytest.mark.parametrize(
    ("text", "title", "clock"),
    [
        ("목요일에 윤대리랑 점심 12시 반 넣어줘", "윤대리랑 점심", "12:30"),
        ("내일 저녁 7시에 수아하고 등록해줘", "수아하고 저녁", "19:00"),
        ("토요일 아침 8시 이모와 함께 잡아줘", "이모와 함께 아침", "08:00"),
        ("목요일 12시에 윤대리랑 점심 먹기로 했어", "윤대리랑 점심", "12:00"),
        # what has a name of its own keeps it, and the hour its half of the day
        ("내일 아침 9시 내과 넣어줘", "내과", "09:00"),
        ("내일 저녁 7시 수아랑 볼링 넣어줘", "수아랑 볼링", "19:00"),
        ("다음주 화요일 저녁 6시 송년회 ㅇㅇ 넣어놔", "송년회", "18:00"),
        ("매주 수요일 아침 8시에 조회 반복으로 등록해줘", "조회", "08:00"),
    ],
)
def test_a_title_keeps_its_noun_and_nothing_of_the_order(text, title, clock):
    slots = read("ko", text)
    assert (slots["title"], slots["time"]) == (title, clock)


@pytest.mark.parametrize(
    ("language", "text", "rule"),
    [
        ("en", "a weekly sync in my diary on thursdays at 9am", "FREQ=WEEKLY;BYDAY=TH"),
        ("en", "put a biweekly sync in my diary, thursdays at 9am", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH"),
        ("en", "put a daily sync in my diary, weekdays at 9am", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("ko", "매주 화요일 저녁 7시 합창 넣어줘 격주로", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("ja", "毎週火曜と毎週木曜の18時にヨガを入れて", "FREQ=WEEKLY;BYDAY=TU,TH"),
    ],
)
def test_a_rule_that_is_said_in_pieces_is_one(language, text, rule):
    assert read(language, text)["recurrence"] == rule


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (
            "put a weekly retro in my calendar, wednesdays at 2pm, 45 minutes",
            {"time": "14:00", "recurrence": "FREQ=WEEKLY;BYDAY=WE", "minutes": 45, "title": "retro"},
        ),
        (
            "add pilates to my calendar, mondays at 7pm, one hour",
            {"time": "19:00", "recurrence": "FREQ=WEEKLY;BYDAY=MO", "minutes": 60, "title": "pilates"},
        ),
        (
            "schedule pilates mondays and wednesdays at 7pm",
            {"time": "19:00", "recurrence": "FREQ=WEEKLY;BYDAY=MO,WE", "title": "pilates"},
        ),
        (
            "캘린더에 필라테스 넣어줘, 월요일마다 저녁 7시, 한 시간",
            {"time": "19:00", "recurrence": "FREQ=WEEKLY;BYDAY=MO", "minutes": 60, "title": "필라테스"},
        ),
        (
            "毎週の勉強会をカレンダーに入れて、木曜日の18時から45分",
            {"time": "18:00", "recurrence": "FREQ=WEEKLY", "date": "2026-12-03", "minutes": 45, "title": "勉強会"},
        ),
    ],
)
def test_days_and_a_length_behind_are_those_of_what_is_put_in(everything: SentenceReader, text, slots):
    tasks = everything.understand(CognitiveInput(text=text), NOW).tasks
    assert [one.intent for one in tasks] == ["ASSISTANT.calendar"]
    assert slots.items() <= tasks[0].slots.items()


def test_another_request_behind_is_one_still(everything: SentenceReader):
    text = "add pilates to my calendar tomorrow at 7pm, remind me to pack a towel at 6pm"
    tasks = everything.understand(CognitiveInput(text=text), NOW).tasks
    assert [one.intent for one in tasks] == ["ASSISTANT.calendar", "ASSISTANT.reminder"]
