"""The step of a time series: "월별", "per week", "四半期ごと"."""

import re

from contracts.cognitive import Entity

CERTAIN = 0.9

_GRAINS: tuple[tuple[str, str], ...] = (
    (
        "day",
        r"일별|일자별|날짜별|(?<![가-힣])매일|(?<![\d요])일간|일 ?단위|\bdaily\b|\b(?:by|per|each|every) day\b"
        r"|\bday[- ](?:by|over)[- ]day\b"
        r"|日別|日次|毎日|日ごと|日毎",
    ),
    (
        "week",
        r"주별|주차별|(?<![\d한두세네])주간|매주|주 ?단위|\bweekly\b|\b(?:by|per|each|every) week\b"
        r"|\bweek[- ](?:by|over)[- ]week\b"
        r"|週別|週次|毎週|週ごと|週毎",
    ),
    (
        "month",
        r"월별|(?<![개\d])월간|매월|매달|달별|달마다|월 ?단위|\bmonthly\b|\b(?:by|per|each|every) month\b"
        r"|\bmonth[- ](?:by|over|on)[- ]month\b|月別|月次|毎月|月ごと|月毎",
    ),
    (
        "quarter",
        r"분기별|분기마다|매 ?분기|분기 ?단위|\bquarterly\b|\b(?:by|per|each|every) quarter\b"
        r"|\bquarter[- ](?:by|over|on)[- ]quarter\b|四半期別|四半期ごと|四半期毎|毎四半期",
    ),
    (
        "year",
        r"연도별|년도별|연별|년별|매년|해마다|연 ?단위|\byearly\b|\bannually\b|\b(?:by|per|each|every) year\b"
        r"|\byear[- ](?:by|over|on)[- ]year\b|年別|年度別|年次|毎年|年ごと|年毎",
    ),
)
_PATTERN = re.compile("|".join(f"(?P<{grain}>{words})" for grain, words in _GRAINS), re.IGNORECASE)


def find_grain(text: str) -> Entity | None:
    """The first grain that is named, as an entity `grain`: day, week, month, quarter or year."""
    match = _PATTERN.search(text)
    if match is None or match.lastgroup is None:
        return None
    start, end = match.span()
    return Entity(type="grain", text=match.group(), value=match.lastgroup, start=start, end=end, confidence=CERTAIN)
