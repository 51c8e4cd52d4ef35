"""Appointments in the person's words: days, times, lines of a list. The words are the pack's texts."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError
from packs.assistant.calendars.port import Appointment, Moment
from packs.assistant.calendars.rules import frequency

SHOWN = 30
_LONGEST = 80


def refused(context: ToolContext, key: str, **values: str | int) -> ToolError:
    """What the person has to mend, with the value."""
    error = ToolError(Code.TOOL_ARGUMENTS_INVALID, context.text(key, **values))
    error.detail = dict(values)
    return error


def day(moment: Moment, context: ToolContext) -> str:
    """The year is told only when it is another one."""
    key = "calendar.day" if moment.year == context.now.year else "calendar.day_of_year"
    months, weekdays = context.text("calendar.months").split(), context.text("calendar.weekdays").split()
    month, weekday = months[moment.month - 1], weekdays[moment.weekday()]
    return context.text(key, year=moment.year, month=month, day=moment.day, weekday=weekday)


def when(moment: Moment, context: ToolContext) -> str:
    if not isinstance(moment, datetime):
        return day(moment, context)
    return context.text("calendar.when", day=day(moment, context), clock=_clock(moment, context))


def _clock(moment: datetime, context: ToolContext) -> str:
    half = "am" if moment.hour < 12 else "noon" if moment.hour == 12 else "pm"
    key = f"calendar.clock_{half}" if moment.minute == 0 else f"calendar.clock_{half}_minutes"
    # noon and midnight are 12 in one language and 0 in another
    hour = moment.hour % 12 or context.text("calendar.twelve")
    return context.text(key, hour=hour, minute=moment.minute)


def until(one: Appointment, context: ToolContext) -> str:
    """Its last day, or the clock at its end; with the day where that is another one."""
    if not isinstance(one.start, datetime) or not isinstance(one.end, datetime):
        return day(one.end - timedelta(days=1), context)
    return _clock(one.end, context) if one.end.date() == one.start.date() else when(one.end, context)


def every(rule: str, context: ToolContext) -> str:
    return context.text(f"calendar.every.{frequency(rule).lower() or 'other'}")


def _days(one: Appointment, context: ToolContext) -> str:
    if one.length > timedelta(days=1):
        return context.text("calendar.whole_days", first=day(one.start, context), last=until(one, context))
    return context.text("calendar.whole_day", day=day(one.start, context))


def line(one: Appointment, context: ToolContext) -> str:
    at = _days(one, context) if one.whole_day else when(one.start, context)
    key = "calendar.line_place" if one.place else "calendar.line"
    return context.text(key, when=at, title=short(one.title), place=short(one.place))


def short(text: str) -> str:
    """Other programs write whole pages into a title."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def added(
    one: Appointment, clashes: Sequence[Appointment], context: ToolContext, *, tells_end: bool = False
) -> list[str]:
    """`tells_end`: its length was said, so it is told back."""
    at = when(one.start, context)
    if one.rule:
        sentences = [context.text("calendar.added_series", when=at, every=every(one.rule, context), title=one.title)]
    elif one.whole_day and one.length > timedelta(days=1):
        sentences = [context.text("calendar.added_days", first=at, last=until(one, context), title=one.title)]
    else:
        key = "calendar.added_day" if one.whole_day else "calendar.added"
        sentences = [context.text(key, when=at, title=one.title)]
    if tells_end and not one.whole_day:
        sentences.append(context.text("calendar.until", until=until(one, context)))
    if one.place:
        sentences.append(context.text("calendar.place", place=one.place))
    if clashes:
        sentences.append(clash(clashes, context))
    return sentences


def clash(others: Sequence[Appointment], context: ToolContext) -> str:
    return context.text("calendar.clash", others=", ".join(line(other, context) for other in others[:3]))


def between(start: datetime, end: datetime, context: ToolContext) -> str:
    last = _clock(end, context) if end.date() == start.date() else when(end, context)
    return context.text("calendar.between", day=day(start, context), first=_clock(start, context), last=last)


def listed(found: Sequence[Appointment], first: date, last: date, context: ToolContext) -> list[str]:
    key = "calendar.listed" if found else "calendar.nothing"
    if first == last:
        head = context.text(f"{key}_day", day=day(first, context), count=len(found))
    else:
        head = context.text(f"{key}_span", first=day(first, context), last=day(last, context), count=len(found))
    return [head, *shortened(found, lambda one: line(one, context), context)]


def shortened(found: Sequence[Appointment], said: Callable[[Appointment], str], context: ToolContext) -> list[str]:
    lines = [said(one) for one in found[:SHOWN]]
    return [*lines, context.text("calendar.more", count=len(found) - SHOWN)] if len(found) > SHOWN else lines
