"""What must not move money however it is typed: sums beyond all limits, two of one name, contradictions, floods, mixed
languages, letters that look like others and signs that nobody sees. Nothing is paid, and the person is told something."""

from datetime import datetime
from itertools import pairwise

import pytest

from contracts.cognitive import FlowStage
from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
BOOK = address_book(ME)
CYRILLIC_YES, GREEK_OK, FULL_WIDTH_M = "\u0443es", "\u03bfk", "\uff2dom"
ZERO_WIDTH = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"]


async def played(language: str, *turns: str) -> tuple[Talk, list[str]]:
    talk = Talk(NOW, language)
    answers = [await talk.says(turn) for turn in turns]
    assert all(answer.strip() for answer in answers), "the person is told something at every turn"
    return talk, answers


def paid(talk: Talk) -> list[tuple[str, int]]:
    names = {one.payee_id: label(one, BOOK, talk.language) for one in BOOK}
    return [(names[order.payee_id], order.amount) for order in talk.paid]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "누나한테 1000000000000000000원 보내줘"), ("ko", "누나한테 백경원 보내줘"), ("ko", "누나한테 100,000,000억 원 부쳐줘"),
        ("en", "send sister 1,000,000,000,000,000,000 won"), ("ja", "姉に1000000000000000000ウォン送って"), ("ja", "姉に100京ウォン送って"),
    ],
)  # fmt: skip
async def test_more_than_there_is_money_is_refused_and_a_yes_changes_nothing(language: str, text: str) -> None:
    talk, _ = await played(language, text, "네", "yes", "はい")
    assert paid(talk) == []
    assert talk.state is not None and talk.state.stage is not FlowStage.CONFIRMED


async def test_of_two_with_one_name_nobody_is_paid_until_one_is_chosen() -> None:
    talk, answers = await played("ko", "민수한테 7만원 보내줘", "네", "민수", "응")
    assert paid(talk) == []
    assert all("한빛" in answer and "푸른" in answer for answer in answers)


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ["누나한테 6만원 보내줘", "보내 아니 보내지 마 아니 보내"]),
        ("ko", ["누나한테 6만원 보내줘", "네 아니요"]),
        ("ko", ["누나한테 6만원 보내지 말고 보내줘", "응 근데 하지 마"]),
        ("en", ["send sister 60,000 won", "yes no yes"]),
        ("en", ["send sister 60,000 won", "send it but don't send it"]),
        ("ja", ["姉に6万ウォン送って", "はい、いいえ、はい"]),
        ("ja", ["姉に6万ウォン送って", "送って、やっぱり送らないで"]),
    ],
)
async def test_who_says_yes_and_no_in_one_breath_has_confirmed_nothing(language: str, turns: list[str]) -> None:
    talk, _ = await played(language, *turns)
    assert paid(talk) == []


@pytest.mark.parametrize(
    ("language", "names", "opening", "correction", "yes"),
    [
        ("ko", ["엄마", "아빠", "누나", "지영", "용걸이"], "집주인한테 {a}원 보내줘", "아니 {n} 말고 {a}원", "응"),
        ("en", ["Mom", "Dad", "Sister", "Jiyoung", "Yonggeol"], "send the landlord {a} won", "no wait, {a} won", "yes"),
        (
            "ja",
            ["母", "父", "姉", "ジヨン", "ヨンゴル"],
            "大家さんに{a}ウォン送って",
            "ごめん、{a}ウォンだった",
            "はい",
        ),
    ],
)
async def test_after_ten_corrections_in_a_row_the_last_one_counts(
    language: str, names: list[str], opening: str, correction: str, yes: str
) -> None:
    amounts = [10_000 + 1_000 * number for number in range(11)]
    fixed = [
        correction.format(a=f"{new:,}" if language == "en" else new, n=f"{old}원") for old, new in pairwise(amounts)
    ]
    talk, answers = await played(language, opening.format(a=amounts[0]), *fixed)
    assert paid(talk) == [] and talk.state is not None and talk.state.slots["amount"] == amounts[-1]
    told = "".join(answers[-1].split()).replace(",", "")
    assert any(form in told for form in ("20000", "2만", "2万"))
    await talk.says(yes)
    assert [amount for _, amount in paid(talk)] == [amounts[-1]]


@pytest.mark.parametrize("hidden", ["네", "보내줘", "yes", "はい", "누나한테 300만원 보내줘"])
async def test_eight_thousand_characters_confirm_nothing_and_say_nothing_in_between(hidden: str) -> None:
    flood = "이 얘기 저 얘기 그리고 또 다른 이야기를 길게 늘어놓는다 " * 130
    talk, _ = await played("ko", "엄마한테 만원 보내줘", f"{flood}{hidden} {flood}", hidden + " " * 8_000 + "아니")
    assert paid(talk) == []
    assert talk.state is not None and ("target", "엄마") in talk.state.slots.items()


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ["엄마한테 send 2만원 してください", "yes はい 네 but 잠깐"]),
        ("en", ["send 만원 to お母さん please 부탁", "ok だけど 아니"]),
        ("ja", ["Momに만원送って please", "はい no 네"]),
    ],
)
async def test_three_languages_in_one_turn_pay_nothing_without_a_plain_yes(language: str, turns: list[str]) -> None:
    talk, _ = await played(language, *turns)
    assert paid(talk) == []


@pytest.mark.parametrize("yes", [CYRILLIC_YES, GREEK_OK, "y\u0435s", "\u13f3es", "ye\u0455", "n\u0435t yes"])
async def test_a_yes_in_letters_that_only_look_so_confirms_nothing(yes: str) -> None:
    talk, _ = await played("en", "send sister 20,000 won", yes)
    assert paid(talk) == []


@pytest.mark.parametrize("sign", ZERO_WIDTH)
@pytest.mark.parametrize("yes", ["네{}", "{}네", "보{}내줘", "ye{}s", "は{}い"])
async def test_a_yes_with_a_sign_that_nobody_sees_confirms_nothing(sign: str, yes: str) -> None:
    talk, _ = await played("ko", "누나한테 2만원 보내줘", yes.format(sign))
    assert paid(talk) == []


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "send \u041c\u043em 20,000 won", "Cyrillic"),
        ("en", "send 20,000 won to D\u0430d", "Cyrillic"),
        ("ko", "엄\u200b마한테 2만원 보내줘", "zero width"),
        ("ko", "아\u2060빠한테 2만원 보내줘", "zero width"),
        ("ja", "お\u200b母さんに2万ウォン送って", "zero width"),
    ],
)
async def test_a_payee_in_letters_that_only_look_so_is_nobody_or_shown_by_its_name(
    language: str, text: str, said: str
) -> None:
    talk, answers = await played(language, text)
    state = talk.state
    assert paid(talk) == [] and state is not None
    if state.stage is FlowStage.READY:  # read as the name it stands for, and shown so
        assert any(label(one, BOOK, language) in answers[-1] for one in BOOK), said
    await talk.says({"ko": "네", "en": "yes", "ja": "はい"}[language])
    assert all(name in {label(one, BOOK, language) for one in BOOK} for name, _ in paid(talk))


async def test_a_payee_in_wide_letters_is_the_one_who_is_shown() -> None:
    talk, answers = await played("en", f"send {FULL_WIDTH_M} 20,000 won")
    assert "Mom" in answers[-1] or paid(talk) == []
