"""Dialogues in which a payment could go somewhere else than it was said: read, judged and paid without servers."""

from datetime import datetime
from typing import Any

import pytest

from packs.transfer.bank.opening import address_book
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
YES = {"ko": "응", "en": "yes", "ja": "はい"}
PAYEES = {one.payee_id: one.words for one in address_book(ME)}


async def paid(language: str, *turns: str) -> tuple[list[tuple[str, int, str, str]], list[str]]:
    """(payee, amount, memo, day) of each payment, and the answers; a "+" is a word of yes."""
    talk = Talk(NOW, language)
    answers = [await talk.says(YES[language] if turn == "+" else turn) for turn in turns]
    made = [
        (PAYEES[one.payee_id][language].names[0], one.amount, one.memo, one.value_on.isoformat()) for one in talk.paid
    ]
    return made, answers


TODAY = "2026-11-18"
CASES: list[tuple[str, list[str], list[tuple[Any, ...]]]] = [
    # a refused payee takes its amount with it
    ("ko", ["누나한테 4만원 보내줘", "복순이한테 70만원 보내줘", "+"], [("누나", 40_000, "", TODAY)]),
    ("en", ["send 25,000 won to sister", "send 410,000 won to Gregory", "+"], [("Sister", 25_000, "", TODAY)]),
    ("ja", ["母に6千ウォン送って", "田中さんに30万ウォン送って", "+"], [("お母さん", 6_000, "", TODAY)]),
    ("ja", ["姉に6千ウォン送って", "ミンスに30万ウォン送って", "+"], [("お姉さん", 6_000, "", TODAY)]),  # two of them
    ("ko", ["아빠한테 2만원 보내줘", "세번째는 9만원으로 해줘", "+"], [("아빠", 20_000, "", TODAY)]),
    # memo and day stay with theirs
    (
        "ko", ["집주인한테 45만원 12월 3일에 보내줘 메모는 관리비", "누나한테 만원 보내줘", "+", "+"],
        [("집주인", 450_000, "관리비", "2026-12-03"), ("누나", 10_000, "", TODAY)],
    ),
    (
        "en", ["send 450,000 won to my landlord on December 3 with the memo: rent", "send 15k won to mom and 20k won to dad", "+", "+", "+"],
        [("Landlord", 450_000, "rent", "2026-12-03"), ("Mom", 15_000, "", TODAY), ("Dad", 20_000, "", TODAY)],
    ),
    # one more is one more, also at the last of several
    ("ko", ["아빠한테 만원 보내줘", "그리고 누나한테 3만원도 보내줘", "+", "+"], [("아빠", 10_000, "", TODAY), ("누나", 30_000, "", TODAY)]),
    ("en", ["send 10,000 won to dad", "send 30,000 to mom too", "+", "+"], [("Dad", 10_000, "", TODAY), ("Mom", 30_000, "", TODAY)]),
    ("ja", ["父に1万ウォン送って", "母にも3万ウォン送って", "+", "+"], [("お父さん", 10_000, "", TODAY), ("お母さん", 30_000, "", TODAY)]),
    (
        "ko", ["엄마한테 만원, 아빠한테 2만원 보내줘", "+", "누나한테 5천원 보내줘", "+", "+"],
        [("엄마", 10_000, "", TODAY), ("아빠", 20_000, "", TODAY), ("누나", 5_000, "", TODAY)],
    ),
    ("ko", ["엄마한테 3만원 보내줘", "2만원 더 보내줘", "+"], [("엄마", 30_000, "", TODAY)]),
    # a yes with a change in it is the change, and what ties a sentence to the last one is nobody's name
    ("ko", ["누나한테 8만원 보내줘", "응 그런데 8만 5천원으로 해줘", "+"], [("누나", 85_000, "", TODAY)]),
    ("en", ["send Mom 61,000 won", "ok, but make it 62,500", "+"], [("Mom", 62_500, "", TODAY)]),
    ("ja", ["姉に7万ウォン送って", "はい、でも7万5千ウォンにして", "+"], [("お姉さん", 75_000, "", TODAY)]),
    ("ko", ["엄마한테 90유로 보내줘", "그렇다면 엄마한테 12만원 보내줘", "+"], [("엄마", 120_000, "", TODAY)]),
    ("ja", ["大家さんに800万ウォン送って", "それでは大家さんに80万ウォン送って", "+"], [("大家さん", 800_000, "", TODAY)]),
    ("en", ["send Dad 9,000 won, and Sister 14,000 won", "+", "+"], [("Dad", 9_000, "", TODAY), ("Sister", 14_000, "", TODAY)]),
    # what must not be done is no request
    ("ko", ["아빠한테 7만원은 보내지 마세요", "+"], []),
    ("en", ["please do not wire 80,000 won to Dad", "+"], []),
    ("ja", ["姉に8万ウォンは送らないでね", "+"], []),
    ("ko", ["아빠한테 3만원 보내줘", "누나한테는 2만원 보내지 않을 거야", "+"], [("아빠", 30_000, "", TODAY)]),
    ("en", ["I won't wire 33,000 won to Mom", "+"], []),
    ("ja", ["母に3万ウォン送って", "ヨンゴルに4万ウォンは払いません", "+"], [("お母さん", 30_000, "", TODAY)]),
    # one more payee, behind one who was refused, does not get his amount
    ("en", ["send 260,000 won to Barnaby", "I need to pay my landlord too", "+"], []),
    ("ja", ["高橋さんに26万ウォン送って", "父にも送りたいです", "+"], []),
    # corrections
    ("ko", ["지영이한테 2만원 보내줘", "아 지영이 말고 아빠한테", "+"], [("아빠", 20_000, "", TODAY)]),
    ("ko", ["지영이한테 2만원 보내줘", "그게 아니라 누나", "+"], [("누나", 20_000, "", TODAY)]),
    ("ja", ["母に2万ウォン送って", "お父さんに変更して", "+"], [("お父さん", 20_000, "", TODAY)]),
    ("ja", ["母に2万ウォン送って", "お母さんじゃなくてジヨンに", "+"], [("ジヨン", 20_000, "", TODAY)]),
    ("en", ["send 20,000 won to Jiyoung", "make it 35,000", "+"], [("Jiyoung", 35_000, "", TODAY)]),
    ("en", ["send 20,000 won to Jiyoung", "make that 45k", "+"], [("Jiyoung", 45_000, "", TODAY)]),
    ("en", ["send 20,000 won to Jiyoung", "not Jiyoung, Dad", "+"], [("Dad", 20_000, "", TODAY)]),
    ("ko", ["아빠한테 2만원 보내줘", "지영이 말고 누나한테", "+"], [("아빠", 20_000, "", TODAY)]),  # nobody spoke of Jiyoung
    # taking back
    ("ko", ["엄마 만원, 아빠 2만원, 누나 3만원 보내줘", "첫번째 건은 빼줘", "+", "+"], [("아빠", 20_000, "", TODAY), ("누나", 30_000, "", TODAY)]),
    ("ko", ["엄마 만원, 아빠 2만원, 누나 3만원 보내줘", "아빠 건은 빼줘", "+", "+", "+"], [("엄마", 10_000, "", TODAY), ("누나", 30_000, "", TODAY)]),
    ("ko", ["엄마 만원, 아빠 2만원 보내줘", "전부 취소해줘", "+", "+"], []),
    ("ko", ["엄마 만원, 아빠 2만원 보내줘", "둘 다 취소", "+", "+"], []),
    ("en", ["send 10,000 won to mom and 20,000 won to dad", "+", "cancel the rest", "+"], [("Mom", 10_000, "", TODAY)]),
    ("en", ["send 10,000 won to mom and 20,000 won to dad", "drop dad", "+", "+"], [("Mom", 10_000, "", TODAY)]),
    ("ja", ["母に1万ウォン、父に2万ウォン送って", "+", "残りはキャンセルして", "+"], [("お母さん", 10_000, "", TODAY)]),
    ("ko", ["엄마한테 3만원 보내줘", "아니 안 할래요", "+"], []),
    # what cannot be is told, and nothing is paid with what was there before without its being shown
    ("en", ["send 60,000 won to mom", "send mom 9,999,999,999", "+"], []),
    ("ko", ["엄마한테 육백만원 보내줘", "+"], []),
    ("ko", ["엄마한테 6만원 보내줘", "칠백만원으로 바꿔줘", "+"], []),
    ("ko", ["엄마한테 400만원, 아빠한테 200만원 보내줘", "+", "+"], [("엄마", 4_000_000, "", TODAY)]),
    ("ko", ["엄마한테 6만원 보내줘", "응 아니야", "+"], [("엄마", 60_000, "", TODAY)]),
    # among two of one name
    ("ko", ["민수한테 3만원 보내줘", "두번째", "+"], [("민수", 30_000, "", TODAY)]),
    ("en", ["send 30,000 won to Minsu", "the second one", "+"], [("Minsu", 30_000, "", TODAY)]),
    # as before
    ("ko", ["엄마한테 3만원 보내줘", "+", "아빠한테도 같은 금액 보내줘", "+"], [("엄마", 30_000, "", TODAY), ("아빠", 30_000, "", TODAY)]),
    ("en", ["send 30,000 won to mom", "+", "same again please", "+"], [("Mom", 30_000, "", TODAY), ("Mom", 30_000, "", TODAY)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "turns", "expected"), CASES, ids=[" / ".join(turns) for _, turns, _ in CASES])
async def test_exactly_what_was_said_is_paid(language: str, turns: list[str], expected: list[Any]) -> None:
    made, answers = await paid(language, *turns)
    assert made == expected, answers


@pytest.mark.parametrize(
    ("language", "opening", "unclear", "told"),
    [
        ("ko", "누나한테 4만원 보내줘", "음 글쎄 어쩌지", "이해하지 못해서"),
        ("en", "send 40,000 won to sister", "the weather is odd", "did not understand"),
        ("ja", "姉に4万ウォン送って", "どうしようかな", "理解できなかった"),
        ("ko", "누나한테 4만원 보내줘", "메모는 빼줘", "바뀐 것이 없어요"),
        ("ko", "누나한테 4만원 보내줘", "누나한테 4만원 보내줘", "이미 그렇게"),
    ],
)
async def test_a_turn_that_changed_nothing_says_so(language: str, opening: str, unclear: str, told: str) -> None:
    _, (asked, answered) = await paid(language, opening, unclear)
    assert told in answered and answered != asked


async def test_two_values_that_cannot_be_are_both_told() -> None:
    _, (_, answered) = await paid("ko", "엄마한테 3만원 보내줘", "어제 700만원 보내줘")
    assert "지난 날짜" in answered and "한도" in answered
