"""What a table shows and does not say is computed from whole rows and columns; the rest is left to the passages."""

import pytest

from packs.documents.computing import computed
from packs.documents.formats.pages import Page
from packs.documents.passages import passages

STALLS = """# Autumn market

## Takings

| Stall | Saturday | Sunday |
|---|---|---|
| Honey | 412 | 388 |
| Cheese | 655 | 701 |
| Pottery | 230 | 305 |
"""
BOATS = """# 나룻배 빌리기

| 배 | 한 시간 | 정원 |
|---|---|---|
| 오리배 | 14,000원 | 2명 |
| 카약 | 19,500원 | 1명 |
| 돛배 | 42,000원 | 6명 |
"""
TEA = """# お茶の仕入れ

| 品名 | 量 | 代金 |
|---|---|---|
| 煎茶 | 4kg | 31,200円 |
| ほうじ茶 | 6kg | 22,800円 |
| 玉露 | 1kg | 27,500円 |
"""


@pytest.mark.parametrize(
    ("text", "question", "kind", "value", "of"),
    [
        (STALLS, "Which stall had the highest takings on Sunday?", "most", "701", "Cheese"),
        (STALLS, "what did all the stalls take on saturday altogether", "total", "1,297", "Saturday"),
        (
            STALLS,
            "how much more did pottery take on one day than on the other",
            "difference",
            "75",
            "Pottery: Saturday / Sunday",
        ),
        (BOATS, "여기서 제일 비싼 배는 뭐예요?", "most", "42,000원", "돛배"),
        (BOATS, "가장 저렴한 배가 궁금해", "least", "14,000원", "오리배"),
        (BOATS, "오리배랑 카약은 값 차이가 얼마나 나죠", "difference", "5,500원", "오리배 / 카약, 한 시간"),
        (TEA, "代金は合わせていくら？", "total", "81,500円", "代金"),
        (TEA, "いちばん安いお茶はどれですか", "least", "22,800円", "ほうじ茶"),
    ],
)
def test_it_is_computed(text: str, question: str, kind: str, value: str, of: str):
    found = computed(question, passages([Page(None, text)]))
    assert found is not None
    assert (found.kind, found.value, found.of) == (kind, value, of)


def test_a_row_that_has_the_total_is_told_as_it_stands():
    found = computed("お茶の代金の合計は？", passages([Page(None, TEA + "| 合計 | 11kg | 81,500円 |\n")]))
    assert found is not None
    assert (found.kind, found.value, found.row) == ("row", "81,500円", "品名: 合計 | 量: 11kg | 代金: 81,500円")


WAITS = """# Repairs

| Job | Wait |
|---|---|
| Zip | 20 minutes |
| Sole | 9 days |
| Heel | 2 weeks |
| Buckle | 3 hours |
"""


@pytest.mark.parametrize(
    ("text", "question", "kind", "value"),
    [
        (
            "보관료는 캐리어 6,000원, 배낭 3,500원입니다.",
            "캐리어하고 배낭 둘을 맡기면 합쳐서 얼마야?",
            "total",
            "9,500원",
        ),
        ("상담 건수: 3월 41건, 4월 58건, 5월 39건.", "3월하고 4월 합치면 몇 건인데", "total", "99건"),
        ("굽는 시간은 식빵 35분, 모닝빵 18분입니다.", "식빵은 모닝빵보다 몇 분 더 구워야 해?", "difference", "17분"),
        (
            "A day pass is $18, a week pass $95.",
            "what's the difference between a day pass and a week pass",
            "difference",
            "$77",
        ),
        ("入場料:一般700円、学生450円", "一般と学生の差額はいくら", "difference", "250円"),
        (WAITS, "which job has the longest wait", "most", "2 weeks"),
    ],
)
def test_figures_of_a_sentence_and_waits_are_compared(text: str, question: str, kind: str, value: str):
    found = computed(question, passages([Page(None, text)]))
    assert found is not None
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("상담 건수: 3월 41건, 4월 58건, 5월 39건.", "3월에는 모두 합쳐서 몇 건이야"),
        ("굽는 시간은 식빵 35분, 온도는 모닝빵 180도입니다.", "식빵과 모닝빵은 차이가 얼마야"),
        (STALLS, "Why is cheese so much more expensive than honey?"),
        (STALLS, "What is the best way up to the castle, and back down again?"),
        (STALLS, "What did Honey take on Saturday?"),
        (STALLS, "Who runs the cheese stall?"),
        (BOATS, "카약은 몇 명이 타요?"),
        (BOATS, "구명조끼 값은 평균 얼마야?"),
        ("A plain letter.\nThe highest hill is Torran.", "What is the highest hill?"),
    ],
)
def test_it_is_not_computed_without_being_asked_for_or_where_the_document_says_it(text: str, question: str):
    assert computed(question, passages([Page(None, text)])) is None


