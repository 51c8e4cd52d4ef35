"""What is told of a question: every group beside the best, two figures, what is left out, the two of before together,
and that money is not there."""

from datetime import date
from typing import Any

import polars as pl
import pytest

from packs.marketing.asking.answering import answer
from packs.marketing.asking.days import Period
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.shapes import RatingScale

pytestmark = pytest.mark.usefixtures("undrawn")

_DAYS = [date(2024, 1, 5), date(2024, 1, 9), date(2024, 2, 2), date(2024, 3, 8), date(2024, 3, 9), date(2024, 3, 30)]
TABLE = Profile(
    (
        Column("day", "date", "date"),
        Column("inn", "category", None, ("Alder", "Birch", "Cedar")),
        Column("booking", "category", None, ("예약", "당일")),
        Column("age", "number"),
        Column("gas_m3", "number"),
        Column("water_m3", "number"),
        Column("score", "number", "rating", scale=RatingScale(low=1, high=5, negative_to=2, positive_from=4)),
        Column("comment", "text", "text"),
    ),
    pl.DataFrame(
        {
            "day": _DAYS,
            "inn": ["Alder", "Birch", "Alder", "Cedar", "Birch", "Alder"],
            "booking": ["예약", "당일", "예약", "당일", "당일", "예약"],
            "age": [30.0, 50.0, 20.0, 40.0, 60.0, 25.0],
            "gas_m3": [1.0, None, 2.0, 5.0, None, 3.0],
            "water_m3": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "score": [5.0, 1.0, 5.0, 2.0, 3.0, 1.0],
            "comment": ["quiet", "蛾 in the room", "nice", "cold", "ok", "loud"],
        }
    ),
)
YEAR = (date(2024, 1, 1), date(2024, 12, 31))


def _read(text: str, *periods: Period, before: Request | None = None, **_: Any) -> Request:
    return Reading(text, TABLE, periods, before).request()


@pytest.mark.parametrize(
    "text",
    [
        "월별 후기 수를 다 적어 주고 가장 적은 달이 어딘지도",
        "Monthly number of comments, and which month has the most?",
        "月別の件数と、一番多い月も教えて",
    ],
)
def test_all_months_are_told_beside_the_best(text: str) -> None:
    found = _read(text)
    assert (found.groups, found.limit) == ((Group("day", "month"),), None)
    assert found.descending is not None


@pytest.mark.parametrize(
    "text", ["Which inn has more fives, Alder or Birch?", "Alder and Birch: who has the highest age?"]
)
def test_both_of_two_that_are_named_are_told(text: str) -> None:
    assert _read(text).limit is None


def test_what_is_ranked_by_how_many_is_not_ranked_by_its_rating() -> None:
    found = _read("후기 건수 많은 inn 두 곳만 건수랑 같이")
    assert (found.groups, found.measures, found.limit) == ((Group("inn"),), (Measure("count"),), 2)


def test_youngest_first_is_by_age_and_of_all() -> None:
    found = _read("mean age per inn, youngest first")
    assert (found.groups, found.measures) == ((Group("inn"),), (Measure("mean", "age"),))
    assert (found.descending, found.limit) == (False, None)


def test_what_no_column_has_is_no_reason_to_tell_one_figure_for_all() -> None:
    assert "ward" in _read("average age per ward").unread


@pytest.mark.parametrize(
    "text",
    [
        "Birch는 몇 건 없어서 빼고 평균 score를 높은 순으로",
        "Leaving Birch out, mean score of each inn",
        "Exclude Birch: mean score of each inn",
        "Birchは件数が少ないので除いて、innごとの平均score",
    ],
)
def test_what_is_left_out_is_left_out_whatever_stands_between(text: str) -> None:
    found = _read(text)
    assert Filter("inn", "not_in", ("Birch",)) in found.filters
    assert not any(one.op == "in" for one in found.filters)


def test_a_mean_and_a_share_are_both_told() -> None:
    found = _read("the average score, and what percentage gave 5 points?")
    kinds = [(one.kind, one.column) for one in found.measures]
    assert kinds == [("mean", "score"), ("share", None)]


def test_a_sum_and_its_part_of_all_are_told_of_who_has_most() -> None:
    days = Period("2024", *YEAR)
    found = _read(
        "Which inn had the most water_m3 in 2024, how many was it, and what share of all of 2024?", days, days
    )
    assert found.groups == (Group("inn"),)
    assert [one.kind for one in found.measures] == ["sum", "portion"]


