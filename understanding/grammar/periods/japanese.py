"""Japanese dates, all by rule: the general libraries read too few of them, and `dateparser` costs 15 MB."""

import re
from datetime import date, timedelta

from contracts.patterns import bounded
from understanding.grammar.calendar import (
    Range,
    around,
    half_of,
    latest_year,
    month_of,
    months_from,
    quarter_of,
    rolling,
    year_of,
)
from understanding.grammar.numerals import count_of
from understanding.grammar.periods.found import MONTHS, FoundDays, Joints, Rule, apply_rules, join, months_of

_SOME = {"数": 3}
_UNITS = {"日": "day", "週": "week", "週間": "week", "月": "month", "年": "year", "四半期": "quarter", "半期": "half"}
_NEAR = {
    "先々": -2, "前々": -2, "一昨": -2, "おとと": -2, "先": -1, "前": -1, "昨": -1, "去": -1, "今": 0, "当": 0, "本": 0,
    "来": 1, "明": 1,
}  # fmt: skip
_ERAS = {"令和": 2018, "平成": 1988}
_COUNT = r"(?P<count>\d{1,3}|[一二三四五六七八九十数])"
_SPAN = rf"{_COUNT}\s*(?:[かヶカケヵ箇ｶ]\s*(?P<months>月)|(?P<unit>四半期|半期|週間|週|日|年))"
_YEAR = (
    r"(?:(?P<year>(?:19|20)\d\d)年|(?P<era>令和|平成)(?P<era_year>\d{1,2}|元)年"
    r"|(?P<near_year>一昨|昨|去|今|本|来)年の?)"
)
# The same groups, matching nothing: for a month, quarter or half without a year.
_NO_YEAR = r"(?P<year>)(?P<era>)(?P<near_year>)"


def _length(match: re.Match[str]) -> tuple[str, int]:
    count = _SOME.get(match["count"]) or count_of(match["count"]) or 0
    return ("month" if match["months"] else _UNITS[match["unit"]]), count


def _rolling(match: re.Match[str], today: date) -> Range | None:
    unit, count = _length(match)
    return rolling(today, unit, count) if count else None


def _ago(match: re.Match[str], today: date) -> Range | None:
    unit, count = _length(match)
    return around(today, unit, -count)


def _half_year(_: re.Match[str], today: date) -> Range:
    return rolling(today, "month", 6)


def _near(match: re.Match[str], today: date) -> Range:
    unit = {"月": "month", "週": "week", "年": "year", "日": "day", "い": "day", "四半期": "quarter", "期": "quarter"}
    return around(today, unit[match["unit"]], _NEAR[match["near"]])


def _year(match: re.Match[str], today: date) -> int | None:
    if match["year"]:
        return int(match["year"])
    if match["era"]:
        return _ERAS[match["era"]] + (1 if match["era_year"] == "元" else int(match["era_year"]))
    return today.year + _NEAR[match["near_year"]] if match["near_year"] else None


def _whole_year(match: re.Match[str], today: date) -> Range | None:
    year = _year(match, today)
    if year is None:
        return None
    # 年度 is the business year, April to March.
    return months_from(year, 4, 12) if match["business"] else year_of(year)


def _month_or_day(match: re.Match[str], today: date) -> Range:
    month, day = int(match["month"]), match["day"]
    year = _year(match, today) or latest_year(today, month, int(day or 1))
    if day is None:
        return month_of(year, month)
    return date(year, month, int(day)), date(year, month, int(day))


def _numeric(match: re.Match[str], _: date) -> Range:
    year, month = int(match["year"]), int(match["month"])
    if match["day"] is None:
        return month_of(year, month)
    return date(year, month, int(match["day"])), date(year, month, int(match["day"]))


def _quarter(match: re.Match[str], today: date) -> Range:
    quarter = count_of(match["quarter"]) or 1
    return quarter_of(_year(match, today) or latest_year(today, 3 * quarter - 2), quarter)


def _half(match: re.Match[str], today: date) -> Range:
    half = 1 if match["half"] == "上" else 2
    return half_of(_year(match, today) or latest_year(today, 6 * half - 5), half)


def _weekday(match: re.Match[str], today: date) -> Range:
    wanted = "月火水木金土日".index(match["weekday"])
    if match["near"]:
        monday, _ = around(today, "week", _NEAR[match["near"]])
        day = (monday or today) + timedelta(days=wanted)
    else:
        day = today - timedelta(days=(today.weekday() - wanted) % 7)
    return day, day


_MONTH_DAY = r"(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日|[分度])?"
_QUARTER = r"(?P<quarter>[1-4\uff11-\uff14一二三四])\s*(?:/4)?四半期"
_HALF = r"(?P<half>[上下])(?:半期|期)"
_NUMERIC = r"(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?"
_GUESSED = 0.75
_RULES = (
    Rule(re.compile(MONTHS.format(month="月", year="年")), months_of),
    Rule(re.compile(rf"(?:直近|過去|最近|ここ|この)の?\s*{_SPAN}(?:間|分)?(?:の間)?"), _rolling),
    Rule(re.compile(r"(?:(?:直近|過去|最近|ここ|この)の?\s*)?半年(?:間|分)?"), _half_year),
    Rule(re.compile(rf"(?<!\d){_SPAN}前から(?:今日|現在)?(?:まで)?"), _rolling),
    Rule(re.compile(rf"(?<!\d){_SPAN}前"), _ago),
    Rule(re.compile(rf"(?<!\d){_NUMERIC}(?![-/.]?\d)"), _numeric),
    Rule(re.compile(rf"{_YEAR}\s*{_MONTH_DAY}"), _month_or_day),
    Rule(re.compile(rf"{_YEAR}\s*度?の?\s*第?{_QUARTER}"), _quarter),
    Rule(re.compile(rf"{_YEAR}\s*度?の?\s*{_HALF}"), _half),
    Rule(re.compile(rf"(?<!\d){_YEAR}(?P<business>度)?"), _whole_year),
    Rule(
        re.compile(r"(?P<near>先々|前々|先|前|今|来)(?P<unit>四半期|月|週|期(?!待|間))(?!の?[月火水木金土日]曜)"), _near
    ),
    Rule(re.compile(r"(?P<near>一昨|昨|今|本|明)(?P<unit>日)(?!本)"), _near),
    Rule(re.compile(r"(?P<near>おとと)(?P<unit>い)"), _near),
    Rule(re.compile(r"(?:(?P<near>先|今|来)週の?)?(?P<weekday>[月火水木金土日])曜日?"), _weekday, 0.85),
    Rule(re.compile(rf"(?<![\d第]){_NO_YEAR}{_MONTH_DAY}"), _month_or_day, _GUESSED, dated=False),
    Rule(re.compile(rf"{_NO_YEAR}第{_QUARTER}"), _quarter, _GUESSED, dated=False),
    Rule(re.compile(rf"{_NO_YEAR}{_HALF}"), _half, _GUESSED, dated=False),
    Rule(re.compile(rf"(?<!\d){_SPAN}(?:間|分)"), _rolling, _GUESSED),
)
_JOINTS = Joints(
    between=bounded(r"\s*(?:から|より|[~\u301c\uff5e\uff0d\u2013-])\s*"),
    since=bounded(r"(?:から|以降|以来)"),
    until=bounded(r"(?:まで|以前)"),
    weekday=re.compile(r"^(?![先来]週).*曜"),
)


def find_japanese(text: str, today: date) -> list[FoundDays]:
    found, _ = apply_rules(text, _RULES, today)
    return join(text, found, _JOINTS)
