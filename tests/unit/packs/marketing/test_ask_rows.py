"""Questions about cells that are empty, days of the week, columns against columns, single rows, and turns that go on."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "Part No,Part,Depot,On hand,Reorder point,Unit price,Vendor,Discontinued,Checked"
ROWS = [
    ("P-01", "Hinge", "East", 4, 9, 12.5, "Orla", "false", "2026-03-07"),
    ("P-02", "Latch", "West", 40, 9, 3.25, "", "true", "2026-03-09"),
    ("P-03", "Bolt", "East", 2, 5, 0.5, "Orla", "false", "2026-03-08"),
    ("P-04", "Crank", "West", 7, 7, 48.0, "Finn", "false", "2026-03-12"),
    ("P-05", "Gear", "East", 1, 3, 31.75, "", "true", "2026-03-14"),
    ("P-06", "Rivet", "West", 90, 30, 0.75, "Finn", "false", "2026-03-15"),
]
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    lines = [",".join(map(str, row)) for row in ROWS]
    more = [",".join(map(str, (f"{row[0]}b", f"{row[1]} II", *row[2:]))) for row in ROWS]
    ctx.upload("\n".join([HEADS, *lines, *more]).encode(), "parts.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        said = [{"question": one} for one in before]
        return run("ask", question=question, **({"before": said} if said else {}))

    return call


def figures(result: dict[str, Any]) -> list[Any]:
    assert result["answered"], result["summary"]
    return [row[-1] for row in result["table"]["rows"]]


def twice(kept: Callable[[tuple[Any, ...]], bool]) -> int:
    return 2 * sum(map(kept, ROWS))


@pytest.mark.parametrize(
    "question", ["how many parts have no vendor?", "공급업체가 비어 있는 건 몇 건이야?", "仕入先が未記入のものは何件？"]
)
def test_cells_that_are_empty_are_counted(question: str, ask: Ask) -> None:
    assert figures(ask(question)) == [twice(lambda row: not row[6])]


@pytest.mark.parametrize(
    "question",
    [
        "How many parts are below their reorder point?",
        "재고가 재주문점보다 적은 건 몇 건?",
        "在庫が発注点を下回る品目は何件？",
    ],
)
def test_a_column_bounds_another_row_by_row(question: str, ask: Ask) -> None:
    assert figures(ask(question)) == [twice(lambda row: row[3] < row[4])]


@pytest.mark.parametrize(
    "question", ["how many were checked on a weekend?", "주말에 점검한 건 몇 건이야?", "土日のものは何件ですか"]
)
def test_days_of_the_week_are_no_days_of_the_calendar(question: str, ask: Ask) -> None:
    assert figures(ask(question)) == [twice(lambda row: date.fromisoformat(row[8]).weekday() >= 5)]


def test_rows_are_grouped_by_the_day_of_the_week(ask: Ask) -> None:
    told = ask("요일별로 몇 건인지 알려줘")
    assert told["table"]["rows"][0][0] == "월요일"
    assert figures(ask("count by day of the week")) == figures(told)


@pytest.mark.parametrize(
    ("question", "dropped"),
    [
        ("How many parts are discontinued?", "true"),
        ("how many are not discontinued?", "false"),
        ("단종된 건 몇 건이야", "true"),
    ],
)
def test_what_is_so_and_what_is_not(question: str, dropped: str, ask: Ask) -> None:
    assert figures(ask(question)) == [twice(lambda row: row[7] == dropped)]


def test_two_columns_are_crossed(ask: Ask) -> None:
    told = ask("cross-tab of depot and vendor, please")["table"]
    assert {tuple(row) for row in told["rows"]} >= {("East", "Orla", 4.0), ("West", "Finn", 4.0)}


def test_what_each_group_has_of_all(ask: Ask) -> None:
    east = sum(row[3] for row in ROWS if row[2] == "East") / sum(row[3] for row in ROWS)
    told = {row[0]: row[1] for row in ask("창고별로 재고가 차지하는 비중 알려줘")["table"]["rows"]}
    assert told["East"] == pytest.approx(100 * east, abs=0.001)


@pytest.mark.parametrize(
    "question", ["What is the most expensive part?", "가장 비싼 물건이 뭐야?", "一番高い商品はどれ？"]
)
def test_a_single_row_is_told_by_its_name(question: str, ask: Ask) -> None:
    assert any("Crank" in line and "48" in line for line in ask(question)["summary"])


def test_those_of_before_are_told_by_their_names(ask: Ask) -> None:
    told = ask("Which of those are in the East depot?", "How many parts are below their reorder point?")["summary"]
    assert all(any(name in line for line in told) for name in ("Hinge", "Bolt", "Gear"))
    assert not any("Latch" in line for line in told)


def test_what_is_narrowed_keeps_its_measure(ask: Ask) -> None:
    assert ask("그중 East 창고만", "재고 합계는 얼마야?")["table"]["rows"][0][0] == 2 * (4 + 2 + 1)


def test_the_other_end_of_what_was_ranked(ask: Ask) -> None:
    assert ask("창고별 단가 평균이 제일 높은 곳은?")["table"]["rows"][0][0] == "West"
    assert ask("그럼 제일 낮은 곳은?", "창고별 단가 평균이 제일 높은 곳은?")["table"]["rows"][0][0] == "East"


def test_a_share_of_fewer_rows(ask: Ask) -> None:
    told = ask("only the East depot, what percentage?", "What percentage has Orla as vendor?")["table"]["rows"]
    assert told[0][0] == pytest.approx(200 / 3, abs=0.01)


def test_one_word_beside_rows_that_are_named_is_left_aside_and_told(ask: Ask) -> None:
    told = ask("Which depot of the kingdom has the most parts?")
    assert told["answered"]
    assert "‘kingdom’" in told["summary"][-1]
    assert ask("How many parts in the West are gilded by kingdom?")["answered"] is False, (
        "they are to be told apart by it"
    )


def test_a_word_beside_nothing_else_may_be_what_was_asked_about(ask: Ask) -> None:
    assert ask("What is the average unit price in Atlantis?")["answered"] is False
