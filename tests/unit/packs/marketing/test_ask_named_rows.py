"""Rows by their own names, several columns of a kind, and bounds as people say them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

NAMES = ["Ada Bell", "Rui Sato", "한소율", "이유진", "木村 葵", "Omar Diaz", "Eva Lind", "Noa Katz"]
HEADS = "Student,Room,Maths,English,Deposit(만원),Sick days,New student"
MARKS = [(81, 70), (64, 90), (95, 88), (70, 70), (85, 93), (50, 41), (77, 60), (90, 96)]
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    rows = [
        f"{name},{'ABC'[at % 3]},{m},{e},{(at + 1) * 200},{at % 4},{'yes' if at % 2 else 'no'}"
        for at, (name, (m, e)) in enumerate(zip(NAMES, MARKS, strict=True))
    ]
    ctx.upload("\n".join([HEADS, *rows]).encode(), "pupils.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        asked: dict[str, Any] = {"before": [{"question": one} for one in before]} if before else {}
        return run("ask", question=question, **asked)

    return call


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("What did Rui Sato get in maths?", 64.0),
        ("한소율 English 몇 점이야?", 88.0),
        ("木村葵さんのMathsは何点？", 85.0),
    ],
)
def test_the_figure_of_a_row_that_is_named(ask: Ask, question: str, mark: float) -> None:
    told = ask(question)
    assert told["rows"] == 1
    assert mark in told["table"]["rows"][0]


def test_a_named_row_is_told_whole_where_no_figure_is_asked_for(ask: Ask) -> None:
    told = ask("What room does Eva Lind sleep in?")
    assert any("Eva Lind" in line for line in told["summary"])


def test_a_name_that_begins_as_a_question_word_asks_no_reason(ask: Ask) -> None:
    assert ask("이유진 Maths 몇 점이야?")["table"]["rows"][0][0] == 70.0


def test_what_is_asked_next_is_of_the_same_row(ask: Ask) -> None:
    assert ask("and in English?", "What did Ada Bell get in maths?")["table"]["rows"][0][0] == 70.0


@pytest.mark.parametrize(
    "question",
    ["How many scored higher in English than in maths?", "Maths보다 English 점수가 높은 학생은 몇 명이야?",
     "MathsよりEnglishが高い生徒は何人？"],
)  # fmt: skip
def test_two_columns_are_compared_row_by_row(ask: Ask, question: str) -> None:
    assert ask(question)["rows"] == sum(english > maths for maths, english in MARKS)


@pytest.mark.parametrize(
    "question", ["How many got at least 80 in both subjects?", "두 과목 다 80점 이상인 학생은 몇 명?"]
)
def test_one_bound_for_all_subjects(ask: Ask, question: str) -> None:
    assert ask(question)["rows"] == sum(min(marks) >= 80 for marks in MARKS)


@pytest.mark.parametrize(
    "question", ["Deposit이 1000만원 넘는 학생은 몇 명이야?", "Deposit이 1천만 원 초과인 학생 몇 명?"]
)
def test_a_sum_is_counted_as_the_heading_counts(ask: Ask, question: str) -> None:
    assert ask(question)["rows"] == 3


@pytest.mark.parametrize("question", ["How many had one or two sick days?", "Sick days가 한두 번인 학생은 몇 명이야?"])
def test_one_or_two_are_both(ask: Ask, question: str) -> None:
    assert ask(question)["rows"] == 4


def test_what_a_row_is_called_is_no_column_of_yes_and_no(ask: Ask) -> None:
    assert ask("How many students are in room A?")["rows"] == 3
