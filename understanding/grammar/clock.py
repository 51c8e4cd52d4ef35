"""Times of day as HH:MM: "오후 3시 반", "15:30", "half past seven in the evening", "午後3時"."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache

from contracts.cognitive import Entity
from understanding.grammar.words import group, words

SAID, GUESSED = 0.95, 0.7
TAKEN = "\ue000"
"""Stands for what is found already: no space, so that nothing is read across it."""
HALF = 30
NOON = 12
LAST_OF_MORNING = 6
"""Nobody's appointment "at 3" is before dawn: hours up to this one without a word for it are in the afternoon."""


def find_times(text: str, now: datetime, *, today: bool = True, said_in: str = "") -> Iterator[Entity]:
    """`today`: no other day is said, so that an hour that has passed is the later one of its name. `said_in` has the
    words of days that the text is without ("tonight")."""
    around = _half_day_in(said_in or text)
    for pattern in words().patterns["time"]:
        for match in pattern.finditer(text):
            found = _time(match, around, now if today else None)
            if found is not None:
                value, confidence = found
                start, end = _without_day(match)
                said = text[start:end]
                yield Entity(type="time", text=said, value=value, start=start, end=end, confidence=confidence)
                text = text[:start] + " " * (end - start) + text[end:]


def _without_day(match: re.Match[str]) -> tuple[int, int]:
    """The span without what is found as a day: "seven tonight", "eight tomorrow evening"."""
    start, end = match.span()
    said = group(match, "half_day")
    if (taken := match.group().find(TAKEN)) > 0:
        end = start + taken
    elif said and said.lower() in words().tables["day"]:
        first, last = match.span("half_day")
        start, end = (start, first) if first > start else (last, end)
    found = match.string[start:end]
    return end - len(found.lstrip()), start + len(found.rstrip())


def _time(match: re.Match[str], around: str | None, now: datetime | None) -> tuple[str, float] | None:
    tables = words().tables
    if noon := group(match, "noon"):
        return f"{tables['noon'][noon.lower()]:02}:00", SAID
    hour = words().number(group(match, "hour", "hour2") or "", "hour")
    minute = _minute(match)
    if hour is None or hour > 24 or minute is None or minute > 59:
        return None
    if said := group(match, "half_day"):
        if until := group(match, "until"):
            said = _begins(hour, int(until), said)
        return _clock(_in_half_day(hour, tables["half_day"][said.lower()]), minute, match), SAID
    if hour > NOON or hour == 0 or match.group().strip().startswith("0"):
        return _clock(hour % 24, minute, match), SAID
    if around is not None:
        return _clock(_in_half_day(hour, around), minute, match), GUESSED
    later = hour <= LAST_OF_MORNING or _has_passed(hour, minute, now)
    return _clock(hour + NOON if later and hour < NOON else hour, minute, match), GUESSED


def _begins(hour: int, until: int, half_day: str) -> str:
    """Of "11-1 pm" the first is in the morning."""
    return "am" if hour < NOON and hour > until % NOON else half_day


def _minute(match: re.Match[str]) -> int | None:
    said = group(match, "minute", "minute2")
    if said is None:
        return HALF if group(match, "half") else 0
    return words().number(said, "minute")


def _clock(hour: int, minute: int, match: re.Match[str]) -> str:
    """`to`: so many minutes before the hour ("ten to five", "3시 10분 전")."""
    total = hour * 60 + (-minute if group(match, "to") else minute)
    return f"{total // 60 % 24:02}:{total % 60:02}"


def _in_half_day(hour: int, half_day: str) -> int:
    if hour > NOON:
        return hour % 24
    match half_day:
        case "am" | "dawn" | "morning":
            return hour % NOON
        case "noon":
            return hour + NOON if hour <= LAST_OF_MORNING else hour
        case "night":
            return hour % NOON if hour == NOON or hour < LAST_OF_MORNING else hour + NOON
        case "evening":
            return (hour + NOON) % 24
        case _:
            return hour % NOON + NOON


def _has_passed(hour: int, minute: int, now: datetime | None) -> bool:
    if now is None:
        return False
    return (hour, minute) <= (now.hour, now.minute) < (hour + NOON, minute)


def _half_day_in(text: str) -> str | None:
    """The part of the day that the whole sentence speaks of, if it is one ("저녁 약속 7시에")."""
    low = text.lower()
    found = {half for half, pattern in _standing() if pattern.search(low)}
    return found.pop() if len(found) == 1 else None


@cache
def _standing() -> list[tuple[str, re.Pattern[str]]]:
    """Words of half days that may stand apart from the hour, by what they mean."""
    return [
        (half, re.compile(rf"\b{word}\b" if word.isascii() else rf"(?<![가-힣一-龯]){word}(?![一-龯])"))
        for word, half in words().tables["half_day"].items()
        if half not in ("am", "dawn") and "." not in word and word != "pm"
    ]
