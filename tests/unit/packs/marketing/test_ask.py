"""marketing.ask: each figure is worked out a second time, from the rows, without the tool's own query."""

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext


class Stay(NamedTuple):
    """A row of a table of hotels."""

    city: str
    guest: str
    day: date
    price: int
    score: int
    text: str


def stays() -> list[Stay]:
    chance = random.Random(7)
    texts = [
        "조용하고 깨끗해요",
        "조식이 별로였어요",
        "The breakfast was cold",
        "Lovely pool and view",
        "주차가 힘들어요",
    ]
    return [
        Stay(
            chance.choice(["부산", "강릉", "Jeju City", "여수"]),
            chance.choice(["family", "couple", "solo"]),
            date(2023, 1, 1) + timedelta(days=chance.randrange(900)),
            chance.randrange(40, 300) * 1000,
            chance.randint(1, 5),
            chance.choice(texts),
        )
        for _ in range(400)
    ]


ROWS = stays()
HEADS = {
    "ko": ["도시", "투숙객", "작성일", "금액", "평점", "후기"],
    "en": ["City", "Guest type", "Date", "Price", "Rating", "Review"],
}
Kept = Callable[[Stay], bool]


def rows(kept: Kept = lambda _: True) -> list[Stay]:
    return [one for one in ROWS if kept(one)]


def mean(found: Sequence[Stay]) -> float:
    return fmean(one.score for one in found)


ANSWERED: list[tuple[str, str, list[float]]] = [
    # heads, what is asked, the figures that must be there
    ("ko", "부산에서 쓴 후기가 몇 건이야?", [len(rows(lambda one: one.city == "부산"))]),
    ("ko", "별 두 개 이하로 준 사람은 몇 명?", [len(rows(lambda one: one.score <= 2))]),
    ("ko", "강릉 빼고 평점 평균 알려줘", [mean(rows(lambda one: one.city != "강릉"))]),
    ("ko", "조식 얘기하는 후기 개수랑 평균", [
        len(rows(lambda one: "조식" in one.text)), mean(rows(lambda one: "조식" in one.text))]),
    ("ko", "금액 20만원 이상인 건 몇 건이지", [len(rows(lambda one: one.price >= 200_000))]),
    ("ko", "금액 합계는 얼마야?", [sum(one.price for one in ROWS)]),
    ("ko", "jeju city 평균이 몇 점이야", [mean(rows(lambda one: one.city == "Jeju City"))]),
    ("ko", "5점은 몇 퍼센트야?", [100 * len(rows(lambda one: one.score == 5)) / len(ROWS)]),
    ("en", "How many reviews did Jeju City get?", [len(rows(lambda one: one.city == "Jeju City"))]),
    ("en", "Average rating without 부산", [mean(rows(lambda one: one.city != "부산"))]),
    ("en", "What share of the reviews by couples has at least 4 stars?", [
        100 * len(rows(lambda one: one.guest == "couple" and one.score >= 4)) / len(rows(lambda one: one.guest == "couple"))]),
    ("en", "What share of guests with a pet liked it?", []),
    ("en", "How many rated it exactly 1?", [len(rows(lambda one: one.score == 1))]),
    ("en", "What was the total price for families?", [sum(one.price for one in ROWS if one.guest == "family")]),
    ("en", "How many reviews mention the breakfast?", [len(rows(lambda one: "breakfast" in one.text))]),
    ("ko", "출장 숙소 알아보는 중이라서요, 도시는 몇 군데나 있어요?", [4]),
    ("ko", "후기가 모두 몇 건이고 그중에 별 하나는 몇 건이야?", [len(ROWS), len(rows(lambda one: one.score == 1))]),
    ("ko", "강릉 말고 부산만 보면 되는데요, 1점은 전체의 몇 %고 몇 개죠?", [
        100 * len(rows(lambda one: one.city == "부산" and one.score == 1)) / len(rows(lambda one: one.city == "부산"))]),
    ("ko", "도시 상관없이 다 합치면 얼마야", [sum(one.price for one in ROWS)]),
    ("en", "My team leader wants this today. How many different guest types are there?", [3]),
    ("en", "How many reviews are there and how many of them gave 5?", [len(ROWS), len(rows(lambda one: one.score == 5))]),
    ("en", "How many dentists are there?", []),
    ("en", "What was the highest price anybody paid?", [max(one.price for one in ROWS)]),
    ("ko", "여수 빼면 평점 평균이 어떻게 돼?", [mean(rows(lambda one: one.city != "여수"))]),
    ("ko", "객금액 평균은?", []),
    ("en", "I only care about honeymooners. How many reviews did they write?", []),
    ("en", 'How many reviews contain the word "pool"?', [len(rows(lambda one: "pool" in one.text))]),
    ("en", "都市は全部でいくつありますか？", [4]),
    ("en", "여수の平均点は？", [mean(rows(lambda one: one.city == "여수"))]),
    ("en", "強いて言えば星5は何件？", [len(rows(lambda one: one.score == 5))]),
]  # fmt: skip


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Callable[..., dict[str, Any]]:
    def call(heads: str, question: str, **params: Any) -> dict[str, Any]:
        lines = [",".join(HEADS[heads]), *(",".join(map(str, one)) for one in ROWS)]
        ctx.upload("\n".join(lines).encode(), "stays.csv")
        return run("ask", question=question, **params)

    return call


