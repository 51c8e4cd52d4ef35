"""Pause, resume, interrupt, cancel: what they do to a run, and to its timers (contracts/pause.py)."""

from datetime import datetime
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
    run.cancelled = run.cancelled or control is RunControl.CANCEL
    if run.pause and control is RunControl.RESUME:
        # the timers from before the pause are gone; those of todos that are to be tried again are set anew
        again = ((todo.item.id, todo.attempt) for todo in run.todos.values() if todo.stage is Stage.RETRYING)
        run.retries = dict.fromkeys(again)
    if not (later := run.pause.fold(control, at)):
        return
    for question in run.questions.values():
        question.deadline += later
    for todo in run.todos.values():
        if todo.retry_at is not None:
            todo.retry_at += later
    if run.clock_due is not None:
        run.clock_due += later


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


def timer_ids(run_id: UUID, run: Run) -> tuple[UUID, ...]:
    """Those, and what is left of retries that nothing waits for any more."""
    again = (retry.timer_id(run_id, *one) for one in run.retries)
    return tuple(dict.fromkeys((*(timer.timer_id for timer in timers(run_id, run)), *again)))


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
