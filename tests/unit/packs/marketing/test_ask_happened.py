"""What has happened to a row and how long it took, by days and times that rows have; and whose rows the second half of a
sentence speaks of."""

from dataclasses import replace
from typing import Any

import pytest

from packs.marketing.asking.answering import answer
from packs.marketing.asking.meaning.guessing import How
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Heading, Measure
from packs.marketing.asking.several import requests_of
from tests.unit.packs.marketing.read_as import asked, table

_MAKERS, _SHOPS, _GRADES = ("青木", "森", "原"), ("店頭", "ネット", "催事"), ("並", "上")
_CLOCKS = [
    f"K-{at:03d},{_MAKERS[at % 3]},{_GRADES[at % 2]},2026-0{1 + at % 6}-{1 + at % 27:02d},{('店頭買取', '組合', '出張')[at % 3]},{2000 + at * 10},{5000 + at * 30},"
    + (f"2026-0{2 + at % 6}-{1 + at % 27:02d},{_SHOPS[at % 3]}" if at % 4 else ",")
    for at in range(120)
]
_VATS = [
    f"B-{at},2026-0{1 + at % 6}-{1 + at % 20:02d},{('달빛 맥주', '보리 맥주', '밀 맥주')[at % 3]},{('김', '이')[at % 2]}담당,{400 + at},{1.008 + at % 9 / 1000:.3f},{4 + at % 20 / 10},"
    + (f"2026-0{2 + at % 6}-{1 + at % 20:02d}" if at % 5 else "")
    for at in range(90)
]
_VISITS = [
    f"{at},2026-{9 + at % 2:02d}-{1 + at % 28:02d},{('Boulder', 'Lead')[at % 2]},{9 + at % 9:02d}:{at % 60:02d},"
    + (f"{11 + at % 9:02d}:{at % 50:02d}" if at % 6 else "")
    + f",{('Ann', 'Bo', 'Cy', 'Di')[at % 4]},{('Annual', 'Monthly')[at % 2]},{('Dom', 'Kim', 'Raj')[at % 3]},{at % 5 * 4}"
    for at in range(160)
]
_RUNS = [
    f"2026-1{at % 2}-{1 + at % 27:02d},{'월화수목금'[at % 5]},{('강변', '역앞')[at % 2]},{40 + at % 3},{30 + at % 14},{at % 12},{20 + at % 9},{30000 + at * 10}"
    for at in range(100)
]
_STALL = [
    f"2026-0{1 + at % 9}-{1 + at % 27:02d},{('Plum jam', 'Fig jam', 'Wild honey')[at % 3]},{('Jam', 'Jam', 'Honey')[at % 3]},340,{8 + at % 5},{3 + at % 5},{20 + at % 17},"
    + (f"{5 + at % 9}" if at % 7 else "")
    for at in range(120)
]


@pytest.fixture(scope="module")
def clocks() -> Profile:
    return table("番号,職人,品質,仕入日,仕入先,仕入値（円）,売値（円）,売れた日,販路", _CLOCKS, "時計台帳.csv")


@pytest.fixture(scope="module")
def vats() -> Profile:
    return table("배치,담금일,맥주명,담당,담금량(L),FG,ABV(%),포장일", _VATS, "양조.csv")


@pytest.fixture(scope="module")
def visits() -> Profile:
    return table("No,Date,Area,In,Out,Name,Membership,Front desk,Shoes ($)", _VISITS, "visits.csv")


@pytest.fixture(scope="module")
def runs() -> Profile:
    return table("날짜,요일,노선,정원,승차인원(명),지연(분),주유(L),주유금액(원)", _RUNS, "운행.csv")


@pytest.fixture(scope="module")
def loans() -> Profile:
    rows = [
        f"{at},{('Ann', 'Bo', 'Cy')[at % 3]},2026-0{1 + at % 6}-{1 + at % 20:02d},2026-0{2 + at % 6}-{1 + at % 20:02d},"
        + (f"2026-0{2 + at % 6}-{1 + at * 7 % 27:02d}" if at % 6 else "")
        for at in range(90)
    ]
    return table("Loan,Reader,Borrowed,Due,Returned on", rows, "loans.csv")


