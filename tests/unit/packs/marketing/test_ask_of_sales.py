"""What is meant by sales where a row has several amounts, who spent most, and what is each of so many."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

ORDERS = [
    ("2025-03-02", "서울", "꿀", 2, 9000, 18000, "N", 0),
    ("2025-03-09", "부산", "잼", 1, 7000, 7000, "Y", 7000),
    ("2025-09-01", "서울", "잼", 3, 7000, 21000, "N", 0),
    ("2026-01-20", "제주", "꿀", 5, 9000, 45000, "N", 0),
    ("2026-02-11", "부산", "꿀", 1, 9000, 9000, "Y", 4500),
] * 4
SPENT = [
    ("2026-01-05", "E1", "김하늘", "영업", "접대비", 300),
    ("2026-01-09", "E2", "이준호", "영업", "접대비", 390),
    ("2026-02-02", "E1", "김하늘", "영업", "접대비", 310),
    ("2026-02-08", "E3", "박서연", "개발", "교통비", 80),
    ("2026-03-08", "E2", "이준호", "영업", "교통비", 20),
] * 4
STAYS = [
    ("2026-05-01", "和室", 2, 24000, "公式サイト", "確定"),
    ("2026-05-02", "洋室", 1, 9000, "電話", "キャンセル"),
    ("2026-05-03", "和室", 3, 30000, "公式サイト", "確定"),
    ("2026-05-09", "洋室", 1, 15000, "電話", "確定"),
] * 5
Ask = Callable[..., dict[str, Any]]


def _asking(ctx: FakeContext, run: Run, name: str, heads: str, rows: list[tuple[Any, ...]]) -> Ask:
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows)]).encode(), name)

    def call(question: str, *before: str, **more: Any) -> dict[str, Any]:
        asked: dict[str, Any] = {"question": question, **more}
        return run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))

    return call


@pytest.fixture
def orders(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "주문.csv", "주문일,지역,상품명,수량,단가,결제금액,환불여부,환불금액", ORDERS)


@pytest.fixture
def orders_in_english(ctx: FakeContext, run: Run) -> Ask:
    heads = "Order date,Region,Item,Qty,Unit price,Amount paid,Refunded,Refunded amount"
    return _asking(ctx, run, "orders.csv", heads, ORDERS)


@pytest.fixture
def spent(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "직원 경비.csv", "사용일,사번,이름,부서,항목,금액", SPENT)


@pytest.fixture
def stays(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "予約.csv", "チェックイン日,部屋タイプ,泊数,料金(円),予約経路,状態", STAYS)


def told(answer: dict[str, Any]) -> list[list[Any]]:
    assert answer["answered"], answer["summary"]
    rows: list[list[Any]] = answer["table"]["rows"]
    return rows


def paid(**of: str) -> int:
    at = {"region": 1, "item": 2}
    return sum(row[5] for row in ORDERS if all(row[at[name]] == value for name, value in of.items()))


@pytest.mark.parametrize("question", ["매출이 모두 얼마야?", "총 매출 알려줘", "매출 합계", "売上の合計はいくら？"])
def test_sales_are_what_was_paid_and_neither_pieces_nor_what_was_refunded(question: str, orders: Ask) -> None:
    assert told(orders(question))[0][0] == paid()


@pytest.mark.parametrize(
    "question", ["What were our total sales?", "total revenue please", "What is our turnover in all?"]
)
def test_so_they_are_in_english(question: str, orders_in_english: Ask) -> None:
    assert told(orders_in_english(question))[0][0] == paid()


def test_sales_by_place_and_the_share_of_one_are_of_money(orders: Ask) -> None:
    by_place = told(orders("지역별 매출 순위"))
    assert [row[0] for row in by_place] == ["제주", "서울", "부산"]
    assert by_place[0][1] == paid(region="제주")
    share = told(orders("제주 매출 비중이 몇 %야?"))
    assert share[0][0] == pytest.approx(100 * paid(region="제주") / paid(), abs=0.01)


def test_two_times_are_compared_by_what_was_sold(orders: Ask) -> None:
    times = [("2025년 3월", "2025-03-01", "2025-03-31"), ("9월", "2025-09-01", "2025-09-30")]
    answer = orders(
        "2025년 3월 대비 9월 매출 얼마나 늘었어?", "주문당 평균 결제금액을 지역별로",
        periods=[{"said": said, "start": start, "end": end} for said, start, end in times],
    )  # fmt: skip
    assert [row[1] for row in told(answer)][:2] == [25000 * 4, 21000 * 4]


@pytest.mark.parametrize("question", ["객단가 얼마야?", "客単価はいくらですか？", "What is the average order value?"])
def test_what_an_order_brings_is_a_mean(question: str, orders: Ask) -> None:
    assert told(orders(question))[0][0] == pytest.approx(paid() / len(ORDERS))


@pytest.mark.parametrize("question", ["환불금액 합계는?", "환불된 금액이 총 얼마야?"])
def test_what_was_refunded_is_the_amount_of_that(question: str, orders: Ask) -> None:
    assert told(orders(question))[0][0] == sum(row[7] for row in ORDERS)


@pytest.mark.parametrize("question", ["환불 빼고 매출 합계는?", "환불된 건 제외하고 금액 합계 알려줘"])
def test_without_what_was_refunded_it_is_sales(question: str, orders: Ask) -> None:
    assert told(orders(question))[0][0] == sum(row[5] for row in ORDERS if row[6] == "N")


@pytest.mark.parametrize("question", ["How much was refunded?", "What is the total refunded amount?"])
def test_so_it_is_in_english(question: str, orders_in_english: Ask) -> None:
    assert told(orders_in_english(question))[0][0] == sum(row[7] for row in ORDERS)


@pytest.mark.parametrize(
    "question",
    ["접대비 제일 많이 쓴 사람은?", "접대비를 가장 많이 쓴 직원이 누구야", "접대비 많이 쓴 사람 1등 알려줘"],
)
def test_who_spent_most_has_spent_it_all_together(question: str, spent: Ask) -> None:
    sums: Counter[str] = Counter()
    for row in SPENT:
        sums[row[2]] += row[5] if row[4] == "접대비" else 0
    assert told(spent(question))[0][:2] == list(sums.most_common(1)[0])


def test_the_dearest_single_row_is_still_one(spent: Ask) -> None:
    assert "390" in "\n".join(map(str, spent("가장 비싼 경비 한 건은 뭐야?")["summary"]))


@pytest.mark.parametrize("question", ["1泊あたりの平均単価は？", "1泊当たりの料金はいくら？"])
def test_for_each_night_is_no_stay_of_one_night(question: str, stays: Ask) -> None:
    nights, money = sum(row[2] for row in STAYS), sum(row[3] for row in STAYS)
    assert told(stays(question))[0][0] == pytest.approx(money / nights, abs=0.01)


@pytest.mark.parametrize("question", ["平均宿泊日数は？", "平均滞在日数を教えて"])
def test_how_long_people_stay_is_no_money(question: str, stays: Ask) -> None:
    assert told(stays(question))[0][0] == pytest.approx(sum(row[2] for row in STAYS) / len(STAYS), abs=0.01)


@pytest.mark.parametrize("question", ["平均移動時間は？", "평균 대기 기간은?", "What is the average waiting duration?"])
def test_the_mean_of_what_no_column_has_is_not_that_of_the_money(question: str, stays: Ask) -> None:
    assert not stays(question)["answered"]


def test_a_kind_that_is_asked_for_is_no_value_that_ends_alike(stays: Ask) -> None:
    answer = stays("キャンセル率が一番高いのはどの予約サイト？")
    assert not answer["answered"] or "電話" in "\n".join(map(str, answer["summary"])), answer["summary"]
    assert "公式サイト" in "\n".join(map(str, stays("公式サイトの予約は何件？")["summary"]))


@pytest.mark.parametrize(
    "question", ["Is 영업 over budget?", "Did 영업 meet the quota?", "영업은 한도 초과야?", "영업は予算オーバー？"]
)
def test_how_many_there_are_is_no_answer_to_another_question(question: str, spent: Ask) -> None:
    assert not spent(question)["answered"]


@pytest.mark.parametrize("question", ["キャンセル率が一番高い予約経路はどこ？", "예약경로별 キャンセル 취소율은?"])
def test_a_rate_is_of_rows_though_money_was_asked_for_before(question: str, stays: Ask) -> None:
    rows = told(stays(question, "部屋タイプ別の売上を教えてください"))
    assert rows[0][:2] == ["電話", 50.0]
