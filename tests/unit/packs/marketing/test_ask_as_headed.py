"""What is said of a table in other words than its headings, values of several parts, and the one row of all."""

import pytest

from packs.marketing.asking.meaning.guessing import How
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Measure
from packs.marketing.asking.several import requests_of
from tests.unit.packs.marketing.read_as import asked, table

_JOBS = [
    f"J-{at:03d},2026-0{1 + at % 9}-{1 + at % 27:02d},{('Medis AG', 'Ota Ltd', 'Kern')[at % 3]},{('DE', 'US', 'FR')[at % 3]},{('DE>EN', 'EN>DE', 'FR>EN')[at // 2 % 3]},{500 + at * 13},{2 + at % 9},{100 + at * 7}.50,2026-0{2 + at % 8}-15,"
    + (f"2026-0{2 + at % 8}-{1 + at % 27:02d}" if at % 5 else "")
    for at in range(100)
]
_SHOWS = [
    f"2026-0{1 + at % 9}-{1 + at % 27:02d},{('Fri', 'Sat', 'Sun')[at % 3]},{('Hamlet', 'Macbeth', 'Emma')[at % 3]},{('Eve', 'Mat')[at % 2]},{40 + at % 37},{700 + at * 37 % 600}"
    for at in range(80)
]
_DOJO = [
    f"2026/0{1 + at % 9}/{1 + at % 27:02d},{at % 12:03d},{('大野 健一', '佐藤 美咲', '田中 陽斗', '鈴木 大輝')[at % 4]},{('一般部', '少年部')[at % 2]},{('稽古', '審査')[at % 4 == 3]},{('出席', '欠席', '遅刻')[at % 3]},"
    + (f"{60 + at * 3 % 39},{3000 + at % 2 * 1000}" if at % 4 == 3 else ",")
    for at in range(120)
]
_CLASS = [
    f"{('김철수', '이영희', '박민수', '최수진', '정하나')[at % 5]}{at},{('1반', '2반')[at % 2]},{50 + at * 7 % 50}"
    for at in range(60)
]


@pytest.fixture(scope="module")
def jobs() -> Profile:
    return table("Job,Booked,Customer,Country,Pair,Words,Pages,Net (EUR),Due,Paid on", _JOBS, "jobs.csv")


@pytest.fixture(scope="module")
def shows() -> Profile:
    return table("Date,Day,Play,Perf,Full sold,Income (£)", _SHOWS, "shows.csv")


@pytest.fixture(scope="module")
def dojo() -> Profile:
    return table("日付,会員No,氏名,所属,区分,出欠,審査点(100点満点),審査料(円)", _DOJO, "道場.csv")


@pytest.fixture(scope="module")
def pupils() -> Profile:
    return table("이름,반,시험점수", _CLASS, "성적.csv")


@pytest.mark.parametrize(
    ("texts", "pair"),
    [
        (("How many words did I do DE>EN?",), "DE>EN"),
        (("How many jobs were fr>en?",), "FR>EN"),
        (("How many words did I do DE>EN?", "and EN>DE?"), "EN>DE"),
    ],
)
def test_a_value_of_several_parts_is_none_of_its_parts(texts: tuple[str, ...], pair: str, jobs: Profile) -> None:
    assert asked(jobs, *texts).filters == (Filter("Pair", "in", (pair,)),)


def test_its_parts_by_themselves_are_values_as_before(jobs: Profile) -> None:
    assert asked(jobs, "How many jobs came from DE?").filters == (Filter("Country", "in", ("DE",)),)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("word count total for Kern?", Measure("sum", "Words")),
        ("What's the page count for Kern?", Measure("sum", "Pages")),
        ("What is the average word count?", Measure("mean", "Words")),
    ],
)
def test_a_count_of_what_a_column_counts_is_that_column(text: str, measure: Measure, jobs: Profile) -> None:
    assert asked(jobs, text).measures == (measure,)


@pytest.mark.parametrize("text", ["How much is outstanding?", "What's the total still outstanding?"])
def test_what_is_outstanding_has_not_been_paid(text: str, jobs: Profile) -> None:
    request = asked(jobs, text)
    assert (request.measures, request.filters) == ((Measure("sum", "Net (EUR)"),), (Filter("Paid on", "empty", ()),))


@pytest.mark.parametrize(
    ("text", "by", "descending"),
    [
        ("What was our biggest single performance for income, which play and how much?", "Income (£)", True),
        ("the lowest single performance by full sold?", "Full sold", False),
    ],
)
def test_the_biggest_single_one_is_a_row(
    text: str, by: str, descending: bool, shows: Profile
) -> None:  # of the table above
    request = asked(shows, text)
    assert (request.asks, request.groups, request.limit) == ("rows", (), 1)
    assert (request.columns[0], request.descending) == (by, descending)


def test_the_biggest_single_day_is_a_day(shows: Profile) -> None:
    assert asked(shows, "Which is the biggest single day for income?").groups == (Group("Date", "day"),)


@pytest.mark.parametrize(
    ("text", "descending"),
    [("審査の最高点って誰で何点？", True), ("最高点は誰ですか", True), ("最低点はいつ出ましたか", False)],
)
def test_who_has_the_highest_mark_is_the_row_that_has_it(
    text: str, descending: bool, dojo: Profile
) -> None:  # the same
    request = asked(dojo, text)
    assert (request.asks, request.descending, request.columns[0]) == ("rows", descending, "審査点(100点満点)")
    assert request.filters == (), "the heading begins with a value"


def test_the_highest_mark_itself_is_a_figure(dojo: Profile, pupils: Profile) -> None:
    assert asked(dojo, "審査の最高点は何点ですか").measures == (Measure("max", "審査点(100点満点)"),)
    assert asked(pupils, "최고점은 몇 점이야?").measures == (Measure("max", "시험점수"),)


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("How many words did we do for Kern? And what did they pay in total?", ["Words", "Net (EUR)"]),
        ("How many words did we do for Kern? How many pages in total?", ["Words", "Pages"]),
    ],
)
def test_two_questions_for_a_figure_each_are_of_the_same_rows(text: str, figures: list[str], jobs: Profile) -> None:
    read = requests_of(text, jobs, (), None, How("jobs.csv", lambda texts: []))
    assert [one.column for request in read for one in request.measures if one.column] == figures
    assert {request.filters for request in read} == {(Filter("Customer", "in", ("Kern",)),)}


def test_what_is_counted_apart_is_left_out(dojo: Profile) -> None:
    assert Filter("出欠", "not_in", ("遅刻",)) in asked(dojo, "出席（遅刻は別）は何回？").filters
    assert asked(dojo, "所属別の件数は？").groups == (Group("所属"),)
