"""Rows set against each other or taken together, what is left out, what a share is of, and when something was."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

HEADS = "visited,branch,channel,state,amount,score,comment,name"
ROWS = [
    ("2024-03-05", "Leeds", "phone", "환불", 30.0, 1, "the queue was long and the lunch cold", "민아"),
    ("2024-03-19", "York", "counter", "완료", 12.5, 5, "a quick lunch by the river", "지호"),
    ("2024-04-02", "Leeds", "counter", "완료", 48.0, 4, "friendly staff and fresh bread here", "민아"),
    ("2024-04-20", "Leeds", "phone", "완료", 22.0, 2, "queue out of the door, wrong order", "지호"),
    ("2024-07-11", "York", "phone", "환불", 15.0, 1, "nobody answered when I asked for help", "민아"),
    ("2025-03-08", "Leeds", "counter", "완료", 61.0, 5, "best lunch in the whole town by far", "지호"),
    ("2025-07-30", "York", "counter", "완료", 9.0, 3, "it was fine, nothing to write home about", "민아"),
] * 4 + [("2025-08-01", "Hull", "counter", "완료", 500.0, 5, "one very happy party of twelve people", "서준")]
Ask = Callable[..., dict[str, Any]]
MARCH = {"said": "March", "start": "2024-03-01", "end": "2024-03-31"}
APRIL = {"said": "April 2024", "start": "2024-04-01", "end": "2024-04-30"}


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    lines = [",".join(f'"{cell}"' for cell in (f"V-{at:04}", *row)) for at, row in enumerate(ROWS)]
    ctx.upload("\n".join([f"visit_no,{HEADS}", *lines]).encode(), "visits.csv")

    def call(question: str, *before: str, periods: tuple[dict[str, str], ...] = ()) -> dict[str, Any]:
        asked: dict[str, Any] = {"question": question}
        asked |= {"before": [{"question": one} for one in before]} if before else {}
        return run("ask", **asked, **({"periods": list(periods)} if periods else {}))

    return call


def rows(kept: Callable[[tuple[Any, ...]], bool]) -> list[tuple[Any, ...]]:
    return [row for row in ROWS if kept(row)]


def mean(kept: Callable[[tuple[Any, ...]], bool], at: int) -> float:
    found = [float(row[at]) for row in rows(kept)]
    return round(sum(found) / len(found), 4)


@pytest.mark.parametrize(
    "question",
    [
        "환불된 방문은 빼고 금액 합계 알려줘",
        "환불 처리된 건 빼 주시고 금액 합계요",
        "Total amount, refunded visits not counted?",
        "返金された分を除いて、amountの合計はいくら？",
    ],
)
def test_what_is_left_out_may_have_its_noun_behind_it(question: str, ask: Ask) -> None:
    assert ask(question)["table"]["rows"][0][0] == sum(row[4] for row in rows(lambda row: row[3] == "완료"))


@pytest.mark.parametrize(
    "question",
    [
        "Skip every branch with fewer than 5 rows and rank the others by mean score, highest first.",
        "5건 미만인 branch는 빼고 평균 점수 높은 순으로 쭉",
        "5件未満のbranchは除いて、平均点の高い順に並べて",
    ],
)
def test_groups_that_are_left_out_are_not_the_ones_that_stay(question: str, ask: Ask) -> None:
    assert {row[0] for row in ask(question)["table"]["rows"]} == {"Leeds", "York"}


@pytest.mark.parametrize(
    "question",
    [
        'Which comes up more often in the comments, "queue" or "lunch"? Tell me both.',
        "'queue' 들어간 글이랑 'lunch' 들어간 글이 각각 몇 건이야?",
        "「queue」と書いたコメントと「lunch」と書いたコメント、どちらが多い？",
    ],
)
def test_two_words_are_two_sides_and_not_one_condition(question: str, ask: Ask) -> None:
    told = {row[-1] for row in ask(question)["table"]["rows"]}
    assert told == {sum(word in row[6] for row in ROWS) for word in ("queue", "lunch")}


@pytest.mark.parametrize(
    "question",
    ['How many comments mention both "queue" and "lunch"?', "'queue'와 'lunch' 둘 다 들어간 글은 몇 건?"],
)
def test_words_that_shall_both_be_there_are_one_condition(question: str, ask: Ask) -> None:
    assert ask(question)["table"]["rows"][0][-1] == 4


@pytest.mark.parametrize(
    "question",
    [
        "Is the score any better when people pay more? Mean score for an amount of 30 or more against under 30.",
        "금액 30 이상인 방문과 30 미만인 방문의 점수 평균을 비교해줘",
    ],
)
def test_bounds_that_exclude_each_other_are_two_sides(question: str, ask: Ask) -> None:
    told = {row[1] for row in ask(question)["table"]["rows"]}
    assert told == {mean(lambda row: row[4] >= 30, 5), mean(lambda row: row[4] < 30, 5)}


@pytest.mark.parametrize(
    "question",
    [
        "Out of the refunded visits, what percentage are from Leeds?",
        "환불된 것 중에 Leeds가 몇 퍼센트야?",
        "返金されたもののうち、Leedsの割合は？",
    ],
)
def test_a_share_is_of_what_it_is_said_to_be_of(question: str, ask: Ask) -> None:
    assert ask(question)["table"]["rows"][0][0] == 50.0


def test_what_each_has_of_a_part_is_a_share_of_that_part(ask: Ask) -> None:
    told = ask("Of the amount from refunded visits, what share does each branch have?")
    assert {row[0]: row[1] for row in told["table"]["rows"]} == {"Leeds": 66.6667, "York": 33.3333}


def test_times_that_are_taken_together_are_one(ask: Ask) -> None:
    told = ask("How many visits in March and April 2024 together?", periods=(MARCH, APRIL))
    assert told["table"]["rows"] == [[float(len(rows(lambda row: row[0][:7] in ("2024-03", "2024-04"))))]]
    apart = ask("How many visits in March and April 2024 each?", periods=(MARCH, APRIL))
    assert len(apart["table"]["rows"]) == 2


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Regardless of the year, which month has the most visits?", "3월"),
        ("연도 상관없이 방문이 제일 많은 달은 몇 월이야?", "3월"),
        ("年に関係なく、件数が一番多いのは何月？", "3월"),
    ],
)
def test_months_may_be_those_of_every_year(question: str, name: str, ask: Ask) -> None:
    counted = Counter(row[0][5:7] for row in ROWS)
    assert ask(question)["table"]["rows"][0] == [name, float(counted["03"])]


def test_the_time_after_the_most_is_told_with_what_it_has_less(ask: Ask) -> None:
    told = ask("Which year had the most visits, and by how many did they fall the year after?")
    counted = Counter(row[0][:4] for row in ROWS)
    assert any(f"2024보다 {counted['2024'] - counted['2025']} 낮" in line for line in told["summary"])


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("마지막 방문이 며칠이었지?", "2025-08-01"),
        ("When was the very first visit?", "2024-03-05"),
        ("最後の来店はいつですか", "2025-08-01"),
    ],
)
def test_the_first_and_the_last_day_are_told(question: str, day: str, ask: Ask) -> None:
    assert day in "\n".join(ask(question)["summary"])


@pytest.mark.parametrize("question", ["점수 1점부터 5점까지 각각 몇 건인지 그려줘", "1点から5点までそれぞれ何件？"])
def test_every_score_by_itself_is_no_bound(question: str, ask: Ask) -> None:
    counted = Counter(f"{row[5]}" for row in ROWS)
    assert {row[0]: row[1] for row in ask(question)["table"]["rows"]} == dict(counted)


@pytest.mark.parametrize(
    "question",
    [
        "How do the three branches compare? Just the mean score for each, please.",
        "branch끼리 비교해서 점수 평균 좀 알려줘",
    ],
)
def test_what_is_compared_by_its_name_is_told_one_by_one(question: str, ask: Ask) -> None:
    assert {row[0] for row in ask(question)["table"]["rows"]} == {"Leeds", "York", "Hull"}


@pytest.mark.parametrize("question", ["관객 수가 제일 많은 branch는?", "How many spectators did Leeds have?"])
def test_how_many_came_is_not_told_where_nothing_counts_them(question: str, ask: Ask) -> None:
    assert ask(question)["answered"] is False


@pytest.mark.parametrize("question", ["한 번에 낸 amount의 최고 기록은 누구 거야?", "最高記録のamountは誰の？"])
def test_whose_the_record_is_is_told_with_the_row(question: str, ask: Ask) -> None:
    told = "\n".join(ask(question)["summary"])
    assert "500" in told
    assert "서준" in told


def test_what_is_only_seen_is_not_asked_and_may_be_pointed_at(ask: Ask) -> None:
    year = {"said": "2025년", "start": "2025-01-01", "end": "2025-12-31"}
    told = ask("제일 적은 해가 2025년이네요. 그해에 5점은 몇 건이었나요?", periods=(year,))
    assert told["table"]["rows"][0][-1] == len(rows(lambda row: row[0][:4] == "2025" and row[5] == 5))


def test_a_month_that_came_first_may_be_pointed_at(ask: Ask) -> None:
    told = ask("그 달에 환불은 몇 건이야?", "월별 건수 중에 제일 많은 달은?")
    month = Counter(row[0][:7] for row in ROWS).most_common(1)[0][0]
    assert told["answered"]
    assert month in "\n".join(told["summary"])


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many comments complain about the queue?", "queue"),
        ("bread 얘기 나왔다는 글 말고, help 못 받았다는 후기 몇 건이야?", "help"),
        ("comment에 river라고 쓴 건 몇 건?", "river"),
    ],
)
def test_what_people_write_of_is_looked_for_in_the_texts(question: str, word: str, ask: Ask) -> None:
    told = ask(question)
    assert told["table"]["rows"][0][-1] == len(rows(lambda row: word in row[6])), told["summary"]
