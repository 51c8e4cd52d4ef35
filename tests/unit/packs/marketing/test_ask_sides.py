"""Two that were told side by side, months without their year, the opposite of yes, words in quotation marks."""

from collections.abc import Callable
from datetime import date
from typing import Any

import polars as pl
import pytest

from packs.marketing.asking.days import Period
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Filter, Group, Measure, Request

pytestmark = pytest.mark.usefixtures("undrawn")

_DAYS = [date(2024, 3, 2), date(2024, 5, 9), date(2024, 5, 30), date(2025, 3, 4)]
TABLE = Profile(
    (
        Column("day", "date", "date"),
        Column("depot", "category", None, ("Norwich", "Ipswich")),
        Column("reason", "category", None, ("leak", "noise")),
        Column("insured", "category", None, ("yes", "no")),
        Column("gas_m3", "number"),
        Column("note", "text", "text"),
    ),
    pl.DataFrame(
        {
            "day": _DAYS,
            "depot": ["Norwich", "Ipswich", "Norwich", "Ipswich"],
            "reason": ["leak", "noise", "leak", "leak"],
            "insured": ["yes", "no", "no", "yes"],
            "gas_m3": [4.0, 2.0, 9.0, 1.0],
            "note": ["a leak", "loud", "wet", "wet"],
        }
    ),
)
MAY = Period("May", date(2026, 5, 1), date(2026, 5, 31))
Read = Callable[..., Request]


def _read(text: str, *periods: Period, before: Request | None = None, **_: Any) -> Request:
    return Reading(text, TABLE, periods, before).request()


def test_a_month_without_its_year_is_of_the_last_year_that_the_table_has() -> None:
    (kept,) = _read("How many in May?", MAY).filters
    assert kept.values == (date(2024, 5, 1), date(2024, 5, 31))


def test_numbers_of_a_heading_ask_nothing() -> None:
    assert _read("Sum of fuel burnt (gas_m3) for Norwich").unread in ((), ("fuel",), ("burnt",), ("fuel", "burnt"))
    assert _read("Total gas_m3 of Ipswich").measures == (Measure("sum", "gas_m3"),)


def test_a_time_beside_the_one_before_is_told_with_it() -> None:
    first = (date(2024, 3, 1), date(2024, 3, 31))
    before = Request(filters=(Filter("day", "between", first),), measures=(Measure("sum", "gas_m3"),))
    found = _read("How does it compare with May 2024?", Period("May 2024", *_may()), before=before)
    assert found.groups == (Group("day", periods=(first, _may())),)
    assert not found.filters


def _may() -> tuple[date, date]:
    return date(2024, 5, 1), date(2024, 5, 31)


def test_the_two_of_before_are_measured_otherwise() -> None:
    sides = Group("day", periods=((date(2024, 3, 1), date(2024, 3, 31)), _may()))
    before = Request(groups=(sides,), measures=(Measure("sum", "gas_m3"),))
    found = _read("How many rows in each?", before=before)
    assert (found.groups, found.measures) == ((sides,), (Measure("count"),))


@pytest.mark.parametrize("text", ["How many uninsured ones?", "the number of non-insured rows"])
def test_the_opposite_of_yes_is_no(text: str) -> None:
    assert Filter("insured", "in", ("no",)) in _read(text).filters


def test_reason_may_be_a_column() -> None:
    found = _read("Top 2 reasons by total gas_m3")
    assert (found.asks, found.groups, found.limit) == ("figures", (Group("reason"),), 2)


def test_what_is_written_is_no_value() -> None:
    assert _read('How many notes contain the word "leak"?').filters == (Filter("note", "contains", ("leak",)),)


def test_grouping_that_is_not_wanted_is_none() -> None:
    assert _read("월별 말고 전체 건수 알려줘").groups == ()


def test_the_share_of_another_value_takes_the_place_of_the_first() -> None:
    before = Request(measures=(Measure("share", None, (Filter("depot", "in", ("Norwich",)),)),))
    found = _read("and Ipswich?", before=before)
    assert found.measures == (Measure("share", None, (Filter("depot", "in", ("Ipswich",)),)),)


def test_a_share_of_the_total_is_of_what_was_added_up() -> None:
    before = Request(groups=(Group("depot"),), measures=(Measure("sum", "gas_m3"),))
    found = _read("What percentage of the total is Norwich?", before=before)
    assert found.measures == (Measure("share", "gas_m3", (Filter("depot", "in", ("Norwich",)),)),)
