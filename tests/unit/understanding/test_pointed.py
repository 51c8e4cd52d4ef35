"""A sum that a sentence points at is the one that the answer before has told, and none where that is not plain."""

from datetime import datetime

import pytest

from contracts.cognitive import Turn
from understanding.offline.pointed import with_sum


def asked(answer: str) -> tuple[Turn, ...]:
    return Turn(role="user", text="?"), Turn(role="assistant", text=answer)


@pytest.mark.parametrize(
    ("answer", "said", "meant"),
    [
        ("수리비는 84,000원이에요.", "그 금액 누나한테 보내줘", "84,000원 누나한테 보내줘"),
        ("The bill says: “Due: 31,200 won”.", "ok send that much to Dad", "ok send 31,200 won to Dad"),
        ("168,000ウォン ÷ 7 = 24,000ウォン", "その金額をお姉さんに送って", "24,000ウォンをお姉さんに送って"),
    ],
)
def test_the_sum_of_the_answer_takes_its_place(answer: str, said: str, meant: str, now: datetime) -> None:
    assert with_sum(said, asked(answer), now) == meant


@pytest.mark.parametrize(
    "answer", ["It is 30,000 won for adults and 20,000 won for children.", "You have no appointments.", ""]
)
def test_where_none_or_several_were_told_the_words_stay(answer: str, now: datetime) -> None:
    said = "Send that much to Dad"
    assert with_sum(said, asked(answer) if answer else (), now) == said


def test_what_the_person_said_last_is_no_answer(now: datetime) -> None:
    said = "그 금액 보내줘"
    assert with_sum(said, (Turn(role="user", text="회비 3만원"),), now) == said
