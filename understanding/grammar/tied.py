"""What is said short beside its neighbour: the day of "24일부터 26일까지", the hour of "from 10 to 11", "2~4시"; and a
weekday that only says a day once more: "6일 일요일"."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache

from contracts.cognitive import Entity
from understanding.grammar.calendar import add_months
from understanding.grammar.words import group, words

CERTAIN = 0.9
HALF_DAY = 12 * 60
_BARE = re.compile(r"(?:on\s)?(?:the\s)?(?P<day>\d{1,2})\s*(?:일|日|st|nd|rd|th)?", re.IGNORECASE)
_DAY = re.compile(
    r"\d\s*(?:일|日|st|nd|rd|th)?\s*(?:[(（][^)）]*[)）])?\s*\Z|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s)?[a-z]+\Z|/\d",
    re.IGNORECASE,
)
_LED = re.compile(r"\b(?:from|between)\s", re.IGNORECASE)
_BEFORE = len("between ")
_BESIDE = re.compile(r"[\s,，、(（]*(?:の|a\s|the\s|on\s|is\s)?[\s(（]*", re.IGNORECASE)


def with_last_days(text: str, days: Sequence[Entity]) -> list[Entity]:
    """A day after "from … to" without a month of its own is of the month of the first, or of the next one."""
    found = sorted(days, key=lambda one: one.start)
    for first in [one for one in found if one.type == "date" and _DAY.search(one.text)]:
        match = next(
            (tie for pattern in words().patterns["until_day"] if (tie := pattern.match(text, first.end))), None
        )
        if match is None:
            continue
        start, end = match.start("day"), match.end()
        there = next((one for one in found if one.start < end and start < one.end), None)
        if there is None or _BARE.fullmatch(there.text):
            last = _of_month(date.fromisoformat(str(first.value)), int(match["day"]))
            found = [one for one in found if one is not there]
            if last is not None:
                found.append(_entity("date", text, start, end, last.isoformat()))
        elif (bare := _BARE.fullmatch(first.text)) and there.type == "date":
            # "the 24th to the 26th of December"
            begins = date.fromisoformat(str(there.value)).replace(day=1)
            if 0 < int(bare["day"]) <= date.fromisoformat(str(there.value)).day:
                moved = begins.replace(day=int(bare["day"])).isoformat()
                found = [one.model_copy(update={"value": moved}) if one is first else one for one in found]
    return found


def with_weekdays(text: str, days: Sequence[Entity]) -> list[Entity]:
    """One day where a day of the week stands beside a day that falls on it, or says it once more. What does not fit
    stays two days."""
    made: list[Entity] = []
    for one in sorted(days, key=lambda day: day.start):
        before = made[-1] if made else None
        if before and _BESIDE.fullmatch(text, before.end, one.start) and (day := _same_day(before, one)):
            end = one.end + text.startswith((")", "）"), one.end)
            made[-1] = day.model_copy(update={"start": before.start, "end": end, "text": text[before.start : end]})
        else:
            made.append(one)
    return made


def _same_day(one: Entity, other: Entity) -> Entity | None:
    """That of the two which is no mere day of the week, where the other one is."""
    for day, weekday in ((one, other), (other, one)):
        mere = any(pattern.fullmatch(weekday.text) for pattern in words().patterns["mere_weekday"])
        if mere and day.type == weekday.type == "date" and _weekday(day) == _weekday(weekday):
            return day
    return None


def _weekday(day: Entity) -> int:
    return date.fromisoformat(str(day.value)).weekday()


def _of_month(first: date, day: int) -> date | None:
    month = first.replace(day=1)
    try:
        return (month if day > first.day else add_months(month, 1)).replace(day=day)
    except ValueError:  # no month has a 32nd
        return None


def with_other_hours(text: str, times: Sequence[Entity]) -> list[Entity]:
    """The last hour of "from 10 to 11", the first of "2~4시": the nearest of its name on that side of the other."""
    found = list(times)
    for one in times:
        last, first = _last(text, one), _first(text, one)
        found += [new for new in (last, first) if new and not any(_touch(new, other) for other in found)]
    return found


def _last(text: str, first: Entity) -> Entity | None:
    for pattern in words().patterns["until_hour"]:
        match = pattern.match(text, first.end)
        if match and (
            _LED.search(text[max(0, first.start - _BEFORE) : first.end]) or match.group().strip()[0] in "~–-"
        ):
            hour = words().number(match["hour"], "hour")
            minute = int(group(match, "minute") or 0)
            if hour is not None and hour <= 24 and minute <= 59:
                begins, ends = _minutes(first), hour % 24 * 60 + minute
                while ends <= begins and hour <= 12:
                    ends += HALF_DAY
                return _entity("time", text, match.start("hour"), match.end(), _clock(ends))
    return None


def _first(text: str, last: Entity) -> Entity | None:
    for pattern in _before():
        match = pattern.search(text[: last.start])
        if match and int(match["hour"]) <= 24:
            begins, ends = int(match["hour"]) % 24 * 60, _minutes(last)
            while begins + HALF_DAY < ends and int(match["hour"]) <= 12:
                begins += HALF_DAY
            return _entity("time", text, match.start("hour"), match.end("hour"), _clock(begins))
    return None


@cache
def _before() -> tuple[re.Pattern[str], ...]:
    return words().patterns["from_hour"]


def _minutes(one: Entity) -> int:
    hour, _, minute = str(one.value).partition(":")
    return int(hour) * 60 + int(minute)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def _touch(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end


def _entity(type_: str, text: str, start: int, end: int, value: str) -> Entity:
    return Entity(type=type_, text=text[start:end], value=value, start=start, end=end, confidence=CERTAIN)
