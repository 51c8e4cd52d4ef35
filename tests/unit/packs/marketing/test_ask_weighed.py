"""What a number bounds, which column a name means, shares by their word, and turns after what was not answered."""

from collections.abc import Callable
from typing import Any

import pytest

from packs.marketing.asking.sounding import sounds
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "case no,입고일,branch,unit_price,qty,total,wait_min,age,state,gift_box"
ROWS = [
    ("2026-01-03", "Manchester", 12.0, 2, 24.0, 15, 23, "returned", "yes"),
    ("2026-01-05", "Bristol", 8.0, 10, 80.0, 40, 37, "sold", "no"),
    ("2026-02-07", "Manchester", 30.0, 3, 90.0, 5, 31, "sold", "no"),
    ("2026-02-09", "Leicester", 55.0, 2, 110.0, 22, 64, "returned", "yes"),
    ("2026-02-14", "Bristol", 9.5, 4, 38.0, 60, 28, "sold", "no"),
] * 5
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    lines = [",".join(map(str, (7001 + at, *row))) for at, row in enumerate(ROWS)]
    ctx.upload("\n".join([HEADS, *lines]).encode(), "sales_cases.csv")

    def call(question: str, *before: str) -> dict[str, Any]:
        said = [{"question": one} for one in before]
        return run("ask", question=question, **({"before": said} if said else {}))

    return call


def count(kept: Callable[[tuple[Any, ...]], bool]) -> int:
    return sum(map(kept, ROWS))


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many have a total between 30 and 95?", lambda row: 30 <= row[4] <= 95),
        ("How many have a total of at least 30 and at most 95?", lambda row: 30 <= row[4] <= 95),
        ("how many waited 20 minutes or more?", lambda row: row[5] >= 20),
        ("20분 이상 기다린 건 몇 건이에요", lambda row: row[5] >= 20),
        ("待ち時間が40分以下のものは何件ですか", lambda row: row[5] <= 40),
        ("나이 60세 이상은 몇 건?", lambda row: row[6] >= 60),
        ("30대는 몇 건이야?", lambda row: 30 <= row[6] <= 39),
        ("qty 2짜리는 몇 건이야?", lambda row: row[3] == 2),
    ],
)
def test_a_number_bounds_the_column_for_which_most_speaks(
    question: str, kept: Callable[[tuple[Any, ...]], bool], ask: Ask
) -> None:
    told = ask(question)
    assert told["answered"], told["summary"]
    assert told["table"]["rows"][0][-1] == count(kept)


def test_a_bound_without_a_name_is_of_the_column_before(ask: Ask) -> None:
    told = ask("over 85?", "How many have a total over 100?")
    assert told["table"]["rows"][0][-1] == count(lambda row: row[4] > 85)


def test_numbers_of_the_rows_are_no_figures(ask: Ask) -> None:
    assert ask("What is the average of the cases?")["answered"] is False


@pytest.mark.parametrize("question", ["what is the return rate?", "returned 비율이 몇 %야", "what % got returned"])
def test_a_share_goes_by_its_word(question: str, ask: Ask) -> None:
    assert ask(question)["table"]["rows"][0][0] == pytest.approx(
        100 * count(lambda row: row[7] == "returned") / len(ROWS)
    )


def test_yes_and_no_mean_nothing_without_their_column(ask: Ask) -> None:
    assert ask("No hurry. How many cases in Bristol?")["table"]["rows"][0][-1] == count(lambda row: row[1] == "Bristol")
    assert ask("how many were gift-boxed?")["table"]["rows"][0][-1] == count(lambda row: row[8] == "yes")


@pytest.mark.parametrize("question", ["how many cases, including returned ones?", "returned도 포함해서 몇 건이야?"])
def test_what_is_only_said_to_count_as_well_narrows_nothing(question: str, ask: Ask) -> None:
    assert ask(question)["table"]["rows"][0][-1] == len(ROWS)


@pytest.mark.parametrize(
    ("said", "value"), [("맨체스터", "Manchester"), ("マンチェスター", "Manchester"), ("브리스톨", "Bristol")]
)
def test_a_value_in_another_script_goes_by_its_sound(said: str, value: str, ask: Ask) -> None:
    assert sounds(said) == sounds(value)
    assert ask(f"{said} 몇 건?")["table"]["rows"][0][-1] == count(lambda row: row[1] == value)


def test_a_word_that_sounds_like_no_value_stays_unread(ask: Ask) -> None:
    assert ask("글래스고 몇 건?")["answered"] is False


def test_the_unit_price_is_no_units_and_takings_are_the_total(ask: Ask) -> None:
    assert ask("How many units in Bristol?")["table"]["rows"][0][-2] == sum(
        row[3] for row in ROWS if row[1] == "Bristol"
    )
    assert ask("what is the revenue?")["table"]["rows"][0][0] == sum(row[4] for row in ROWS)


def test_one_goes_on_from_a_question_that_was_asked_back(ask: Ask) -> None:
    lost = "What is the average total of the zorbed, and how many zorbs?"
    assert ask(lost)["answered"] is False
    told = ask("and just Bristol?", lost)
    assert 59.0 in told["table"]["rows"][0] and "zorb" in told["summary"][-1]


def test_one_of_what_was_ranked_goes_by_its_place(ask: Ask) -> None:
    told = ask("How many cases does the number two have?", "top 3 branches by total")
    assert told["table"]["rows"][0][-1] == count(lambda row: row[1] == "Bristol")


def test_weekends_stand_beside_working_days(ask: Ask) -> None:
    told = ask("주말이랑 평일 평균 total 비교해줘")
    assert len(told["table"]["rows"]) == 2


def test_halves_are_rounded_up_and_to_whole_units_where_one_asks(ask: Ask) -> None:
    told = ask("average total, to the nearest pound")
    assert "68" in "".join(told["summary"]) and "68.4" not in "".join(told["summary"])


def test_the_best_and_the_worst_are_told_together(ask: Ask) -> None:
    names = [row[0] for row in ask("which branch has the highest and which the lowest average total?")["table"]["rows"]]
    assert names[0] == "Leicester" and "Manchester" in names
