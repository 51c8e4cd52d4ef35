"""Conditions that a question names are applied or the question is not answered; what goes on keeps what was meant."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext
from understanding.offline.encoder import best_encoder

pytestmark = pytest.mark.usefixtures("undrawn")

JOBS: list[tuple[Any, ...]] = [
    ("T1", "2026-09-04", "2026-09-04", "Hill Cafe", "Ann", 2, 120, "Completed", 1),
    ("T2", "2026-09-05", "2026-09-08", "Oak Dental", "Bob", 1, 90, "Completed", ""),
    ("T3", "2026-09-06", "", "Hill Cafe", "Ann", 3, 500, "Open", ""),
    ("T4", "2026-09-07", "2026-09-12", "Oak Dental", "Ann", 4, 200, "Completed", 2),
    ("T5", "2026-10-10", "2026-10-10", "Pine Gym", "Bob", 2, 70, "Completed", 5),
    ("T6", "2026-10-14", "2026-10-16", "Hill Cafe", "Bob", 1, 60, "Completed", 4),
    ("T7", "2026-10-15", "", "Pine Gym", "Ann", 5, 10, "Cancelled", ""),
] * 4
JOB_HEADS = "Job #,Date in,Date done,Customer,Tech,Labor hrs,Total billed ($),Status,Rating (1-5)"
ORDERS: list[tuple[Any, ...]] = [
    ("A1", "2026-10-03", "김하나", "꿀", 2, 30000, "", "완료", "카드"),
    ("A2", "2026-10-04", "이두리", "잼", 1, 20000, 5000, "환불", "현금"),
    ("A3", "2026-10-07", "이두리", "꿀", 3, 45000, 45000, "환불", "카드"),
    ("A4", "2026-11-02", "김하나", "꿀", 5, 75000, "", "완료", "카드"),
    ("A5", "2026-11-09", "박세미", "잼", 7, 50000, 1000, "완료", "현금"),
] * 4
ORDER_HEADS = "주문번호,주문일,고객명,상품명,수량(개),결제금액(원),환불액(원),주문상태,결제수단"
STAYS: list[tuple[Any, ...]] = [
    ("R1", "2026-07-01", "2026-07-01", "佐藤 花", "日本", 2, 9000, "済"),
    ("R2", "2026-07-04", "2026-07-10", "鈴木 一", "韓国", 3, 12000, "済"),
    ("R3", "2026-07-05", "2026-07-09", "佐藤 花", "日本", 1, 6000, "取消"),
    ("R4", "2026-07-08", "2026-07-20", "田中 実", "台湾", 4, 20000, "済"),
] * 4
STAY_HEADS = "予約番号,受付日,来店日,お客様名,国,人数,売上(円),状態"
Ask = Callable[..., dict[str, Any]]


def _asking(ctx: FakeContext, run: Run, name: str, heads: str, rows: list[tuple[Any, ...]]) -> Ask:
    numbered = [(f"{row[0]}{at}", *row[1:]) for at, row in enumerate(rows)]
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in numbered)]).encode(), name)

    def call(question: str, *before: str, **more: Any) -> dict[str, Any]:
        asked: dict[str, Any] = {"question": question, **more}
        return run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))

    return call


@pytest.fixture
def jobs(ctx: FakeContext, run: Run) -> Ask:
    ctx.language = "en"
    return _asking(ctx, run, "service_jobs.csv", JOB_HEADS, JOBS)


@pytest.fixture
def orders(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "주문내역.csv", ORDER_HEADS, ORDERS)


@pytest.fixture
def stays(ctx: FakeContext, run: Run) -> Ask:
    ctx.language = "ja"
    return _asking(ctx, run, "予約表.csv", STAY_HEADS, STAYS)


def told(answer: dict[str, Any]) -> list[list[Any]]:
    assert answer["answered"], answer["summary"]
    rows: list[list[Any]] = answer["table"]["rows"]
    return rows


def text(answer: dict[str, Any]) -> str:
    return "\n".join(answer["summary"])


def test_a_state_is_a_condition_though_a_day_is_called_so_elsewhere(jobs: Ask) -> None:
    (first, *_) = told(jobs("Which customer has spent the most, going by total billed on completed jobs?"))
    done = [row for row in JOBS if row[7] == "Completed"]
    assert first[0] == "Oak Dental"  # of all jobs it is another
    assert sum(row[6] for row in done if row[3] == "Oak Dental") in first


def test_what_never_got_something_lacks_it(jobs: Ask) -> None:
    answer = jobs("How many completed jobs never got a rating?")
    assert sum(row[7] == "Completed" and row[8] == "" for row in JOBS) in told(answer)[0]


@pytest.mark.parametrize("question", ["And how many got 1 or 2 stars?", "How many jobs were given 1 or 2 stars?"])
def test_stars_are_of_the_column_that_is_called_a_rating(jobs: Ask, question: str) -> None:
    answer = jobs(question, "Average rating for each tech please")
    assert sum(row[8] in (1, 2) for row in JOBS) in told(answer)[0]


def test_a_total_by_another_is_of_the_columns_that_are_named(jobs: Ask) -> None:
    answer = jobs("Completed jobs only: total billed divided by total labor hours. What do we bring in per hour?")
    done = [row for row in JOBS if row[7] == "Completed"]
    assert round(sum(row[6] for row in done) / sum(row[5] for row in done), 2) in [
        round(one, 2) for one in told(answer)[0]
    ]


@pytest.mark.parametrize(
    ("fixture", "question", "many"),
    [
        ("jobs", "How many jobs were done the same day?", 8),
        ("stays", "受付した当日に来店した予約は何件?", 4),
    ],
)
def test_the_same_day_is_a_condition(request: pytest.FixtureRequest, fixture: str, question: str, many: int) -> None:
    assert many in told(request.getfixturevalue(fixture)(question))[0]


def test_so_many_rows_or_more_bound_groups(jobs: Ask, ctx: FakeContext, run: Run) -> None:
    rows = told(jobs("How many customers have 10 or more jobs?"))
    assert [row[0] for row in rows] == ["Hill Cafe"]
    ctx.language = "ko"
    orders = _asking(ctx, run, "주문내역.csv", ORDER_HEADS, ORDERS)
    assert {row[0] for row in told(orders("8건 이상 주문한 고객은 몇 명이야?"))} == {"김하나", "이두리"}


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("환불 빼면 실제로 남은 돈은 얼마예요?", ()),
        ("환불해준 거 빼면 얼마예요?", ("결제금액 합계 얼마예요?",)),
        ("결제금액 합계 알려줘. 환불액은 빼고", ()),
    ],
)
def test_what_is_taken_off_is_said_by_itself(orders: Ask, question: str, before: tuple[str, ...]) -> None:
    answer = orders(question, *before)
    assert sum(row[5] - (row[6] or 0) for row in ORDERS) in told(answer)[0]
    assert "결제금액(원) − 환불액(원)" in text(answer)


def test_who_spent_most_without_what_was_given_back(orders: Ask) -> None:
    (first, *_) = told(orders("누가 돈을 제일 많이 썼어? 환불액은 빼고 계산해줘"))
    assert first[0] == "김하나"
    assert sum(row[5] for row in ORDERS if row[2] == "김하나") in first


def test_rows_that_were_refunded_are_left_out_of_a_mean(orders: Ask) -> None:
    kept = [row[5] for row in ORDERS if row[7] != "환불"]
    assert round(sum(kept) / len(kept), 2) in [round(one, 2) for one in told(orders("환불 빼고 평균 결제금액은?"))[0]]


def test_nothing_is_taken_off_another_figure(orders: Ask) -> None:
    assert "−" not in text(orders("환불액 빼고 수량(개) 합계 알려줘"))
    assert "−" not in text(orders("환불 빼고 몇 건이야?"))


@pytest.mark.parametrize("question", ["건수로 치면?", "그럼 건수로는?"])
def test_a_share_of_money_is_told_of_the_rows_by_count(orders: Ask, question: str) -> None:
    answer = orders(question, "카드로 결제한 게 결제금액으로 몇 퍼센트야?")
    assert 60.0 in told(answer)[0]


def test_how_many_at_another_time_are_of_what_was_spoken_of(orders: Ask) -> None:
    october = {"said": "10월", "start": "2026-10-01", "end": "2026-10-31"}
    november = {"said": "11월", "start": "2026-11-01", "end": "2026-11-30"}
    before = [
        {"question": "11월에 결제금액 제일 많은 상품이 뭐야?", "periods": [november]},
        {"question": "그거 몇 개 팔렸어?"},
    ]
    answer = orders("10월에는 몇 개였어?", periods=[october], before=before)
    assert sum(row[4] for row in ORDERS if row[3] == "꿀" and row[1] < "2026-11") in told(answer)[0]


@pytest.mark.parametrize(
    "question", ["日本とそれ以外で平均売上を比べて", "日本のお客さんとそれ以外で分けると平均売上はどう?"]
)
def test_a_value_and_all_others_are_two_sides(stays: Ask, question: str) -> None:
    figures = [one for row in told(stays(question)) for one in row]
    assert {7500, 16000} <= set(figures)


def test_what_a_forecast_would_say_is_not_told(stays: Ask, ctx: FakeContext, run: Run) -> None:
    assert not stays("来月の売上を予測して")["answered"]
    ctx.language = "ko"
    assert not _asking(ctx, run, "주문내역.csv", ORDER_HEADS, ORDERS)("다음달 매출 예측해줘")["answered"]
    ctx.language = "en"
    answer = _asking(ctx, run, "jobs.csv", JOB_HEADS, JOBS)("Forecast total billed for next month")
    assert not answer["answered"]
    assert "I do not work out" in text(answer)


def test_a_forecast_that_the_table_has_is_told(ctx: FakeContext, run: Run) -> None:
    ctx.language = "en"
    rows = [("North", 10, 12), ("South", 20, 18)] * 4
    ctx.upload("\n".join(["Area,Sold,Forecast", *(",".join(map(str, row)) for row in rows)]).encode(), "plan.csv")
    assert 120 in told(run("ask", question="What is the total forecast?"))[0]


def test_who_wants_a_list_gets_rows(stays: Ask, ctx: FakeContext, run: Run) -> None:
    rows = told(stays("佐藤様の予約を全部見せて"))
    assert len(rows) == sum(row[3] == "佐藤 花" for row in STAYS)
    assert all("佐藤 花" in row for row in rows)
    ctx.language = "ko"
    listed = told(_asking(ctx, run, "주문내역.csv", ORDER_HEADS, ORDERS)("4만원 이상 쓴 주문 목록 보여줘"))
    assert len(listed) == sum(row[5] >= 40000 for row in ORDERS)


def test_a_whole_question_stands_alone_behind_one_that_was_not_answered(orders: Ask) -> None:
    answer = orders("요일별로 주문 어때?", "배송만족지수 알려줘")
    assert sum(row[1] for row in told(answer)) == len(ORDERS) or len(told(answer)) > 1
    assert "배송만족지수" not in text(answer)


def test_how_many_that_is_is_of_the_first(jobs: Ask) -> None:
    answer = jobs("How many lines is that?", "Which tech has the highest total billed?")
    assert sum(row[4] == "Ann" for row in JOBS) in told(answer)[0]


def test_most_of_it_is_most_of_what_was_told(orders: Ask, ctx: FakeContext) -> None:
    ctx.language = "en"
    (first, *_) = told(orders("Which 결제수단 paid the most of it?", "What is the total 환불액(원)?"))
    assert first[0] == "카드"
    assert sum(row[6] or 0 for row in ORDERS if row[8] == "카드") in first


def test_values_beside_each_other_are_left_out_together(orders: Ask) -> None:
    answer = orders("주문이 몇 건이에요? 완료 환불은 빼구요", "주문상태별로 몇 건이야?")
    assert "주문상태 ≠" in text(answer)


def test_the_weekend_is_no_coming_one(jobs: Ask) -> None:
    coming = {"said": "the weekend", "start": "2026-12-05", "end": "2026-12-06"}
    answer = jobs("What percentage of total billed comes at the weekend, Sat and Sun together?", periods=[coming])
    assert "2026-12" not in text(answer)
    whole = sum(row[6] for row in JOBS)
    ends = sum(row[6] for row in JOBS if row[1] in ("2026-09-05", "2026-09-06", "2026-10-10"))
    assert round(100 * ends / whole, 2) in [
        round(one, 2) for row in told(answer) for one in row if not isinstance(one, str)
    ]


def test_another_sheet_goes_before_a_guess_about_the_first(
    ctx: FakeContext, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctx, "meanings", vectors)
    book = openpyxl.Workbook()
    spent = book.active
    assert spent is not None
    spent.title = "지출"
    spent.append(["일자", "사용자", "계정과목", "금액"])
    for at in range(40):
        spent.append(
            [f"2026-07-{1 + at % 28:02}", ("김", "이", "박")[at % 3] + "민수", ("식대", "교통")[at % 2], 1000 + at]
        )
    staff = book.create_sheet("명부")
    staff.append(["사번", "성명", "재직여부", "연차사용(일)"])
    for at in range(12):
        staff.append([f"H{at}", f"{'가나다라마바사아자차카타'[at]}영희", ("재직", "퇴사")[at % 4 == 3], at])
    buffer = io.BytesIO()
    book.save(buffer)
    ctx.upload(buffer.getvalue(), "경비.xlsx")
    answer = run("ask", question="재직자 중에 연차 제일 많이 쓴 사람 누구야?")
    assert "카영희" in text(answer)
    assert "민수" not in text(answer)
    assert "민수" not in text(run("ask", question="재직자 중에 연차 제일 많이 남은 사람 누구야? 며칠 남았어?"))


@pytest.mark.parametrize(
    ("language", "heads", "question"),
    [
        ("en", "Date,Runner,Dist (km),PB?", "How many PBs have we had?"),
        ("en", "Date,Runner,Dist (km),Rush?", "How many runs were a rush?"),
        ("ko", "날짜,선수,거리(km),신기록?", "신기록은 몇 번이야?"),
        ("ja", "日付,選手,距離(km),自己ベスト?", "自己ベストは何回?"),
    ],
)
def test_a_column_of_marks_says_which_have_one(
    ctx: FakeContext, run: Run, language: str, heads: str, question: str
) -> None:
    ctx.language = language
    rows = [(f"2026-0{1 + at % 9}-11", "가나다"[at % 3], 5 + at % 4, "Y" if at % 5 == 0 else "") for at in range(40)]
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows)]).encode(), "runs.csv")
    assert 8 in told(run("ask", question=question))[0]


def test_a_heading_that_asks_is_named_without_its_mark(ctx: FakeContext, run: Run) -> None:
    ctx.language = "en"
    rows = [(f"J{at}", ("Yes", "No")[at % 4 > 0], 10 + at) for at in range(40)]
    ctx.upload("\n".join(["Job,Under warranty?,Cost", *(",".join(map(str, row)) for row in rows)]).encode(), "jobs.csv")
    assert 10 in told(run("ask", question="How many jobs are under warranty in all?"))[0]


def test_blank_cells_that_nobody_found_are_not_passed_over(ctx: FakeContext, run: Run) -> None:
    ctx.language = "ja"
    rows = [(f"R{at}", 1 + at % 3, "" if at % 4 else "15:00") for at in range(40)]
    ctx.upload("\n".join(["予約番号,人数,着", *(",".join(map(str, row)) for row in rows)]).encode(), "予約.csv")
    answer = run("ask", question="到着予定が空欄の予約って全部で何件あります?")
    assert not answer["answered"] or 30 in told(answer)[0]


def vectors(texts: Sequence[str]) -> list[list[float]]:
    encoded: list[list[float]] = best_encoder().encode(list(texts)).tolist()
    return encoded


def test_a_guess_passes_over_no_column_that_is_named(
    ctx: FakeContext, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx.language = "en"
    monkeypatch.setattr(ctx, "meanings", vectors)
    rows = [(f"2026-05-{1 + at % 28:02}", "Fresh" if at % 4 == 0 else "Dry goods", 1 + at % 7) for at in range(60)]
    ctx.upload(
        "\n".join(["Date,Category,Weight (kg)", *(",".join(map(str, row)) for row in rows)]).encode(), "food.csv"
    )
    answer = run("ask", question="What share of the recorded weight is Fresh? The trustees have asked.")
    share = 100 * sum(row[2] for row in rows if row[1] == "Fresh") / sum(row[2] for row in rows)
    assert not answer["answered"] or round(share, 2) in [round(one, 2) for one in told(answer)[0] if one]


def test_a_word_of_the_texts_is_not_dropped_by_a_guess(
    ctx: FakeContext, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx.language = "en"
    monkeypatch.setattr(ctx, "meanings", vectors)
    said = (
        "The battery dies far too soon for me",
        "Lovely screen and very quick indeed",
        "Arrived late but works well",
    )
    rows = [(("Japan", "Korea", "Spain")[at % 3], 1 + at % 5, f"{said[at * 7 % 3]}, visit {at}") for at in range(45)]
    ctx.upload("\n".join(["country,rating,review", *(f'{a},{b},"{c}"' for a, b, c in rows)]).encode(), "reviews.csv")
    answer = run("ask", question="which country moans the most about the battery")
    assert not answer["answered"] or "battery" in text(answer)


def test_how_many_of_what_nobody_knows_are_no_rows(jobs: Ask) -> None:
    assert not jobs("How many kilos came off the completed jobs?")["answered"]
