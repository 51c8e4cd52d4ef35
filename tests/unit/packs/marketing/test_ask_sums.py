"""What is worked out of the figures that were told: how far apart two are, by how many per cent, how many times the
other, what they are together of the whole; and a second question that leaves out what the first says."""

from collections.abc import Callable
from typing import Any

import pytest

from packs.marketing.asking.written import rounded
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext, Witness
from tests.unit.packs.marketing.test_true_stock_and_answers import ran, said

pytestmark = pytest.mark.usefixtures("undrawn")

SHOPS = ["Leith", "Morningside", "Portobello", "Stockbridge"]
PAID = ["card", "cash", "voucher"]
ROWS = [
    (f"2026-0{7 + at % 3}-{1 + at % 28:02}", SHOPS[at % 4], PAID[at * at % 3], 3 + at % 5, 10 + 7 * (at % 11))
    for at in range(72)
]
"""day, shop, payment, weight, amount"""
PERIODS = {
    "July": ("2026-07-01", "2026-07-31"), "7월": ("2026-07-01", "2026-07-31"), "7月": ("2026-07-01", "2026-07-31"),
    "August": ("2026-08-01", "2026-08-31"), "8월": ("2026-08-01", "2026-08-31"), "8月": ("2026-08-01", "2026-08-31"),
}  # fmt: skip
Ask = Callable[..., dict[str, Any]]


def file() -> bytes:
    lines = [",".join(map(str, one)) for one in ROWS]
    return "\n".join(["date,shop,payment,weight (kg),amount", *lines]).encode()


def asked_of(question: str, before: tuple[str, ...]) -> dict[str, Any]:
    def periods(text: str) -> list[dict[str, str]]:
        return [{"said": one, "start": it[0], "end": it[1]} for one, it in PERIODS.items() if one in text]

    asked: dict[str, Any] = {"question": question, "periods": periods(question)}
    return {**asked, "before": [{"question": one, "periods": periods(one)} for one in before]} if before else asked


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    ctx.upload(file(), "sales.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        return run("ask", **asked_of(question, before))

    return call


def paid(**kept: str) -> int:
    return sum(one[4] for one in ROWS if kept.items() <= dict(zip(("month", "shop", "payment"), (one[0][:7], *one[1:3]), strict=True)).items())  # fmt: skip


SHOP = {one: paid(shop=one) for one in SHOPS}
ENDS = max(SHOP.values()) - min(SHOP.values())
MONTHS = paid(month="2026-07"), paid(month="2026-08")
GROWN = f"{abs(MONTHS[1] - MONTHS[0]) / MONTHS[0] * 100:.2f}"
BOTH = f"{rounded(100 * (SHOP['Leith'] + SHOP['Portobello']) / sum(SHOP.values()), 2):.2f}"


def told(result: dict[str, Any]) -> str:
    assert result["answered"], result["summary"]
    return "\n".join(result["summary"]).replace(",", "")


@pytest.mark.parametrize(
    ("question", "before"),
    [("1위랑 꼴찌 차이가 얼마야?", "shop별 amount 합계"), ("제일 높은 곳이랑 제일 낮은 곳 얼마 차이 나?", "shop별 amount 합계"),
     ("how far apart are the top and the bottom?", "total amount by shop"),
     ("What's the gap between the best and the worst shop?", "total amount by shop"),
     ("一番多い店と一番少ない店の差はいくら?", "shopごとのamountの合計"),
     ("how much do the two differ by?", "which shop has the lowest total amount?"),
     ("둘이 얼마 차이?", "amount 합계가 가장 높은 shop은?")],
)  # fmt: skip
def test_the_first_and_the_last_are_set_apart(ask: Ask, question: str, before: str) -> None:
    result = ask(question, before)
    assert f" {ENDS}" in f" {told(result)}".replace("より", "より ")
    assert {one[0] for one in result["table"]["rows"]} == {max(SHOP, key=lambda it: SHOP[it]), min(SHOP, key=lambda it: SHOP[it])}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "before"),
    [("몇 퍼센트 오른 거야?", ("7월 amount 합계", "8월은?")), ("7월보다 몇 % 늘었어?", ("8월 amount 합계",)),
     ("what's the percentage change?", ("total amount in July?", "And August?")),
     ("And August? Is it up or down, and by how much?", ("total amount in July?",)),
     ("何%増えましたか?", ("7月のamountの合計は?", "8月は?")), ("どっちがいくら多い?", ("7月のamountの合計は?", "8月は?"))],
)  # fmt: skip
def test_two_times_that_were_told_are_set_apart(ask: Ask, question: str, before: tuple[str, ...]) -> None:
    said_ = told(ask(question, *before))
    assert GROWN in said_ and str(abs(MONTHS[1] - MONTHS[0])) in said_


