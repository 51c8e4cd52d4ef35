"""When something that recurs happens next: an RRULE (RFC 5545) counted on the clock of the person's wall."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rrulestr  # type: ignore[import-untyped]  # it has no stubs

LONGEST = timedelta(days=366 * 9)
"""A rule that does not come round so long (29 February may miss a century) will not at all."""


class RuleInvalid(ValueError):
    """It is no RRULE; the message says why."""


def next_time(rule: str, first_at: datetime, timezone: str, after: datetime) -> datetime | None:
    """The first time after `after`, with zone; None when there is none any more.

    Hours are those of the wall: nine o'clock stays nine o'clock when the clocks change. A time that the clocks jump
    over comes an hour later on that day; of one that comes twice the first counts. Raises RuleInvalid."""
    zone = ZoneInfo(timezone)
    first, since = (_wall(one, zone) for one in (first_at, after))
    rules, most = _parsed(rule, first, since + LONGEST, zone)
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


def _parsed(rule: str, first: datetime, last: datetime, zone: ZoneInfo) -> tuple[rrule, int | None]:
    """The rule on the wall's clock up to `last`, and its COUNT: one that never comes is not searched for ever."""
    try:
        pairs = (part.partition("=") for part in rule.upper().removeprefix("RRULE:").split(";") if part)
        parts = {name: value for name, _, value in pairs}
        most = int(parts.pop("COUNT")) if "COUNT" in parts else None
        if "UNTIL" in parts:
            last = min(last, _until(parts["UNTIL"], zone))
        parts["UNTIL"] = last.strftime("%Y%m%dT%H%M%S")
        found = rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=first)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise RuleInvalid(f"{rule!r} is no rule of recurrence: {error}") from error
    if not isinstance(found, rrule):
        raise RuleInvalid(f"{rule!r} is more than one rule")
    return found, most


def _until(text: str, zone: ZoneInfo) -> datetime:
    if text.endswith("Z"):
        return datetime.strptime(text + "+0000", "%Y%m%dT%H%M%SZ%z").astimezone(zone).replace(tzinfo=None)
    if "T" in text:
        return datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007  # it is on the clock of the wall
    day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007  # as above
    return day.replace(hour=23, minute=59, second=59)
