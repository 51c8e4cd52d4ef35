"""Sentences, and the transfers that are read in them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.reading import CORRECTS, ERASED
from packs.transfer.reading import read
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZoneInfo("Asia/Seoul"))  # a Wednesday
OPEN = {"target": "용걸이", "amount": 50_000}

SENTENCES = [
    ("ko", "엄마한테 1만원 보내줘", [("엄마", 10_000)]),
    ("ko", "엄마한테 보내줘", [("엄마", None)]),
    ("ko", "엄마한테 만원, 용걸이한테 5만원 보내줘", [("엄마", 10_000), ("용걸이", 50_000)]),
    ("ko", "엄마한테 만원 용걸이한테 5만원", [("엄마", 10_000), ("용걸이", 50_000)]),
    ("ko", "엄마한테 만원, 용걸이한테 보내줘", [("엄마", 10_000), ("용걸이", None)]),
    ("ko", "엄마한테 보내고, 용걸이한테는 5만원 보내줘", [("엄마", None), ("용걸이", 50_000)]),
    ("ko", "만원 엄마한테, 5만원 용걸이한테 보내줘", [("엄마", 10_000), ("용걸이", 50_000)]),
    ("ko", "엄마 만원, 용걸이 5만원 보내줘", [("엄마", 10_000), ("용걸이", 50_000)]),
    ("ko", "엄마한테 만원, 용걸이 5만원", [("엄마", 10_000), ("용걸이", 50_000)]),
    ("ko", "엄마랑 아빠한테 만원씩 보내줘", [("엄마", 10_000), ("아빠", 10_000)]),
    ("ko", "엄마랑 아빠한테 10만원 보내줘", [("엄마", 100_000), ("아빠", 100_000)]),
    ("ko", "어머니께 십만원 송금 부탁드립니다", [("어머니", 100_000)]),
    ("ko", "민준이한테 만원 부쳐줘", [("민준이", 10_000)]),
    ("ko", "민지 씨한테 9,500원 보내주세요", [("민지", 9_500)]),
    ("ko", "김민지씨 계좌로 만원", [("김민지", 10_000)]),
    ("ko", "아저씨한테 만원", [("아저씨", 10_000)]),
    ("ko", "최 과장님께 3만원 보내줘", [("최 과장님", 30_000)]),
    ("ko", "지훈 엄마한테 이십만원 보내줘", [("지훈 엄마", 200_000)]),
    ("ko", "급하게 우리 엄마한테 만원 보내줘", [("엄마", 10_000)]),
    ("ko", "윤호한테 7천원 보내고 유라한텐 만원 보내줘", [("윤호", 7_000), ("유라", 10_000)]),
    ("ko", "한빛은행 민수한테 3만원", [("한빛은행 민수", 30_000)]),
    ("ko", "민수(푸른은행)한테 만원", [("민수(푸른은행)", 10_000)]),
    ("ko", "엄마 계좌로 12,500원 이체", [("엄마", 12_500)]),
    ("ko", "용돈 5만원 엄마한테 보내줘", [("엄마", 50_000)]),
    ("ko", "만원만 쏴줘", [(None, 10_000)]),
    ("ko", "아빠한테 7만원 보내줘. 아 그거 누나한테, 아빠 말고", [("누나", 70_000)]),
    ("en", "Give Dad 70,000, no, 75,000. Oh and to my sister, not Dad", [("sister", 75_000)]),
    ("ja", "お父さんに7万ウォン送って。あ、お姉さんに、お父さんじゃなくて", [("お姉さん", 70_000)]),
    ("ko", "엄마한테 5만원 아니 3만원 보내줘", [("엄마", 30_000)]),
    ("ko", "엄마한테 5만원 3만원 보내줘", [("엄마", None)]),
    ("ko", "엄마 말고 아빠한테 보내줘", [("아빠", None)]),
    ("ko", "한테 만원 보내줘", [(None, 10_000)]),
    ("ko", "엄마한테 10^18원 보내줘", [("엄마", 10**18)]),
    ("ko", "할머니한테 5만원 보내줘", [("할머니", 50_000)]),
    ("ko", "하준이한테 2만 3천원 보내고", [("하준이", 23_000)]),
    ("ko", "해린이한테 만원 보내야 하는데 네가 해줄 수 있어?", [("해린이", 10_000)]),
    ("ko", "송하늘 앞으로 ₩48,000 이체해 주십시오", [("송하늘", 48_000)]),
    ("ko", "받는 사람은 서지우고 금액은 육만 육천 원이야", [("서지우", 66_000)]),
    ("ko", "이체해줘", []),
    ("ko", "엄마한테 카톡 보내줘", []),
    ("ko", "엄마한테 얼마 보냈어?", []),
    ("en", "send mom 10,000 won", [("mom", 10_000)]),
    ("en", "30,000 won to Mom please", [("Mom", 30_000)]),
    ("en", "Send 10,000 won to Mom and 50,000 won to Dad", [("Mom", 10_000), ("Dad", 50_000)]),
    ("en", "send Mom 10,000 won and Dad 50,000 won", [("Mom", 10_000), ("Dad", 50_000)]),
    ("en", "Send Mom and Dad 10,000 won each", [("Mom", 10_000), ("Dad", 10_000)]),
    ("en", "transfer 50,000 won to Minsu at Hanbit Bank", [("Minsu at Hanbit Bank", 50_000)]),
    ("en", "send money to my mother", [("mother", None)]),
    ("en", "30,000 won, not 50,000 won, to Dad", [("Dad", 30_000)]),
    ("en", "Transfer 350,000 won to Mrs. Cho", [("Cho", 350_000)]),
    ("en", "I owe Nina 8k won, sort it please", [("Nina", 8_000)]),
    ("en", "I owe Tom 20,000 won, send it to him", [("Tom", 20_000)]),
    ("en", "I'd love to get 40k won over to Grandma if that's possible", [("Grandma", 40_000)]),
    ("en", "send Nina 30k", [("Nina", 30_000)]),
    ("en", "send an email to mom", []),
    ("ja", "お母さんに1万ウォン送って", [("お母さん", 10_000)]),
    ("ja", "お母さんに1万ウォン、ヨンゴルに5万ウォン送って", [("お母さん", 10_000), ("ヨンゴル", 50_000)]),
    ("ja", "お母さんとお父さんに1万ウォンずつ送って", [("お母さん", 10_000), ("お父さん", 10_000)]),
    ("ja", "1万ウォンをお母さんに送って", [("お母さん", 10_000)]),
    ("ja", "ハンビット銀行のミンスに3万ウォン", [("ハンビット銀行のミンス", 30_000)]),
    ("ja", "小林さんに2万ウォン、森さんに4万ウォン送って", [("小林", 20_000), ("森", 40_000)]),
    ("ja", "13日に山口さんへ12万ウォン", [("山口", 120_000)]),
    ("ja", "お母さんにメールを送って", []),
]


@pytest.mark.parametrize(("language", "text", "expected"), SENTENCES, ids=[text for _, text, _ in SENTENCES])
def test_a_sentence_says_who_gets_how_much(language: str, text: str, expected) -> None:
    tasks = read(clause_of(text, NOW, language))
    assert [(task.get("target"), task.get("amount")) for task in tasks] == expected


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("ko", "엄마한테 30달러 보내줘", "30달러"),
        ("ko", "엄마한테 3만 엔 보내줘", "3만 엔"),
        ("en", "send $30 to mom", "$30"),
        ("en", "send mom 30 dollars", "30 dollars"),
        ("ja", "お母さんに3万円送って", "3万円"),
    ],
)
def test_another_currency_is_never_taken_for_won(language: str, text: str, said: str) -> None:
    (task,) = read(clause_of(text, NOW, language))
    assert set(task) == {"target", "amount"}
    assert task["amount"] == said
    assert read(clause_of(said, NOW, language, ("amount",), {"target": "x"})) == ({"amount": said},)


def test_what_another_currency_was_corrected_to_counts() -> None:
    assert read(clause_of("엄마한테 30달러 말고 3만원 보내줘", NOW, "ko")) == ({"target": "엄마", "amount": 30_000},)
    assert read(clause_of("30달러가 얼마야?", NOW, "ko")) == ()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("ko", "내일 엄마한테 2만원 이체해줘", [{"target": "엄마", "amount": 20_000, "date": "2026-11-19"}]),
        (
            "ko",
            "엄마한테 내일 만원, 아빠한테 모레 2만원 보내줘",
            [
                {"target": "엄마", "amount": 10_000, "date": "2026-11-19"},
                {"target": "아빠", "amount": 20_000, "date": "2026-11-20"},
            ],
        ),
        (
            "ko",
            "내일 엄마한테 만원, 아빠한테 2만원 보내줘",
            [
                {"target": "엄마", "amount": 10_000, "date": "2026-11-19"},
                {"target": "아빠", "amount": 20_000, "date": "2026-11-19"},
            ],
        ),
        ("ko", "엄마한테 3월 5일 보내줘", [{"target": "엄마", "date": "2027-03-05"}]),
        ("ko", "엄마한테 만원 보내고 메모는 점심값", [{"target": "엄마", "amount": 10_000, "memo": "점심값"}]),
        ("ko", "메모에 ‘아빠한테 5만원’이라고 써줘", [{"memo": "아빠한테 5만원"}]),
        (
            "en",
            'Could you wire 5,000 won to Yonggeol tomorrow with the memo "lunch"?',
            [{"target": "Yonggeol", "amount": 5_000, "date": "2026-11-19", "memo": "lunch"}],
        ),
        (
            "ja",
            "明日お父さんに2万ウォン送金してください",
            [{"target": "お父さん", "amount": 20_000, "date": "2026-11-19"}],
        ),
        ("ja", "メモは誕生日おめでとう", [{"memo": "誕生日おめでとう"}]),
    ],
)
def test_a_sentence_says_when_and_with_which_memo(language: str, text: str, expected) -> None:
    assert list(read(clause_of(text, NOW, language))) == expected


PURPOSES = [
    ("ko", "집주인한테 관리비로 9만 원 부쳐줘", [("집주인", 90_000)]),
    ("ko", "조카한테 졸업 축하금으로 이십만원", [("조카", 200_000)]),
    ("ko", "조카한테 5만원 세뱃돈으로 보내줘", [("조카", 50_000)]),
    ("ko", "동호회 회비로 최영수 씨한테 3만원", [("최영수", 30_000)]),
    ("ko", "엄마 용돈으로 5만원 보내줘", [("엄마", 50_000)]),
    ("ko", "회비로 민수한테 만원, 밥값으로 지수한테 2만원", [("민수", 10_000), ("지수", 20_000)]),
    ("ko", "지현이랑 수빈이한테 회식비로 만원씩", [("지현", 10_000), ("수빈이", 10_000)]),
    ("ko", "피아노 학원에 수강료로 20만원 이체해줘", [("피아노 학원", 200_000)]),
    ("ko", "엄마에게 추가로 만원 보내줘", [("엄마", 10_000)]),
    ("ko", "친구한테 토스로 만원 보내줘", [("친구", 10_000)]),
    ("ko", "은비 만원 보내줘", [("은비", 10_000)]),
    ("ko", "태권도장에 십오만원 입금해줘", [("태권도장", 150_000)]),
    ("en", "12k won to Omar please, it's for the train tickets", [("Omar", 12_000)]),
    ("en", "Pay Jisoo back 12,000 won for lunch", [("Jisoo", 12_000)]),
    ("en", "wire 20,000 won to Mina as soon as possible", [("Mina", 20_000)]),
    (
        "en",
        "send 30,000 won to Mom as a birthday gift and 20,000 won to Dad for dinner",
        [("Mom", 30_000), ("Dad", 20_000)],
    ),
    ("ja", "忘年会代として健太に28,000ウォン送金お願い", [("健太", 28_000)]),
    ("ja", "翔太に2万ウォンを会費として送って", [("翔太", 20_000)]),
    ("ja", "大家さんに家賃50万ウォン", [("大家さん", 500_000)]),
]


@pytest.mark.parametrize(("language", "text", "expected"), PURPOSES, ids=[text for _, text, _ in PURPOSES])
def test_what_money_is_for_is_no_payee_and_no_memo_that_nobody_asked_for(language: str, text: str, expected) -> None:
    tasks = read(clause_of(text, NOW, language))
    assert [(task.get("target"), task.get("amount")) for task in tasks] == expected
    assert not any("memo" in task for task in tasks)


def test_a_payee_who_takes_the_place_of_another_is_no_purpose() -> None:
    (task,) = read(clause_of("엄마한테 5만원 아니 아빠로 보내줘", NOW, "ko"))
    assert "memo" not in task


@pytest.mark.parametrize(
    ("text", "asked", "known", "expected"),
    [
        ("3만원", ("amount",), {"target": "엄마"}, [{"amount": 30_000}]),
        ("30000", ("amount",), {"target": "엄마"}, [{"amount": 30_000}]),
        ("마이너스 천원", ("amount",), {"target": "엄마"}, [{"amount": -1_000}]),
        ("음 그냥 3만원 정도로 하자", ("amount",), {"target": "엄마"}, [{"amount": 30_000}]),
        ("잘 모르겠어", ("amount",), {"target": "엄마"}, []),
        ("엄마", ("target",), {"amount": 1}, [{"target": "엄마"}]),
        ("엄마요", ("target",), {"amount": 1}, [{"target": "엄마"}]),
        ("한빛은행 민수요", ("target",), {"amount": 1}, [{"target": "한빛은행 민수"}]),
        ("뭐라고?", ("target",), {"amount": 1}, []),
        ("누구한테 보낼 수 있어?", ("target",), {"amount": 1}, []),
        ("아니 5만원 말고 3만원", (), OPEN, [{"amount": 30_000, CORRECTS: True}]),
        ("3만원으로 바꿔줘", (), OPEN, [{"amount": 30_000}]),
        ("아빠로 바꿔줘", (), OPEN, [{"target": "아빠", CORRECTS: True}]),
        ("아 그리고 아빠한테도 5만원", (), OPEN, [{"target": "아빠", "amount": 50_000}]),
        ("내일 보내줘", (), OPEN, [{"date": "2026-11-19"}]),
        ("메모는 생일 축하", (), OPEN, [{"memo": "생일 축하"}]),
        ("메모 필요 없어", (), OPEN, [{ERASED: ["memo"]}]),
        ("내일 날씨 어때", (), OPEN, []),
        ("엄마한테 병원 예약 알려줘", (), OPEN, []),
        ("엄마한테 얼마 보냈어?", (), OPEN, []),
        ("확인", (), OPEN, []),
    ],
)
def test_a_turn_of_an_open_transfer_is_read_by_what_was_asked(text: str, asked, known, expected) -> None:
    assert list(read(clause_of(text, NOW, "ko", asked, known))) == expected


@pytest.mark.parametrize("text", ["", "¤§¶", "한테" * 500, "만원 " * 300, "(" * 400, "に" * 400, "send to " * 200])
@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_junk_is_read_without_harm(language: str, text: str) -> None:
    for task in read(clause_of(text, NOW, language)):
        assert set(task) <= {"target", "amount", "date", "memo"}


def test_the_particle_after_a_memo_is_no_part_of_it():
    (task,) = read(clause_of("박선우 씨에게 2만 3천원 송금, 메모는 점심값으로", NOW, "ko"))
    assert task["memo"] == "점심값"


@pytest.mark.parametrize(
    ("language", "text", "memo"),
    [
        ("ko", "누나 3만원 지영이 2만원 부쳐줘 둘 다 메모는 '축하해'", "축하해"),
        ("en", "Transfer 30,000 to Sister and 20,000 to Jiyoung, each with the note 'congrats'", "congrats"),
        ("ja", "お姉さんに3万ウォン、ジヨンに2万ウォン、それぞれメモは「お祝い」", "お祝い"),
    ],
)
def test_a_memo_for_all_of_them_is_on_each(language: str, text: str, memo: str) -> None:
    assert [task.get("memo") for task in read(clause_of(text, NOW, language))] == [memo, memo]
