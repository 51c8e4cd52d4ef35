"""Questions in other words than the table's: headings and values of another language, the time of day, units of
headings, money by what is done with it, the second of a ranking."""

from datetime import date

import pytest

from packs.marketing.asking.days import Period
from packs.marketing.asking.lexicon import alike, called
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.tables.read import read_table
from understanding.offline.entities import find_periods

pytestmark = pytest.mark.usefixtures("undrawn")

_STATIONS = ("Quay", "Mill", "Park")
_LINES = [
    f"T{at:03},{_STATIONS[at % 3]},{(7, 22)[at % 2]},2024-0{1 + at % 6}-{1 + at % 28:02}T{6 + at % 15:02}:30,{20 + at * 7 % 45 * 3},"
    f"{at % 5},{at % 7 * 2.5},{('yes', 'no')[at % 4 == 0]},{('', 'true', 'false')[at % 3]}"
    for at in range(60)
]
HEADS = "trip,station,charger_kw,start,minutes,권수,price,Solar panels,返信済み"


@pytest.fixture(scope="module")
def table() -> Profile:
    return profile(read_table("\n".join([HEADS, *_LINES]).encode(), "trips.csv"))


def _read(text: str, table: Profile, before: Request | None = None) -> Request:
    periods = []
    for one in find_periods(text, date(2026, 11, 24)):
        days = one.value if isinstance(one.value, dict) else {}
        first, last = (date.fromisoformat(str(day)) if (day := days.get(name)) else None for name in ("start", "end"))
        periods.append(Period(one.text, first, last))
    return Reading(text, table, periods, before, "trips.csv").request()


def test_headings_and_values_are_known_in_three_languages() -> None:
    assert {"태양광", "太陽光"} <= {*called("Solar panels")}
    assert "replied" in called("返信済み")
    assert "アプリ" in alike("app")


def test_words_for_any_row_name_no_column() -> None:
    assert not {"booking", "order", "예약"} & {*called("Booked via"), *called("주문 채널")}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("태양광 있는 건 몇 건이야?", [Filter("Solar panels", "in", ("yes",))]),
        ("まだ返信していないのは何件？", [Filter("返信済み", "in", ("false",))]),
        ("未返信は何件？", [Filter("返信済み", "in", ("false",))]),
        ("How many started at 5pm or later?", [Filter("start (hour)", "ge", (17.0,))]),
        ("오전 9시 전에 시작한 건 몇 건이야?", [Filter("start (hour)", "lt", (9.0,))]),
        ("How many lasted over 2 hours?", [Filter("minutes", "gt", (120.0,))]),
        ("How many trips cost nothing?", [Filter("price", "in", (0.0,))]),
        ("How many were on the 22 kW ones?", [Filter("charger_kw", "in", (22.0,))]),
    ],
)
def test_which_rows(text: str, kept: list[Filter], table: Profile) -> None:
    found = _read(text, table)
    assert (list(found.filters), found.unread) == (kept, ())


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("모두 몇 권이야?", [Measure("sum", "권수")]),
        ("How much did people pay on average at Quay?", [Measure("mean", "price")]),
        ("How long does a trip take on average?", [Measure("mean", "minutes")]),
    ],
)
def test_which_figures(text: str, measures: list[Measure], table: Profile) -> None:
    found = {(one.kind, one.column) for one in _read(text, table).measures}
    assert {(one.kind, one.column) for one in measures} <= found


def test_the_second_is_told_behind_the_first(table: Profile) -> None:
    for text in ("Which station has the second highest price on average?", "평균 price가 두 번째로 높은 station은?"):
        found = _read(text, table)
        assert (found.groups, found.descending, found.limit) == ((Group("station"),), True, 2)


def test_a_bound_on_the_figure_of_a_group_bounds_no_row(table: Profile) -> None:
    found = _read("Which stations have an average price above 7?", table)
    assert (found.filters, found.bound, found.groups) == ((), ("gt", 7.0), (Group("station"),))


def test_what_was_skipped_is_what_was_asked_about(table: Profile) -> None:
    before = _read("What percentage has 返信済み = true?", table)
    assert Filter("返信済み", "empty", ()) in _read("How many skipped that question?", table, before).filters


def test_a_day_beside_the_question_is_none_of_its_rows(table: Profile) -> None:
    found = _read("어제 사장님이 물어보셨어요. station별 평균 price 알려줘", table)
    assert (found.filters, found.groups) == ((), (Group("station"),))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("June through August 2026", "2026-06-01", "2026-08-31"),
        ("Mar-Sep 2025", "2025-03-01", "2025-09-30"),
        ("Nov-Feb 2026", "2025-11-01", "2026-02-28"),
        ("2026년 3~5월", "2026-03-01", "2026-05-31"),
        ("2〜4月", "2026-02-01", "2026-04-30"),
    ],
)
def test_months_from_one_to_another(text: str, start: str, end: str) -> None:
    (found,) = find_periods(text, date(2026, 11, 24))
    assert (found.text, found.value) == (text, {"start": start, "end": end})
