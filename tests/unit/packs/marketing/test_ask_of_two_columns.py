"""What two columns make together, empty cells, and what is asked of groups told before."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "item_no,shelf,stock,unit price,fragile,last delivery"
ROWS = [("A", 3, 10.0, "yes"), ("A", 0, 4.0, "no"), ("B", 5, 2.0, "no"), ("B", 2, 50.0, "no"), ("C", 1, 8.0, "yes")]
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    days = [f"2026-0{at % 5 + 1}-11" if at % 3 else "" for at in range(30)]
    lines = [f"I-{at:03},{s},{n},{p},{f},{days[at]}" for at, (s, n, p, f) in enumerate(ROWS * 6)]
    ctx.upload("\n".join([HEADS, *lines]).encode(), "shelf_items.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        asked: dict[str, Any] = {"before": [{"question": one} for one in before]} if before else {}
        return run("ask", question=question, **asked)

    return call


@pytest.mark.parametrize(
    "question",
    ["Multiply the stock by the unit price, what is the total?", "현재 stock에 unit price 곱해서 전부 더하면?",
     "What is the total stock value?", "stock × unit price の合計は？"],
)  # fmt: skip
def test_a_product_of_two_columns_is_added_row_by_row(ask: Ask, question: str) -> None:
    assert ask(question)["table"]["rows"][0][0] == 6 * (30 + 0 + 10 + 100 + 8)


def test_the_others_are_those_that_were_left_out(ask: Ask) -> None:
    assert ask("and the others?", "How many items are fragile?")["rows"] == 18


def test_which_of_the_groups_before_is_asked_of_their_figure(ask: Ask) -> None:
    told = ask("and which of them is the lowest?", "total stock by shelf")
    assert told["table"]["rows"][0][:2] == ["C", 6.0]


def test_rows_without_a_delivery_have_an_empty_cell(ask: Ask) -> None:
    assert ask("How many items have no last delivery?")["rows"] == 10
