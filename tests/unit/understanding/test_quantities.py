"""Money, days, times, spans, recurrences and numbers in clauses, in three languages."""

import json
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understanding.grammar import read

NOW = datetime.fromisoformat("2026-09-28T14:30:00+09:00")
"""A Monday."""
FORMS = Path(__file__).with_name("forms.jsonl")
WEDNESDAY = datetime.fromisoformat("2026-03-11T10:00:00+09:00")


def found(text: str, *types: str) -> list[object]:
    return [one.value for one in read(text, NOW) if one.type in types]


@pytest.mark.parametrize(
    ("text", "won"),
    [
        ("3만원", 30_000), ("5천원", 5_000), ("만원", 10_000), ("백만 원", 1_000_000), ("1만 2천원", 12_000),
        ("10,000원", 10_000), ("3만5천 보내줘", 35_000), ("오천원만 보내줘", 5_000), ("만원만 쏴줘", 10_000),
        ("마이너스 천원", -1_000), ("-5000원", -5_000), ("0원", 0), ("10^18원", 10**18), ("10의 18승 원", 10**18),
        ("1.5만원", 15_000), ("3만 5000원", 35_000), ("2천5백만원", 25_000_000), ("1억 2천만 원", 120_000_000),
        ("엄마한테만원보내", 10_000), ("용걸이한테5만원", 50_000), ("５만원", 50_000), ("₩50,000", 50_000),
        ("30,000 won", 30_000), ("30k won", 30_000), ("KRW 7000", 7_000), ("thirty thousand won", 30_000),
        ("a hundred thousand won", 100_000), ("one million two hundred thousand won", 1_200_000),
        ("minus 1000 won", -1_000), ("zero won", 0),
        ("십 만원", 100_000), ("5 만원", 50_000), ("이십 만 원", 200_000), ("3만 천원", 31_000), ("2 천 5백원", 2_500),
        ("1.2 million won", 1_200_000), ("2 million won", 2_000_000), ("half a million won", 500_000),
        ("two and a half million won", 2_500_000), ("a million and a half won", 1_500_000),
        ("3万ウォン", 30_000), ("1万2千ウォン", 12_000), ("三万五千ウォン", 35_000), ("マイナス千ウォン", -1_000),
    ],
)  # fmt: skip
def test_an_amount_is_read_to_the_won(text, won):
    assert found(text, "money") == [won]


@pytest.mark.parametrize(
    "text",
    ["3월 5일", "오후 3시", "30분 전", "3만 명", "5천 보", "50달러", "50 bucks", "3万円", "3만엔", "연구원", "공원에서", "수만원",
     "1234라고 기억해", "2만 번", "동생 3 만나기", "I won 3 games", "we won"],
)  # fmt: skip
def test_a_date_a_time_a_count_and_other_money_are_no_amount(text):
    assert found(text, "money") == []


def test_a_sentence_may_hold_several_amounts():
    assert found("엄마한테 만원, 용걸이한테 5만원 보내줘", "money") == [10_000, 50_000]
    assert found("아니 5만원 말고 3만원", "money") == [50_000, 30_000]


DIGITS, SMALL, BIG = "영일이삼사오육칠팔구", ("", "십", "백", "천"), ("", "만", "억", "조")


