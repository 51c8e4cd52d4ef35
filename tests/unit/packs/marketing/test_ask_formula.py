"""Columns that a sentence reckons up row by row: a formula as it is written, all subjects of a pupil, two columns that
were asked about one after the other; and what is not reckoned."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

STAYS = [(100 + at % 7, 1 + at % 3, "" if at % 4 == 0 else 20, "AB"[at % 2]) for at in range(30)]
"""rate, nights, cleaning, room"""
TOTALS = [one[0] * one[1] + int(one[2] or 0) for one in STAYS]
SUBJECTS = ["국어(중간)", "수학(중간)", "영어(중간)", "국어(기말)", "수학(기말)", "영어(기말)"]
MARKS = [[40 + (at * (7 + by)) % 60 for by in range(6)] for at in range(24)]
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    def call(table: str, question: str, *before: str) -> dict[str, Any]:
        if table == "stays":
            lines = [",".join(map(str, one)) for one in STAYS]
            ctx.upload("\n".join(["rate (£),nights,cleaning (£),room", *lines]).encode(), "stays.csv")
        elif table == "泊":
            lines = [",".join(map(str, one)) for one in STAYS]
            ctx.upload("\n".join(["宿泊料金(円),泊数,清掃料(円),部屋", *lines]).encode(), "予約.csv")
        else:
            lines = [f"학생{at:02},{1 + at % 2},{','.join(map(str, one))}" for at, one in enumerate(MARKS)]
            ctx.upload("\n".join([f"이름,반,{','.join(SUBJECTS)}", *lines]).encode(), "성적.csv")
        asked: dict[str, Any] = {"before": [{"question": one} for one in before]} if before else {}
        return run("ask", question=question, **asked)

    return call


def told(result: dict[str, Any]) -> str:
    assert result["answered"], result["summary"]
    return "\n".join(result["summary"]).replace(",", "")


@pytest.mark.parametrize(
    ("table", "question"),
    [("stays", "What is the total of rate × nights + cleaning?"),
     ("stays", "total rate * nights plus cleaning, blanks count as zero?"),
     ("stays", "rate×nights+cleaning 합계는? 빈칸은 0으로"),
     ("泊", "宿泊料金×泊数に清掃料を足した額の合計は?清掃料が空欄なら0円です。"),
     ("泊", "宿泊料金×泊数+清掃料의 합계는 얼마인가요?")],
)  # fmt: skip
def test_a_formula_is_reckoned_row_by_row(ask: Ask, table: str, question: str) -> None:
    assert f" {sum(TOTALS)}" in told(ask(table, question)).replace("は", " ")


def test_a_formula_is_ranked_and_grouped(ask: Ask) -> None:
    rooms = {room: sum(it for it, one in zip(TOTALS, STAYS, strict=True) if one[3] == room) for room in "AB"}
    result = ask("stays", "Which room has the highest total of rate × nights + cleaning?")
    assert result["table"]["rows"][0][:2] == [max(rooms, key=lambda it: rooms[it]), max(rooms.values())]


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of rate × (cleaning + nights)?",
        "(rate+cleaning)×nights 합계는?",
        "(rate+cleaning)×nightsの合計は?",
    ],
)
def test_what_is_not_reckoned_is_said(ask: Ask, question: str) -> None:
    assert not ask("stays", question)["answered"]


def test_what_is_taken_together_first_stands_in_brackets(ask: Ask) -> None:
    said = told(ask("stays", "What is the total of (rate + cleaning) × nights?"))
    assert "(rate (£) + cleaning (£)) × nights" in said
    assert f" {sum((one[0] + int(one[2] or 0)) * one[1] for one in STAYS)}" in said


def test_two_columns_that_were_asked_about_are_taken_together(ask: Ask) -> None:
    mean = sum(one[0] + int(one[2] or 0) for one in STAYS) / len(STAYS)
    said = told(ask("stays", "so with both together what's the average per stay", "total rate?", "and cleaning?"))
    assert f"{mean:.2f}" in said
    assert f"{mean:.2f}" in told(ask("stays", "둘을 합치면 평균이 얼마야?", "rate 합계는?", "cleaning은?"))


@pytest.mark.parametrize(
    ("question", "half"),
    [("기말 세 과목 총점 알려줘. 학생07", 3), ("학생07 중간 총점은?", 0), ("학생07 기말 전 과목 합계 얼마야", 3)],
)  # fmt: skip
def test_all_subjects_of_one_are_added_up(ask: Ask, question: str, half: int) -> None:
    assert f" {sum(MARKS[7][half : half + 3])}" in told(ask("marks", question))


def test_the_total_is_told_of_another_one(ask: Ask) -> None:
    assert f" {sum(MARKS[8][3:])}" in told(ask("marks", "학생08은?", "학생07 기말 총점은?"))


def test_so_many_subjects_there_are_not(ask: Ask) -> None:
    assert f" {sum(MARKS[7][3:])}" not in " ".join(ask("marks", "학생07 기말 다섯 과목 총점은?")["summary"])


@pytest.mark.parametrize(
    "question", ["수학(기말) − 수학(중간)이 제일 큰 학생은?", "Who has the highest 수학(기말) - 수학(중간)?"]
)
def test_one_column_less_another_is_of_those_that_are_written(ask: Ask, question: str) -> None:
    """And of no other that has one part of its heading."""
    assert f" {max(one[4] - one[1] for one in MARKS)}" in told(ask("marks", question))
