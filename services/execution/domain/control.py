"""Pause, resume, interrupt, cancel: what they do to a run, and to its timers.

Pausing freezes time: on resuming, every deadline moves by as long as the pause has lasted."""

from datetime import datetime, timedelta
from typing import assert_never
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from contracts.decisions import DecisionExpired
from contracts.gateway import RunControl
from contracts.timers import TimerFired
from services.execution.domain import retry
from services.execution.domain.run import Run
from services.execution.domain.todo import Stage

WALL_TIME = "budget_wall_time"


def fold(run: Run, control: RunControl, at: datetime) -> None:
    """Takes the control in. A repeated one changes nothing."""
    match control:
        case RunControl.PAUSE | RunControl.INTERRUPT:  # what an interrupt stops comes back as failed by control
            run.paused_at = run.paused_at or at
        case RunControl.RESUME:
            if run.paused_at is not None:
                _move(run, at - run.paused_at)
            run.paused_at = None
        case RunControl.CANCEL:
            run.cancelled = True
        case _:
            assert_never(control)


def frozen(run: Run, due: datetime, at: datetime) -> datetime:
    """A time that is set in the middle of a pause, as if it had been set at its beginning: resuming moves it by the
    whole of the pause."""
    return due if run.paused_at is None else due - (at - run.paused_at)


def _move(run: Run, by: timedelta) -> None:
    for question in run.questions.values():
        question.deadline += by
    for todo in run.todos.values():
        if todo.retry_at is not None:
            todo.retry_at += by
    if run.clock_due is not None:
        run.clock_due += by


def timers(run_id: UUID, run: Run) -> tuple[Timer, ...]:
    """Every timer that the run has now, at its present due time."""
    found = [
        Timer(
            one,
            run_id,
            question.deadline,
            DecisionExpired(decision_id=one, kind=question.kind, default=question.default),
        )
        for one, question in run.questions.items()
    ]
    found += [
        retry.timer(run_id, todo.item.id, todo.attempt, todo.retry_at)
        for todo in run.todos.values()
        if todo.stage is Stage.RETRYING and todo.retry_at is not None
    ]
    return (*found, *clock(run_id, run))


def clock(run_id: UUID, run: Run) -> tuple[Timer, ...]:
    """The timer of the budget's wall time, if it is limited; one for each time that the budget was set."""
    due = run.clock_due
    if due is None:
        return ()
    timer_id = clock_id(run_id, run.raises)
    fired = TimerFired(timer_id=timer_id, purpose=WALL_TIME, due_at=due, data={"raises": run.raises})
    return (Timer(timer_id, run_id, due, fired),)


def clock_id(run_id: UUID, raises: int) -> UUID:
    return uuid5(run_id, f"{WALL_TIME}:{raises}")
