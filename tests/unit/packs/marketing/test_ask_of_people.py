"""Who it was, how much a day has, both of two bounds, and a question behind one that was not answered."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

CLAIMS: list[tuple[Any, ...]] = [
    ("C-1", "2026-01-05", "Ann", "Sales", "Meals", 30.0, "Approved"),
    ("C-2", "2026-01-09", "Ben", "Sales", "Flights", 400.0, "Rejected"),
    ("C-3", "2026-02-02", "Ann", "Sales", "Meals", 50.0, "Pending"),
    ("C-4", "2026-02-02", "Cho", "Design", "Hotel", 250.0, "Approved"),
    ("C-5", "2026-04-20", "Ann", "Sales", "Hotel", 390.0, "Rejected"),
    ("C-6", "2026-05-11", "Cho", "Design", "Meals", 40.0, "Approved"),
]
CLAIMS = [(f"{number}-{again}", *rest) for again in range(3) for number, *rest in CLAIMS]
MARKS = [("Ann", 80, 75), ("Ben", 90, 60), ("Cho", 65, 88), ("Dan", 71, 72), ("Eva", 40, 50)] * 4
ROLL = [
    ("2026-09-01", "김하늘", "출석", 0),
    ("2026-09-01", "이준호", "지각", 10),
    ("2026-09-02", "이준호", "지각", 20),
    ("2026-10-01", "김하늘", "지각", 5),
    ("2026-10-02", "박서연", "결석", 0),
] * 3
Ask = Callable[..., str]


def _asking(ctx: FakeContext, run: Run, name: str, heads: str, rows: list[tuple[Any, ...]]) -> Ask:
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows)]).encode(), name)

    def call(question: str, *before: str, **more: Any) -> str:
        asked: dict[str, Any] = {"question": question, **more}
        found = run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))
        return "\n".join(map(str, found["summary"]))

    return call


@pytest.fixture
def claims(ctx: FakeContext, run: Run) -> Ask:
    heads = "Claim no.,Date,Employee,Dept,Category,Amount (USD),Status"
    return _asking(ctx, run, "expense_claims.csv", heads, CLAIMS)


@pytest.mark.parametrize(
    ("turns", "there", "not_there"),
    [
        (["Who spent the most?"], ["Ann", "1,410"], ["C-5"]),
        (["Which employee has the most rejected claims?"], ["Ann: 3", "Ben: 3"], []),
        (["What was the biggest single claim?"], ["C-2", "400", "Ben"], ["3,480"]),
        (["What is the average meal claim?"], ["40.00"], []),
        (["How much did we spend per day on average?"], ["696"], ["193.33"]),
        (["Which department has the highest spend per person?"], ["Sales: 1,305"], []),
        (["How much was spent on hotels?", "What share of everything is that?"], ["55.17"], []),
        (["How much was spent in all?", "How much of that came from people with rejected claims?"], ["2,370"], []),
        (["Which of them is growing?", "list the rejected ones over 300 dollars"], ["C-2", "C-5"], ["growing"]),
    ],
)
def test_of_claims(claims: Ask, turns: list[str], there: list[str], not_there: list[str]) -> None:
    *before, last = turns
    told = claims(last, *before)
    assert all(one in told for one in there), told
    assert not any(one in told for one in not_there), told


@pytest.mark.parametrize(
    ("turns", "there"),
    [
        (["누가 제일 많이 지각했어?"], ["이준호: 6건"]),
        (["결석한 사람 누구야?"], ["박서연: 3건"]),
        (["지각하면 보통 몇 분이나 늦어? 평균으로"], ["11.67"]),
        (["학생별 지각 건수"], ["이준호: 6건", "김하늘: 3건"]),
        (["9월이랑 10월 지각 건수 차이는?"], ["6건", "3건"]),
    ],
)
def test_of_a_roll(ctx: FakeContext, run: Run, turns: list[str], there: list[str]) -> None:
    periods = [
        {"said": "9월", "start": "2026-09-01", "end": "2026-09-30"},
        {"said": "10월", "start": "2026-10-01", "end": "2026-10-31"},
    ]
    told = _asking(ctx, run, "출석부.csv", "날짜,이름,상태,지각시간(분)", ROLL)(
        *turns, **({"periods": periods} if "9월" in turns[0] else {})
    )
    assert all(one in told for one in there), told


@pytest.mark.parametrize(
    "question", ["How many got 70 or more in both Maths and Art?", "Maths랑 Art 둘 다 70 이상인 사람은 몇 명?"]
)
def test_a_bound_of_both_is_of_each(ctx: FakeContext, run: Run, question: str) -> None:
    told = _asking(ctx, run, "marks.csv", "Student,Maths,Art", MARKS)(question)
    assert "≥ 70" in told
    assert told.count("≥ 70") >= 2, told
