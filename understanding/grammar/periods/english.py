"""English dates: "the last N units" and bare years by rule, everything else by the library date-wrangler."""

import re
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from understanding.grammar.calendar import Range, latest_year, month_of, rolling, year_of
from understanding.grammar.periods.found import FoundDays, Rule, apply_rules
from understanding.grammar.words import words

if TYPE_CHECKING:
    from date_wrangler import WranglerConfig

_SOME = {"couple": 2, "few": 3}
_LAST = r"(?:\bthe )?\b(?:last|past|previous|recent|latest|trailing)"
_COUNT = r"(?:an? )?(?P<count>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple)(?: of)?"
_UNIT = r"(?P<unit>day|week|month|quarter|year|half)"
# What the library might read; without such a hint it is not even imported (0.6 s, most of it regular expressions).
_HINT = re.compile(
    r"\b[QH][1-4]\b|\b[1-4]Q|\b\d{1,2}(?:st|nd|rd|th)\b|\d[/-]\d|\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|today|yesterday|tomorrow|week|month|quarter|year|day|"
    r"mon|tues|wednes|thurs|fri|satur|sun|last|this|previous|past|since|until|ytd|qtd|mtd|half|fiscal|days? ago)",
    re.IGNORECASE,
)


def _rolling(match: re.Match[str], today: date) -> Range | None:
    word = match["count"].lower()
    count = _SOME.get(word) or words().number(word)
    return rolling(today, match["unit"].lower(), count) if count else None


def _past_one(match: re.Match[str], today: date) -> Range:
    return rolling(today, match["unit"].lower(), 1)


def _half_year(_: re.Match[str], today: date) -> Range:
    return rolling(today, "month", 6)


def _bare_year(match: re.Match[str], today: date) -> Range | None:
    year = int(match["year"])
    return year_of(year) if 1990 <= year <= today.year + 1 else None


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)


def _from_to(match: re.Match[str], today: date) -> Range | None:
    """Months of one year, or of that and the one before it ("Nov-Feb 2026")."""
    first, last = (_MONTHS.index(match[name][:3].lower()) + 1 for name in ("first", "last"))
    year = int(match["year"] or latest_year(today, last))
    return month_of(year - (first > last), first)[0], month_of(year, last)[1]


def _by_name(match: re.Match[str], today: date) -> Range:
    """The last month of that name."""
    month = _MONTHS.index(match["month"][:3].lower()) + 1
    return month_of(latest_year(today, month), month)


_OF_A_MONTH = (
    r"(?:reviews?|ones?|data|figures|numbers|sales|orders?|results?|feedback|comments?|responses|report|rows|entries"
    r"|visits|bookings|tickets|survey)\b"
)
"""What is of a month that stands right before it ("the September reviews")."""

_MORE = rf"(?:(?:,|,? (?:and|or|&)) {_MONTH}){{0,11}}"

_RULES = (
    Rule(
        re.compile(
            rf"\b(?:from )?(?P<first>{_MONTH})(?:\s*[-\u2013]\s*| (?:through|thru|to|until|till) )(?P<last>{_MONTH})"
            r"(?:,? (?P<year>(?:19|20)\d\d)\b)?(?! ?\d)",
            re.IGNORECASE,
        ),
        _from_to,
    ),
    # "it may report" names no month
    Rule(
        re.compile(
            rf"\b(?:(?!may\b)|(?<=\bthe ))(?P<month>{_MONTH})(?={_MORE}(?:(?:'s)? {_OF_A_MONTH}| (?:only|alone)\b))",
            re.IGNORECASE,
        ),
        _by_name,
    ),
    Rule(re.compile(rf"(?<=\bonly )(?!may\b)(?P<month>{_MONTH})(?![\s,]*\d|,? (?:and|or) )", re.IGNORECASE), _by_name),
    Rule(re.compile(rf"{_LAST} {_COUNT}[ -]{_UNIT}s?\b", re.IGNORECASE), _rolling),
    Rule(re.compile(rf"(?:\bthe )?\bpast {_UNIT}\b", re.IGNORECASE), _past_one),
    Rule(re.compile(r"(?:\bthe )?\b(?:last|past) half[ -](?:a[ -])?year\b", re.IGNORECASE), _half_year),
)
_YEARS = (
    Rule(re.compile(r"(?<![\d.,/-])\b(?P<year>(?:19|20)\d\d)\b(?![\d.,]*\d|[/-]\d| ?%)"), _bare_year, confidence=0.8),
)


def find_english(text: str, today: date) -> list[FoundDays]:
    found, rest = apply_rules(text, _RULES, today)
    found += _by_library(rest, today)
    for one in found:
        rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
    return sorted([*found, *apply_rules(rest, _YEARS, today)[0]], key=lambda one: one.start)


def _by_library(text: str, today: date) -> list[FoundDays]:
    if not _HINT.search(text):
        return []
    from date_wrangler import DateRangeOverflow, parse

    try:
        matches = parse(text, today=today, config=_settings())
    except (ValueError, OverflowError, DateRangeOverflow):  # a date outside the calendar
        return []
    found = []
    for match in matches:
        last = match.range.end - timedelta(days=1) if match.range.end else None
        dated = match.confidence >= 0.75
        found.append(FoundDays(*match.span, match.range.start, last, 0.9 if dated else 0.75, dated))
    return found


@cache
def _settings() -> "WranglerConfig":
    from date_wrangler import DateOrder, WranglerConfig

    return WranglerConfig(date_order=DateOrder.MDY)
