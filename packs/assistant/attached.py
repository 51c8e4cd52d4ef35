"""The reminders that go with an appointment: who takes it out does not want to be reminded of it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext
from packs.assistant import reminders
from packs.assistant.calendars.port import Appointment, Calendar
from packs.assistant.calendars.speech import short
from packs.assistant.finding import best
from packs.assistant.reminders import Kept


async def attached(
    appointment: Appointment, calendar: Calendar, context: ToolContext, *, series: bool
) -> list[JsonObject]:
    """Those that were set for so long before it, as JSON for `cancelled`. A recurring one goes only with a whole
    `series`; what leads to two appointments of a time goes with the one that it names."""
    start = appointment.start
    if not isinstance(start, datetime):
        return []
    leading = [one for one in await reminders.leading_to(context, start) if series or not one.rule]
    if not leading:
        return []
    others = [one for one in await _at_the_same_time(start, calendar) if one.uid != appointment.uid]
    return [_as_json(one, context) for one in leading if not others or best([appointment], one.title)]


async def cancelled(chosen: JsonValue, context: ToolContext) -> Sequence[str]:
    """Takes them back, and says so; another attempt of the call does the same."""
    texts: list[str] = []
    for one in chosen if isinstance(chosen, list) else []:
        if isinstance(one, dict) and isinstance(times := one["times"], list):
            reminder_id = UUID(str(one["reminder_id"]))
            await reminders.cancel(context, reminder_id)
            for at in times:
                context.cancel_reminder(reminder_id, datetime.fromisoformat(str(at)))
            texts.append(str(one["text"]))
    return [context.text("calendar.reminder_too", texts=", ".join(texts))] if texts else []


async def _at_the_same_time(start: datetime, calendar: Calendar) -> list[Appointment]:
    found = await calendar.between(start, start + timedelta(minutes=1))
    return [one for one in found if one.start == start]


def _as_json(one: Kept, context: ToolContext) -> JsonObject:
    times: list[JsonValue] = [at.isoformat() for at in one.due(context.now)]
    named: JsonObject = {"reminder_id": str(one.reminder_id), "text": short(one.title)}
    return named | {"times": times, "before": one.before, "rule": one.rule}