@pytest.mark.parametrize(
    ("text", "column"), [("rows with no gas_m3", "gas_m3"), ("water_m3 칸을 비워 둔 건", "water_m3")]
)
def test_the_column_is_the_one_whose_heading_is_named(text: str, column: str) -> None:
    assert _read(text).filters == (Filter(column, "empty", ()),)


def test_which_of_them_have_rows_are_told_one_by_one() -> None:
    assert _read("which inn has no gas_m3?").groups == (Group("inn"),)


def test_a_value_is_no_day() -> None:
    day = Period("당일", date(2026, 11, 24), date(2026, 11, 24))
    found = _read("예약이랑 당일 각각 평균 age", day)
    assert found.filters == (Filter("booking", "in", ("예약", "당일")),)
    assert found.groups == (Group("booking"),)


def test_whichever_it_is_narrows_nothing() -> None:
    assert not _read("당일이든 예약이든 합쳐서 age 중앙값").filters


@pytest.mark.parametrize(
    "text", ["What does a room at Alder cost on average?", "Alder 숙박 요금 평균은?", "Alderの料金の平均は"]
)
def test_money_that_the_table_has_not_is_no_other_figure(text: str) -> None:
    assert _read(text).unread


@pytest.mark.parametrize(
    "text", ["Birch 손님들은 뭐가 그렇게 싫었대?", "What did the guests of Birch dislike?", "Birchは何が不満だったの"]
)
def test_what_they_disliked_is_why(text: str) -> None:
    assert _read(text).asks == "why"


@pytest.mark.parametrize(
    "text", ["What is the oldest day of Alder?", "Alderのdayで一番古いのは", "Alder day 가장 오래된 건 언제"]
)
def test_the_oldest_is_a_row_by_its_day(text: str) -> None:
    found = _read(text)
    assert (found.asks, found.descending, found.columns[:1]) == ("rows", False, ("day",))


def test_a_bound_may_stand_behind_kana_but_not_behind_a_mean() -> None:
    assert Filter("score", "le", (3.0,)) in _read("Alderで3点以下だったのは何件").filters
    assert not _read("平均3点以下は何件").filters


def test_from_one_to_five_are_the_scores() -> None:
    assert _read("How many rows per score from 1 to 5?").groups == (Group("score", steps=True),)


def test_which_and_which_month_are_one_row() -> None:
    found = _read("water_m3が一番多いのはどのinnの何年何月")
    assert {(one.column, one.grain) for one in found.groups} == {("inn", None), ("day", "month")}
    assert found.limit == 1


def test_a_gloss_in_brackets_is_no_other_word() -> None:
    assert Filter("comment", "contains", ("蛾",)) in _read("How many comments mention 蛾 (moths)?").filters


def test_the_two_that_were_told_are_taken_together() -> None:
    first = _read("how many for Alder")
    second = _read("and Cedar?", before=first)
    both = _read("the two combined?", before=second)
    assert both.filters == (Filter("inn", "in", ("Alder", "Cedar")),)
    assert answer(TABLE, both).rows[0][1] == 4


def test_how_far_two_lie_apart() -> None:
    first = _read("average score of each inn, the lowest 2")
    found = _read("what is the difference between the two?", before=first)
    assert found.apart
    assert found.groups == first.groups


def test_the_same_of_another_keeps_what_was_kept() -> None:
    first = _read("How many comments of Alder mention 蛾?")
    found = _read("the same count for Birch please", before=first)
    assert {one.column for one in found.filters} == {"inn", "comment"}
    assert answer(TABLE, found).rows[0][1] == 1


@pytest.mark.parametrize(
    "text",
    ["gas_m3 divided by water_m3 of each inn", "water_m3 대비 gas_m3를 inn별로", "innごとにgas_m3をwater_m3で割って"],
)
def test_one_column_by_another(text: str) -> None:
    found = _read(text)
    assert (found.groups, found.measures) == ((Group("inn"),), (Measure("ratio", "gas_m3", per="water_m3"),))
    assert not found.unread


def test_a_ratio_of_another_group_is_that_ratio() -> None:
    first = _read("which inn has the highest gas_m3 / water_m3, in percent?")
    found = _read("Cedar: what percent?", before=first)
    assert found.measures == first.measures
    assert answer(TABLE, found).rows[0][2] == (1.25,)
