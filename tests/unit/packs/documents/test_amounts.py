"""Figures are read with what they count and with the words around them; times and days are no figures of anything else."""

import pytest

from packs.documents.alike import said
from packs.documents.amounts import CLOCK, DATE, amounts
from packs.documents.counting import counts_in
from packs.documents.passages import Passage


@pytest.mark.parametrize(
    ("text", "value", "unit", "shown"),
    [
        ("나래건설: 2억 4,500만 원, 하자 보증 2년", 245_000_000, "won", "2억 4,500만 원"),
        ("The club paid £1,240 for the mower", 1240, "pound", "£1,240"),
        ("参加費は一人3,200円です", 3200, "yen", "3,200円"),
        ("가습기는 조용히 31dB로 돈다", 31, "db", "31dB"),
        ("It covers up to $3 million", 3_000_000, "dollar", "$3 million"),
        ("The last train leaves at 10:40 pm", 22 * 60 + 40, CLOCK, "10:40 pm"),
        ("개장은 오후 2시 30분", 14 * 60 + 30, CLOCK, "오후 2시 30분"),
        ("Simmer it for 2 hours and 20 minutes", 140, "분간", "2 hours and 20 minutes"),
        ("등산로는 3시간 반 걸린다", 210, "분간", "3시간 반"),
        ("Members get 15 per cent off", 15, "%", "15 per cent"),
        ("Anyone under ten pays half of the fare", 50, "%", "50%"),
        ("The bill is split among the twenty-six boats", 26, "boat", "26 boats"),
        ("탁자 네 개를 빌린다", 4, "개", "4개"),
        ("A new hinge is GBP 9", 9, "pound", "GBP 9"),
        ("한 조각에 318칼로리", 318, "kcal", "318칼로리"),
        ("방문객은 4,100이었다", 4100, "", "4,100"),
        ("堤防の工事には3億6千万円かかった", 360_000_000, "yen", "3億6千万円"),
        ("새 지붕에 7천만 원이 들었다", 70_000_000, "won", "7천만 원"),
        ("県が二割を出す", 20, "%", "20%"),
    ],
)
def test_a_figure_has_its_value_and_its_unit(text: str, value: float, unit: str, shown: str):
    found = amounts(Passage(text))
    assert (value, unit, shown) in [(one.value, one.unit, one.text) for one in found]


def test_days_are_one_after_another_in_every_language():
    texts = ("9 March 2027", "2027년 3월 9일", "2027年3月9日", "March 9, 2027")
    assert len({one.value for text in texts for one in amounts(Passage(text)) if one.unit == DATE}) == 1


def test_each_of_two_figures_has_its_own_words():
    text = "Costs so far: paint for the hall 96.50; new curtains, lined, 212; the carpenter 340"
    clauses = {one.text: one.clause for one in amounts(Passage(text))}
    assert "curtains" in clauses["212"] and "paint" not in clauses["212"]
    assert "carpenter" in clauses["340"]


def test_a_cell_has_the_unit_of_its_column_and_the_name_of_its_row():
    row = Passage("품목: 천막 | 값(원): 45,000", is_row=True, cells=(("품목", "천막"), ("값(원)", "45,000")))
    (found,) = amounts(row)
    assert found.unit == "won" and found.column == "값(원)" and found.clause.startswith("천막")


def test_days_of_the_week_in_brackets_are_no_unit_and_a_year_is_no_figure():
    row = Passage("", is_row=True, cells=(("방", "참새"), ("평일(월~목)", "88,000"), ("요금(원/박)", "91,000")))
    assert [one.unit for one in amounts(row)] == ["", "won"]
    assert [one.text for one in amounts(Passage("In 2031 there were 1,204 readers"))] == ["1,204 readers"]


def test_letters_of_a_longer_word_say_no_number():
    assert counts_in("부가세 빼고 열두 달치는 얼마야") == [(12.0, 7)]


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("I'm 68 and rent one berth, what do I pay?", [1.0]),
        ("30만 원을 냈는데 세 명이 나누면?", [3.0]),
        ("5月18日に二人で行くといくら", [2.0]),
        ("10월 21일에 4개 사면 얼마야?", [4.0]),
        ("If two of us call it off on 9 December 2027?", [2.0]),
    ],
)
def test_an_age_a_day_and_a_sum_of_money_are_no_number_of_things(question: str, numbers: list[float]):
    assert [number for number, _ in counts_in(said(question).text)] == numbers


def test_a_day_behind_one_of_its_month_is_no_length_of_time():
    found = amounts(Passage("稽古は5月9日、16日、雨天は翌17日(日)。2日間続く"))
    assert [(one.text, one.unit) for one in found] == [
        ("5月9日", DATE),
        ("16日", DATE),
        ("17日", DATE),
        ("2日間", "일"),
    ]


def test_the_number_of_an_article_is_no_amount():
    assert [one.text for one in amounts(Passage("제3조 (차임) 월세는 65만원으로 한다"))] == ["65만원"]
    assert [one.text for one in amounts(Passage("第12条 会費は3,000円とする"))] == ["3,000円"]


def test_the_number_of_a_telephone_is_no_amount_and_what_has_cents_is_money():
    assert [one.text for one in amounts(Passage("Ring 01555 010 144 or 02-555-0178, from 40 guests on"))] == [
        "40 guests"
    ]
    assert [one.is_money for one in amounts(Passage("We charge 1.95 for each of 20 bags"))] == [True, False]