def in_words(number: int) -> str:
    """The number as Koreans write it, in groups of four digits."""
    said = ""
    for group, unit in enumerate(BIG):
        four = number // 10_000**group % 10_000
        part = "".join(
            (DIGITS[digit] if digit > 1 or place == 0 else "") + SMALL[place]
            for place in (3, 2, 1, 0)
            if (digit := four // 10**place % 10)
        )
        if four:
            said = (("" if (part, unit) == ("일", "만") else part) + unit) + said
    return said


@given(st.integers(10, 10**15))
def test_any_number_in_korean_words_is_read_back(number):
    assert found(f"{in_words(number)}원 보내줘", "money") == [number]


@given(st.integers(0, 10**15), st.sampled_from(("{:,}원", "{}원", "{:,} won", "{}ウォン")))
def test_any_number_in_figures_is_read_back(number, written):
    assert found(written.format(number), "money") == [number]


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_any_number_in_figures_and_units_is_read_back(upper, lower):
    assert found(f"{upper}만 {lower}원", "money") == [upper * 10_000 + lower]
    assert found(f"{upper}万{lower}ウォン", "money") == [upper * 10_000 + lower]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("오늘", "2026-09-28"), ("내일", "2026-09-29"), ("낼모레", "2026-09-30"), ("사흘 뒤", "2026-10-01"),
        ("3일 후에", "2026-10-01"), ("어제", "2026-09-27"), ("금요일에", "2026-10-02"), ("월요일", "2026-10-05"),
        ("다음 주 화요일", "2026-10-06"), ("담주 수욜", "2026-10-07"), ("이번 주 토요일", "2026-10-03"),
        ("3월 5일", "2027-03-05"), ("12월 25일", "2026-12-25"), ("2025년 3월 5일", "2025-03-05"), ("5일에", "2026-10-05"),
        ("다음 달 3일", "2026-10-03"), ("다음 달 말일", "2026-10-31"), ("2026-12-24", "2026-12-24"), ("한 달 뒤에", "2026-10-28"),
        ("today", "2026-09-28"), ("the day after tomorrow", "2026-09-30"), ("on Friday", "2026-10-02"),
        ("next Tuesday", "2026-10-06"), ("in 3 days", "2026-10-01"), ("March 5th", "2027-03-05"), ("5 March 2028", "2028-03-05"),
        ("sat 3pm", "2026-10-03"), ("25/12 at 10:00", "2026-12-25"), ("on the 5th", "2026-10-05"), ("2 weeks ago", "2026-09-14"), ("Dec 12", "2026-12-12"),
        ("明日", "2026-09-29"), ("明後日", "2026-09-30"), ("来週の金曜日", "2026-10-09"), ("3月5日", "2027-03-05"),
        ("3日後", "2026-10-01"), ("来月5日", "2026-10-05"), ("水曜に", "2026-09-30"),
    ],
)  # fmt: skip
def test_a_day_is_the_one_that_people_mean_when_they_plan(text, day):
    assert found(text, "date") == [day]


@pytest.mark.parametrize(
    "text", ["2월 30일", "13월 1일", "99일에", "13月1日", "2月30日", "2026-02-30", "30분 전에", "3일 전"]
)
def test_what_is_no_day_is_none(text):
    assert found(text, "date") == []


@given(st.integers(0, 3650))
def test_any_day_written_out_is_read_back(days):
    day = NOW.date() + timedelta(days=days)
    for text in (f"{day.year}년 {day.month}월 {day.day}일", f"{day:%B} {day.day}, {day.year}", day.isoformat()):
        assert found(text, "date") == [day.isoformat()]


def test_a_week_a_month_and_a_weekend_are_ranges():
    assert found("이번 주 일정", "date_range") == [{"start": "2026-09-28", "end": "2026-10-04"}]
    assert found("next month", "date_range") == [{"start": "2026-10-01", "end": "2026-10-31"}]
    assert found("来週の予定", "date_range") == [{"start": "2026-10-05", "end": "2026-10-11"}]
    assert found("주말에", "date_range") == [{"start": "2026-10-03", "end": "2026-10-04"}]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("내일 오후 3시", "15:00"), ("오후3시반", "15:30"), ("오후 3:30", "15:30"), ("3시 반", "15:30"), ("15:30", "15:30"),
        ("저녁 7시", "19:00"), ("새벽 2시", "02:00"), ("아침 아홉 시 십오 분", "09:15"), ("낮 12시", "12:00"), ("밤 12시", "00:00"),
        ("정오", "12:00"), ("자정", "00:00"), ("3시 10분 전", "14:50"), ("저녁 약속 7시에", "19:00"), ("18시 5분", "18:05"),
        ("3pm", "15:00"), ("3:45 p.m.", "15:45"), ("12am", "00:00"), ("at noon", "12:00"), ("seven in the evening", "19:00"),
        ("half past nine at night", "21:30"), ("ten to five", "16:50"), ("at 5 to 9 pm", "20:55"), ("tonight at 8", "20:00"), ("tomorrow at 9", "09:00"),
        ("午後3時", "15:00"), ("朝7時半", "07:30"), ("正午", "12:00"), ("15時30分", "15:30"), ("夜の9時", "21:00"),
    ],
)  # fmt: skip
def test_a_time_is_read_to_the_minute(text, time):
    assert found(text, "time") == [time]


def test_an_hour_that_has_passed_today_is_the_later_one_of_its_name():
    assert found("9시에 알려줘", "time") == ["21:00"]
    assert found("내일 9시에 알려줘", "time") == ["09:00"]


@pytest.mark.parametrize("text", ["3시간", "25시", "3시 75분", "다시", "2 hours", "1時間", "at 3 places"])
def test_what_is_no_time_is_none(text):
    assert found(text, "time") == []


