"""Sentences that ask what was sent, or what is left: they reach their tools, and take nothing from sending."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from packs.transfer.looking import read_history
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 11, 22, 13, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("송금 내역 좀 보여줄래?", "TRANSFER.history"),
        ("지난주에 아빠한테 얼마 보냈더라?", "TRANSFER.history"),
        ("show my transfers", "TRANSFER.history"),
        ("Who did I send money to yesterday?", "TRANSFER.history"),
        ("振込履歴を見せてください", "TRANSFER.history"),
        ("先週誰にいくら送った？", "TRANSFER.history"),
        ("얼마 남았어?", "TRANSFER.balance"),
        ("통장에 얼마 남았어?", "TRANSFER.balance"),
        ("show me my bank balance", "TRANSFER.balance"),
        ("残高を見せて", "TRANSFER.balance"),
        ("엄마한테 만원 보내줘", "TRANSFER"),
        ("계좌이체 하고 싶어", "TRANSFER"),
        ("Send 10,000 won to Dad", "TRANSFER"),
        ("父に1万ウォン送って", "TRANSFER"),
        ("재고 얼마나 남았어?", "OPERATION.inventory"),
    ],
)
def test_what_is_asked_of_the_books_is_told_from_sending(everything: SentenceReader, text: str, intent: str) -> None:
    understood = everything.understand(CognitiveInput(text=text), NOW)
    assert [one.intent for one in understood.tasks] == [intent]


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "이체 내역 보여줘", {}),
        ("ko", "지난달에 누구한테 얼마 보냈어?", {"since": "2026-10-01", "until": "2026-10-31"}),
        ("ko", "어제 아빠한테 얼마 보냈어?", {"since": "2026-11-21", "until": "2026-11-21", "target": "아빠"}),
        ("ko", "최근 3개월 이체 내역", {"since": "2026-08-22", "until": "2026-11-22"}),
        ("ko", "최근 일주일 송금 내역", {"since": "2026-11-15", "until": "2026-11-22"}),
        ("ko", "올해 송금 내역", {"since": "2026-01-01", "until": "2026-11-22"}),
        ("ko", "12월 이체 내역", {"since": "2025-12-01", "until": "2025-12-31"}),
        ("ko", "11월 1일부터 11월 10일까지 이체 내역", {"since": "2026-11-01", "until": "2026-11-10"}),
        ("ko", "월요일에 얼마 보냈어?", {"since": "2026-11-16", "until": "2026-11-16"}),
        ("ko", "12월 1일 이체 내역", {"since": "2025-12-01", "until": "2025-12-01"}),
        ("ko", "25일에 보낸 돈 보여줘", {"since": "2026-10-25", "until": "2026-10-25"}),
        ("ko", "작년 12월에 얼마 보냈어?", {"since": "2025-12-01", "until": "2025-12-31"}),
        ("ko", "3월부터 얼마 보냈어?", {"since": "2026-03-01", "until": "2026-11-22"}),
        ("ko", "3월부터 5월까지 얼마 보냈어?", {"since": "2026-03-01", "until": "2026-05-31"}),
        ("en", "What did I send on Monday?", {"since": "2026-11-16", "until": "2026-11-16"}),
        ("en", "May I see my transfer history?", {}),
        ("en", "How much did I send since March?", {"since": "2026-03-01", "until": "2026-11-22"}),
        ("en", "transfers in October", {"since": "2026-10-01", "until": "2026-10-31"}),
        ("en", "Did I send money to Mom last year?", {"since": "2025-01-01", "until": "2025-12-31", "target": "Mom"}),
        ("ja", "先月誰にいくら送った？", {"since": "2026-10-01", "until": "2026-10-31"}),
        ("ja", "去年お母さんに送った？", {"since": "2025-01-01", "until": "2025-12-31", "target": "お母さん"}),
        ("ja", "月曜日に誰にいくら送った？", {"since": "2026-11-16", "until": "2026-11-16"}),
        ("ja", "今年の3月に誰に送った？", {"since": "2026-03-01", "until": "2026-03-31"}),
        ("ja", "3月から誰にいくら送った？", {"since": "2026-03-01", "until": "2026-11-22"}),
        ("ko", "다음 주에 나가게 예약한 송금 있어?", {"booked": True}),
        ("en", "Which payments are still pending?", {"booked": True}),
        ("ja", "予約した振込はある？", {"booked": True}),
        ("ja", "過去3か月の送金履歴", {"since": "2026-08-22", "until": "2026-11-22"}),
    ],
)
def test_a_question_says_which_days_and_whom(language: str, text: str, slots: dict[str, str]) -> None:
    assert list(read_history(clause_of(text, NOW, language))) == ([slots] if slots else [])
