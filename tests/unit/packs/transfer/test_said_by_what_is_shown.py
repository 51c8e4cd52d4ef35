"""Turns that say a value by another one that is shown or was sent: so much more, twice of it, the same for somebody else,
now instead of later; and a memo that is asked for before it is said."""

from datetime import date, datetime, timedelta

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 5, 12, 11, tzinfo=ZONE)
TODAY, TOMORROW = NOW.date(), NOW.date() + timedelta(days=1)
BOOK = address_book(ME)
PAYEES = {one.payee_id: one for one in BOOK}


async def after(language: str, *turns: str) -> tuple[Talk, str]:
    """The talk, and the last answer."""
    talk, answer = Talk(NOW, language), ""
    for turn in turns:
        answer = await talk.says(turn)
    return talk, answer


def shown(talk: Talk) -> tuple[object, object]:
    assert talk.state is not None
    return talk.state.slots.get("amount"), talk.state.slots.get("date")


@pytest.mark.parametrize(
    ("language", "first", "then", "amount"),
    [
        ("ko", "누나한테 4만원 보내줘", "8천원 올려줘", 48_000),
        ("ko", "누나한테 4만원 보내줘", "8천원 깎아서", 32_000),
        ("ko", "누나한테 4만원 보내줘", "8천원으로 올려줘", 8_000),
        ("ko", "누나한테 4만원 보내줘", "2배로 하자", 80_000),
        ("ko", "누나한테 4만원 보내줘", "반만", 20_000),
        ("en", "send Sister 40,000 won", "push that up by 8,000 won", 48_000),
        ("en", "send Sister 40,000 won", "reduce it by 8,000 won", 32_000),
        ("en", "send Sister 40,000 won", "raise it to 48,000 won", 48_000),
        ("en", "send Sister 40,000 won", "actually, double that", 80_000),
        ("ja", "お姉さんに4万ウォン送って", "8千ウォン上げて", 48_000),
        ("ja", "お姉さんに4万ウォン送って", "8千ウォン減らして", 32_000),
        ("ja", "お姉さんに4万ウォン送って", "2倍でお願い", 80_000),
    ],
)
async def test_an_amount_may_be_said_by_the_one_that_is_shown(
    language: str, first: str, then: str, amount: int
) -> None:
    talk, _ = await after(language, first, then)
    assert talk.paid == [] and shown(talk)[0] == amount


@pytest.mark.parametrize(
    ("language", "turns", "amount"),
    [
        ("ko", ("누나한테 4만원 보내줘", "응", "지영이한테도 보내줘"), 40_000),
        ("ko", ("누나한테 4만원 보내줘", "응", "지영이한테는 그 두 배로"), 80_000),
        ("en", ("send Sister 40,000 won", "yes", "Jiyoung as well please"), 40_000),
        ("en", ("send Sister 40,000 won", "yes", "now the same transfer again, please"), 40_000),
        ("en", ("send Sister 40,000 won", "yes", "and Jiyoung gets twice as much"), 80_000),
        ("ja", ("お姉さんに4万ウォン送って", "はい", "ジヨンにも送って"), 40_000),
    ],
)
async def test_what_was_sent_is_what_another_gets_too_once_it_is_agreed_to(
    language: str, turns: tuple[str, ...], amount: int
) -> None:
    talk, _ = await after(language, *turns)
    assert len(talk.paid) == 1 and shown(talk)[0] == amount


@pytest.mark.parametrize(
    ("language", "first", "then"),
    [
        ("ko", "누나한테 내일 4만원 보내줘", "그냥 지금 보내줘"),
        ("en", "send Sister 40,000 won tomorrow", "send it right now"),
        ("en", "send Sister 40,000 won tomorrow", "not tomorrow, now"),
        ("ja", "お姉さんに明日4万ウォン送って", "今すぐ送って"),
    ],
)
async def test_who_says_now_where_a_later_day_is_shown_means_today_and_is_asked_once_more(
    language: str, first: str, then: str
) -> None:
    talk, _ = await after(language, first)
    assert shown(talk)[1] == TOMORROW.isoformat()
    await talk.says(then)
    assert talk.paid == [] and shown(talk)[1] == TODAY.isoformat()
    await talk.says({"ko": "네", "en": "yes", "ja": "はい"}[language])
    assert [one.value_on for one in talk.paid] == [date(2026, 5, 12)]


