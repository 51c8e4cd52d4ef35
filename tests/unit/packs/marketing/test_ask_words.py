"""How people order, compare, point and name things in questions about a table: told from the rows, or asked back."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from packs.marketing.asking.leftover import _says_nothing
from packs.marketing.asking.profile import number_of
from packs.marketing.asking.reader import read_question
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "번호,지역,기기,나라,금액,평점,접수일,의견"
ROWS = [
    ("대전", "Android", "JP", 12_500, 2, "2024-03-02", "응답이 느리고 주차가 어려워요"),
    ("대전", "iOS", "US", 1_200, 4, "2024-03-09", "괜찮습니다"),
    ("청주", "Android", "JP", 137_500, 5, "2024-03-20", "아주 좋아요"),
    ("청주", "iOS", "KR", 8_000, 3, "2024-05-01", "보통이에요"),
    ("원주", "Android", "US", 40_000, 1, "2024-05-11", "주차 안내가 없었어요"),
    ("원주", "iOS", "JP", 900, 4, "2024-07-30", "친절했어요"),
] * 3


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Callable[..., dict[str, Any]]:
    def call(question: str, name: str = "desk.csv", **params: Any) -> dict[str, Any]:
        lines = [
            f'A{at:03d},{place},{device},{land},"{amount:,}",{stars},{day},{text} 접수 {at}번'
            for at, (place, device, land, amount, stars, day, text) in enumerate(ROWS)
        ]
        ctx.upload("\n".join([HEADS, *lines]).encode(), name)
        return run("ask", question=question, **params)

    return call


def column(result: dict[str, Any], at: int = 0) -> list[Any]:
    return [row[at] for row in result["table"]["rows"]]


def total(place: str) -> int:
    return sum(row[3] for row in ROWS if row[0] == place)


@pytest.mark.parametrize(
    ("cell", "value"), [("137,500", 137_500.0), ("1,200원", 1200.0), ("4,5", 4.5), ("1,234,567.5", 1234567.5)]
)
def test_a_comma_before_three_figures_is_no_decimal_one(cell: str, value: float) -> None:
    assert number_of(cell) == value


@pytest.mark.parametrize(
    "question",
    ["지역별 금액 합계 많은 순서로", "Total 금액 by 지역, highest first", "地域ごとの금액の合計を大きい順に"],
)
def test_an_order_is_told_whole(question: str, ask: Callable[..., dict[str, Any]]) -> None:
    expected = sorted({row[0] for row in ROWS}, key=total, reverse=True)
    assert column(ask(question)) == expected
    assert column(ask(question), 1) == [total(place) for place in expected]


def test_the_most_of_a_month_is_sought_among_months(ask: Callable[..., dict[str, Any]]) -> None:
    assert column(ask("건수가 제일 많았던 달은 언제야?")) == ["2024-03"]
    assert column(ask("which month had the fewest rows?"))[0] == "2024-07"


def test_two_that_are_named_are_both_told(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask("Did 대전 do worse than 청주? Both averages, please")
    assert dict(zip(column(told), column(told, 1), strict=True)) == {"대전": 3.0, "청주": 4.0}
    assert column(told) == ["대전", "청주"]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("안드로이드는 몇 건이야?", 9),
        ("アンドロイドは何件？", 9),
        ("일본에서 온 건 몇 건이지", 9),
        ("日本（JP）からは何件ありますか", 9),
        ("How many came from the United States?", 6),
        ("Tell us how many rows there are", 18),
    ],
)
def test_a_value_goes_by_its_other_names(question: str, count: int, ask: Callable[..., dict[str, Any]]) -> None:
    found = ask(question)
    assert found["answered"], found["summary"]
    assert column(found) == [count]


def test_those_of_the_sentence_itself_are_meant(ask: Callable[..., dict[str, Any]]) -> None:
    assert ask("How many opinions mention 주차, and what is the average of those?")["table"]["rows"] == [[6.0, 1.5]]


@pytest.mark.parametrize(
    "question", ["대전에서 2점 이하 준 글 원문으로 보여줘", "Read me the 대전 reviews rated at most 2, verbatim"]
)
def test_texts_are_shown_as_they_are_written(question: str, ask: Callable[..., dict[str, Any]]) -> None:
    told = ask(question)["summary"]
    assert "대전" in told[0] and any("응답이 느리고 주차가 어려워요" in line for line in told)
    assert not any("괜찮습니다" in line for line in told)


def test_as_many_decimals_as_are_asked_for(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask("5점은 전체의 몇 %야? 소수 첫째 자리까지")["summary"]
    assert any("16.7 %" in line for line in told)


@pytest.mark.parametrize(
    "question",
    [
        "배송비 평균 알려줘",
        "주차장 이용료 합계는?",
        "total profit?",
        "Average of 대전 at most 2",
        "average waiting time",
        "送料の平均は？",
    ],
)
def test_words_that_nobody_took_are_asked_about(question: str, ask: Callable[..., dict[str, Any]]) -> None:
    assert not ask(question, name="sales_2024.csv")["answered"]


def test_no_noun_passes_for_a_form_of_speech() -> None:
    nouns = ["주차장", "배송비", "약국", "한복", "중고", "보고서", "세면대", "수리비", "말투", "할인", "고장"]
    assert [one for one in nouns if _says_nothing().fullmatch(one)] == []


def asked(question: str, before: Sequence[str]) -> Any:
    class Said:
        text, periods = question, ()
        last = {"question": before[-1], "before": [{"question": one} for one in before[:-1]]} if before else {}

    return read_question(Said())[0].get("before", [])  # type: ignore[arg-type]  # what it reads of a clause


def test_the_same_said_again_means_what_it_meant() -> None:
    every = ["지역별 금액 합계 알려줘", "원주는 몇 건?"]
    assert asked(every[0], every) == []
    assert len(asked("그중에 5점은?", [*every, "그중에 5점은?"])) == 3, "it points at what was said since"
    assert len(asked("청주는 몇 건?", every)) == 2


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which 지역 has the most 4 star rows?", {"대전": 3, "원주": 3}),
        ("which 기기 has the most five-star reviews?", {"Android": 3}),
        ("4점 의견이 가장 많은 지역은?", {"대전": 3, "원주": 3}),
    ],
)
def test_the_most_of_rated_rows_are_counted(
    question: str, expected: dict[str, int], ask: Callable[..., dict[str, Any]]
) -> None:
    """What stands between "most" and "reviews" chooses the rows, and is no other measure; who is level is told, too."""
    assert dict(ask(question)["table"]["rows"]) == expected
