"""What is written out in one of three languages is read back to the same value, whatever sum, day or time it is."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understanding.grammar import read

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=ZoneInfo("Asia/Seoul"))
ONES = {"ko": "일이삼사오육칠팔구", "ja": "一二三四五六七八九"}
SMALL = {"ko": ("", "십", "백", "천"), "ja": ("", "十", "百", "千")}
BIG = {"ko": ("", "만", "억"), "ja": ("", "万", "億")}
SMALL_EN = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS_EN = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = {"ko": "월화수목금토일", "ja": "月火水木金土日"}
WEEKDAYS_EN = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
HOURS_KO = ["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두"]

sums = st.one_of(
    st.integers(1, 99).map(lambda n: n * 1_000),
    st.integers(1, 999).map(lambda n: n * 10_000),
    st.integers(1_000, 99_999_999),
)
days = st.integers(1, 300).map(lambda ahead: NOW.date() + timedelta(days=ahead))


def in_words(amount: int, language: str) -> str:
    """만오천, 三十二万: as it is said in Korean and Japanese, a one before ten, hundred and thousand left out."""
    said, place = "", 0
    while amount:
        amount, part = divmod(amount, 10_000)
        if part:
            four = "".join(
                ("" if digit == 1 and at else ONES[language][digit - 1]) + SMALL[language][at]
                for at in (3, 2, 1, 0)
                if (digit := part // 10**at % 10)
            )
            four = "" if (part, place, language) == (1, 1, "ko") else four
            said = four + BIG[language][place] + said
        place += 1
    return said


def in_english_words(amount: int) -> str:
    millions, rest = divmod(amount, 1_000_000)
    thousands, ones = divmod(rest, 1_000)
    parts = [(millions, " million"), (thousands, " thousand"), (ones, "")]
    return " ".join(f"{_below_thousand(part)}{unit}" for part, unit in parts if part)


def _below_thousand(part: int) -> str:
    hundreds, rest = divmod(part, 100)
    said = [f"{SMALL_EN[hundreds]} hundred"] if hundreds else []
    if rest:
        tens = (
            SMALL_EN[rest]
            if rest < 20
            else "-".join([TENS_EN[rest // 10 - 2], *([SMALL_EN[rest % 10]] if rest % 10 else [])])
        )
        said.append(tens)
    return " and ".join(said)


def mixed(amount: int) -> str:
    """3만 2500원, 1억 3만원."""
    parts = [(amount // 10**8, "억"), (amount // 10**4 % 10**4, "만"), (amount % 10**4, "")]
    return " ".join(f"{part}{unit}" for part, unit in parts if part)


def values(text: str, kind: str) -> list[object]:
    return [one.value for one in read(text, NOW) if one.type == kind]


@settings(max_examples=150)
@given(sums)
def test_a_sum_in_korean_is_read_in_figures_in_words_and_in_both(amount):
    for said in (f"{amount}원", f"{amount:,}원", f"{in_words(amount, 'ko')}원", f"{mixed(amount)}원", f"₩{amount:,}"):
        assert values(f"언니에게 {said} 부쳐 줘", "money") == [amount], said


@settings(max_examples=150)
@given(sums)
def test_a_sum_in_english_is_read_in_figures_and_in_words(amount):
    for said in (f"{amount} won", f"KRW {amount:,}", f"{amount:,} won", f"{in_english_words(amount)} won"):
        assert values(f"hand {said} to Leo", "money") == [amount], said


@settings(max_examples=150)
@given(sums)
def test_a_sum_in_japanese_is_read_in_figures_and_in_words(amount):
    for said in (f"{amount}ウォン", f"{amount:,}ウォン", f"{in_words(amount, 'ja')}ウォン"):
        assert values(f"父に{said}渡して", "money") == [amount], said


@settings(max_examples=150)
@given(days)
def test_a_day_that_is_written_out_is_read_back(day):
    year, month, number = day.year, day.month, day.day
    weekday = day.weekday()
    written = (
        day.isoformat(),
        f"{year}년 {month}월 {number}일",
        f"{month}월 {number}일 {WEEKDAYS['ko'][weekday]}요일",
        f"{month}월 {number}일",
        f"{MONTHS[month - 1]} {number}, {year}",
        f"{number} {MONTHS[month - 1]} {year}",
        f"{WEEKDAYS_EN[weekday]}, {MONTHS[month - 1]} {number}",
        f"{year}年{month}月{number}日",
        f"{month}月{number}日",
    )
    for said in written:
        assert values(f"{said} ", "date") == [day.isoformat()], said


@settings(max_examples=100)
@given(st.integers(0, 23), st.sampled_from([0, 5, 10, 15, 20, 30, 40, 45, 50]))
def test_a_time_that_is_written_out_is_read_back(hour, minute):
    twelve, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
    written = [
        f"{'오전' if hour < 12 else '오후'} {twelve}시" + (f" {minute}분" if minute else ""),
        f"{'오전' if hour < 12 else '오후'} {HOURS_KO[twelve - 1]} 시" + (f" {minute}분" if minute else ""),
        f"{twelve}:{minute:02} {half}",
        f"{'午前' if hour < 12 else '午後'}{twelve}時" + (f"{minute}分" if minute else ""),
        f"{hour:02}:{minute:02}",
    ]
    if minute == 30:
        written += [
            f"{'오전' if hour < 12 else '오후'} {HOURS_KO[twelve - 1]} 시 반",
            f"{'午前' if hour < 12 else '午後'}{twelve}時半",
        ]
    for said in written:
        assert values(f"{said} ", "time") == [f"{hour:02}:{minute:02}"], said


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("천이백원", 1200), ("만이천", 12000), ("십칠만 오천 원", 175000), ("7만 8천5백원", 78500), ("육천오백 원만", 6500),
        ("2만 3천 200원", 23200), ("이백삼십만원", 2300000), ("5만5천 원", 55000),
    ],
)  # fmt: skip
def test_a_korean_sum_may_be_half_in_words(said, value):
    assert values(f"지갑에 {said} 있어", "money") == [value]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("이번 달 말까지", date(2026, 3, 31)), ("담달 말일에", date(2026, 4, 30)), ("4월 말에", date(2026, 4, 30)),
        ("말일 전부", date(2026, 3, 31)), ("담주 목욜", date(2026, 3, 19)), ("다다음 주 화욜", date(2026, 3, 24)),
        ("보름 후에", date(2026, 3, 26)), ("열흘 뒤에", date(2026, 3, 21)), ("나흘 후", date(2026, 3, 15)),
        ("3월 27까지", date(2026, 3, 27)), ("낼모레", date(2026, 3, 13)),
    ],
)  # fmt: skip
def test_a_korean_day_is_read_as_it_is_said(said, day):
    assert values(said, "date") == [day.isoformat()]


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("1시부터 3시 반까지", ["13:00", "15:30"]), ("오전 9시~11시", ["09:00", "11:00"]),
        ("다섯 시에서 여섯 시 사이", ["17:00", "18:00"]), ("저녁 여덟시반", ["20:30"]),
    ],
)  # fmt: skip
def test_a_korean_stretch_of_time_has_two_ends(said, times):
    assert values(said, "time") == times


def test_an_hour_after_another_day_is_not_one_of_today_that_is_over():
    at = [one.value for one in read("8시에 서류 챙기라고 알려줘", NOW, another_day=True) if one.type == "time"]
    today = [one.value for one in read("오늘 8시에 서류 챙기라고", NOW, another_day=True) if one.type == "time"]
    assert (at, today) == (["08:00"], ["20:00"])