@given(st.integers(0, 23), st.integers(0, 59))
def test_any_time_on_the_clock_is_read_back(hour, minute):
    half = "오전" if hour < 12 else "오후"
    clock = f"{hour:02}:{minute:02}"
    assert found(f"{half} {hour % 12 or 12}시 {minute}분", "time") == [clock]
    assert found(f"{hour % 12 or 12}:{minute:02} {'am' if hour < 12 else 'pm'}", "time") == [clock]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("30분 전", 30), ("한 시간", 60), ("1시간 반", 90), ("두 시간 30분", 150), ("반 시간 뒤", 30), ("이틀 전에", 2880),
        ("일주일 전", 10080), ("2 hours", 120), ("half an hour before", 30), ("an hour and a half", 90), ("in 20 minutes", 20),
        ("30分前", 30), ("1時間半", 90), ("二時間後", 120),
    ],
)  # fmt: skip
def test_a_span_is_in_minutes(text, minutes):
    assert found(text, "span") == [minutes]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("매주 월요일 아침 9시", "FREQ=WEEKLY;BYDAY=MO"), ("매주 월수금", "FREQ=WEEKLY;BYDAY=MO,WE,FR"), ("매일", "FREQ=DAILY"),
        ("월요일과 목요일마다", "FREQ=WEEKLY;BYDAY=MO,TH"), ("평일 아침 7시", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("매달 25일", "FREQ=MONTHLY;BYMONTHDAY=25"), ("매월 말일", "FREQ=MONTHLY;BYMONTHDAY=-1"), ("2시간마다", "FREQ=HOURLY;INTERVAL=2"),
        ("매년 3월 5일", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5"), ("격주 금요일", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("every Monday", "FREQ=WEEKLY;BYDAY=MO"), ("every Monday and Friday at 9", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("every morning at 8", "FREQ=DAILY"), ("daily", "FREQ=DAILY"),
        ("on the 1st of every month", "FREQ=MONTHLY;BYMONTHDAY=1"), ("every other day", "FREQ=DAILY;INTERVAL=2"),
        ("every 30 minutes", "FREQ=MINUTELY;INTERVAL=30"),
        ("毎週月曜日", "FREQ=WEEKLY;BYDAY=MO"), ("毎日", "FREQ=DAILY"), ("毎朝8時", "FREQ=DAILY"), ("毎月25日", "FREQ=MONTHLY;BYMONTHDAY=25"),
    ],
)  # fmt: skip
def test_how_often_is_a_rule(text, rule):
    assert found(text, "recurrence") == [rule]


@pytest.mark.parametrize("text", ["비행기표 예매해 줘", "구매일 알려줘", "판매월별 합계", "경매년도"])
def test_a_word_that_ends_in_every_is_no_rule(text):
    assert found(text, "recurrence") == []


def test_a_weekday_of_a_rule_is_no_day_of_its_own():
    assert found("매주 월요일 아침 9시", "date", "recurrence", "time") == ["FREQ=WEEKLY;BYDAY=MO", "09:00"]
    assert found("毎週月曜日の朝9時", "date") == []


def test_what_is_nothing_else_is_a_number_unless_it_is_in_a_web_address():
    assert found("와이파이 비번은 1234라고", "number") == [1234]
    assert found("https://shop.example/20260305/3pm?won=3000 봐줘", "number", "date", "money", "time") == []


_ANY = st.one_of(
    st.text(max_size=120),
    st.text(alphabet="0123456789 만천백십억원일월시분전후매주오일요내다음이삼마이너스한두반,.^-:/", max_size=60),
    st.text(alphabet="0123456789 万千百円ウォン日月時分前後毎週明来半水金、", max_size=60),
    st.text(alphabet="0123456789 aeinorstuhwmkpdvyf:,.-/^", max_size=80),
)


@given(text=_ANY)
def test_any_text_is_read_and_every_span_is_true(text):
    quantities = read(text, NOW)
    for one in quantities:
        assert text[one.start : one.end] == one.text
        assert one.text.strip()
    assert all(left.end <= right.start for left, right in pairwise(quantities))


@pytest.mark.parametrize("kind", ["money", "date", "time"])
@pytest.mark.parametrize("lang", ["ko", "en", "ja"])
def test_every_way_of_writing_is_read(lang, kind):
    forms = [json.loads(line) for line in FORMS.read_text(encoding="utf-8").splitlines()]
    mine = [one for one in forms if (one["lang"], one["kind"]) == (lang, kind)]
    heard = [(one, [e.value for e in read(one["text"], WEDNESDAY) if e.type == kind]) for one in mine]
    assert len(mine) >= 40
    assert [(one["text"], values) for one, values in heard if values != one["values"]] == []


