"""Who asks what was taken out, which, whose or why, is told that: a question takes nothing out and takes nothing back."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.reading import Clause, Reader
from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))
ALL = (read_calendar, read_memory, read_reminder, read_todo)


def read(reader: Reader, text: str, language: str, **known: Any) -> list[Any]:
    return list(reader(Clause(text, language, NOW, **known)))


@pytest.mark.parametrize("reader", ALL)
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "방금 뭘 취소한 거니"),
        ("ko", "아까 무슨 모임을 지웠더라?"),
        ("ko", "내 요가 왜 삭제했어"),
        ("ko", "누구랑 하는 면담을 없앤 거야?"),
        ("ko", "방금 지운 게 뭐였어"),
        ("ko", "월세 알림 지웠어?"),
        ("en", "which appointment did you just cancel?"),
        ("en", "Why did you remove my yoga?"),
        ("en", "whose visit was deleted just now"),
        ("en", "have you cancelled the plumber?"),
        ("ja", "さっきどの会を取り消したの？"),
        ("ja", "なんでヨガを消したんですか"),
        ("ja", "先ほど削除した約束は何でしたっけ"),
        ("ja", "家賃の通知、消した？"),
    ],
)
@pytest.mark.parametrize("last", [{}, {"action": "delete", "title": "치과"}, {"action": "add", "title": "치과"}])
def test_a_question_about_what_went_is_answered_and_takes_nothing_out(
    reader: Reader, language: str, text: str, last: dict[str, Any]
):
    assert read(reader, text, language, last=last) == [{"action": "gone"}]


@pytest.mark.parametrize(
    ("language", "text", "action"),
    [
        ("ko", "방금 등록한 일정 취소해줘", "undo"),
        ("ko", "요가 취소해줄래?", "delete"),
        ("ko", "요가 취소했어, 달력에서 빼줘", "delete"),
        ("ko", "무슨 모임이든 다 지워줘", "delete"),
        ("en", "Can you cancel the yoga?", "delete"),
        ("en", "Undo what you just added", "undo"),
        ("en", "The yoga was cancelled, remove it", "delete"),
        ("ja", "ヨガの予定を消してくれる？", "delete"),
        ("ja", "さっき入れた予定を取り消して", "undo"),
    ],
)
def test_who_orders_it_politely_or_tells_why_still_has_it_taken_out(language: str, text: str, action: str):
    assert [one.get("action") for one in read(read_calendar, text, language)] == [action]
