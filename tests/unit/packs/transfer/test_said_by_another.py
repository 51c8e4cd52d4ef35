"""What is said by something else: amounts by other amounts, days by what is told beside them, two people by one name."""

from datetime import datetime

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 11, 29, 10, tzinfo=ZONE)  # a Sunday
TODAY = "2026-11-29"
BOOK = address_book(ME)
YES = {"ko": "응", "en": "yes", "ja": "はい"}


async def paid(language, turns, yeses):
    """(payee, won, day) of what the turns and so many words of yes have paid."""
    talk = Talk(NOW, language)
    answers = [await talk.says(turn) for turn in (*turns, *[YES[language]] * yeses)]
    names = {one.payee_id: label(one, BOOK, "en") for one in BOOK}
    return [(names[one.payee_id], one.amount, str(one.value_on)) for one in talk.paid], answers


@pytest.mark.parametrize(
    ("language", "turns", "expected"),
    [
        ("ko", ["지영이가 택시비 2만4천원 냈어 반 보내줘"], [("Jiyoung", 12_000, TODAY)]),
        ("en", ["Taxi was 24,000, Jiyoung paid. Send her my half"], [("Jiyoung", 12_000, TODAY)]),
        ("ja", ["タクシー代2万4千、ジヨンと割り勘だから半分送って"], [("Jiyoung", 12_000, TODAY)]),
        ("ko", ["피자 4만5천원 셋이서 나눠서 내 몫 용걸이한테 보내줘"], [("Yonggeol", 15_000, TODAY)]),
        ("en", ["Split 45,000 three ways and send my share to Yonggeol"], [("Yonggeol", 15_000, TODAY)]),
        ("ja", ["ピザ4万5千を3人で割ってヨンゴルに送って"], [("Yonggeol", 15_000, TODAY)]),
        (
            "ko",
            ["아빠한테 20만원인데 반은 오늘 반은 화요일에 보내줘"],
            [("Dad", 100_000, TODAY), ("Dad", 100_000, "2026-12-01")],
        ),
        (
            "en",
            ["Send Dad 200,000, half today and half on Tuesday"],
            [("Dad", 100_000, TODAY), ("Dad", 100_000, "2026-12-01")],
        ),
        (
            "en",
            ["The landlord gets 400,000 on New Year's Eve and Dad 20,000 on Xmas day"],
            [("Landlord", 400_000, "2026-12-31"), ("Dad", 20_000, "2026-12-25")],
        ),
        (
            "ja",
            ["明日大家さんに20万、メモは電気代。それと今日ジヨンに3万、メモは会費で"],
            [("Landlord", 200_000, "2026-11-30"), ("Jiyoung", 30_000, TODAY)],
        ),
        ("en", ["The other 50,000 tomorrow, to Dad"], [("Dad", 50_000, "2026-11-30")]),
        ("ko", ["나머지 5만원은 내일, 아빠한테 보내줘"], [("Dad", 50_000, "2026-11-30")]),
        ("ja", ["残りの5万ウォンは明日、お父さんに送って"], [("Dad", 50_000, "2026-11-30")]),
        ("ko", ["누나한테만 5만원 보내줘"], [("Sister", 50_000, TODAY)]),
        ("ko", ["누나한테 만원짜리 세 장만 보내줘"], [("Sister", 30_000, TODAY)]),
        ("en", ["Pay my sistr 30,000"], [("Sister", 30_000, TODAY)]),
        ("ja", ["おかあさんに3まんウォンそうきん"], [("Mom", 30_000, TODAY)]),
    ],
)
async def test_an_order_has_what_follows_from_it(language, turns, expected):
    got, answers = await paid(language, turns, len(expected))
    assert got == expected, answers