@pytest.fixture(scope="module")
def stall() -> Profile:
    heads = "Date,Product,Type,Jar (g),Brought (qty),Sold (qty),Takings (£),of which card (£)"
    return table(heads, _STALL, "stall.csv")


SOLD, UNSOLD = Filter("売れた日", "filled", ()), Filter("売れた日", "empty", ())


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("売れた時計は何個？", [SOLD]),
        ("まだ売れていないのは何個ですか", [UNSOLD]),
        ("品質が上で売れたものは何個？", [Filter("品質", "in", ("上",)), SOLD]),
        ("How many are there, not counting the unsold ones?", [SOLD]),
        ("売れたものを除くと何個？", [UNSOLD]),
        ("How many of 青木's have sold?", [Filter("職人", "in", ("青木",)), SOLD]),
    ],
)
def test_what_has_happened_is_told_by_a_day_that_not_every_row_has(
    text: str, filters: list[Filter], clocks: Profile
) -> None:
    assert list(asked(clocks, text).filters) == filters


def test_sales_are_what_was_sold_was_sold_for(clocks: Profile) -> None:
    request = asked(clocks, "販路ごとの売上を出して")
    assert (request.measures, request.filters) == ((Measure("sum", "売値（円）"),), (SOLD,))
    assert request.groups == (Group("販路"),)
    both = asked(clocks, "売れた時計は何個で、売上は合計いくら？")
    assert both.measures == (Measure("count"), Measure("sum", "売値（円）"))
    assert both.filters == (SOLD,)


@pytest.mark.parametrize(
    ("table", "text", "measure"),
    [
        ("clocks", "仕入れてから売れるまで平均何日かかりますか", Measure("mean", "売れた日", per="仕入日", days=True)),
        ("vats", "담그고 나서 포장까지 평균 며칠 걸려요?", Measure("mean", "포장일", per="담금일", days=True)),
        ("vats", "담금에서 포장까지 보통 며칠이나 걸리나요", Measure("mean", "포장일", per="담금일", days=True)),
    ],
)
def test_days_lie_between_what_was_done_and_what_was_done_then(
    table: str, text: str, measure: Measure, request: Any
) -> None:
    assert asked(request.getfixturevalue(table), text).measures == (measure,)


def test_two_that_are_compared_are_two(vats: Profile, clocks: Profile) -> None:
    assert asked(vats, "달빛 맥주 담그고 포장까지 평균 며칠이나 걸려? 보리 맥주랑 비교해줘").groups == (
        Group("맥주명"),
    )
    # a value of one column is no part of a value of another
    assert asked(clocks, "店頭とネットで売値の平均を比べて").groups == (Group("販路"),)


DURATION = "duration (min), In to Out"


def test_the_minutes_from_one_time_of_the_day_to_another(visits: Profile) -> None:
    assert asked(visits, "How long is the average visit?").measures == (Measure("mean", DURATION),)
    assert asked(visits, "what was the longest stay?").measures == (Measure("max", DURATION),)
    longer = asked(visits, "How many visits lasted more than 2 hours?")
    assert longer.filters == (Filter(DURATION, "gt", (120.0,)),)
    begun, over = visits.frame["In"], visits.frame["Out"]
    minutes = [
        (int(b[:2]) * 60 + int(b[3:]) - int(a[:2]) * 60 - int(a[3:])) % 1440
        for a, b in zip(begun, over, strict=True)
        if b
    ]
    assert answer(visits, longer).left == sum(one > 120 for one in minutes)


def test_in_is_a_word_before_it_is_a_heading(visits: Profile) -> None:
    then = asked(visits, "How much was taken for shoes in October?", "And in September?")
    assert (then.asks, then.measures) == ("figures", (Measure("sum", "Shoes ($)"),))
    assert asked(visits, "How many rows have no Out time?").filters == (Filter("Out", "empty", ()),)


def test_who_is_whoever_a_column_names(visits: Profile) -> None:
    of_those = asked(visits, "How many rows have no Out time?", "Who was on the front desk for most of those?")
    assert (of_those.groups, of_those.descending) == ((Group("Front desk"),), True)
    assert of_those.filters == (Filter("Out", "empty", ()),)


