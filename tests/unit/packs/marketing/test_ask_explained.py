"""What brackets explain, what narrows nothing, what is ranked and is no group, and whose points are meant."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "접수번호,접수일,지점,예약경로,결제수단,상태,금액,안전재고,인원,담당자,별점,추천(0-10)"
ROWS = [
    ("2026-01-03", "강남", "공식앱", "계좌이체", "완료", 24_000, 5, 2, "한지우", 4, 9),
    ("2026-01-05", "강남", "전화", "무통장입금", "취소", 80_000, 7, 4, "오세린", 2, 3),
    ("2026-02-07", "부산", "공식앱", "카드", "완료", 91_000, 2, 4, "한지우", 5, 10),
    ("2026-02-09", "부산", "전화", "계좌이체", "반품", 10_000, 9, 3, "최도윤", 1, 0),
    ("2026-02-14", "대구", "전화", "카드", "완료", 38_000, 4, 2, "최도윤", "", 6),
] * 6
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    lines = [",".join(map(str, (70_011 + 13 * at, *row))) for at, row in enumerate(ROWS)]
    ctx.upload("\n".join([HEADS, *lines]).encode(), "bookings.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        said = [{"question": one} for one in before]
        return run("ask", question=question, **({"before": said} if said else {}))

    return call


def cells(result: dict[str, Any]) -> list[Any]:
    assert result["answered"], result["summary"]
    return [cell for row in result["table"]["rows"] for cell in row]


def rows(kept: Callable[[tuple[Any, ...]], bool]) -> list[tuple[Any, ...]]:
    return [row for row in ROWS if kept(row)]


def test_a_value_in_brackets_is_meant_and_not_another_by_the_same_word(ask: Ask) -> None:
    told = cells(ask("How many were paid by bank transfer (계좌이체) and what is their total 금액?"))
    assert told == [12, sum(row[5] for row in rows(lambda row: row[3] == "계좌이체"))]


def test_any_words_may_stand_before_a_value_in_brackets(ask: Ask) -> None:
    assert cells(ask("How many came by pigeon post (공식앱)?")) == [12]


def test_the_figure_before_brackets_stays(ask: Ask) -> None:
    assert cells(ask("平均金額(금액)が一番高い지점はどこですか"))[:2] == ["강남", 52_000.0]


@pytest.mark.parametrize(
    "question",
    [
        "지점별 금액 합계 알려줘. 취소 반품 상관없이",
        "지점별 금액 합계 알려줘 (취소 행도 세고)",
        "지점ごとの금액の合計は？취소の行も含めて",
    ],
)
def test_a_state_that_only_counts_as_well_narrows_nothing(question: str, ask: Ask) -> None:
    assert {624_000, 606_000, 228_000} <= set(cells(ask(question)))


@pytest.mark.parametrize(
    "question", ["지점이 강남인 예약의 평균 금액하고 최고 금액 알려줘", "For 강남 the average 금액 and the highest?"]
)
def test_what_is_ranked_beside_one_value_of_its_column_is_the_greatest_figure(question: str, ask: Ask) -> None:
    told = cells(ask(question))
    assert told[:2] == [52_000.0, 80_000.0]


def test_what_is_ranked_by_a_word_that_no_column_has_is_asked_about(ask: Ask) -> None:
    told = ask("상태가 완료인 것만 봤을 때 금액 합계가 제일 큰 우주선이 어디야?")
    assert not told["answered"]
    assert "우주선" in " ".join(told["summary"])


def test_points_are_of_the_column_beside_them(ask: Ask) -> None:
    assert cells(ask("추천 9~10점은 몇 건?")) == [12]
    assert cells(ask("0~6점은 몇 건?", "추천 9~10점은 몇 건?")) == [18]


def test_a_share_of_some_that_were_counted_is_of_these(ask: Ask) -> None:
    told = cells(
        ask("what share of all 완료 rows is that?", "How many 완료 are there?", "and how many of them come from 부산?")
    )
    assert told[0] == pytest.approx(100 / 3, abs=0.001)


def test_a_word_between_each_and_its_column_hides_it_not(ask: Ask) -> None:
    told = cells(ask("취소 rate per booking channel, in percent please"))
    assert {"전화", "공식앱"} <= set(told)


def test_persons_are_ranked_where_a_person_is_sought(ask: Ask) -> None:
    assert cells(ask("금액の合計が多い人トップ2を教えて"))[0] == "한지우"


def test_people_that_are_counted_go_by_their_number(ask: Ask) -> None:
    assert cells(ask("4名で상태が완료の予約は何件？")) == [6]


def test_how_many_of_those_gave_one_of_two_scores(ask: Ask) -> None:
    assert cells(ask("그중 1이나 2는 몇 건이야?", "별점이 있는 예약은 몇 건이야?")) == [12]


def test_the_most_of_those_that_were_a_share_are_counted(ask: Ask) -> None:
    before = ("How many are 취소?", "What % is that?")
    assert cells(ask("which 지점 gets the most of them?", *before))[:2] == ["강남", 6]


def test_a_group_that_goes_on_is_told_of_all_as_well(ask: Ask) -> None:
    told = ask("그럼 지점별로는?", "취소는 몇 건이야?")
    assert cells(told)[:2] == ["강남", 6]
    assert "부산 12" in " ".join(told["summary"])
