"""Dates and periods in three languages, seen from Monday, 28 September 2026."""

from datetime import UTC, date, datetime, time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understanding.grammar import Looks, read
from understanding.grammar.calendar import add_months, around, rolling
from understanding.grammar.period import period_of

TODAY = date(2026, 9, 28)
OPEN = None


def periods(text, today=TODAY):
    return read(text, datetime.combine(today, time(12), UTC), Looks.BACK)


def days(text: str) -> list[tuple[str, str | None, str | None]]:
    return [(one.text, one.value["start"], one.value["end"]) for one in periods(text) if one.type == "date_range"]


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("지난 분기", "2026-04-01", "2026-06-30"),
        ("이번 분기", "2026-07-01", "2026-09-30"),
        ("전분기", "2026-04-01", "2026-06-30"),
        ("최근 3개월", "2026-06-29", "2026-09-28"),
        ("지난 3개월간", "2026-06-29", "2026-09-28"),
        ("최근 한 달", "2026-08-29", "2026-09-28"),
        ("최근 일주일", "2026-09-22", "2026-09-28"),
        ("최근 반년", "2026-03-29", "2026-09-28"),
        ("지난 30일", "2026-08-30", "2026-09-28"),
        ("지난 2개 분기", "2026-01-01", "2026-06-30"),
        ("6개월 전부터", "2026-03-29", "2026-09-28"),
        ("지난달", "2026-08-01", "2026-08-31"),
        ("지난주", "2026-09-21", "2026-09-27"),
        ("작년", "2025-01-01", "2025-12-31"),
        ("작년 하반기", "2025-07-01", "2025-12-31"),
        ("2015년 3월부터 6월까지", "2015-03-01", "2015-06-30"),
        ("2015년 3월부터 2016년 2월까지", "2015-03-01", "2016-02-29"),
        ("3월부터 6월까지", "2026-03-01", "2026-06-30"),
        ("2024년 1분기", "2024-01-01", "2024-03-31"),
        ("2024년 4/4분기", "2024-10-01", "2024-12-31"),
        ("2024-01-01부터 2024-03-31까지", "2024-01-01", "2024-03-31"),
        ("2024.1.1 ~ 2024.3.31", "2024-01-01", "2024-03-31"),
        ("올해 1월부터", "2026-01-01", OPEN),
        ("11월", "2025-11-01", "2025-11-30"),
    ],
)
def test_korean_periods(words, first, last):
    assert days(f"이 리뷰들 {words} 감성 분석") == [(words, first, last)]


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("last quarter", "2026-04-01", "2026-06-30"),
        ("the last 3 months", "2026-06-29", "2026-09-28"),
        ("past two weeks", "2026-09-15", "2026-09-28"),
        ("the last couple of weeks", "2026-09-15", "2026-09-28"),
        ("the past year", "2025-09-29", "2026-09-28"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last month", "2026-08-01", "2026-08-31"),
        ("yesterday", "2026-09-27", "2026-09-27"),
        ("from March to June 2015", "2015-03-01", "2015-06-30"),
        ("between March 2015 and February 2016", "2015-03-01", "2016-02-29"),
        ("Q1 2024", "2024-01-01", "2024-03-31"),
        ("first half of 2024", "2024-01-01", "2024-06-30"),
        ("2024-01-01 to 2024-03-31", "2024-01-01", "2024-03-31"),
        ("since January", "2026-01-01", OPEN),
        ("March 5th, 2024", "2024-03-05", "2024-03-05"),
        ("2024", "2024-01-01", "2024-12-31"),
    ],
)
def test_english_periods(words, first, last):
    assert days(f"analyze the reviews {words} please") == [(words, first, last)]


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("先月", "2026-08-01", "2026-08-31"),
        ("先週", "2026-09-21", "2026-09-27"),
        ("先四半期", "2026-04-01", "2026-06-30"),
        ("直近3か月", "2026-06-29", "2026-09-28"),
        ("過去30日", "2026-08-30", "2026-09-28"),
        ("直近半年", "2026-03-29", "2026-09-28"),
        ("昨年", "2025-01-01", "2025-12-31"),
        ("2015年3月から6月まで", "2015-03-01", "2015-06-30"),
        ("2015年1月から2月まで", "2015-01-01", "2015-02-28"),
        ("2015年3月〜2016年2月", "2015-03-01", "2016-02-29"),
        ("去年の3月から今年の2月まで", "2025-03-01", "2026-02-28"),
        ("2024年の第2四半期", "2024-04-01", "2024-06-30"),
        ("第1四半期", "2026-01-01", "2026-03-31"),
        ("2024年度", "2024-04-01", "2025-03-31"),
        ("令和5年3月", "2023-03-01", "2023-03-31"),
        ("先週の月曜日", "2026-09-21", "2026-09-21"),
        ("2024/01/05", "2024-01-05", "2024-01-05"),
        ("3日前", "2026-09-25", "2026-09-25"),
        ("3月以降", "2026-03-01", OPEN),
    ],
)
def test_japanese_periods(words, first, last):
    assert days(f"レビューを{words}で分析して") == [(words, first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "별점 5점 리뷰 3위",
        "상위 100개만",
        "사이다 이벤트",
        "다이소 오일",
        "top 10 of 1500 rows",
        "may you help",
        "5 stars",
        "日本のレビュー",
        "期待通り",
        "あなたに3つ",
        "2월 30일",
        "2月30日",
    ],
)
def test_what_is_no_date_is_not_taken_for_one(text):
    assert [found for found in days(text) if found[0] not in ("2월", "2月")] == []


