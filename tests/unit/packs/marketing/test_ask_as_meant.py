"""What a column, or a row, is called by a word that stands for it here; and what adds up, or is one row of all."""

import pytest

from packs.marketing.asking.money import of_whole_amounts
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.asking.units import ranks_by_length
from tests.unit.packs.marketing.read_as import asked, requests, table

_JOBS = [
    f"{300 + at},2026-0{5 + at % 4}-{1 + at % 27:02d},{('Dave K', 'Bex', 'Lou', 'Tomasz')[at % 4]},{('Puncture', 'Gears', 'Brakes')[at % 3]},{8 + at * 7 % 50},{('Callum', 'Nia', 'Soph')[at % 3]}"
    for at in range(120)
]
_GIFTS = [
    f"2026-0{1 + at % 9}-{1 + at % 27:02d},{('Fernley Farm', 'Noor Mosque', 'Lidl')[at % 3]},{('Rice', 'Nappies', 'Bread')[at // 3 % 3]},{2 + at * 7 % 40},{1 + at * 13 % 90}.5,{5 + at * 3 % 70}.25,{('Priya', 'Tom', 'Sheila')[at // 2 % 3]}"
    for at in range(120)
]
_CATCH = [
    f"2026-0{2 + at % 7}-{1 + at % 27:02d},{('Robbo', 'Zane', 'Trish')[at % 3]},{('Snapper', 'Bream')[at % 2]},{20 + at * 7 % 60},{at * 3 % 40}.{at % 90:02d},{('Kept', 'Released')[at // 2 % 2]}"
    for at in range(120)
]
_LESSONS = [
    f"{1 + at},2026-0{6 + at % 4}-{1 + at % 27:02d},{('김민지', '노태호', '남기범', '이준호')[at % 4]},{('박상철', '이은주')[at % 2]},{1 + at % 3},{at * 7 % 50}.{at % 9},{(1 + at % 3) * 56000}"
    for at in range(120)
]


@pytest.fixture(scope="module")
def jobs() -> Profile:
    return table("Job #,Date in,Who,Job,Time (mins),Mech", _JOBS, "table.csv")


@pytest.fixture(scope="module")
def gifts() -> Profile:
    return table("Date rec'd,Donor,Item,Qty (units),Weight (kg),Est. value (£),Taken in by", _GIFTS, "donations.csv")


@pytest.fixture(scope="module")
def catch() -> Profile:
    return table("Date,Angler,Species,Length (cm),Wt (kg),Kept / Rel.", _CATCH, "Catch book.csv")


@pytest.fixture(scope="module")
def lessons() -> Profile:
    return table("No.,교육일,수강생명,담당강사,시간(h),주행(km),수강료(원)", _LESSONS, "교육일지.csv")


def test_how_many_times_is_no_column_of_minutes(jobs: Profile) -> None:
    request = asked(jobs, "How many times did Dave K come in?")
    assert request.measures == (Measure("count"),)
    assert request.filters == (Filter("Who", "in", ("Dave K",)),)


@pytest.mark.parametrize("text", ["Which name shows up most, and how many times?", "which customer came in most often"])
def test_whose_rows_they_are(text: str, jobs: Profile) -> None:
    request = asked(jobs, text)
    assert request.groups == (Group("Who"),)
    assert request.measures == (Measure("count"),)


@pytest.mark.parametrize(
    "text",
    ["which mechanic has the longest average time per job?", "average time by mechanic", "per mechanic average time"],
)
def test_a_heading_that_is_cut_short(text: str, jobs: Profile) -> None:
    request = asked(jobs, text)
    assert request.groups == (Group("Mech"),)
    assert request.measures == (Measure("mean", "Time (mins)"),)


@pytest.mark.parametrize(
    "text", ["who took in the most rows?", "Whos checked in most often", "who has booked in the most entries?"]
)
def test_who_did_it(text: str, gifts: Profile) -> None:
    assert asked(gifts, text).groups == (Group("Taken in by"),)


@pytest.mark.parametrize("text", ["선생님별 총 주행(km)", "쌤별로 총 주행(km)", "先生ごとの주행(km)の合計"])
def test_a_title_is_who_is_in_charge(text: str, lessons: Profile) -> None:
    request = asked(lessons, text)
    assert request.groups == (Group("담당강사"),)
    assert request.measures == (Measure("sum", "주행(km)"),)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("Top two donors by weight please", Measure("sum", "Weight (kg)")),
        ("top 2 items by weight", Measure("sum", "Weight (kg)")),
        ("top 2 donors by average weight", Measure("mean", "Weight (kg)")),
        ("Which donor gave the most nappies overall?", Measure("sum", "Qty (units)")),
        ("which donor comes up most often with nappies?", Measure("count")),
    ],
)
def test_what_adds_up(text: str, measure: Measure, gifts: Profile) -> None:
    request = asked(gifts, text)
    assert request.groups
    assert request.measures == (measure,)


