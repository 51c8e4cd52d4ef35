"""What a question says is in the answer, or the answer says what it left out: parts of values, units, superlatives,
negations, changes between two times, two questions."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

Ask = Callable[..., dict[str, Any]]
KINDS = ("국내화물", "해외화물", "냉장보관", "해외화물")
WORK = ("塗装補修", "船底清掃", "エンジン交換", "船底清掃")
TABLES = {
    "ko": (
        "부두,입항일,종류,작업시간(h),하역량(t),대기점수,인도점수,검사,비고",
        [
            f"{'ABC'[at % 3]}부두,2026-0{4 + at // 20}-{1 + at % 20:02},{KINDS[at % 4]},{1 + at % 7},{10 + at},"
            f"{1 + at % 5},{at % 11},{'예' if at % 3 else '아니오'},{'부두 사용료' if at % 9 == 0 else ''}"
            for at in range(40)
        ],
    ),
    "en": (
        "Berth,Arrived,Channel,Price per tonne,Tonnes,Hours,Mark",
        [
            f"{'NSE'[at % 3]} quay,2026-0{4 + at // 20}-{1 + at % 20:02},{('Agent', 'Radio', 'Email')[at % 3]},{20 + at % 4},"
            f"{10 + at * (2 if at >= 20 else 1)},{1 + at % 9},{1 + at % 5}"
            for at in range(40)
        ],
    ),
    "ja": (
        "桟橋,入港日,作業内容,重量(kg),工賃",
        [
            f"第{1 + at % 3}桟橋,2026-0{4 + at // 20}-{1 + at % 20:02},{WORK[at % 4]},{10 + at},{(at % 5) * 100}"
            for at in range(40)
        ],
    ),
}


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    def call(language: str, question: str, *before: str) -> dict[str, Any]:
        heads, rows = TABLES[language]
        ctx.language = language
        ctx.upload("\n".join([heads, *rows]).encode(), "harbour.csv")
        said = [{"question": one} for one in before]
        return run("ask", question=question, **({"before": said} if said else {}))

    return call


@pytest.mark.parametrize(
    ("language", "question", "figure"),
    [
        ("ko", "해외 건은 모두 몇 건이야?", 20),  # a part of a value that no other has
        ("ko", "냉장은 몇 건이야?", 10),
        ("ja", "清掃は何件ですか？", 20),
        ("ja", "エンジン交換は何件？", 10),  # the heading says "content", and few values come again
        ("en", "How many didn't come in by email?", 27),
        ("ja", "工賃がかからなかった作業は何件ある？", 8),
    ],
)
def test_what_is_said_is_counted(ask: Ask, language: str, question: str, figure: float) -> None:
    told = ask(language, question)

    assert told["answered"], told["summary"]
    assert [float(row[-1]) for row in told["table"]["rows"]] == [figure]


def test_a_column_that_is_one_for_each_is_no_ratio(ask: Ask) -> None:
    told = ask("en", "Average price per tonne for each channel")

    assert {row[0]: row[1] for row in told["table"]["rows"]}["Agent"] == pytest.approx(
        sum(20 + at % 4 for at in range(0, 40, 3)) / 14, abs=0.01
    )


def test_the_month_with_the_biggest_jump_is_ranked_by_the_change(ask: Ask) -> None:
    told = ask("en", "Which month had the biggest increase in total tonnes compared with the month before?")

    april, may = (sum(10 + at * (2 if at >= 20 else 1) for at in those) for those in (range(20), range(20, 40)))
    assert told["answered"]
    assert f"+{may - april:,}" in str(told["summary"])


def test_the_score_that_is_named_is_meant_and_no_other(ask: Ask) -> None:
    told = ask("ko", "A부두 인도점수 평균은 몇 점이야?")

    assert "인도점수" in str(told["summary"])
    assert "대기점수" not in str(told["summary"])


def test_a_second_question_narrows_nothing_in_the_first(ask: Ask) -> None:
    told = ask("en", "Which berth had the most tonnes? And how many came in by radio?")

    assert "13" in str(told["summary"])
    assert "40" in str(told["summary"])


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How many berths did we never lend out to anglers?"),
        ("ko", "한 번도 고장 안 난 크레인은 몇 대야?"),
    ],
)
def test_what_nobody_understood_is_told_and_not_passed_over(ask: Ask, language: str, question: str) -> None:
    assert not ask(language, question)["answered"]


def test_a_short_turn_of_what_is_not_known_sums_up_nothing(ask: Ask) -> None:
    told = ask("ko", "그럼 그 전에는?", "5월 3일 이후 입항은 몇 건이야?")

    assert not told["answered"]


def test_remarks_of_a_few_rows_are_no_values(ask: Ask) -> None:
    told = ask("ko", "사용료 기준으로 하역량 합계는?")

    assert "비고 =" not in str(told["summary"])


NOTED = "날짜,기사,메모\n" + "\n".join(
    f"2025-03-{at % 28 + 1:02d},{'김이박'[at % 3]}기사,{('길이 막혀 늦음', '문 앞에 둠', '부재중 재방문', '')[at % 4]}"
    for at in range(120)
)
TOLD = "date,driver,notes\n" + "\n".join(
    f"2025-03-{at % 28 + 1:02d},{('Ann', 'Bob')[at % 2]},{('stuck in traffic', 'left at door', 'nobody home', '')[at % 4]}"
    for at in range(120)
)


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        (NOTED, "메모에 막혀라고 써 있는 게 몇 건이야?"),
        (TOLD, "How many trips mention traffic in the notes?"),
        (TOLD, "How many of the notes contain the word 'door'?"),
    ],
)
def test_words_are_looked_for_in_notes_that_come_again_and_again(
    table: str, asked: str, ctx: FakeContext, run: Run
) -> None:
    ctx.upload(table.encode(), "trips.csv")
    found = run("ask", question=asked)
    assert found["answered"], found["summary"]
    assert found["rows"] == 30
