"""Reminders that come again: a ReminderDue with a rule sets the timer of its next time.

Under the stream's lock and in one transaction with the inbox row, so a kill or a redelivery sets it once."""

from contextlib import suppress
from datetime import datetime

from backbone.ledger.port import Timer
from backbone.runner.handlers import NOTHING, DecisionHandler, Outcome, Recorded, Takes
from contracts.timers import ReminderDue, occurrence
from services.execution.domain.recurrence import RuleInvalid, next_time


def reminders() -> DecisionHandler[None]:
    """Needs no state: the event says all of it."""
    return DecisionHandler(
        name="execution-reminders",
        producer="execution",
        takes=(Takes("timers", "ReminderDue"),),
        folds=frozenset(),
        initial=lambda: None,
        evolve=lambda state, _: state,
        decide=lambda _, recorded: again(recorded),
    )


def again(recorded: Recorded) -> Outcome:
    """The timer of the next time after now: times that passed while nobody was there are one reminder, not many."""
    due = recorded.event
    if not isinstance(due, ReminderDue) or not due.rule:
        return NOTHING
    following = _following(due, max(due.due_at, recorded.at))
    if following is None:
        return NOTHING
    event = due.model_copy(update={"due_at": following})
    return Outcome(timers=(Timer(occurrence(due.reminder_id, following), recorded.run_id, following, event),))


def _following(due: ReminderDue, after: datetime) -> datetime | None:
    with suppress(RuleInvalid, LookupError):  # a rule that nobody understands comes once; the tool had checked it
        return next_time(due.rule, due.first_at or due.due_at, due.timezone or "UTC", after)
    return None