@given(
    st.lists(
        st.sampled_from(
            ["tonight", "at 8", "다음 달", "말일에", "今夜", "11時", "half past six", "3만원", "-", "on the"]
        )
    )
)
def test_what_is_found_never_overlaps_and_is_as_it_was_said(words):
    text = " ".join(words)
    entities = read(text, WEDNESDAY)
    assert all(text[one.start : one.end] == one.text == one.text.strip() for one in entities)
    assert all(one.end <= other.start for one, other in pairwise(entities))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("10월 셋째 주 토요일", ["2026-10-17"]), ("다음 달 마지막 수요일", ["2026-10-28"]), ("첫째 화요일", ["2026-10-06"]),
        ("the third Saturday of October", ["2026-10-17"]), ("on the last Wednesday of next month", ["2026-10-28"]),
        ("next month on the 2nd Thursday", ["2026-10-08"]), ("10月の第3土曜日", ["2026-10-17"]), ("来月の最後の水曜", ["2026-10-28"]),
        ("10월 다섯째 주 월요일", []),
    ],
)  # fmt: skip
def test_the_so_manieth_weekday_of_a_month_is_a_day(text, days):
    assert [day for day in found(text, "date") if str(day)[:7] == "2026-10"] == days


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("매달 둘째 주 화요일", "FREQ=MONTHLY;BYDAY=2TU"), ("every last Friday of the month", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("毎月第2火曜日", "FREQ=MONTHLY;BYDAY=2TU"),
    ],
)  # fmt: skip
def test_it_may_come_every_month(text, rule):
    assert (found(text, "recurrence"), found(text, "date")) == ([rule], [])


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("10월 12일부터 14일까지", ["2026-10-12", "2026-10-14"]), ("10월 30일~2일", ["2026-10-30", "2026-11-02"]),
        ("from October 12 to 14", ["2026-10-12", "2026-10-14"]), ("Oct 12-14", ["2026-10-12", "2026-10-14"]),
        ("the 12th to the 14th of October", ["2026-10-12", "2026-10-14"]), ("10月12日から14日まで", ["2026-10-12", "2026-10-14"]),
        ("October 12 to 4pm", ["2026-10-12"]), ("10월 12일부터 14시까지", ["2026-10-12"]), ("10월 12일부터 3일간", ["2026-10-12"]),
    ],
)  # fmt: skip
def test_the_last_of_some_days_is_of_the_month_of_the_first(text, days):
    assert found(text, "date") == days


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("tomorrow from 3 to 5", ["15:00", "17:00"]), ("tomorrow from 11 to 1", ["11:00", "13:00"]),
        ("tomorrow from 9:30 to 12", ["09:30", "12:00"]), ("tomorrow between 2 and 4:15", ["14:00", "16:15"]),
        ("내일 오후 2~4시", ["14:00", "16:00"]), ("내일 11~1시", ["11:00", "13:00"]), ("明日の午後2〜4時", ["14:00", "16:00"]),
        ("tomorrow at 3 and 5 people", ["15:00"]), ("tomorrow from 3 to 5 people", ["15:00"]),
    ],
)  # fmt: skip
def test_the_other_hour_of_a_time_is_the_nearest_of_its_name(text, hours):
    assert found(text, "time") == hours


def test_figures_from_when_until_when_are_no_minutes_before_the_hour():
    found = [one.value for one in read("the dentist on Friday, 5 to 6 pm", NOW) if one.type == "time"]
    assert found == ["17:00", "18:00"]


def test_a_day_of_a_month_that_is_said_once_is_no_repetition():
    assert found("11월 25일에 한 번만 보내줘", "recurrence") == []
    assert found("25일에 한 번씩 보내줘", "recurrence") == ["FREQ=DAILY;INTERVAL=25"]


def test_a_holiday_is_a_day_where_it_is_said_when():
    assert [str(one)[5:] for one in found("anything in my diary for Christmas Day?", "date")] == ["12-25"]
    assert [str(one)[5:] for one in found("크리스마스 날 뭐 있어", "date")] == ["12-25"]
    assert found("캐럴은 크리스마스 노래야", "date") == []


@pytest.mark.parametrize("text", ["the area of a yard 6 by 7", "a bed 5 by 6, please", "3 by 4 by 7"])
def test_a_measure_by_another_is_no_time(text: str) -> None:
    kinds = {entity.type for entity in read(text, NOW)}
    assert kinds == {"number"}


@pytest.mark.parametrize("text", ["call me by 7", "finish it by 6 please"])
def test_by_what_time_still_is_one(text: str) -> None:
    assert [entity.type for entity in read(text, NOW)] == ["time"]