@pytest.mark.parametrize(
    ("language", "turns", "expected"),
    [
        (
            "ko",
            ["누나 4만원 용걸이 7만원 보내줘", "앗 금액이 뒤바뀌었네"],
            [("Sister", 70_000, TODAY), ("Yonggeol", 40_000, TODAY)],
        ),
        (
            "en",
            ["Sister 40,000 and Yonggeol 70,000 please", "it's the other way around"],
            [("Sister", 70_000, TODAY), ("Yonggeol", 40_000, TODAY)],
        ),
        (
            "ja",
            ["お姉さんに4万、ヨンゴルに7万送って", "逆でした、お姉さんが7万でヨンゴルが4万"],
            [("Sister", 70_000, TODAY), ("Yonggeol", 40_000, TODAY)],
        ),
        (
            "en",
            ["Pay the landlord 500,000 on December 4", "make it the 8th please, I only get paid on the 7th"],
            [("Landlord", 500_000, "2026-12-08")],
        ),
        (
            "ko",
            ["12월 4일에 집주인한테 50만원 보내줘", "월급이 7일에 나오니까 8일로 미뤄줘"],
            [("Landlord", 500_000, "2026-12-08")],
        ),
        (
            "ja",
            ["12月4日に大家さんに50万送って", "給料が7日なので8日にしてください"],
            [("Landlord", 500_000, "2026-12-08")],
        ),
        ("en", ["Send Sister 60,000", "yes but make it 45,000, she has 15 already"], [("Sister", 45_000, TODAY)]),
        ("en", ["Send Sister 60,000", "actually 65"], [("Sister", 65_000, TODAY)]),
        ("en", ["Send Sister 60,000", "hmm no, only half of it for now please"], [("Sister", 30_000, TODAY)]),
        (
            "en",
            ["Mom, Dad and Sister 20,000 each", "on second thought leave Dad out, he owes me"],
            [("Mom", 20_000, TODAY), ("Sister", 20_000, TODAY)],
        ),
    ],
)
async def test_what_is_shown_is_changed_by_it(language, turns, expected):
    got, answers = await paid(language, turns, len(expected))
    assert got == expected, answers


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("ko", "용걸이한테 2만원 보내고 지영이한테는 취소해줘"),
        ("ja", "ヨンゴルに2万送って、ジヨンにはキャンセル"),
        ("en", "Send Yonggeol 20,000 but not to Jiyoung"),
    ],
)
async def test_whom_the_order_itself_takes_back_gets_nothing(language, order):
    got, answers = await paid(language, [order], 2)
    assert got == [("Yonggeol", 20_000, TODAY)], answers


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ["지영이한테 2만원 보내줘", "아빠한테 만원 보내고 지영이한테는 취소"]),
        ("en", ["Send Jiyoung 20,000", "cancel Jiyoung and send Dad 10,000"]),
        ("ja", ["ジヨンに2万送って", "ジヨンはキャンセルして、お父さんに1万送って"]),
    ],
)
async def test_what_is_ordered_beside_all_that_is_taken_back_is_not_lost(language, turns):
    got, answers = await paid(language, turns, 1)
    assert got == [("Dad", 10_000, TODAY)], answers


@pytest.mark.parametrize(
    ("language", "turns", "name", "sum_"),
    [
        ("ko", ["누나한테 7만원 보내줘", "응", "언니한테 얼마 보냈더라?"], "누나", "7만원"),
        ("en", ["send my father 70,000", "yes", "how much did I send Dad?"], "Dad", "70,000"),
    ],
)
async def test_what_was_sent_is_told_by_whichever_name_it_is_asked_for(language, turns, name, sum_):
    _, answers = await paid(language, turns, 0)
    assert name in answers[-1]
    assert sum_ in answers[-1]


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ["민수 둘 다한테 15000원씩 보내줘"]),
        ("en", ["15,000 to both Minsus please"]),
        ("ja", ["ミンス二人に15000ずつ送って"]),
        ("ko", ["민수한테 15000원 보내줘", "둘 다"]),
        ("en", ["Send Minsu 15,000", "both of them"]),
        ("ja", ["ミンスに15000ウォン送って", "両方"]),
    ],
)
async def test_both_of_one_name(language, turns):
    got, answers = await paid(language, turns, 2)
    assert got == [("Minsu (Hanbit Bank)", 15_000, TODAY), ("Minsu (Pureun Bank)", 15_000, TODAY)], answers


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("ko", "아빠한테 주말에 3만원 보내줘"),
        ("ko", "아빠한테 월급날에 3만원 보내줘"),
        ("en", "Send Dad 30,000 over the weekend"),
        ("en", "Send Dad 30,000 in mid December"),
        ("ja", "お父さんに週末に3万送って"),
    ],
)
async def test_a_day_that_nobody_can_tell_is_asked_for_and_never_taken_for_today(language, order):
    got, (first, *_) = await paid(language, [order], 1)
    assert not got
    assert any(word in first for word in ("어느 날", "which day", "どの日")), first


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ["아빠한테 만원만 남기고 다 보내줘"]),
        ("en", ["Send Dad all but 10,000"]),
        ("ko", ["아빠한테 300만원 보내줘", "보내고 500만원 이상 남으면"]),
        ("en", ["Send Dad 3,000,000", "only if more than 5,000,000 is left afterwards"]),
        ("ja", ["お父さんに300万送って", "送ったあとに500万以上残るなら"]),
    ],
)
async def test_what_is_to_be_left_is_not_what_is_sent(language, turns):
    got, answers = await paid(language, turns, 0)
    shown = answers[-1].replace(",", "")
    assert not got
    assert not any(
        sum_ in shown for sum_ in ("500만원을 이체", "Send 5000000", "500万ウォンを送", "1만원을 이체", "Send 10000 ")
    )