def figures(result: dict[str, Any]) -> list[float]:
    return [value for row in result["table"]["rows"] for value in row if isinstance(value, (int, float))]


@pytest.mark.parametrize(("heads", "question", "expected"), ANSWERED)
def test_a_figure_is_that_of_the_rows_or_there_is_none(
    heads: str, question: str, expected: list[float], ask: Callable[..., dict[str, Any]]
) -> None:
    result = ask(heads, question)
    if not expected:  # words that are nowhere in the table: asked back, with what there is
        assert not result["answered"] and "table" not in result and HEADS[heads][0] in result["summary"][0]
        return
    assert result["answered"], result["summary"]
    for one in expected:
        assert any(abs(one - value) < 0.005 for value in figures(result)), (one, result["summary"])


def test_groups_come_in_their_order_with_rows_behind_them(ask: Callable[..., dict[str, Any]]) -> None:
    result = ask("ko", "도시별 평점 평균 낮은 순으로 두 곳만")
    by_city = {city: rows(lambda one, city=city: one.city == city) for city in {one.city for one in ROWS}}  # type: ignore[misc]  # mypy cannot type a lambda's default
    expected = sorted(by_city, key=lambda city: mean(by_city[city]))[:2]
    assert [row[0] for row in result["table"]["rows"]] == expected
    assert [row[-1] for row in result["table"]["rows"]] == [len(by_city[city]) for city in expected]


def test_periods_narrow_and_a_grain_makes_a_line(ask: Callable[..., dict[str, Any]], ctx: FakeContext) -> None:
    year = {"said": "2024년", "start": "2024-01-01", "end": "2024-12-31"}
    result = ask("ko", "2024년 월별 후기 수", periods=[year])
    counted = {row[0]: row[1] for row in result["table"]["rows"]}
    assert counted["2024-03"] == len(rows(lambda one: (one.day.year, one.day.month) == (2024, 3)))
    assert sum(counted.values()) == len(rows(lambda one: one.day.year == 2024))
    picture = ctx.newest("chart.answer")
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000


def test_what_is_no_value_and_what_is_no_word_of_the_table_is_told(ask: Callable[..., dict[str, Any]]) -> None:
    result = ask("ko", "객실 단가가 제일 높은 도시는?")
    assert not result["answered"] and "단가" in result["summary"][0] and "도시" in result["summary"][0]
    assert not ask("en", "What is the average salary?")["answered"]


def test_why_compares_low_ones_with_the_others_and_claims_no_cause(ask: Callable[..., dict[str, Any]]) -> None:
    told = "\n".join(ask("ko", "부산이 유독 평이 나쁜 이유가 뭐야?")["summary"])
    low = rows(lambda one: one.city == "부산" and one.score <= 2)
    assert f"{len(low)}건" in told and "증명하지는 않습니다" in told


