"""The limit of a day is that of the day on which a transfer goes out; what a turn says of the day is judged by it."""

from datetime import date, datetime

import pytest

from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ZONE, Talk
from understanding.offline.turn_moves import LearnedMoveHead

NOW = datetime(2026, 11, 24, 10, tzinfo=ZONE)


async def _paid(language: str, *turns: str) -> list[tuple[int, date]]:
    talk = Talk(NOW, language)
    for turn in turns:
        await talk.says(turn)
    return [(order.amount, order.value_on) for order in talk.paid]


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send 5,000,000 to my landlord", "yes", "send Mom 10,000", "then tomorrow", "yes")),
        ("ko", ("집주인한테 500만원 보내줘", "응", "엄마한테 만원 보내줘", "그럼 내일로 해줘", "응")),
        ("ja", ("大家さんに500万ウォン送って", "はい", "お母さんに1万ウォン送って", "じゃあ明日にして", "はい")),
    ],
)
async def test_what_is_too_much_for_today_goes_out_on_the_day_that_is_said_instead(
    language: str, turns: tuple[str, ...]
) -> None:
    assert await _paid(language, *turns) == [(5_000_000, date(2026, 11, 24)), (10_000, date(2026, 11, 25))]


async def test_what_is_booked_does_not_count_for_today() -> None:
    turns = ("send 3,000,000 to my landlord tomorrow", "yes", "send Mom 2,500,000 today", "yes")
    assert await _paid("en", *turns) == [(3_000_000, date(2026, 11, 25)), (2_500_000, date(2026, 11, 24))]


async def test_a_day_that_has_no_room_is_refused_before_the_yes() -> None:
    talk = Talk(NOW, "en")
    for turn in ("send 3,000,000 to my landlord tomorrow", "yes", "send Mom 2,500,000"):
        await talk.says(turn)
    assert "2026-11-25" in await talk.says("make it tomorrow")
    await talk.says("yes")
    on_tomorrow = [order.amount for order in talk.paid if order.value_on == date(2026, 11, 25)]
    assert sum(on_tomorrow) <= 5_000_000


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "dinner was 90,000 for three. send Jiyoung 30,000", "30,000"),
        ("ko", "택시비가 2만4천원이었어. 누나한테 만이천원 보내줘", "12,000"),
        ("ja", "昼は3人で9万でした。ジヨンに3万ウォン送って", "3万"),
        ("ko", "엄마랑 아빠한테 3만원씩, 누나한테 만원 보내줘", "아빠 3만원"),
        ("en", "10,000 to Jiyoung and 20,000 each to Mom and Dad", "Dad 20,000"),
    ],
)
async def test_an_amount_is_that_of_the_sentence_and_of_each_who_is_to_have_it(
    language: str, said: str, shown: str
) -> None:
    talk = Talk(NOW, language)
    assert shown in await talk.says(said)
    assert not talk.paid


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send Dad 60,000", "don't send it yet, it's 70,000")),
        ("ko", ("아빠한테 6만원 보내줘", "아직 보내지 마 7만원이야")),
        ("ja", ("お父さんに6万ウォン送って", "まだ送らないで、7万ウォンだった")),
    ],
)
async def test_what_is_not_to_be_sent_yet_is_shown_as_it_should_be(
    language: str, turns: tuple[str, ...], heads: dict[str, LearnedMoveHead]
) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    answers = [await talk.says(turn) for turn in turns]
    assert "7" in answers[-1] and "6" not in answers[-1]
    assert not talk.paid


@pytest.mark.parametrize(
    ("language", "first", "begin", "others"),
    [
        ("en", "send Mom 30,000 and Dad 20,000", "send the first one first", "the second one first"),
        ("ko", "엄마한테 3만원 아빠한테 2만원 보내줘", "첫번째부터 보내줘", "두번째부터 보내줘"),
    ],
)
async def test_the_first_one_first_is_a_yes_to_the_one_that_is_asked_about(
    language: str, first: str, begin: str, others: str
) -> None:
    assert await _paid(language, first, begin) == [(30_000, date(2026, 11, 24))]
    assert await _paid(language, first, others) == []