def test_a_heading_with_one_letter_wrong(visits: Profile) -> None:
    assert asked(visits, "How many visits per memebership?").groups == (Group("Membership"),)
    assert asked(visits, "How many visits per membreship?").groups == (Group("Membership"),)


def test_the_kind_that_is_asked_for_next_is_what_was_grouped_by(visits: Profile) -> None:
    next_ = asked(visits, "How many visits per membership?", "Which type has the fewest?")
    assert (next_.groups, next_.descending, next_.limit) == ((Group("Membership"),), False, 1)


def test_the_second_half_of_a_sentence_is_of_the_rows_of_the_first(vats: Profile) -> None:
    for text in (
        "김담당이 담근 배치가 몇 개고 담금량은 총 몇 리터인지 알려줘",
        "김담당이 담근 배치가 몇 개고 담금량은 총 몇 리터인지 확인 부탁드려요",
    ):
        requests = requests_of(text, vats, (), None, How("양조.csv", lambda texts: []))
        assert {one.filters for one in requests} == {(Filter("담당", "in", ("김담당",)),)}
        assert [it for one in requests for it in one.measures] == [Measure("count"), Measure("sum", "담금량(L)")]


def test_what_is_measured_finely_is_no_mark(vats: Profile) -> None:
    assert vats.rating is None
    assert asked(vats, "맥주별로 담금량 합계 알려줘").groups == (Group("맥주명"),)  # and not by week
    assert asked(vats, "달빛 맥주 평균 도수가 얼마야?").measures == (Measure("mean", "ABV(%)"),)


def test_a_weekday_of_one_letter_is_no_other_word(runs: Profile) -> None:
    litres = asked(runs, "기름값 총 얼마 들었어? 리터 수도 같이 알려줘")
    assert litres.filters == ()
    assert asked(runs, "수요일 운행은 몇 건이야?").filters == (Filter("요일", "in", ("수",)),)
    assert asked(runs, "월, 수 운행 건수 비교해줘").groups == (Group("요일"),)


def test_more_than_there_is_room_for(runs: Profile) -> None:
    over = asked(runs, "정원보다 더 태운 운행이 몇 번이야?").filters
    assert [(one.column, one.op) for one in over] == [("승차인원(명)", "gt")]


LATE = Filter("Returned on", "gt", (Heading("Due"),))


@pytest.mark.parametrize(
    "text",
    [
        "How many were returned late?",
        "How many were returned after the due date?",
        "기한보다 늦게 반납한 게 몇 건이야?",
        "期限より遅れて返されたのは何件？",
    ],
)
def test_what_was_done_after_it_was_due(text: str, loans: Profile) -> None:
    request = asked(loans, text)
    assert request.filters == (LATE,)
    late_ = sum(
        back > due for back, due in zip(loans.frame["Returned on"], loans.frame["Due"], strict=True) if back is not None
    )
    assert answer(loans, request).left == late_ > 0


def test_by_how_many_days(loans: Profile) -> None:
    days = Measure("mean", "Returned on", per="Due", days=True)
    assert asked(loans, "How many days late are they on average?").measures == (days,)
    assert asked(loans, "제일 오래 늦은 건 며칠이나 늦었어?").measures == (replace(days, kind="max"),)
    assert asked(loans, "Which reader returns late most often?").groups == (Group("Reader"),)


def test_of_a_stall(stall: Profile) -> None:
    both = asked(stall, "What did we take, and how many did we sell?")
    assert both.measures == (Measure("sum", "Sold (qty)"), Measure("sum", "Takings (£)"))
    assert asked(stall, "total card takings?").measures == (Measure("sum", "of which card (£)"),)
    empty = asked(stall, "some lines dont have the card amount, how many?")
    assert empty.filters == (Filter("of which card (£)", "empty", ()),)
    best = asked(stall, "what's our best selling jam, by jars sold?", "and the best selling honey?")
    assert (best.groups, best.measures) == ((Group("Product"),), (Measure("sum", "Sold (qty)"),))
    assert best.filters == (Filter("Type", "in", ("Honey",)),)
    reckons = asked(stall, "Ann thinks jam sells better. How many jars of jam did we sell this year?")
    assert all(one.column != "Date" or one.op == "between" for one in reckons.filters)