def test_figures_of_this_year_are_no_answer_for_the_last_one():
    rows = "# Wages of the mill\n\n| Month | Wages |\n|---|---|\n| May | 410 |\n| June | 395 |\n| July | 402 |\n"
    there = passages([Page(None, rows)])
    now, before = (computed(f"What do the wages{when} come to in total?", there) for when in ("", " of last year"))
    assert now is not None and now.sure
    assert before is None or not before.sure


WOOD = """# 목재 견적

| 나무 | 1월 | 2월 | 3월 | 4월 |
|---|---|---|---|---|
| 참나무 | 310 | 290 | 335 | 350 |
| 편백 | 420 | 405 | 460 | 440 |
| 소나무 | 150 | 180 | 165 | 170 |
| 자작나무 | 240 | 260 | 255 | 230 |
"""
PIES = """PRICE LIST

TARTS (baked daily)
Code   Name          Price
T1     Plum          4.20
T2     Leek          3.90
T3     Pear          4.60

PIES (for 8 people)
Code   Name          Price
S1     Chicken       31.00
S2     Mushroom      27.50
S3     Beef          34.50
"""


@pytest.mark.parametrize(
    ("text", "question", "kind", "value", "of"),
    [
        (WOOD, "편백 말고 3월에 제일 비싼 나무는?", "most", "335", "참나무"),
        (WOOD, "3월에 두 번째로 비싼 나무가 뭐예요", "row", "335", "참나무"),
        (WOOD, "편백은 1월부터 3월까지 다 합치면 얼마죠", "total", "1,285", "편백"),
        (STALLS, "apart from cheese, which stall had the highest takings on Saturday?", "most", "412", "Honey"),
        (TEA, "玉露以外でいちばん安いお茶は?", "least", "22,800円", "ほうじ茶"),
        (PIES, "which of the pies is the most expensive?", "most", "34.50", "S3"),
        (PIES, "what is the cheapest of the tarts?", "least", "3.90", "T2"),
    ],
)
def test_some_are_left_out_and_what_is_between_is_meant(text: str, question: str, kind: str, value: str, of: str):
    found = computed(question, passages([Page(None, text)]))
    assert found is not None
    assert (found.kind, found.value, found.of) == (kind, value, of)


def test_two_columns_of_different_things_have_no_mean():
    text = (
        "# Museum\n\n| Tour | Dates | Guests |\n|---|---|---|\n| Attic tour | 40 | 520 |\n| Garden walk | 25 | 300 |\n"
    )
    assert computed("how many guests came to each attic tour on average?", passages([Page(None, text)])) is None


def test_a_mean_has_two_decimals_and_so_many_of_each_are_not_surely_added_up():
    hikes = "# 산행\n\n| 산행 | 온 사람 |\n|---|---|\n| 3월 | 21명 |\n| 5월 | 34명 |\n| 7월 | 26명 |\n| 9월 | 24명 |\n"
    mean = computed("산행마다 온 사람은 평균 몇 명이야?", passages([Page(None, hikes)]))
    assert mean is not None
    assert mean.value == "26.25명"
    both = computed("오리배 세 대랑 카약 두 대를 합치면 얼마야?", passages([Page(None, BOATS)]))
    assert both is None or not both.sure


@pytest.mark.parametrize("question", ["위약금 총 얼마야?", "what do I pay in total", "全部でいくら払うの？"])
def test_clauses_of_a_contract_are_no_list_of_prices(question: str):
    lease = """HOUSE LEASE

1. Rent. The tenant shall pay a monthly rent of 850,000 won, due on the 5th day of each month.

2. Deposit. A deposit of 20,000,000 won is paid on signing, and is returned within 30 days.

3. Repairs. The tenant bears repairs of up to 100,000 won; the landlord bears all others of the flat.
"""
    assert computed(question, passages([Page(None, lease)])) is None
    prices = "Price list\n\n- Honey, a jar: 12 euros\n- Cheese, a wheel: 40 euros\n- Jam: 5 euros\n"
    added = computed("what do I pay in total", passages([Page(None, prices)]))
    assert added is not None and added.value == "57 euros"