def test_the_table_is_shown_before_anything_is_asked_of_it(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask("en", "Which columns does this table have?")["summary"]
    assert "400" in told[0] and [line.split(" (")[0] for line in told[1:]] == HEADS["en"]


@pytest.mark.parametrize(
    "data", [b"a\n1\n2\n", b"\n".join([b"x,y", *[b"same,1"] * 5]), "평점\n★★★☆☆\n★☆☆☆☆\n".encode()]
)
def test_odd_tables_give_figures_or_a_sentence(data: bytes, ctx: FakeContext, run: Run) -> None:
    ctx.upload(data, "odd.csv")
    assert run("ask", question="몇 건이야?")["summary"]


def test_a_table_without_rows_is_refused(ctx: FakeContext, run: Run) -> None:
    ctx.upload(b"a,b\n", "empty.csv")
    with pytest.raises(ToolError) as refused:
        run("ask", question="몇 건이야?")
    assert refused.value.code == Code.TABLE_EMPTY


FOLLOWED: list[tuple[str, list[str], list[float]]] = [
    # heads, what is asked one after the other, the figures of the last answer
    ("ko", ["부산 후기는 몇 건이야?", "그중에 별 한 개는 몇 건?"], [
        len(rows(lambda one: one.city == "부산" and one.score == 1))]),
    ("ko", ["부산 평점 평균은 몇 점?", "여수는?"], [mean(rows(lambda one: one.city == "여수"))]),
    ("ko", ["부산 평점 평균은 몇 점?", "도시별로는?"], [
        mean(rows(lambda one, city=city: one.city == city)) for city in ("강릉", "Jeju City")]),  # type: ignore[misc]  # mypy cannot type a lambda's default
    ("en", ["How many reviews did couples write?", "and families?"], [len(rows(lambda one: one.guest == "family"))]),
    ("en", ["Average rating of 강릉", "how many of those are five stars?"], [
        len(rows(lambda one: one.city == "강릉" and one.score == 5))]),
    ("en", ["Which city has the lowest average rating?", "how many reviews does that city have?"], [
        len(min((rows(lambda one, city=city: one.city == city) for city in {one.city for one in ROWS}), key=mean))]),  # type: ignore[misc]  # as above
]  # fmt: skip


@pytest.mark.parametrize(("heads", "asked", "expected"), FOLLOWED)
def test_a_short_turn_goes_on_from_what_was_asked_before(
    heads: str, asked: list[str], expected: list[float], ask: Callable[..., dict[str, Any]]
) -> None:
    *before, last = asked
    result = ask(heads, last, before=[{"question": one} for one in before])
    assert result["answered"], result["summary"]
    for one in expected:
        assert any(abs(one - value) < 0.005 for value in figures(result)), (one, result["summary"])


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("도시별 평점 평균", "차트로 좀 그려줄래"),
        ("How many reviews did each city get?", "put that in a graph please"),
        ("도시별 평점 평균", "図で見せて"),
    ],
)
def test_who_wants_a_picture_of_what_was_told_gets_it_and_no_summary(
    asked: str, shown: str, ask: Callable[..., dict[str, Any]], ctx: FakeContext
) -> None:
    told = ask("ko" if "도시" in asked else "en", asked)
    drawn = ask("ko" if "도시" in asked else "en", shown, before=[{"question": asked}])
    assert drawn["table"] == told["table"]
    assert ctx.newest("chart.answer").startswith(b"\x89PNG")


def test_what_goes_on_from_nothing_is_asked_back(ask: Callable[..., dict[str, Any]]) -> None:
    assert not ask("ko", "그중에 별 한 개는 몇 건?")["answered"]
    assert not ask("en", "Average rating of guests under 3 nights")["answered"]  # a bound that nothing here holds


def test_a_ranking_by_number_counts_rows(ask: Callable[..., dict[str, Any]]) -> None:
    most = sorted({one.city for one in ROWS}, key=lambda city: -len(rows(lambda one: one.city == city)))
    assert ask("en", "top 1 city by number of reviews")["table"]["rows"][0][0] == most[0]


@pytest.mark.parametrize("asked", ["How do Leeds and Bath compare on average?", "Leeds랑 Bath 평균 비교해줘"])
def test_of_a_family_of_names_each_goes_by_its_own_word(asked: str, ctx: FakeContext, run: Run) -> None:
    lines = [f"Harbour {city},{score}" for city, score in (("Leeds", 1), ("Bath", 5), ("York", 3)) for _ in range(12)]
    ctx.upload("\n".join(["Hotel,Rating", *lines]).encode(), "stays.csv")
    found = run("ask", question=asked)
    assert {row[0]: row[1] for row in found["table"]["rows"]} == {"Harbour Leeds": 1, "Harbour Bath": 5}


def test_what_a_table_holds_is_told_with_pictures(ctx: FakeContext, run: Run) -> None:
    lines = ["지점,매출,날짜", *(f"{'가나다'[at % 3]}점,{1000 + at},2025-0{at % 3 + 1}-11" for at in range(30))]
    ctx.upload("\n".join(lines).encode(), "sales.csv")
    assert run("ask", question="이거 분석해줘")["answered"]
    pictures = ctx.inputs("chart.answer")
    assert [one.attachment.name for one in pictures] == ["answer_1.png", "answer_2.png"]
    assert all(one.path.read_bytes().startswith(b"\x89PNG") for one in pictures)
