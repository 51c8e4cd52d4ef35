"""What a person has against a transfer that is shown stays, even where it was not understood: the next word pays nothing
otherwise than meant."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk
from understanding.offline.turn_moves import LearnedMoveHead

NOW = datetime(2026, 5, 12, 11, tzinfo=ZONE)
BOOK = address_book(ME)
PAYEES = {one.payee_id: one for one in BOOK}


Talked = Callable[..., Awaitable[Talk]]
Paid = Callable[..., Awaitable[list[tuple[str, int]]]]
"""Whom a conversation has paid, and how much."""


@pytest.fixture(scope="module")
def talked(heads: dict[str, LearnedMoveHead]) -> Talked:
    async def after(language: str, *turns: str) -> Talk:
        talk = Talk(NOW, language, InThread(None, heads))
        for turn in turns:
            await talk.says(turn)
        return talk

    return after


@pytest.fixture(scope="module")
def paid(talked: Talked) -> Paid:
    async def after(language: str, *turns: str) -> list[tuple[str, int]]:
        talk = await talked(language, *turns)
        return [(label(PAYEES[one.payee_id], BOOK, language), one.amount) for one in talk.paid]

    return after


@pytest.mark.parametrize(
    ("language", "turns", "name"),
    [
        ("en", ("send Dad 20,000 won", "hold on, that's the wrong person", "20,000 won to Jiyoung", "yes"), "Jiyoung"),
        ("en", ("send Dad 20,000 won", "that should go to Jiyoung, 20,000 won", "yes"), "Jiyoung"),
        ("en", ("send Dad 20,000 won", "oh wait, no, not him, Jiyoung", "yes"), "Jiyoung"),
        ("ko", ("아빠한테 2만원 보내줘", "어 받는 사람이 틀렸네", "지영이한테 2만원", "응"), "지영"),
    ],
)
async def test_what_follows_an_objection_is_instead_of_what_is_shown(
    language: str, turns: tuple[str, ...], name: str, paid: Paid
) -> None:
    assert await paid(language, *turns) == [(name, 20_000)]


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send Dad 20,000 and Jiyoung 30,000", "on second thought don't pay any of them", "ok thanks")),
        ("en", ("send Dad 20,000 and Jiyoung 30,000", "please don't transfer the big one over there", "ok")),
        ("ko", ("아빠 2만원 지영이 3만원 보내줘", "아무한테도 보내지 마", "응")),
        ("ja", ("お父さんに2万ウォン、ジヨンに3万ウォン送って", "やっぱり何も送らないで", "うん")),
    ],
)
async def test_who_wants_nothing_sent_pays_nothing_by_the_next_word(
    language: str, turns: tuple[str, ...], paid: Paid
) -> None:
    assert await paid(language, *turns) == []


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send Dad 20,000 and Jiyoung 30,000", "yes", "sure, her as well")),
        ("en", ("send Dad 20,000 and Jiyoung 30,000", "yes", "yeah, next one too")),
        ("en", ("send Dad 20,000, then Jiyoung 30,000", "yes", "Confirmed: send Jiyoung the 30,000")),
        ("ko", ("아빠 2만원 지영이 3만원 보내줘", "응", "네 그쪽도요")),
        ("ja", ("お父さんに2万ウォン、ジヨンに3万ウォン送って", "はい", "そちらもお願いします")),
        ("ja", ("お父さんに2万ウォン、ジヨンに3万ウォン送って", "はい", "はい、相違ございません")),
    ],
)
async def test_a_yes_may_say_that_it_is_one_more(language: str, turns: tuple[str, ...], paid: Paid) -> None:
    assert [amount for _, amount in await paid(language, *turns)] == [20_000, 30_000]


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send Dad 20,000 won", "yes", "and one more time with the same amount please", "yes")),
        ("ja", ("お父さんに2万5千うぉん送って", "はい")),
    ],
)
async def test_ways_to_say_a_transfer(language: str, turns: tuple[str, ...], paid: Paid) -> None:
    assert await paid(language, *turns) != []


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ("send Dad 20,000 won", "wait, will it be windy at the beach on Sunday?", "yes")),
        ("ko", ("아빠한테 2만원 보내줘", "근데 일요일에 바닷가 바람 많이 불까?", "응")),
        ("ja", ("お父さんに2万ウォン送って", "ところで日曜日は風が強いかな？", "はい")),
    ],
)
async def test_a_question_about_a_day_moves_no_transfer_to_it(
    language: str, turns: tuple[str, ...], talked: Talked
) -> None:
    talk = await talked(language, *turns)
    assert talk.state is not None and "date" not in talk.state.slots
