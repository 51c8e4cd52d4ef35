"""People where a row is a group of them: how many came is what the column of heads adds up to."""

import pytest

from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Measure
from tests.unit.packs.marketing.read_as import asked, requests, table

_VISITS = [
    f"2026-0{4 + at % 5}-{1 + at % 27:02d},{('Adult', 'Family', 'School group')[at % 3]},{1 + at * 7 % 5},{5 + at % 3}.50,"
    f"{('Leeds', 'York', '', 'Germany')[at % 4]},{('Stan', 'Maureen', 'Priya')[at % 3]}"
    for at in range(120)
]
_STAYS = [
    f"GH{26000 + at},2026-0{4 + at % 5}-{1 + at % 27:02d},{1 + at % 3},{1 + at * 3 % 4},{('田中 直子', '李 民', 'A. Brown', '林 怡')[at % 4]}{at % 9},"
    f"{('日本', '韓国', 'アメリカ')[at % 3]},{('Airbnb', '公式HP')[at % 2]}"
    for at in range(120)
]
_TRIPS = [
    f"2026-10-{1 + at % 27:02d},{('1호차', '2호차')[at % 2]},{('등교', '하교')[at // 2 % 2]},{20 + at * 3 % 15},{('김기사', '박기사')[at % 2]}"
    for at in range(100)
]
_REVIEWS = [
    f"R{at},2026-05-{1 + at % 27:02d},{1 + at % 5},{1 + at % 4},{('温泉が良かった', '食事が残念だった')[at % 2]}{at}"
    for at in range(100)
]


@pytest.fixture(scope="module")
def visits() -> Profile:
    return table("Date,Ticket type,No. in party,Price each (£),Come from,Desk volunteer", _VISITS, "Admissions.csv")


@pytest.fixture(scope="module")
def stays() -> Profile:
    return table("予約No,チェックイン,泊数,人数(名),代表者名,国・地域,予約サイト", _STAYS, "予約一覧.csv")


@pytest.fixture(scope="module")
def trips() -> Profile:
    return table("날짜,호차,구분,승차인원(명),기사명", _TRIPS, "통학버스 운행일지.csv")


HEADS = Measure("sum", "No. in party")


def test_a_number_of_people_is_no_number_of_a_row(visits: Profile) -> None:
    assert visits.column("No. in party").kind == "number"


@pytest.mark.parametrize(
    "text",
    [
        "How many visitors did we have in all?",
        "how many people came in",
        "number of visitors please",
        "방문객이 총 몇 명이야?",
        "来場者は全部で何人ですか",
    ],
)
def test_people_are_added_up(text: str, visits: Profile) -> None:
    assert asked(visits, text).measures == (HEADS,)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("韓国からのお客様は全部で何人ですか", Measure("sum", "人数(名)")),
        ("한국(韓国) 손님은 모두 몇 명이야?", Measure("sum", "人数(名)")),
        ("韓国の予約は何件ですか", Measure("count")),
        ("how many bookings came from 韓国?", Measure("count")),
    ],
)
def test_bookings_stay_rows(text: str, measure: Measure, stays: Profile) -> None:
    request = asked(stays, text)
    assert request.measures == (measure,)
    assert request.filters == (Filter("国・地域", "in", ("韓国",)),)


def test_both_are_told_where_both_are_asked(stays: Profile, visits: Profile) -> None:
    both = (Measure("count"), Measure("sum", "人数(名)"))
    assert asked(stays, "韓国のお客様は何名で何件の予約でしたか").measures == both
    assert asked(visits, "how many visitors in total and how many parties?").measures == (Measure("count"), HEADS)


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("Which desk volunteer let in the most people?", Group("Desk volunteer")),
        ("Top 2 places our visitors come from by number of people?", Group("Come from")),
        ("Which day had the most people through the door?", Group("Date", "day")),
        ("Did Family or School group pull in more people?", Group("Ticket type")),
    ],
)
def test_groups_are_ranked_by_people(text: str, group: Group, visits: Profile) -> None:
    request = asked(visits, text)
    assert request.groups == (group,)
    assert request.measures == (HEADS,)
    assert request.descending


def test_the_first_of_months_by_visitors(visits: Profile) -> None:
    request = asked(visits, "which month had the most visitors and how many")
    assert (request.measures, request.descending) == ((HEADS,), True)


def test_a_share_of_people_is_of_what_they_add_up_to(visits: Profile) -> None:
    (share,) = asked(visits, "What share of our visitors came from Germany?").measures
    assert (share.kind, share.column) == ("share", "No. in party")
    assert share.part == (Filter("Come from", "in", ("Germany",)),)


@pytest.mark.parametrize("text", ["how many overseas visitors did we have", "how many elderly people came"])
def test_people_of_a_kind_that_nobody_knows_are_asked_about(text: str, visits: Profile) -> None:
    assert requests(visits, text)[0].unread


def test_what_they_do_not_have_is_not_passed_over(visits: Profile) -> None:
    (request,) = requests(visits, "How many people do we have no place for at all?")
    assert request.unread or request.filters


def test_who_writes_has_one_row_whoever_came_along() -> None:
    reviews = table("No,投稿日,評価,人数,感想", _REVIEWS, "口コミ.csv")
    assert asked(reviews, "5점은 몇 명이야?").measures == (Measure("count"),)


def test_passengers_of_trips(trips: Profile) -> None:
    assert asked(trips, "모두 몇 명 태웠어?").measures == (Measure("sum", "승차인원(명)"),)
    assert asked(trips, "1호차는 몇 건이야?").measures == (Measure("count"),)