@pytest.mark.parametrize(
    ("language", "first", "then", "memo"),
    [
        ("ko", "누나한테 4만원 보내줘", "메모도 달 수 있을까? 택시비", "택시비"),
        ("ko", "누나한테 4만원 보내줘", "메모 넣어 줄래요? “기타 줄”", "기타 줄"),
        ("en", "send Sister 40,000 won", "could you put a note with it? guitar strings", "guitar strings"),
        ("en", "send Sister 40,000 won", "can the memo be guitar strings?", "guitar strings"),
        ("ja", "お姉さんに4万ウォン送って", "メモを入れられますか？「ギターの弦」", "ギターの弦"),
        ("en", "send Sister 40,000 won", "is there a memo? send it", None),
        ("ko", "누나한테 4만원 보내줘", "메모 뭐라고 넣었어? 보내줘", None),
    ],
)
async def test_a_memo_may_stand_behind_the_question_for_one(
    language: str, first: str, then: str, memo: str | None
) -> None:
    talk, _ = await after(language, first, then)
    assert talk.paid == [] and talk.state is not None and talk.state.slots.get("memo") == memo


async def test_of_two_of_one_name_the_bank_says_which_one_is_meant_instead() -> None:
    talk, answer = await after("ko", "푸른은행 민수한테 7만원 보내줘", "아니 그 민수 말고 한빛은행 민수로")
    assert "한빛은행)에게 7만원" in answer
    await talk.says("응")
    assert ["한빛은행" in label(PAYEES[one.payee_id], BOOK, "ko") for one in talk.paid] == [True]


@pytest.mark.parametrize(
    ("language", "first", "then"),
    [
        ("en", "send Jiyoung 20,000 and Sister 50,000", "make Sister's 45,000, she needs more sleep than money"),
        ("ko", "지영이한테 2만원, 누나한테 5만원 보내줘", "누나 건 4만 5천원으로, 생각보다 더 쌌어"),
    ],
)
async def test_a_word_for_more_in_a_reason_adds_nothing(language: str, first: str, then: str) -> None:
    talk, _ = await after(language, first, then)
    assert talk.state is not None
    assert [one["amount"] for one in (talk.state.slots, *talk.state.queue)] == [20_000, 45_000]


@pytest.mark.parametrize(
    ("language", "said", "memos"),
    [
        ("ko", "누나한테 4만원 메모 '학원비', 지영이한테 6만원 메모 '선물' 이렇게 부쳐줘", ["학원비", "선물"]),
        (
            "en",
            "send 40,000 to Sister with the memo lessons and 60,000 to Jiyoung with the memo gift",
            ["lessons", "gift"],
        ),
        ("ja", "お姉さんに4万ウォン、メモは「月謝」、ジヨンに6万ウォン、メモは「贈り物」で送って", ["月謝", "贈り物"]),
    ],
)
async def test_each_of_several_has_the_memo_that_is_said_with_it(language: str, said: str, memos: list[str]) -> None:
    talk, _ = await after(language, said)
    assert talk.state is not None
    tasks = (talk.state.slots, *talk.state.queue)
    assert [(one["amount"], one["memo"]) for one in tasks] == [(40_000, memos[0]), (60_000, memos[1])]


@pytest.mark.parametrize(
    ("language", "first", "then", "days"),
    [
        ("ko", "누나한테 5월 20일에 4만원 보내줘", "이틀만 늦춰줘", 22),
        ("ko", "누나한테 5월 20일에 4만원 보내줘", "하루 앞당겨 주세요", 19),
        ("en", "send Sister 40,000 won on May 20", "push it back two days", 22),
        ("en", "send Sister 40,000 won on May 20", "a day earlier, please", 19),
        ("ja", "お姉さんに5月20日に4万ウォン送って", "二日遅らせて", 22),
    ],
)
async def test_the_day_that_is_shown_moves_by_days(language: str, first: str, then: str, days: int) -> None:
    talk, _ = await after(language, first, then)
    assert talk.paid == [] and shown(talk)[1] == date(2026, 5, days).isoformat()


async def test_so_much_more_for_each_of_several_is_not_what_each_is_to_have() -> None:
    talk, _ = await after("ko", "누나 4만원 지영이 6만원 송금해줘", "둘 다 5천원씩 올려줘", "응")
    assert talk.paid == [] and talk.state is not None
    assert [one["amount"] for one in (talk.state.slots, *talk.state.queue)] == [40_000, 60_000]
