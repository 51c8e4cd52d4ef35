"""Lengths of time in minutes: "30분 전", "2 hours before", "1時間半". The text of one has its direction with it."""

import re
from collections.abc import Iterator

from contracts.cognitive import Entity
from understanding.grammar.words import group, words

CERTAIN = 0.95
MINUTES = {"minute": 1, "hour": 60, "day": 24 * 60, "week": 7 * 24 * 60}
HALF_AN_HOUR = 30


def find_spans(text: str) -> Iterator[Entity]:
    """In no order, without overlaps."""
    for pattern in words().patterns["span"]:
        for match in pattern.finditer(text):
            minutes = _minutes(match)
            if minutes is None:
                continue
            said = match.group().rstrip()
            start, end = match.start(), match.start() + len(said)
            yield Entity(type="span", text=said, value=minutes, start=start, end=end, confidence=CERTAIN)
            text = text[:start] + " " * (end - start) + text[end:]


def _minutes(match: re.Match[str]) -> int | None:
    if group(match, "half_hour"):
        return HALF_AN_HOUR
    if days := group(match, "days"):
        return int(words().tables["days"][days.lower()]) * MINUTES["day"]
    unit = (group(match, "unit") or "").lower()
    size = MINUTES.get(words().tables["unit"].get(unit, "hour" if unit == "h" else ""))
    count = words().number(group(match, "count") or "")
    if size is None or count is None:
        return None
    half = size // 2 if group(match, "half") else 0
    more = words().number(group(match, "more") or "0", "minute") or 0
    return count * size + half + more
