"""Turns about several that are shown: a yes that says all of it again or names each, one taken back in other words, one
taken back beside a change of another."""

import pytest

from tests.unit.packs.transfer.test_yes_in_known_words import Paid, paid
from understanding.offline.turn_moves import LearnedMoveHead

AGAIN: list[tuple[str, str, str, Paid]] = [
    ("ko", "누나한테 8천원 보내줘 메모는 '간식'", "네 누나한테 8천원, 메모 간식 맞아요. 보내 주세요", [("누나", 8_000, "간식")]),
    (
        "en",
        "send Dad 31,000 won with the memo 'petrol'",
        "Yes, Dad, 31,000 won, memo: petrol. Please send it.",
        [("Dad", 31_000, "petrol")],
    ),
    ("ja", "母に4千ウォン送って、メモは「花」で", "はい、母に4千ウォン、メモは「花」で合っています。送ってください", [("お母さん", 4_000, "花")]),
    # another sum, another memo, or a doubt is none
    ("ko", "누나한테 8천원 보내줘 메모는 '간식'", "네 누나한테 9천원, 메모 간식 맞아요. 보내 주세요", []),
    ("en", "send Dad 31,000 won with the memo 'petrol'", "Yes, Dad, 31,000 won, memo: bus. Please send it.", []),
    ("en", "send Dad 31,000 won with the memo 'petrol'", "is it really Dad, 31,000 won, memo petrol?", []),
]  # fmt: skip
THREE = {
    "ko": "엄마 1만원 누나 2만원 아빠 3만원 보내줘",
    "en": "send Mom 10,000 won, Sister 20,000 won and Dad 30,000 won",
    "ja": "母に1万ウォン、姉に2万ウォン、父に3万ウォン送って",
}
NAMED: list[tuple[str, list[str], list[int]]] = [
    ("ko", ["아빠한테는 벌써 줬더라 그건 됐고", "응 엄마랑 누나 보내줘"], [10_000, 20_000]),
    ("en", ["cross Dad off, he was paid already", "yes, send it to Mom and Sister"], [10_000, 20_000]),
    ("ja", ["父の分はもういらないみたい", "はい、母と姉の両方に送ってください"], [10_000, 20_000]),
    ("ko", ["이대로 보내줘"], [10_000, 20_000, 30_000]),
    ("en", ["go ahead and send them"], [10_000, 20_000, 30_000]),
    ("en", ["👍 send them all"], [10_000, 20_000, 30_000]),
    # two of three are not all of them
    ("ko", ["엄마랑 누나 보내줘"], []),
    ("en", ["yes, send it to Mom and Dad"], []),
    # each with a sum that is another's
    ("ko", ["네 엄마 2만원 누나 1만원 아빠 3만원 다 보내줘"], []),
    # both at once, in either order
    ("ko", ["누나는 빼고 아빠는 2만 5천원으로 해줘", "둘 다 보내"], [10_000, 25_000]),
    ("ko", ["엄마는 만 5천원으로 올리고 아빠는 빼줘", "둘 다 보내"], [15_000, 20_000]),
    ("en", ["drop Sister and make Dad's 25,000", "send both"], [10_000, 25_000]),
    ("ja", ["姉の分は外してください。あと父は2万5千にして", "両方送って"], [10_000, 25_000]),
    # "and" before a change of one that is open begins no other
    ("en", ["drop Sister", "and raise Mom to 12,000", "send both"], [12_000, 30_000]),
    ("ko", ["누나는 빼줘", "그리고 엄마는 만 2천원으로 올려", "둘 다 보내"], [12_000, 30_000]),
    # who stays is not taken back
    ("en", ["Dad really needs his", "yes"], [10_000]),
    ("ko", ["아빠 거는 꼭 남겨둬", "응", "응", "응", "응"], [10_000, 20_000, 30_000]),
]
MORE: list[tuple[str, list[str], Paid]] = [
    ("ko", ["엄마한테 2만원 보내줘", "만원 더 얹어서 3만원으로 해줘", "응"], [("엄마", 30_000, "")]),
    ("en", ["send Mom 20,000 won", "add 10,000 so that it is 30,000", "yes"], [("Mom", 30_000, "")]),
    ("ko", ["엄마 만원 누나 2만원", "누나 건에만 '책값'이라고 메모 넣어줘", "둘 다 보내"], [("엄마", 10_000, ""), ("누나", 20_000, "책값")]),
    ("ja", ["姉に7千ウォン送って", "すみません、姉ではなく母でした", "はい"], [("お母さん", 7_000, "")]),
    ("en", ["Mom 5,000, Dad 6,000, send both of them", "yes", "yes"], [("Mom", 5_000, ""), ("Dad", 6_000, "")]),
    ("en", ["send Dad forty dollars"], []),
]  # fmt: skip


@pytest.mark.parametrize(("language", "asked", "yes", "expected"), AGAIN)
async def test_a_yes_that_says_again_what_is_shown_pays_it(
    language: str, asked: str, yes: str, expected: Paid, heads: dict[str, LearnedMoveHead]
) -> None:
    assert await paid(heads, language, asked, yes) == expected


@pytest.mark.parametrize(("language", "said", "sums"), NAMED)
async def test_of_several_that_are_shown(
    language: str, said: list[str], sums: list[int], heads: dict[str, LearnedMoveHead]
) -> None:
    assert sorted(amount for _, amount, _ in await paid(heads, language, THREE[language], *said)) == sums


@pytest.mark.parametrize(("language", "said", "expected"), MORE)
async def test_what_a_change_comes_to(
    language: str, said: list[str], expected: Paid, heads: dict[str, LearnedMoveHead]
) -> None:
    assert sorted(await paid(heads, language, *said)) == sorted(expected)
