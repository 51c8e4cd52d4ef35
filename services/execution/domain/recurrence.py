"""When something that recurs happens next: an RRULE (RFC 5545) counted on the clock of the person's wall.

Rules come from tools, whoever wrote those: each is answered in bounded time or refused, under the stream's lock."""

from datetime import UTC, datetime, timedelta
from math import prod
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rrulestr  # type: ignore[import-untyped]  # it has no stubs

LONGEST = timedelta(days=366 * 9)
"""A rule that does not come round so long (29 February may miss a century) will not at all."""
OLDEST = timedelta(days=366 * 50)
"""Days are counted from the first time on: one that lies further back than this is refused."""
LONGEST_TEXT = 500
"""Characters of a rule."""
MOST_A_DAY = 48
"""Times of one day that a rule of days, weeks, months or years may name."""
_TIMES_OF_DAY = ("BYHOUR", "BYMINUTE", "BYSECOND")
_PERIODS = {"SECONDLY": timedelta(seconds=1), "MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
_OF_PERIODS = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"}


class RuleInvalid(ValueError):
    """It is no RRULE, or one whose next time nobody would look for; the message says why."""


def next_time(rule: str, first_at: datetime, timezone: str, after: datetime) -> datetime | None:
    """The first time after `after`, with zone; None when there is none any more.

    Days are those of the wall: nine o'clock stays nine o'clock when the clocks change. A time that the clocks jump
    over comes an hour later on that day; of one that comes twice the first counts. Hours, minutes and seconds pass
    whatever the clocks say. Raises RuleInvalid."""
    zone = ZoneInfo(timezone)  # its LookupError is not about the rule
    try:
        parts = _parts(rule)
        if period := _PERIODS.get(parts.get("FREQ", "")):
            return _periodic(parts, period, first_at.astimezone(zone), after)
        return _by_days(parts, first_at, after, zone)
    except RuleInvalid as error:
        raise RuleInvalid(f"{rule[:LONGEST_TEXT]!r} cannot be counted: {error}") from error
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise RuleInvalid(f"{rule!r} is no rule of recurrence: {error}") from error


def _parts(rule: str) -> dict[str, str]:
    if len(rule) > LONGEST_TEXT:
        raise RuleInvalid(f"it has {len(rule)} characters, at most {LONGEST_TEXT} can be read")
    pairs = (part.partition("=") for part in rule.strip().upper().removeprefix("RRULE:").split(";") if part)
    parts = {name: value for name, _, value in pairs}
    if odd := [name for name in parts if not name.isalpha()]:
        # the library would read it all the same, and nothing here had looked at it
        raise ValueError(f"{odd[0]!r} is no name")
    if int(parts.get("INTERVAL", "1")) < 1:
        raise RuleInvalid("INTERVAL is less than 1, which would never go on")
    return parts


def _periodic(parts: dict[str, str], period: timedelta, first: datetime, after: datetime) -> datetime | None:
    """Every so many hours, minutes or seconds: reckoned, not searched. Filters would make a search of it again."""
    if filters := sorted(parts.keys() - _OF_PERIODS):
        raise RuleInvalid(f"{', '.join(filters)} with FREQ={parts['FREQ']}; say it with FREQ=DAILY")
    step = period * int(parts.get("INTERVAL", "1"))
    since = first.astimezone(UTC)
    number = max((after - since) // step + 1, 0)
    at = since + number * step
    if "COUNT" in parts and number >= int(parts["COUNT"]):
        return None
    zone = first.tzinfo
    if "UNTIL" in parts and isinstance(zone, ZoneInfo) and at > _until(parts["UNTIL"], zone).replace(tzinfo=zone):
        return None
    return at.astimezone(zone) if at - after <= LONGEST else None


def _by_days(parts: dict[str, str], first_at: datetime, after: datetime, zone: ZoneInfo) -> datetime | None:
    first, since = (_wall(one, zone) for one in (first_at, after))
    if since - first > OLDEST:
        raise RuleInvalid(f"its first time {first_at.isoformat()} is too long ago")
    if (named := prod(len(set(parts[one].split(","))) for one in _TIMES_OF_DAY if one in parts)) > MOST_A_DAY:
        raise RuleInvalid(f"it names {named} times of a day, more than {MOST_A_DAY}")
    rules, most = _rules(parts, first, since + LONGEST, zone)
    for number, local in enumerate(rules, 1):
        if most is not None and number > most:
            return None
        if local < since - timedelta(days=1):
            continue
        # rules count whole seconds, the fraction is that of the first time; there and back, so that an hour that is
        # jumped over becomes one that exists
        at: datetime = local.replace(microsecond=first.microsecond, tzinfo=zone).astimezone(UTC).astimezone(zone)
        if at.timestamp() > after.timestamp():
            return at
    return None


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _rules(parts: dict[str, str], first: datetime, last: datetime, zone: ZoneInfo) -> tuple[rrule, int | None]:
    """The rule on the wall's clock up to `last`, and its COUNT: one that never comes is not searched for ever."""
    given = dict(parts)
    most = int(given.pop("COUNT")) if "COUNT" in given else None
    if "UNTIL" in given:
        last = min(last, _until(given["UNTIL"], zone))
    given["UNTIL"] = last.strftime("%Y%m%dT%H%M%S")
    found = rrulestr(";".join(f"{name}={value}" for name, value in given.items()), dtstart=first)
    if not isinstance(found, rrule):
        raise RuleInvalid("it is more than one rule")
    return found, most


def _until(text: str, zone: ZoneInfo) -> datetime:
    if text.endswith("Z"):
        return datetime.strptime(text + "+0000", "%Y%m%dT%H%M%SZ%z").astimezone(zone).replace(tzinfo=None)
    if "T" in text:
        return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007  # it is on the clock of the wall
    day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007  # as above
    return day.replace(hour=23, minute=59, second=59)
