"""When a failed attempt is tried again: the policy, and the durable timer that carries it out."""

import random
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from contracts.errors import ErrorInfo
from contracts.planning import TodoItem
from contracts.timers import TimerFired

PURPOSE = "todo_retry"
LONGEST = 60.0
"""Seconds before an attempt, at most."""


def retry(run_id: UUID, todo: TodoItem, attempt: int, error: ErrorInfo, now: datetime) -> Timer | None:
    """The timer of the next attempt, or None when this was the last one.

    Backoff 1, 2, 4 … s with jitter that is the same on every replay: it follows from the timer's id."""
    if not error.retryable or attempt > todo.retries:
        return None
    timer_id = uuid5(run_id, f"{PURPOSE}:{todo.id}:{attempt}")
    jitter = random.Random(timer_id.int).uniform(0.5, 1.0)  # noqa: S311  # spreads load, hides nothing
    due = now + timedelta(seconds=min(2.0 ** (attempt - 1), LONGEST) * jitter)
    fired = TimerFired(timer_id=timer_id, purpose=PURPOSE, due_at=due, data={"todo_id": todo.id, "attempt": attempt})
    return Timer(timer_id, run_id, due, fired)