@pytest.mark.parametrize(
    ("text", "grain"),
    [("월별 추이", "month"), ("주간 리포트", "week"), ("일별로", "day"), ("분기별 변화", "quarter"), ("연도별", "year"),
     ("monthly trend", "month"), ("by week", "week"), ("year over year", "year"), ("月別", "month"), ("四半期ごと", "quarter")],
)  # fmt: skip
def test_the_grain_of_a_series(text, grain):
    assert [one.value for one in periods(text) if one.type == "grain"] == [grain]


@pytest.mark.parametrize("text", ["3개월간", "2주간", "구매일", "30일간", "리뷰"])
def test_a_length_is_no_grain(text):
    assert [one for one in periods(text) if one.type == "grain"] == []


@pytest.mark.parametrize("text", ["금요일까지 보내줘", "내일까지", "by Friday", "金曜日までに"])
def test_a_deadline_is_no_period(text):
    assert periods(text)
    assert period_of(periods(text), TODAY) is None


def test_several_dates_span_one_period():
    period = period_of(periods("작년과 올해를 월별로 비교"), TODAY)
    assert period is not None
    assert (period.start, period.end, period.grain) == (date(2025, 1, 1), date(2026, 12, 31), "month")


@given(day=st.dates(date(1990, 1, 1), date(2100, 1, 1)), months=st.integers(-600, 600))
def test_adding_months_and_taking_them_away_stays_in_the_month(day, months):
    there = add_months(day, months)
    back = add_months(there, -months)
    assert (back.year, back.month) == (day.year, day.month)
    assert back.day == min(day.day, there.day)


@given(
    day=st.dates(date(1990, 1, 1), date(2100, 1, 1)),
    unit=st.sampled_from(["day", "week", "month", "quarter", "half", "year"]),
)
def test_the_unit_around_a_day_holds_it_and_touches_its_neighbours(day, unit):
    first, last = around(day, unit, 0)
    before = around(day, unit, -1)[1]
    assert first is not None
    assert last is not None
    assert before is not None
    assert first <= day <= last
    assert (first - before).days == 1


@given(
    day=st.dates(date(1990, 1, 1), date(2100, 1, 1)),
    unit=st.sampled_from(["day", "week", "month", "year"]),
    count=st.integers(1, 24),
)
def test_a_rolling_period_ends_today(day, unit, count):
    first, last = rolling(day, unit, count)
    assert last == day
    assert first is not None
    assert first <= day


@settings(max_examples=200)
@given(
    st.text(
        alphabet="지난최근작올전이번부터까지~월일년주개분기반간한두세 0123456789./-先今昨年月日週間期第四半から〜まで前曜 lastmonthyearQ",
        max_size=60,
    ),
    st.dates(date(1995, 1, 1), date(2060, 1, 1)),
)
def test_dates_never_overlap_and_never_run_backwards_by_a_rule(text, today):
    found = [one for one in periods(text, today) if one.type == "date_range"]
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("a report of the August reviews", [("August", "2026-08-01", "2026-08-31")]),
        ("July and August only", [("July", "2026-07-01", "2026-07-31"), ("August", "2026-08-01", "2026-08-31")]),
        ("only December please", [("December", "2025-12-01", "2025-12-31")]),
        ("only June 2024", [("June 2024", "2024-06-01", "2024-06-30")]),
        ("it may report sales", []),
        ("you may only use it", []),
        ("a march of progress", []),
    ],
)
def test_an_english_month_by_its_name_alone_is_a_time_where_data_is_of_it(words, found):
    assert days(words) == found
