"""The law that bad input stops nothing: whatever pieces of orders a turn is put together from, reading it raises nothing,
and an amount it finds is a whole number."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.transfer.bank.opening import address_book
from packs.transfer.names import banks_of, names_of
from packs.transfer.reading import read
from tests.unit.packs.transfer.dialogues import ME, ZONE
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 29, 10, tzinfo=ZONE)
BOOK = address_book(ME)
KNOWN = {"target": names_of(BOOK), "bank": banks_of(BOOK)}
PIECES = {
    "ko": [
        "엄마한테", "아빠는", "엄마보다", "지영이랑", "민수 둘 다한테", "만원", "3만원", "5만원 말고", "3만원짜리 두 장", "더", "덜",
        "두 배", "그 절반만", "반은", "셋이서 나눠서 내 몫", "오늘", "금요일에", "주말에", "3일로", "남기고", "다", "말고", "아니",
        "메모는", "점심", "보내줘", "으로 바꿔줘", "취소", ",", ".",
    ],
    "en": [
        "send Mom", "and Dad", "both Minsus", "gets the", "10,000", "not 10,000", "more than her", "less than Mom",
        "two 50,000 won notes", "twice as much", "half of that", "my half", "three ways", "half today", "on Friday",
        "on the weekend", "make it", "make it the 3rd", "all but", "leave", "instead", "no", "not", "memo lunch", "actually 55",
        "the same", ",", ".",
    ],
    "ja": [
        "お母さんに", "お父さんには", "お母さんより", "ミンス二人に", "1万", "3万ではなく", "5万じゃなくて", "1万円札2枚", "多く", "少なく", "その倍",
        "その半分", "半分は", "3人で割って", "今日", "金曜に", "週末に", "3日にして", "残して", "やっぱり", "メモは", "ランチ", "送って", "が", "、", "。",
    ],
}  # fmt: skip
OPEN = [
    {},
    {"target": "Mom", "amount": 30_000},
    {"target": "엄마", "amount": 30_000, "date": "2026-12-01", "memo": "점심"},
]


@st.composite
def turns(draw):
    language = draw(st.sampled_from(sorted(PIECES)))
    pieces = draw(st.lists(st.sampled_from(PIECES[language]), min_size=1, max_size=9))
    return language, ("" if language == "ja" else " ").join(pieces)


@settings(max_examples=400)
@given(turn=turns(), slots=st.sampled_from(OPEN), lenient=st.booleans(), done=st.sampled_from(OPEN))
def test_whatever_a_turn_is_put_together_from_it_is_read(turn, slots, lenient, done):
    language, said = turn
    clause = clause_of(said, NOW, language)
    for task in read(clause._replace(known=KNOWN, slots=slots, lenient=lenient, done=done)):
        amount = task.get("amount")
        assert amount is None or isinstance(amount, int | str), said  # as it was said, where it is in another currency


@pytest.mark.parametrize(
    ("language", "said", "sums"),
    [
        ("en", "send Mom 30,000 and Dad not 10,000 more than Mom", {"Mom": 30_000}),
        ("ko", "엄마한테 3만원, 아빠한테는 엄마보다 만원 말고 더", {"엄마": 30_000}),
        ("en", "send Dad not two 10,000 won notes", {}),
        ("en", "send Dad two 10,000 won notes", {"Dad": 20_000}),
        ("en", "send Mom 15,001 and Dad half of that", {"Mom": 15_001}),
    ],
)
def test_an_amount_that_is_taken_back_or_does_not_divide_is_the_measure_of_nothing(language, said, sums):
    tasks = read(clause_of(said, NOW, language)._replace(known=KNOWN))
    assert {one["target"]: one["amount"] for one in tasks if "amount" in one} == sums