def test_the_unit_says_the_column(gifts: Profile, lessons: Profile) -> None:
    assert asked(gifts, "total kilos in March").measures == (Measure("sum", "Weight (kg)"),)
    assert asked(lessons, "제일 길게 운전한 게 몇 키로고 누구야?").columns[0] == "주행(km)"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("biggest fish in the book by weight - who got it and what was it?", "Wt (kg)"),
        ("longest fish and who caught it?", "Length (cm)"),
        ("biggest Snapper by length, who was it?", "Length (cm)"),
    ],
)
def test_the_one_that_has_most(text: str, column: str, catch: Profile) -> None:
    request = asked(catch, text)
    assert (request.asks, request.descending, request.limit) == ("rows", True, 1)
    assert request.columns[0] == column
    assert "Angler" in request.columns


def test_one_drive_is_no_sum(lessons: Profile) -> None:
    request = asked(lessons, "한 번에 제일 멀리 뛴 게 몇 키로고 수강생이 누구야?")
    assert (request.asks, request.columns[0], request.limit) == ("rows", "주행(km)", 1)
    assert "수강생명" in request.columns


def test_a_thing_that_nobody_knows_is_said(catch: Profile) -> None:
    assert asked(catch, "biggest trophy by weight and who won it?").aside == ("trophy",)


@pytest.mark.parametrize("text", ["what % of all fish were released", "물고기 중 Released 비율은?"])
def test_what_a_row_is(text: str, catch: Profile) -> None:
    (share,) = asked(catch, text).measures
    assert share == Measure("share", part=(Filter("Kept / Rel.", "in", ("Released",)),))


@pytest.mark.parametrize(
    "text", ["how many undersized fish were there", "biggest junior fish by weight and who got it?"]
)
def test_a_thing_of_some_kind_is_asked_about(text: str, catch: Profile) -> None:
    assert requests(catch, text)[0].unread


def test_two_beside_an_or_are_compared(catch: Profile) -> None:
    request = asked(catch, "Robbo or Zane, who's logged more fish?")
    assert request.groups == (Group("Angler"),)
    assert request.measures == (Measure("count"),)


_ORDERS = [
    f"A{100 + at},2026-0{1 + at % 9}-{1 + at % 27:02d},{('タオル', '石けん', '浴衣')[at % 3]},{('高橋', '中村')[at % 2]},{5 + at * 7 % 60},{(120, 90, 3500)[at % 3]},{(5 + at * 7 % 60) * (120, 90, 3500)[at % 3]},{1 + at % 9}"
    for at in range(120)
]


@pytest.fixture(scope="module")
def orders() -> Profile:
    return table("発注No.,発注日,品名,担当,数量(枚・個),単価(円),金額(円),保管(日)", _ORDERS, "発注.csv")


@pytest.mark.parametrize("text", ["タオルは全部で何枚頼んでる？", "タオルは全部で何個頼んでますか"])
def test_a_heading_may_have_several_counters_in_its_brackets(text: str, orders: Profile) -> None:
    request = asked(orders, text)
    assert request.measures == (Measure("sum", "数量(枚・個)"),)
    assert request.filters == (Filter("品名", "in", ("タオル",)),)


def test_what_one_piece_costs_is_added_up_only_for_who_names_it(orders: Profile) -> None:
    summed = Request(measures=(Measure("sum", "単価(円)"),))
    assert of_whole_amounts(summed, "高橋さん、合計なんぼ使うてはる?", orders).measures == (Measure("sum", "金額(円)"),)
    assert of_whole_amounts(summed, "単価を全部足すと？", orders) == summed
    mean = Request(measures=(Measure("mean", "単価(円)"),))
    assert of_whole_amounts(mean, "1ついくらくらい?", orders) == mean


def test_what_lasts_longer_is_no_money(orders: Profile) -> None:
    by_money = Request(measures=(Measure("mean", "金額(円)"),))
    assert ranks_by_length(by_money, "which item stays with us longer, towels or soap?", orders) == "longer"
    by_days = Request(measures=(Measure("mean", "保管(日)"),))
    assert ranks_by_length(by_days, "which item stays with us longer, towels or soap?", orders) == ""
    assert ranks_by_length(by_money, "which item brings in more, towels or soap?", orders) == ""
