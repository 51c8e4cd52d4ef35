"""Which thing a sentence means, with whom it is, and the days that are said apart from what is put in."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from contracts.shape import JsonObject
from packs.assistant.reading import read_calendar
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 12, 1, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))


LAST: JsonObject = {"title": "합주", "date": "2026-12-04", "time": "12:00"}


def read(language: str, text: str, last: JsonObject | None = None) -> dict[str, Any]:
    (slots,) = read_calendar(clause_of(text, NOW, language)._replace(last=last or {}))
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
        ("옆집 언니랑 토요일 저녁 6시 넣어줘", "옆집 언니랑 저녁", "18:00"),
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
            "add a biweekly one to one to my diary, wednesdays at 11am, 30 minutes",
            {"time": "11:00", "recurrence": "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE", "minutes": 30, "title": "one to one"},
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


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Every Thursday ceramics at 6pm for two hours", 120),
        ("on mondays fencing at 7pm for 90 minutes", 90),
        ("매주 목요일 15시 멘토링 한 시간 동안", 60),
        ("毎週木曜15時から30分朝会", 30),
    ],
)
def test_what_goes_on_for_so_long_is_an_appointment(everything: SentenceReader, text, minutes):
    (task,) = everything.understand(CognitiveInput(text=text), NOW).tasks
    assert (task.intent, task.slots["minutes"]) == ("ASSISTANT.calendar", minutes)
    assert str(task.slots["recurrence"]).startswith("FREQ=WEEKLY")


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("remind me every thursday at 6pm to stretch for ten minutes", "ASSISTANT.reminder"),
        ("매일 21시에 20분 동안 걸으라고 알려줘", "ASSISTANT.reminder"),
        ("毎日21時に20分間歩くように知らせて", "ASSISTANT.reminder"),
        ("take the vitamins every day at 9", "ASSISTANT.reminder"),
    ],
)
def test_who_asks_to_be_told_is_told_however_long_it_goes_on(everything: SentenceReader, text, intent):
    (task,) = everything.understand(CognitiveInput(text=text), NOW).tasks
    assert task.intent == intent


@pytest.mark.parametrize("last", [None, LAST])
@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "delete everything on friday", ("2026-12-04", None)),
        ("en", "cancel all of it tomorrow", ("2026-12-02", None)),
        ("en", "delete all my appointments for tomorrow", ("2026-12-02", None)),
        ("en", "delete everything", ("2026-12-01", "2027-12-01")),
        ("ko", "일정 전부 지워줘", ("2026-12-01", "2027-12-01")),
        ("ko", "목요일 일정 다 취소해줘", ("2026-12-03", None)),
        ("ja", "木曜の予定を全部消して", ("2026-12-03", None)),
        ("ja", "予定を全部消して", ("2026-12-01", "2027-12-01")),
    ],
)
def test_everything_is_no_title_and_not_what_was_spoken_of_last(language, text, days, last):
    slots = read(language, text, last)
    assert (slots.get("date"), slots.get("until")) == days
    assert slots.keys() <= {"action", "date", "until"}


def test_what_is_named_has_no_day_of_what_was_spoken_of_before():
    assert read("ko", "한의원 취소해줘", LAST) == {"action": "delete", "title": "한의원", "said": "한의원 취소해줘"}


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "윤대리 면담 장소를 5층 회의실로 바꿔줘", {"title": "윤대리 면담", "new_place": "5층 회의실"}),
        (
            "ko",
            "내일 4시 면담 장소를 카페로 변경해줘",
            {"title": "면담", "new_place": "카페", "date": "2026-12-02", "time": "16:00"},
        ),
        ("en", "change the location of the choir practice to the town hall", {"title": "choir practice"}),
        ("en", "change the choir practice's venue to room 9", {"title": "choir practice", "new_place": "room 9"}),
        ("ja", "忘年会の会場を渋谷に変更して", {"title": "忘年会", "new_place": "渋谷"}),
    ],
)
@pytest.mark.parametrize("last", [None, LAST])
def test_the_place_of_what_is_named_is_changed(language, text, slots, last):
    read_ = read(language, text, last)
    assert read_["action"] == "change"
    assert slots.items() <= read_.items()
    assert "of_date" not in read_
    assert "new_title" not in read_


@pytest.mark.parametrize(
    "text",
    [
        "방금 지운거 되돌려줘",
        "아까 취소한 수업 다시 살려줘",
        "bring back the lesson I deleted",
        "please restore the visit I just cancelled",
        "さっき消した会議を元に戻して",
    ],
)
def test_what_was_taken_out_is_wanted_back_whatever_was_said_between(everything: SentenceReader, text):
    (task,) = everything.understand(CognitiveInput(text=text), NOW).tasks
    assert (task.intent, task.slots) == ("ASSISTANT.calendar", {"action": "restore"})
