"""Numbers as they are measured: below nought, in units that a heading writes short, and by words that say what is
compared ("colder than", 보다 무거운, より重い)."""

from collections.abc import Sequence
from typing import Any

import pytest

from packs.marketing.asking.meaning.guessing import How
from packs.marketing.asking.profile import Profile, profile
from packs.marketing.asking.request import Filter, Measure, Request
from packs.marketing.asking.several import requests_of
from packs.marketing.tables.read import read_table
from understanding.offline.encoder import best_encoder

_YARDS, _SORTS = ("North", "Mill", "Creek"), ("Oak", "Ash")
_LOADS = [
    f"2025-0{1 + at % 4}-{1 + at % 20:02d},{_YARDS[at % 3]},{_SORTS[at % 2]},{at % 9 * 0.75},{at % 17 - 9},{at % 23 * 40},{20 + at % 31}"
    for at in range(90)
]
_BATCHES = [
    f"2025-0{1 + at % 4}-{1 + at % 20:02d},{('1호', '2호', '3호')[at % 3]},{at % 19 - 11},{at % 13 * 45},{5 + at % 40}"
    for at in range(90)
]


@pytest.fixture(scope="module")
def loads() -> Profile:
    heads = "Date,Yard,Sort,Timber moved (t),Air temp (°C),Sawdust (g),Run time (min)"
    return profile(read_table("\n".join([heads, *_LOADS]).encode(), "loads.csv"))


@pytest.fixture(scope="module")
def batches() -> Profile:
    heads = "날짜,냉동고,온도(℃),중량(g),보관시간(분)"
    return profile(read_table("\n".join([heads, *_BATCHES]).encode(), "배치.csv"))


def _vectors(texts: Sequence[str]) -> list[list[float]]:
    made: list[list[float]] = best_encoder().encode(list(texts)).tolist()
    return made


def _meant(text: str, table: Profile, before: Request | None = None) -> Request:
    (request,) = requests_of(text, table, (), before, How("loads.csv", _vectors))
    return request


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("How many loads were there when it was colder than -3 °C?", Filter("Air temp (°C)", "lt", (-3.0,))),
        ("How many loads had an air temp below -5?", Filter("Air temp (°C)", "lt", (-5.0,))),
        ("how many loads went out when it was warmer than 4 degrees", Filter("Air temp (°C)", "gt", (4.0,))),
        ("How many were colder than minus 2 degrees?", Filter("Air temp (°C)", "lt", (-2.0,))),
        ("How many loads gave more than 0.5 kg of sawdust?", Filter("Sawdust (g)", "gt", (500.0,))),
        ("How many loads took longer than 30?", Filter("Run time (min)", "gt", (30.0,))),
    ],
)
def test_bounds_below_nought_and_by_the_word_that_compares(text: str, kept: Filter, loads: Profile) -> None:
    request = _meant(text, loads)
    assert request.filters == (kept,) and request.measures == (Measure("count"),)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("영하 5도보다 추운 건 몇 건이야?", Filter("온도(℃)", "lt", (-5.0,))),
        ("온도가 -7 이하인 건 몇 건이야?", Filter("온도(℃)", "le", (-7.0,))),
        ("300보다 무거운 건 몇 건이야?", Filter("중량(g)", "gt", (300.0,))),
        ("氷点下8度より寒いものは何件?", Filter("온도(℃)", "lt", (-8.0,))),
        ("0.3kg 이상인 건 몇 건이야?", Filter("중량(g)", "ge", (300.0,))),
    ],
)
def test_the_same_in_korean_and_japanese(text: str, kept: Filter, batches: Profile) -> None:
    assert kept in _meant(text, batches).filters


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("How many tonnes of timber did we move altogether?", Measure("sum", "Timber moved (t)")),
        ("what did we move in total, in tonnes?", Measure("sum", "Timber moved (t)")),
    ],
)
def test_units_that_a_heading_writes_short(text: str, measure: Measure, loads: Profile) -> None:
    request = _meant(text, loads)
    assert request.measures == (measure,) and not request.filters


def test_per_cent_is_percent(loads: Profile) -> None:
    asked: Any = _meant("What per cent of the loads were Oak?", loads)
    assert asked.measures == (Measure("share", None, (Filter("Sort", "in", ("Oak",)),)),)


def test_a_dash_between_numbers_is_up_to(loads: Profile) -> None:
    kept = {(one.op, one.values) for one in _meant("How many loads took 30-40 minutes?", loads).filters}
    assert kept == {("ge", (30.0,)), ("le", (40.0,))}


@pytest.mark.parametrize(
    "text", ["Which yard moved the most tonnes?", "Which yard clocked up the most tonnes overall?"]
)
def test_the_most_of_a_unit_is_what_it_adds_up_to(text: str, loads: Profile) -> None:
    request = _meant(text, loads)
    assert request.measures == (Measure("sum", "Timber moved (t)"),)
    assert [one.column for one in request.groups] == ["Yard"] and request.descending


def test_small_numbers_whose_heading_has_a_unit_are_no_ratings(loads: Profile) -> None:
    assert loads.rating is None and max(loads.frame["Timber moved (t)"].to_list()) == 6.0


def test_different_ones_are_counted_and_then_put_in_order(batches: Profile) -> None:
    counted = _meant("서로 다른 냉동고가 모두 몇 개 나와?", batches)
    assert counted.measures == (Measure("distinct", "냉동고"),)
    ranked = _meant("그중 제일 적은 건 어느 거야?", batches, counted)
    assert [one.column for one in ranked.groups] == ["냉동고"] and ranked.descending is False
    assert ranked.measures == (Measure("count"),)
