"""How often, as an RRULE: "매주 월요일", "every Monday and Friday", "毎月25日", "2시간마다"."""

import re
from collections.abc import Iterator

from contracts.cognitive import Entity
from understanding.grammar.words import Repeat, group, words

CERTAIN = 0.95
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def find_recurrences(text: str) -> Iterator[Entity]:
    """In no order, without overlaps; the value has no COUNT or UNTIL."""
    for repeat in words().repeats:
        for match in repeat.pattern.finditer(text):
            said = match.group().strip()
            rule = _rule(repeat, match) if said else None
            if rule is None:
                continue
            start = match.start() + match.group().index(said)
            end = start + len(said)
            yield Entity(type="recurrence", text=said, value=rule, start=start, end=end, confidence=CERTAIN)
            text = text[:start] + " " * (end - start) + text[end:]


def _rule(repeat: Repeat, match: re.Match[str]) -> str | None:
    parts = [f"FREQ={repeat.freq}"]
    if group(match, "interval", "interval2"):
        parts.append("INTERVAL=2")
    elif said := group(match, "count"):
        count = words().number(said)
        if not count:
            return None
        parts += [f"INTERVAL={count}"] if count > 1 else []
    parts += [repeat.by] if repeat.by else []
    if weekdays := group(match, "weekdays", "weekdays2"):
        nth = group(match, "nth", "nth2")
        number = words().tables["nth"][nth.lower()] if nth else ""
        parts.append(f"BYDAY={','.join(f'{number}{DAYS[day]}' for day in _weekdays(weekdays))}")
    if month := group(match, "month"):
        parts.append(f"BYMONTH={words().number(month, 'month')}")
    if day := group(match, "day"):
        number = words().number(day, "ordinal")
        if number is None or not 1 <= number <= 31:
            return None
        parts.append(f"BYMONTHDAY={number}")
    return ";".join(parts)


def _weekdays(text: str) -> list[int]:
    """In the order of the week, once each."""
    tables = words().tables
    days = {**tables["short_weekday"], **tables["weekday"]}
    found = {
        int(days[match["weekday"].lower()])
        for pattern in words().patterns["weekday"]
        for match in pattern.finditer(text)
    }
    return sorted(found)
