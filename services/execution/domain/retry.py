"""When a failed attempt is tried again: the one place that decides it, and the durable timer that carries it out.

The decision is recorded as `will_retry_at` of TodoFailed."""

import random
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from contracts.errors import Code, ErrorInfo
from contracts.planning import TodoItem
from contracts.retry import RetryPolicy
from contracts.shape import JsonObject
from contracts.timers import TimerFired
from contracts.tools import ErrorPolicy

PURPOSE = "todo_retry"
NEVER = frozenset({Code.TOOL_OUTCOME_UNKNOWN, Code.TOOL_CANCELLED, Code.APPROVAL_MISSING, Code.TOOL_UNKNOWN})
"""Repeating these without a person is wrong, or in vain."""

IN_VAIN = frozenset({
    Code.INPUT_MISSING, Code.TABLE_UNREADABLE, Code.TEXT_COLUMN_MISSING, Code.TABLE_EMPTY, Code.DATE_COLUMN_MISSING,
    Code.NOTHING_TO_REPORT, Code.TOOL_ARGUMENTS_INVALID,
})  # fmt: skip
"""What the same files always end in: another file mends it, and nobody is asked whether to try once more."""
MENDS = "mends"
"""In an error's detail: arguments with which the call might succeed, each {"label", "params"}. The person chooses."""
MOST_MENDS = 6


def mends(error: ErrorInfo | None) -> list[JsonObject]:
    """What may mend it: objects with a text for the person and arguments."""
    said = error.detail.get(MENDS) if error else None
    found = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    return [one for one in found if isinstance(one.get("label"), str) and isinstance(one.get("params"), dict)][
        :MOST_MENDS
    ]


def policy(todo: TodoItem) -> RetryPolicy:
    """1, 2, 4 … 60 s apart, as often as its tool or its pack says."""
    return RetryPolicy(maximum_attempts=todo.retries + 1, non_retryable=NEVER)


def retry(
    run_id: UUID, todo: TodoItem, attempt: int, error: ErrorInfo, now: datetime, failures: int | None = None
) -> Timer | None:
    """The timer of the next attempt, or None when this was the last one. `failures` counts the earlier ones.

    Its jitter is the same on every replay: it follows from the timer's id."""
    failed = attempt if failures is None else failures + 1
    repeats = policy(todo)
    if not repeats.allows(failed, error.code) or not (error.retryable or todo.on_error is ErrorPolicy.RETRY):
        return None
    jitter = random.Random(timer_id(run_id, todo.id, attempt).int).uniform(0.5, 1.0)  # noqa: S311  # spreads load, hides nothing
    return timer(run_id, todo.id, attempt, now + timedelta(seconds=repeats.pause(failed) * jitter))


def timer(run_id: UUID, todo_id: str, attempt: int, due: datetime) -> Timer:
    """Makes the todo ready again after this failed attempt."""
    one = timer_id(run_id, todo_id, attempt)
    fired = TimerFired(timer_id=one, purpose=PURPOSE, due_at=due, data={"todo_id": todo_id, "attempt": attempt})
    return Timer(one, run_id, due, fired)


def timer_id(run_id: UUID, todo_id: str, attempt: int) -> UUID:
    return uuid5(run_id, f"{PURPOSE}:{todo_id}:{attempt}")
