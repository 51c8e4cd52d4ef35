"""What is asked of the calendar for several days at once: the days that were named, not the next seven."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from packs.assistant.reading import read_calendar
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 11, 19, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))
"""A Thursday."""

THIS_WEEK = ("2026-11-16", "2026-11-22")
NEXT_WEEK = ("2026-11-23", "2026-11-29")
BOTH = ("2026-11-16", "2026-11-29")
TODAY_TOO = ("2026-11-19", "2026-11-20")
WEEKEND = ("2026-11-21", "2026-11-22")
NOVEMBER = ("2026-11-01", "2026-11-30")
DECEMBER = ("2026-12-01", "2026-12-31")
TEN_DAYS = ("2026-12-01", "2026-12-10")
FORTNIGHT = ("2026-11-19", "2026-12-02")


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("ko", "다음 주 일정", NEXT_WEEK),
        ("ko", "이번 주 일정 알려줘", THIS_WEEK),
        ("ko", "이번 주말에 잡힌 약속 있어?", WEEKEND),
        ("ko", "이번 달 일정 보여줘", NOVEMBER),
        ("ko", "12월 일정 알려줘", DECEMBER),
        ("ko", "11월 일정이 뭐야", NOVEMBER),
        ("ko", "1월 일정 알려줘", ("2027-01-01", "2027-01-31")),
        ("ko", "12월 1일부터 10일까지 일정 알려줘", TEN_DAYS),
        ("ko", "앞으로 2주 일정 알려줘", FORTNIGHT),
        ("ko", "이번 주랑 다음 주 일정 보여줘", BOTH),
        ("ko", "이번주하고 다음주에 뭐 있어?", BOTH),
        ("ko", "이번 달과 다음 달 일정 알려줘", ("2026-11-01", "2026-12-31")),
        ("ko", "오늘이랑 내일 일정 알려줘", TODAY_TOO),
        ("ko", "이번 주 말고 다음 주 일정", NEXT_WEEK),
        ("en", "what's on my calendar this week and next week", BOTH),
        ("en", "show me today and tomorrow on my calendar", TODAY_TOO),
        ("en", "what's on next week, not this week", NEXT_WEEK),
        ("en", "Show me my schedule for this and next week", BOTH),
        ("en", "Show me my schedule for this week and the next", BOTH),
        ("en", "Show me my schedule for this and next month", ("2026-11-01", "2026-12-31")),
        ("ja", "今週と来週の予定を見せて", BOTH),
        ("ja", "今日と明日の予定は？", TODAY_TOO),
        ("ja", "今週じゃなくて来週の予定", NEXT_WEEK),
        ("en", "What's on my calendar next week?", NEXT_WEEK),
        ("en", "This week's schedule", THIS_WEEK),
        ("en", "Do I have anything planned this weekend", WEEKEND),
        ("en", "Show me my schedule for next month", DECEMBER),
        ("en", "What's on my calendar in December", DECEMBER),
        ("en", "What meetings do I have from Dec 1 to Dec 10", TEN_DAYS),
        ("en", "What's on my calendar for the next two weeks", FORTNIGHT),
        ("ja", "来週の予定", NEXT_WEEK),
        ("ja", "今週のスケジュールを教えて", THIS_WEEK),
        ("ja", "週末の予定は？", WEEKEND),
        ("ja", "12月の予定を見せて", DECEMBER),
        ("ja", "来月の予定は何ですか", DECEMBER),
    ],
)
def test_the_days_that_were_asked_for_are_listed(
    everything: SentenceReader, language: str, text: str, days: tuple[str, str]
) -> None:
    understood = everything.understand(CognitiveInput(text=text, language=language), NOW)
    assert [(one.intent, one.slots) for one in understood.tasks] == [
        ("ASSISTANT.calendar", {"action": "list", "date": days[0], "until": days[1]})
    ]


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "내일 일정", {"action": "list", "date": "2026-11-20"}),
        ("ko", "다음 주 월요일 일정 알려줘", {"action": "list", "date": "2026-11-23"}),
        ("en", "What's on my calendar on December 25", {"action": "list", "date": "2026-12-25"}),
        ("ja", "12月25日の予定は？", {"action": "list", "date": "2026-12-25"}),
        ("en", "What's on my calendar", {"action": "list"}),
    ],
)
def test_a_day_or_no_day_is_no_period(language: str, text: str, slots: dict[str, str]) -> None:
    assert read_calendar(clause_of(text, NOW, language)) == (slots,)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "다음 주 회의 잡아줘"),
        ("en", "Put the team lunch on my calendar for next week"),
        ("ja", "来週の会議を予定に入れて"),
    ],
)
def test_a_week_is_no_day_for_a_new_appointment(language: str, text: str) -> None:
    (slots,) = read_calendar(clause_of(text, NOW, language))
    assert not slots.keys() & {"action", "date", "until"}
