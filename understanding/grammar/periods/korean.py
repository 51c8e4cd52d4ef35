"""Korean dates. The library korean-datetime reads most; these rules come first where it was seen to be wrong or silent
("최근 3개월", "지난 분기", "지난 30일")."""

import re
from datetime import date, datetime, time, timedelta

from contracts.patterns import bounded
from understanding.grammar.calendar import Range, around, latest_year, quarter_of, rolling
from understanding.grammar.numerals import count_of
from understanding.grammar.periods.found import MONTHS, FoundDays, Joints, Rule, apply_rules, join, months_of

_UNITS = {"일": "day", "주": "week", "주일": "week", "개월": "month", "달": "month", "년": "year", "해": "year",
          "개분기": "quarter", "개 분기": "quarter"}  # fmt: skip
_COUNT = r"(?P<count>\d{1,3}|열두|십이|다섯|여섯|일곱|여덟|아홉|[한두세석네넉열일이삼사오육칠팔구십])"
_UNIT = r"(?P<unit>개월|개 ?분기|주일|주|달|년|해|일)"
_SPAN = rf"(?:{_COUNT}\s*{_UNIT}|(?P<half>반년)|(?P<week>일주일)|(?P<fortnight>보름))"
_END = r"(?:\s*(?:간|동안|치|분))?(?![가-힣]*분기)"
_PAST = r"(?<![가-힣])(?:최근|지난|직전|과거|근)"


def _length(match: re.Match[str]) -> tuple[str, int]:
    if match["half"]:
        return "month", 6
    if match["week"]:
        return "week", 1
    if match["fortnight"]:
        return "day", 15
    return _UNITS[match["unit"]], count_of(match["count"]) or 0


def _rolling(match: re.Match[str], today: date) -> Range | None:
    unit, count = _length(match)
    return rolling(today, unit, count) if count else None


def _near_quarter(match: re.Match[str], today: date) -> Range:
    return around(today, "quarter", {"이번": 0, "금": 0, "다음": 1}.get(match["which"], -1))


def _quarter_of_four(match: re.Match[str], today: date) -> Range:
    quarter = int(match["quarter"])
    return quarter_of(int(match["year"] or latest_year(today, 3 * quarter - 2)), quarter)


_RULES = (
    Rule(re.compile(MONTHS.format(month="월", year="년")), months_of),
    Rule(re.compile(rf"{_PAST}\s*{_SPAN}{_END}"), _rolling),
    Rule(re.compile(rf"(?<![가-힣\d]){_SPAN}\s*전\s*부터(?:\s*(?:지금|현재|오늘)\s*까지)?"), _rolling),
    Rule(re.compile(rf"(?<![가-힣\d]){_SPAN}\s*(?:동안|이내|(?:치|간)(?:의|으로)?(?![가-힣]))"), _rolling, 0.7),
    Rule(re.compile(r"(?<![가-힣])(?P<which>지난|저번|직전|이전|전|이번|금|다음)\s*분기(?!\s*별)"), _near_quarter),
    Rule(re.compile(r"(?:(?P<year>(?:19|20)\d\d)년?도?\s*)?(?P<quarter>[1-4])/4\s*분기"), _quarter_of_four),
)  # fmt: skip
_JOINTS = Joints(
    between=bounded(r"\s*(?:부터|에서|[~\u223c\u301c\u2013-])\s*"),
    since=bounded(r"\s*(?:부터|이후(?:로)?|이래(?:로)?)"),
    until=bounded(r"\s*(?:까지|이전)"),
    weekday=re.compile(r"^(?!지난|저번|다음).*요일"),
)
# korean-datetime takes a bare day number for a date; a count of things is not one.
_YEAR_WORD = re.compile(r"\d{2,4}\s*[년./-]|올해|작년|지난해|재작년|금년|내년")


def find_korean(text: str, today: date) -> list[FoundDays]:
    found, rest = apply_rules(text, _RULES, today)
    return join(text, [*found, *_by_library(rest, today)], _JOINTS)


def _by_library(text: str, today: date) -> list[FoundDays]:
    from korean_datetime import Cycle, Kind, ParseOptions, parse_all  # 50 ms: only for those who ask for dates

    try:
        expressions = parse_all(text, now=datetime.combine(today, time(12)), options=ParseOptions(cycle=Cycle.PAST))
    except (ValueError, OverflowError):  # a date outside the calendar
        return []
    found = []
    for one in expressions:
        if one.kind is not Kind.DATE:
            continue
        first = one.start.date()
        last = max(first, (one.end - timedelta(microseconds=1)).date())
        dated = bool(_YEAR_WORD.search(one.text)) or not re.search(r"\d", one.text)
        found.append(FoundDays(one.span[0], one.span[1], first, last, 0.9 if dated else 0.75, dated))
    return found
