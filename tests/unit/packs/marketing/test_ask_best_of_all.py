"""Who, where and when most was sold; the best of what was told; a figure that was kept by before; and pictures of it."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

SALES = [
    ("2026-07", "서울", "김민수", "노트북", 13, 15600), ("2026-07", "부산", "이영희", "노트북", 25, 30000),
    ("2026-08", "서울", "김민수", "노트북", 14, 16800), ("2026-08", "부산", "이영희", "모니터", 20, 6000),
    ("2026-09", "서울", "김민수", "모니터", 7, 2100), ("2026-09", "대구", "박철수", "노트북", 26, 31200),
    ("2026-10", "대구", "박철수", "모니터", 12, 3600), ("2026-10", "서울", "김민수", "노트북", 11, 13200),
]  # fmt: skip
REVIEWS = [
    ("2026-09-01", "이어폰", 5, "음질이 정말 좋아요"), ("2026-09-08", "이어폰", 1, "금방 고장이 났습니다"), ("2026-09-15", "스피커", 4, "소리가 아주 큽니다"),
    ("2026-10-02", "이어폰", 2, "배송이 너무 늦었어요"), ("2026-10-09", "스피커", 2, "생각보다 무겁습니다"), ("2026-10-20", "스피커", 3, "그냥 보통이네요"),
] * 2  # fmt: skip
Ask = Callable[..., dict[str, Any]]


def _asking(ctx: FakeContext, run: Run, name: str, heads: str, rows: list[tuple[Any, ...]]) -> Ask:
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows)]).encode(), name)

    def call(question: str, *before: str, **more: Any) -> dict[str, Any]:
        asked: dict[str, Any] = {"question": question, **more}
        return run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))

    return call


@pytest.fixture
def sales(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "sales.csv", "월,지역,담당자,제품,수량,금액", SALES)


@pytest.fixture
def reviews(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "reviews.csv", "date,product,rating,review", REVIEWS)


def told(answer: dict[str, Any]) -> list[list[Any]]:
    assert answer["answered"], answer["summary"]
    rows: list[list[Any]] = answer["table"]["rows"]
    return rows


def first(answer: dict[str, Any]) -> tuple[Any, float]:
    """What comes first, and its figure; the last column tells how many rows it is of."""
    row = told(answer)[0]
    return row[0], next(one for one in row[1:] if isinstance(one, int | float))


def added(by: int, figure: int, **of: str) -> dict[str, int]:
    at, sums = {"item": 3}, defaultdict[str, int](int)
    for row in SALES:
        if all(row[at[name]] == value for name, value in of.items()):
            sums[str(row[by])] += int(row[figure])
    return dict(sums)


def most(sums: dict[str, int]) -> tuple[str, int]:
    return max(sums.items(), key=lambda one: one[1])


def least(sums: dict[str, int]) -> tuple[str, int]:
    return min(sums.items(), key=lambda one: one[1])


@pytest.mark.parametrize(
    "question",
    [
        "who sold the most laptops", "노트북 제일 많이 판 사람은?", "ノートPCを一番売ったのは誰？", "ノートパソコンを一番多く売った人は誰ですか？",
        "which rep sold the most laptops?",
    ],
)  # fmt: skip
def test_who_sold_most_is_who_sold_most_in_all(question: str, sales: Ask) -> None:
    assert first(sales(question)) == most(added(2, 4, item="노트북"))


@pytest.mark.parametrize(
    ("question", "by", "end"),
    [
        ("노트북이 제일 많이 팔린 달은?", 0, most), ("ノートPCが一番売れた月は？", 0, most), ("노트북 젤 안팔린 달은??", 0, least),
        ("노트북이 가장 안 팔린 달은?", 0, least), ("ノートPCが一番売れなかった月は？", 0, least), ("노트북이 제일 많이 팔린 지역은?", 1, most),
        ("which region sold the most laptops?", 1, most),
    ],
)  # fmt: skip
def test_when_and_where_most_was_sold_is_no_question_of_what(question: str, by: int, end: Any, sales: Ask) -> None:
    name, figure = first(sales(question))
    expected, pieces = end(added(by, 4, item="노트북"))
    assert (str(name)[: len(expected)], figure) == (expected, pieces)


@pytest.mark.parametrize("question", ["제일 잘 팔린 제품은?", "一番売れた商品は？", "what sold best?"])
def test_what_was_sold_most_is_still_a_product(question: str, sales: Ask) -> None:
    assert first(sales(question)) == most(added(3, 4))


@pytest.mark.parametrize(
    "question", ["which month was the best overall?", "which month was best?", "what was our best month"]
)
def test_the_best_month_is_the_one_in_which_most_came_in(question: str, sales: Ask) -> None:
    name, figure = first(sales(question))
    expected, amount = most(added(0, 5))
    assert (str(name)[: len(expected)], figure) == (expected, amount)


MONTHS = [("10월", "2026-10-01", "2026-10-31"), ("9월", "2026-09-01", "2026-09-30")]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("10월은 9월보다 나빠졌어?", ("10월", "9월")), ("was October worse than September?", ("October", "September")),
        ("10月は9月より悪くなった？", ("10月", "9月")),
    ],
)  # fmt: skip
def test_whether_a_month_was_worse_is_asked_of_the_marks(question: str, names: tuple[str, str], reviews: Ask) -> None:
    periods = [{"said": said, "start": start, "end": end} for said, (_, start, end) in zip(names, MONTHS, strict=True)]
    marks = {month: [row[2] for row in REVIEWS if row[0].startswith(month)] for month in ("2026-10", "2026-09")}
    means = {month: pytest.approx(sum(some) / len(some), abs=0.01) for month, some in marks.items()}
    rows = told(reviews(question, periods=periods))
    assert {str(row[0])[:7]: next(one for one in row[1:] if isinstance(one, float)) for row in rows} == means


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("별점 2점 이하 리뷰 몇개야?", "이어폰만 따로 보면 평균 평점 얼마임"), ("how many are rated 2 or less?", "and the average rating of the earphones?"),
        ("評価2以下は何件？", "イヤホンだけの平均評価は？"),
    ],
)  # fmt: skip
def test_an_average_is_not_asked_of_the_rows_that_were_kept_by_it(before: str, question: str, reviews: Ask) -> None:
    marks = [row[2] for row in REVIEWS if row[1] == "이어폰"]
    assert f"{sum(marks) / len(marks):.2f}" in reviews(question, before)["summary"][1]


@pytest.mark.parametrize(("before", "question"), [("별점 2점 이하 리뷰 몇개야?", "그것들 평균 평점은?")])
def test_who_points_at_the_rows_that_were_kept_means_them(before: str, question: str, reviews: Ask) -> None:
    marks = [row[2] for row in REVIEWS if row[2] <= 2]
    assert f"{sum(marks) / len(marks):.2f}" in " ".join(reviews(question, before)["summary"])


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("어느 달이 제일 잘 팔렸어?", "그걸로 표 말고 그래프"), ("who sold the most laptops", "a chart of that, not a table"),
        ("一番売れた月は？", "表じゃなくてグラフで"), ("노트북 평균 수량은?", "막대그래프로 그려줘"), ("ノートPCの平均数量は？", "棒グラフにして"),
    ],
)  # fmt: skip
def test_a_picture_of_what_was_told_has_more_than_one_bar(before: str, question: str, sales: Ask) -> None:
    assert len(told(sales(question, before))) > 1
