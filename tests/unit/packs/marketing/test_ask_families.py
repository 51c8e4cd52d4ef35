"""Columns that are a grid ("Maths (mid)", "Maths (final)", "Science (mid)"): both parts of a heading say which is meant;
a bound on several columns; blanks that are only to be passed over; remarks that nothing else stands for."""

import pytest

from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter
from tests.unit.packs.marketing.read_as import asked, requests, table

_MARKS = [
    f"{1 + at % 3},학생{at},{'남여'[at % 2]},{40 + at * 7 % 55 // 5 * 5},{35 + at * 11 % 60 // 5 * 5},{45 + at * 3 % 50 // 5 * 5},{30 + at * 13 % 65 // 5 * 5},{at % 4}"
    for at in range(80)
]
_CATCH = [
    f"2026-0{1 + at % 9}-{1 + at % 27:02d},{('Bo', 'Cy', 'Di')[at % 3]},{('bream', 'cod')[at % 2]},{'' if at % 13 == 0 else round(0.3 + at * 7 % 31 / 10, 2)},{'tagged fish' if at % 11 == 0 else 'undersize' if at % 9 == 0 else ''}"
    for at in range(70)
]


@pytest.fixture(scope="module")
def marks() -> Profile:
    return table("반,이름,성별,국어(1차),수학(1차),국어(2차),수학(2차),결석(일)", _MARKS, "성적.csv")


@pytest.fixture(scope="module")
def terms() -> Profile:
    return table("Class,Name,Sex,Reading_autumn,Maths_autumn,Reading_spring,Maths_spring,Days off", _MARKS, "marks.csv")


@pytest.fixture(scope="module")
def catch() -> Profile:
    return table("Date,Angler,Species,Wt (kg),Memos", _CATCH, "catch.csv")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("국어 2차 평균은?", "국어(2차)"),
        ("2차 국어 평균은?", "국어(2차)"),
        ("국어는 1차 평균이 얼마야?", "국어(1차)"),
        ("국어(1차) 평균은?", "국어(1차)"),
        ("반별 수학 2차 시험 평균", "수학(2차)"),
    ],
)
def test_both_parts_of_a_heading_say_which_column_is_meant(marks: Profile, text: str, column: str) -> None:
    assert [(one.kind, one.column) for one in asked(marks, text).measures] == [("mean", column)]


def test_of_a_thing_that_is_named_alone_all_is_told_and_of_two_figures_both(marks: Profile) -> None:
    both = ["국어(1차)", "국어(2차)"]
    assert [one.column for one in asked(marks, "국어 평균은?").measures] == both
    assert [one.column for one in asked(marks, "국어 1차 평균이랑 2차 평균은?").measures] == both


def test_one_figure_is_that_of_all_things_that_are_named(marks: Profile, terms: Profile) -> None:
    assert [one.column for one in asked(marks, "국어랑 수학 2차 평균").measures] == ["국어(2차)", "수학(2차)"]
    said = asked(terms, "What is the average of maths and reading in spring?").measures
    assert sorted(str(one.column) for one in said) == ["Maths_spring", "Reading_spring"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("국어 2차 80점 이상 몇 명?", ["국어(2차)"]),
        ("2차 수학이 80점 이상인 학생은 몇 명이야?", ["수학(2차)"]),
        ("국어랑 수학 2차 둘 다 80점 이상인 학생 몇 명?", ["국어(2차)", "수학(2차)"]),
    ],
)
def test_a_bound_is_of_the_column_that_is_named_or_of_both(marks: Profile, text: str, columns: list[str]) -> None:
    assert set(asked(marks, text).filters) == {Filter(one, "ge", (80.0,)) for one in columns}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("국어 2차 수학 1차 평균", {"국어(2차)", "수학(1차)"}),
        ("2차 국어, 1차 수학 평균", {"국어(2차)", "수학(1차)"}),
        ("국어 2차 수학 평균", {"국어(2차)", "수학(2차)"}),
        ("2차 국어랑 수학 평균", {"국어(2차)", "수학(2차)"}),
    ],
)
def test_what_stands_behind_one_thing_is_not_said_of_the_next(marks: Profile, text: str, columns: set[str]) -> None:
    assert {str(one.column) for one in asked(marks, text).measures} == columns


def test_names_are_told_of_who_is_below_in_both(marks: Profile) -> None:
    request = asked(marks, "국어 1차랑 수학 1차 둘 다 60점 미만인 애들 이름")
    assert (request.asks, {one.column for one in request.filters}) == ("rows", {"국어(1차)", "수학(1차)"})


@pytest.mark.parametrize(
    "text",
    ["total weight? some weights are missing, just skip them", "total weight, weights are blank so ignore those"],
)
def test_blanks_that_are_to_be_passed_over_are_left_out_and_not_looked_at(catch: Profile, text: str) -> None:
    assert [one for one in requests(catch, text)[0].filters if one.op == "empty"] == []


def test_a_remark_goes_by_all_that_it_says(catch: Profile) -> None:
    bo, tagged = Filter("Angler", "in", ("Bo",)), Filter("Memos", "in", ("tagged fish",))
    assert requests(catch, "how many fish are from Bo?")[0].filters == (bo,)
    assert requests(catch, "how many tagged fish are from Bo?")[0].filters == (bo, tagged)
