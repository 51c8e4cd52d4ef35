"""What was earned and what was sold: a table of fees, a table of lunches; days, people and things that have most."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

VISITS = [
    ("2026-01-05", "하루", "강아지", "김서윤", 12.0, 40000, "민아"),
    ("2026-01-05", "별이", "고양이", "박도현", 4.0, 60000, "지호"),
    ("2026-01-05", "보리", "강아지", "김서윤", 20.0, 30000, "민아"),
    ("2026-02-03", "하루", "강아지", "이하람", 12.5, 110000, "지호"),
    ("2026-02-03", "루이", "고양이", "박도현", 5.0, 50000, "민아"),
    ("2026-03-10", "별이", "고양이", "김서윤", 4.2, 70000, "민아"),
] * 4
LUNCHES = [
    ("2026-04-01", "駅前店", "唐揚げ弁当", 9, 6300),
    ("2026-04-01", "港町店", "鮭のり弁当", 4, 3200),
    ("2026-04-02", "駅前店", "そば", 2, 1400),
    ("2026-04-02", "港町店", "唐揚げ弁当", 5, 3500),
    ("2026-04-03", "駅前店", "そば", 1, 9000),
] * 6
RUNS = [("2026-02-01", "Aisha", 50, 40.0), ("2026-02-01", "Tom", 70, 10.0), ("2026-02-02", "Tom", 60, 20.0)] * 8
Ask = Callable[..., dict[str, Any]]


def _asking(ctx: FakeContext, run: Run, name: str, heads: str, rows: list[tuple[Any, ...]]) -> Ask:
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows)]).encode(), name)

    def call(question: str, *before: str) -> dict[str, Any]:
        asked: dict[str, Any] = {"question": question}
        return run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))

    return call


@pytest.fixture
def clinic(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "진료.csv", "진료일,환자명,종,담당의,체중(kg),진료비,결제자", VISITS)


@pytest.fixture
def lunches(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "弁当.csv", "注文日,店舗,商品,個数,売上", LUNCHES)


@pytest.fixture
def vans(ctx: FakeContext, run: Run) -> Ask:
    return _asking(ctx, run, "runs.csv", "Date,Driver,Parcels,Miles", RUNS)


def first(answer: dict[str, Any]) -> Any:
    assert answer["answered"], answer["summary"]
    return answer["table"]["rows"][0]


def told(answer: dict[str, Any]) -> list[Any]:
    """Of the first group its name and its figure."""
    return list(first(answer)[:2])


def added(rows: list[tuple[Any, ...]], by: int, figure: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found[row[by]] += row[figure]
    return found


@pytest.mark.parametrize("question", ["매출이 모두 얼마야?", "얼마나 벌었어?", "What is the total revenue?"])
def test_takings_are_the_only_money_there_is(question: str, clinic: Ask) -> None:
    assert first(clinic(question))[0] == sum(row[5] for row in VISITS)


def test_a_day_on_average_has_what_all_days_have_by_their_number_and_is_no_value_of_that_name(clinic: Ask) -> None:
    days = added(VISITS, 0, 5)
    assert first(clinic("하루 평균 매출은 얼마야?"))[0] == pytest.approx(sum(days.values()) / len(days))


@pytest.mark.parametrize(
    "question", ["On average, how many parcels do we have a day?", "How many parcels are there per day on average?"]
)
def test_things_that_a_column_counts_are_added_up_for_each_day(question: str, vans: Ask) -> None:
    assert first(vans(question))[0] == pytest.approx(sum(row[2] for row in RUNS) / 2)


def test_how_many_there_are_of_what_a_column_counts_is_no_number_of_rows(vans: Ask) -> None:
    assert first(vans("How many parcels were there?"))[0] == sum(row[2] for row in RUNS)


def test_a_day_on_average_may_have_its_average_behind_what_is_measured(lunches: Ask) -> None:
    assert first(lunches("1日あたりの売上は平均いくら?"))[0] == pytest.approx(sum(row[4] for row in LUNCHES) / 3)


def test_a_counter_behind_a_number_is_no_value(clinic: Ask) -> None:
    rows = clinic("진료비 비싼 순으로 세 개만 보여줘")
    assert [row[-1] for row in rows["table"]["rows"]][:3] == ["110,000"] * 3


def test_doctors_go_by_what_people_call_them(clinic: Ask) -> None:
    assert {name: figure for name, figure, _ in clinic("선생님별로 진료비 합계")["table"]["rows"]} == added(
        VISITS, 3, 5
    )


def test_a_word_beside_an_average_that_nothing_names_is_asked_about(clinic: Ask) -> None:
    assert not clinic("고양이 평균 배송비는?")["answered"]


def test_who_paid_most_is_a_person_and_no_row(clinic: Ask) -> None:
    assert told(clinic("누가 돈을 제일 많이 냈어?")) == ["민아", added(VISITS, 6, 5)["민아"]]


def test_the_day_with_most_takings_is_that_of_the_greatest_sum(clinic: Ask) -> None:
    assert told(clinic("매출이 제일 컸던 날은 언제야?")) == ["2026-02-03", added(VISITS, 0, 5)["2026-02-03"]]


def test_how_things_go_is_of_money_where_there_is_some(clinic: Ask) -> None:
    assert [row[1] for row in clinic("추이를 보여줘")["table"]["rows"]] == [520000, 640000, 280000]


@pytest.mark.parametrize(
    ("question", "thing"), [("一番売れているのは何?", "唐揚げ弁当"), ("一番売れていないのは何?", "そば")]
)
def test_what_sells_best_is_a_thing_by_its_number(question: str, thing: str, lunches: Ask) -> None:
    assert told(lunches(question)) == [thing, added(LUNCHES, 2, 3)[thing]]


def test_the_day_that_earned_most(lunches: Ask) -> None:
    assert told(lunches("一番稼いだ日はいつ?")) == ["2026-04-01", added(LUNCHES, 0, 4)["2026-04-01"]]
