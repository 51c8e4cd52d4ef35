"""What people say of a table beside its own words: units of headings, who comes first, classes by their number, days on
which something was; and, where somebody makes vectors, words that mean what a heading or a value says."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from packs.marketing.asking import chart
from packs.marketing.asking.answering import answer
from packs.marketing.asking.meaning.guessing import How
from packs.marketing.asking.meaning.wording import in_its_words, nears_a_value, with_what_is_counted
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.asking.several import requests_of
from packs.marketing.reporting.stocktaking import facts
from packs.marketing.tables.read import read_table
from understanding.offline.encoder import best_encoder

pytestmark = pytest.mark.usefixtures("undrawn")

_CLIENTS, _STATES, _CREW = ("Juno", "Quill", "Moss", "Tarn"), ("Paid", "Open"), ("Ada", "Ben", "Cleo")
_HAULS = [
    f"H{at},2025-0{1 + at % 6}-{1 + at % 20:02d},{_CLIENTS[at % 4]},{_CREW[at % 3]},{_STATES[at % 2]},{at % 7 * 3.5},{at % 40 * 10},"
    f"{200 + at * 37 % 1400},{'' if at % 9 == 0 else f'2025-07-{1 + at % 28:02d}'}"
    for at in range(80)
]
_LOG = [
    f"2025-0{3 + at % 3}-{1 + at % 15:02d},{1 + at % 3},{('단팥빵', '식빵', '쿠키')[at % 3]},{20 + at % 30},{at % 13},{('예', '아니오')[at % 3 == 0]},"
    f"{('', '민수', '영희', '지우')[at % 4]},{at % 13 * 700},{60 + at * 7 % 40}"
    for at in range(80)
]


def _read(heads: str, lines: list[str], name: str) -> Profile:
    return profile(read_table("\n".join([heads, *lines]).encode(), name))


@pytest.fixture(scope="module")
def hauls() -> Profile:
    return _read(
        "Haul,Date,Client,Driver,Status,Load (m³),Distance (km),Net amount (€),Paid on", _HAULS, "haul_invoices.csv"
    )


@pytest.fixture(scope="module")
def log() -> Profile:
    return _read("날짜,반,품목,생산수량(개),폐기수량(개),반려견,담당자,손실액(원),국어", _LOG, "일지.csv")


def _vectors(texts):
    return best_encoder().encode(list(texts)).tolist()


def _meant(text: str, table: Profile, before: Request | None = None) -> Request:
    (request,) = requests_of(text, table, (), before, How("일지.csv", _vectors))
    return request


@pytest.mark.parametrize(
    ("text", "filters", "measures"),
    [
        ("How many kilometres is it altogether?", (), (Measure("sum", "Distance (km)"),)),
        ("What's the biggest load we've ever carried, in cubic metres?", (), (Measure("max", "Load (m³)"),)),
        ("How many hauls went over 1,000 euros?", (Filter("Net amount (€)", "gt", (1000.0,)),), (Measure("count"),)),
        ("How many were longer than 300 kilometres?", (Filter("Distance (km)", "gt", (300.0,)),), (Measure("count"),)),
        (
            "what percentage of all our hauls have status paid?",
            (),
            (Measure("share", None, (Filter("Status", "in", ("Paid",)),)),),
        ),
        (
            "On how many days was Ada driving?",
            (Filter("Driver", "in", ("Ada",)),),
            (Measure("distinct", "Date"),),
        ),
    ],
)
def test_units_and_figures_are_known_by_what_people_call_them(hauls, text, filters, measures) -> None:
    request = Reading(text, hauls, (), None, "haul_invoices.csv").request()
    assert request.unread == ()
    assert (request.filters, request.measures) == (filters, measures)


def test_two_days_of_the_week_are_set_against_each_other(hauls) -> None:
    request = Reading("How many hauls on Saturdays compared with Sundays?", hauls, (), None, "hauls.csv").request()
    assert request.groups == (Group("Date", "weekday", sides=((6,), (7,))),)


def test_a_customer_is_a_client(hauls) -> None:
    first = Reading("Who's our biggest customer in terms of money?", hauls, (), None, "hauls.csv").request()
    assert (first.groups, first.measures) == ((Group("Client"),), (Measure("sum", "Net amount (€)"),))
    assert (first.descending, first.limit) == (True, 1)


@pytest.mark.parametrize("text", ["그 사람은 몇 건 했어?", "그 사람이 몇 건 했는데?", "how many did she do?"])
def test_who_came_first_is_pointed_at(hauls, text) -> None:
    first = Reading("Which driver has the most hauls?", hauls, (), None, "hauls.csv").request()
    request = Reading(text, hauls, (), first, "hauls.csv").request()
    assert [one.column for one in request.filters] == ["Driver"], request
    assert not request.groups


def test_classes_by_their_number_are_groups(log) -> None:
    request = Reading("국어 점수 반별로 평균 내서 높은 반부터 보여줘", log, (), None, "일지.csv").request()
    assert (request.groups, request.measures) == ((Group("반"),), (Measure("mean", "국어"),))


def test_the_number_of_all_rows_is_no_condition(log) -> None:
    first = Reading("민수가 담당한 건 몇 건이야?", log, (), None, "일지.csv").request()
    request = Reading("전체 80건 중에 몇 퍼센트야?", log, (), first, "일지.csv").request()
    assert request.unread == ()
    assert [one.kind for one in request.measures] == ["share"]


def test_rows_with_much_of_something_are_no_groups_of_many_rows(log) -> None:
    request = Reading("한 번에 10개 넘게 버린 기록이 몇 건이야?", log, (), None, "일지.csv").request()
    assert request.having is None


@pytest.mark.parametrize(
    ("text", "filters", "measures"),
    [
        ("손해 본 금액이 총 얼마야?", (), (Measure("sum", "손실액(원)"),)),
        ("누가 맡았는지 안 적혀 있는 게 몇 건이지?", (Filter("담당자", "empty", ()),), (Measure("count"),)),
    ],
)
def test_words_that_mean_a_heading_are_that(log, text, filters, measures) -> None:
    request = _meant(text, log)
    assert (request.filters, request.measures, request.unread) == (filters, measures, ())


def test_a_word_for_what_a_column_of_yes_and_no_is_about_is_its_yes() -> None:
    lines = [
        f"2025-05-{1 + at % 28:02d},{('계곡', '숲속')[at % 2]},{1 + at % 5},{('예', '아니오')[at % 3 == 0]}"
        for at in range(40)
    ]
    camp = _read("입실일,구역,인원(명),반려견", lines, "캠핑장.csv")
    assert _meant("강아지 데리고 온 예약이 몇 건이나 돼?", camp).filters == (Filter("반려견", "in", ("예",)),)


def test_of_columns_that_count_alike_the_one_is_meant_that_is_spoken_of(log) -> None:
    text = with_what_is_counted("식빵은 전부 몇 개나 버렸어?", log, (), "일지.csv", _vectors)
    assert "폐기수량" in text
    assert with_what_is_counted("식빵은 전부 몇 개야?", log, (), "일지.csv", lambda _: []) == "식빵은 전부 몇 개야?"


def test_a_word_near_a_value_is_not_passed_over(log) -> None:
    assert nears_a_value(["바게트"], log, _vectors)
    assert not nears_a_value(["전체적"], log, _vectors)


def test_nobody_makes_vectors(log) -> None:
    assert in_its_words("손해가 얼마야?", ["손해"], log, lambda _: []) == "손해가 얼마야?"


def test_a_mean_beyond_the_scale_stays_within_the_picture(ctx):
    lines = [f"{('East', 'West')[at % 2]},{99 if at < 8 and at % 2 else 1 + at % 5}" for at in range(60)]
    shops = _read("Shop,Stars", lines, "shops.csv")
    request = Reading("average stars by shop", shops, (), None, "shops.csv").request()
    spec = chart.specification(shops, request, answer(shops, request), ctx, 400)
    domains = re.findall(r'"domain": \[([\d.]+), ([\d.]+)\]', json.dumps(spec))
    assert shops.rating is not None
    assert domains
    assert max(float(high) for _, high in domains) > 5


@pytest.mark.parametrize("currency", ["", "KRW"])
def test_a_box_of_the_stock_has_a_number_and_its_label_says_of_what(ctx, currency):
    checked = SimpleNamespace(lines=[1], to_order=[1], counts={"out": 0}, order_value=83_604_500.0, currency=currency)
    stock: Any = SimpleNamespace(checked=checked)
    *_, (label, value) = facts(stock, ctx)
    assert value == ("83,604,500 KRW" if currency else "83,604,500")
    assert label.startswith(ctx.text("report.stock.order_value"))


@pytest.mark.parametrize("question", ["평균 별점은?", "지점별 평균 별점은?"])
def test_marks_that_their_scale_does_not_have_are_told(ctx, run, question):
    stars = [99 if at == 7 else 1 + at % 5 for at in range(60)]
    ctx.upload(
        "\n".join(["지점,별점", *(f"{('강남', '서초')[at % 2]},{one}" for at, one in enumerate(stars))]).encode()
    )
    told = run("ask", question=question)
    (said,) = [one for one in told["evidence"] if one["says"] == "ask.beside.off_scale"]
    within = [one for one in stars if one <= 5]
    assert said["n"] == 1
    assert f"{sum(within) / len(within):,.2f}" in "\n".join(told["summary"])


@pytest.mark.parametrize(("heading", "rated"), [("Packets", False), ("Stars", True)])
def test_small_numbers_of_things_are_no_stars(heading, rated):
    lines = [f"{('Herb', 'Flower')[at % 2]},{1 + at % 5}" for at in range(60)]
    loans = _read(f"Kind,{heading}", lines, "loans.csv")
    assert (loans.rating is not None) is rated
    if not rated:
        request = Reading("total packets for each kind, biggest first", loans, (), None, "loans.csv").request()
        assert request.measures == (Measure("sum", "Packets"),)