@pytest.mark.parametrize(
    ("question", "before"),
    [("둘이 합치면 전체 amount의 몇 %야?", ("Leith amount 합계", "Portobello는?")),
     ("together, what percentage of the whole amount is that?", ("total amount for Leith", "and Portobello?")),
     ("2つ合わせて全体の何%になりますか?", ("Leithのamountの合計は?", "Portobelloは?")),
     ("둘이 합쳐서 전체 amount의 몇 퍼센트?", ("Leith amount 평균", "Portobello는?"))],
)  # fmt: skip
def test_those_that_were_told_are_a_share_together(ask: Ask, question: str, before: tuple[str, ...]) -> None:
    assert BOTH in told(ask(question, *before))


@pytest.mark.parametrize(
    ("question", "before"),
    [("셋이 합쳐서 전체의 몇 %야?", ("Leith amount 합계", "Portobello는?")),  # two were told
     ("둘이 합쳐서 전체의 몇 %야?", ("Leith amount 평균", "Portobello는?")),  # of the rows, or of the amount?
     ("what percent increase is the staffing?", ("total amount in July?", "And August?")),
     ("1위랑 꼴찌 재고 차이는?", ("shop별 amount 합계",))],
)  # fmt: skip
def test_nothing_is_worked_out_of_what_nobody_told(ask: Ask, question: str, before: tuple[str, ...]) -> None:
    assert not ask(question, *before)["answered"]


@pytest.mark.parametrize(
    "question",
    [
        "What share of the recorded weight is Leith?",
        "전체 weight에서 Leith가 몇 퍼센트야?",
        "weight全体のうちLeithは何%?",
    ],
)
def test_a_share_is_of_the_column_that_is_named_as_the_whole(ask: Ask, question: str) -> None:
    weights = {one: sum(it[3] for it in ROWS if it[1] == one) for one in SHOPS}
    assert f"{rounded(100 * weights['Leith'] / sum(weights.values()), 2):.2f}" in told(ask(question))
    other = f"{rounded(100 * weights['Stockbridge'] / sum(weights.values()), 2):.2f}"
    assert other in told(ask("And Stockbridge?", question))


def test_a_second_question_leans_on_the_first(ask: Ask) -> None:
    cash, card = (sum(one[2] == it for one in ROWS) for it in ("cash", "card"))
    shares = [f"{rounded(100 * paid(payment=it) / sum(SHOP.values()), 2):.2f}" for it in ("cash", "card")]
    said_ = told(ask("card는요? 그리고 건수로는 몇 건인가요?", "amount로 따지면 cash가 전체의 몇 %야?"))
    assert shares[1] in said_ and f"{card}건" in said_
    both = told(ask("What percent of rows are cash? And card?"))
    assert all(f"{rounded(100 * one / len(ROWS), 2):.2f}" in both for one in (cash, card))


@pytest.mark.parametrize(
    ("question", "before"),
    [("Leith는 Portobello의 몇 배야?", ("Leith amount 합계", "Portobello는?")),
     ("how many times as much is that?", ("total amount for Leith", "and Portobello?")),
     ("LeithはPortobelloの何倍?", ("Leithのamountの合計は?", "Portobelloは?"))],
)  # fmt: skip
def test_how_many_times_the_other_it_is_is_worked_out_again(
    question: str, before: tuple[str, ...], tmp_path: Any
) -> None:
    ctx = Witness(tmp_path)
    ctx.upload(file(), "sales.csv")
    result = ran(ctx, "ask", **asked_of(question, before))
    less, more = sorted((SHOP["Leith"], SHOP["Portobello"]))
    expected = {"times": f"{rounded(more / less, 2):.2f}", "part": f"{rounded(less / more, 2):.2f}"}
    assert any(expected.items() <= one.items() for one in said(ctx, "ask.times"))
    assert "ask.times" in {one["says"] for one in result["evidence"]}


@pytest.mark.parametrize(
    ("question", "before"),
    [("8월은 7월의 몇 배야?", ("7월 amount 합계", "8월은?")), ("7月は8月の何倍?", ("7月のamountの合計は?", "8月は?"))],
)
def test_two_times_that_are_named_are_set_against_each_other(ask: Ask, question: str, before: tuple[str, ...]) -> None:
    assert f"{rounded(max(MONTHS) / min(MONTHS), 2):.2f}" in told(ask(question, *before))


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("둘을 합치면?", "amount 합계가 가장 높은 shop은?"),
        ("both together?", "which shop has the lowest total amount?"),
    ],
)
def test_the_first_and_the_last_are_taken_together(ask: Ask, question: str, before: str) -> None:
    assert f" {max(SHOP.values()) + min(SHOP.values())}" in told(ask(question, before))


def test_a_part_of_a_heading_is_no_whole(ctx: FakeContext, run: Run) -> None:
    rows = [f"2026-07-{1 + at % 28:02},{'결석' if at % 5 == 0 else '이수'},{50 + at}" for at in range(40)]
    ctx.upload("\n".join(["교습일,출결,교습 시간(분)", *rows]).encode(), "운전교습.csv")
    assert "20.00" in told(run("ask", question="전체 교습에서 결석이 차지하는 비율이 몇 %지?"))
