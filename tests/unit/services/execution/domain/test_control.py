"""Pause, resume, interrupt and cancel, whatever a todo is doing at the time."""

from collections.abc import Callable

import pytest

from contracts.decisions import DecisionKind
from contracts.execution import (
    ExecutionOutput,
    ExecutionStarted,
    ExecutionStatus,
    TodoDispatched,
    TodoStatus,
)
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.shape import Event
from services.execution.domain.todo import Stage
from tests.unit.services.execution.dispatching import DISPATCHER, under
from tests.unit.services.execution.timeline import (
    CANCEL,
    INTERRUPT,
    PAUSE,
    RESUME,
    Timeline,
    busy,
    leased,
    sent,
    timeline,
)
from tests.unit.services.given import given, recorded
from tests.unit.services.plans import SAID, approved, failed, planned, succeeded, todo


def blocked() -> Timeline:
    return timeline(todo("first"), todo("a", "first"))


def ready() -> Timeline:
    return timeline(todo("first"), todo("a"), most_in_flight=1)


def in_flight() -> Timeline:
    return timeline(todo("first"), todo("a"))


def retrying() -> Timeline:
    line = in_flight()
    line.fails("a", retryable=True)
    return line


def asking() -> Timeline:
    line = in_flight()
    line.ask(DecisionKind.TOOL, "a")
    return line


def in_line() -> Timeline:
    line = in_flight()
    line.when(busy("a"))
    return line


STAGES = {
    Stage.BLOCKED: blocked, Stage.READY: ready, Stage.IN_FLIGHT: in_flight, Stage.RETRYING: retrying,
    Stage.ASKING: asking, Stage.IN_LINE: in_line,
}  # fmt: skip
in_every_stage = pytest.mark.parametrize(("stage", "make"), STAGES.items(), ids=[stage.name for stage in STAGES])


def moves_on(line: Timeline, stage: Stage) -> list[str]:
    """What makes the todo `a` go on from its stage happens; the todos that were dispatched for it."""
    if stage in (Stage.BLOCKED, Stage.READY):
        return sent(line.ok("first"))
    if stage is Stage.RETRYING:
        return sent(line.wait(60))
    if stage is Stage.ASKING:
        (question,) = line.state.runs[line.run_id].questions
        asked = next(one.event for one in line.told if getattr(one.event, "decision_id", None) == question)
        return sent(line.answer(asked, "approve"))  # type: ignore[arg-type]
    return sent(line.when(leased("a")))


@in_every_stage
@pytest.mark.parametrize("control", [PAUSE, INTERRUPT], ids=["pause", "interrupt"])
def test_nothing_is_dispatched_in_a_pause_and_everything_after_it(stage: Stage, make: Callable[[], Timeline], control):
    line = make()
    assert line.state.runs[line.run_id].todos["a"].stage is stage
    line.when(control)
    line.when(control).then()
    assert line.timers == {}
    if stage is not Stage.RETRYING:
        assert moves_on(line, stage) == []
    assert not any(isinstance(event, TodoDispatched) for event in line.wait(100))
    resumed = sent(line.when(RESUME))
    assert sent(line.when(RESUME)) == []
    assert resumed + sent(line.wait(60)) == ([] if stage is Stage.IN_FLIGHT else ["a"])


@in_every_stage
def test_a_cancelled_run_ends_at_once_and_leaves_no_timers(stage: Stage, make: Callable[[], Timeline]):
    line = make()
    line.when(CANCEL).then_types(ExecutionOutput)
    assert line.output.status is ExecutionStatus.CANCELLED
    assert line.statuses == {"first": TodoStatus.CANCELLED, "a": TodoStatus.CANCELLED}
    assert line.timers == {}
    line.when(CANCEL).then_nothing()


@in_every_stage
def test_a_paused_run_can_be_cancelled(stage: Stage, make: Callable[[], Timeline]):
    line = make()
    line.when(PAUSE)
    line.when(CANCEL).then_types(ExecutionOutput)
    line.when(RESUME).then_nothing()
    assert line.wait(100_000) == []


def test_what_has_ended_keeps_its_result_when_the_run_is_cancelled():
    line = timeline(todo("a"), todo("b"))
    line.ok("a", result={"rows": 7})
    line.when(CANCEL)
    assert line.output.results[0].result == {"rows": 7}
    assert line.statuses == {"a": TodoStatus.SUCCEEDED, "b": TodoStatus.CANCELLED}


def test_a_cancel_before_the_approval_is_not_executions_but_a_late_approval_starts_nothing():
    line = Timeline(under())
    line.fold(MessageReceived(text="해줘"))
    line.when(CANCEL).then_nothing()
    line.fold(planned(todo("a")))
    line.when(approved()).then_types(ExecutionStarted, ExecutionOutput)
    assert line.output.status is ExecutionStatus.CANCELLED


def test_a_pause_before_the_approval_holds_the_first_todos_back():
    line = Timeline(under())
    line.fold(MessageReceived(text="해줘"))
    line.when(PAUSE).then_nothing()
    line.fold(planned(todo("a")))
    line.when(approved()).then_types(ExecutionStarted)
    assert sent(line.when(RESUME)) == ["a"]


def test_resuming_a_run_that_is_not_paused_changes_nothing():
    line = timeline(todo("a"))
    line.when(RESUME).then_nothing()


def test_a_run_whose_last_todo_ends_in_a_pause_ends_when_it_is_resumed():
    line = timeline(todo("a"))
    line.when(PAUSE)
    line.ok("a").then_nothing()
    line.when(RESUME).then_types(ExecutionOutput)


def test_a_retry_waits_for_the_rest_of_its_time_after_a_pause():
    line = timeline(todo("a"))
    line.fails("a", retryable=True)
    (timer,) = line.timers.values()
    rest = (timer.due_at - line.now).total_seconds()
    line.when(PAUSE)
    assert line.wait(1000) == []
    line.when(RESUME)
    assert line.wait(rest - 0.001) == []
    assert sent(line.wait(0.002)) == ["a"]


def test_a_failure_in_the_middle_of_a_pause_waits_its_whole_time_after_it():
    line = timeline(todo("a"))
    line.when(PAUSE)
    line.wait(500)
    failure = line.failure("a", retryable=True)
    (timer,) = line.timers.values()
    rest = (timer.due_at - line.now).total_seconds()
    line.when(failure)
    assert line.timers == {}
    assert line.wait(500) == []
    line.when(RESUME)
    assert line.wait(rest - 0.001) == []
    assert sent(line.wait(0.002)) == ["a"]


def test_a_question_stays_open_after_a_pause_for_as_long_as_it_was():
    line = asking()
    line.wait(3600)
    line.when(PAUSE)
    assert line.wait(10 * 86_400) == []
    line.when(RESUME)
    assert line.wait(86_400 - 3601) == []
    assert line.wait(2) != []


def test_a_question_of_a_tool_that_was_asked_in_a_pause_has_its_whole_time_after_it():
    line = in_flight()
    line.when(PAUSE)
    line.wait(1000)
    line.ask(DecisionKind.TOOL, "a")
    line.wait(1000)
    line.when(RESUME)
    assert line.wait(86_399) == []
    assert line.wait(2) != []


def test_a_timer_that_slips_in_while_paused_is_acted_on_after_the_pause():
    line = retrying()
    _, timer = line.timers.popitem()
    line.when(PAUSE, timer.event).then()
    assert sent(line.when(RESUME)) == ["a"]
    assert line.timers == {}


def test_an_answer_that_comes_while_paused_is_acted_on_after_the_pause():
    line = in_flight()
    asked = line.ask(DecisionKind.TOOL, "a")
    line.when(PAUSE)
    line.answer(asked, "approve").then_nothing()
    assert sent(line.when(RESUME)) == ["a"]


def test_pause_and_resume_in_one_drain_leave_the_timers_as_they_were():
    line = retrying()
    before = dict(line.timers)
    line.when(PAUSE, RESUME)
    assert line.timers == before
    line.when(PAUSE, RESUME, PAUSE)
    assert line.timers == {}


def test_what_an_interrupt_stopped_runs_again_in_its_order_without_having_failed():
    line = timeline(todo("a", retries=0), todo("b", retries=0), todo("c"), todo("d"), most_in_flight=2)
    line.when(INTERRUPT).then_nothing()
    line.fails("b", stopped_by="interrupt").then_nothing()
    line.fails("a", stopped_by="interrupt").then_nothing()
    assert sent(line.when(RESUME)) == ["a", "b"]
    assert [(line.attempt(one).attempt, line.attempt(one).failures) for one in "ab"] == [(2, 0), (2, 0)]
    assert sent(line.ok("a")) == ["c"]
    line.fails("b")
    line.ok("c", "d")
    assert line.output.results[1].status is TodoStatus.FAILED


def test_an_attempt_that_succeeded_before_the_interrupt_reached_it_counts():
    line = timeline(todo("a"), todo("b", "a"))
    line.when(INTERRUPT)
    line.ok("a").then_nothing()
    assert sent(line.when(RESUME)) == ["b"]


def test_an_interrupt_that_is_resumed_before_its_attempts_have_stopped_runs_them_again():
    line = timeline(todo("a"))
    line.when(INTERRUPT)
    line.when(RESUME).then_nothing()
    assert sent(line.fails("a", stopped_by="interrupt")) == ["a"]


def test_a_retried_todo_comes_before_those_that_became_ready_later():
    line = timeline(todo("a"), todo("b"), todo("c"), todo("d"), most_in_flight=2)
    line.fails("a", retryable=True)
    _, timer = line.timers.popitem()
    line.when(timer.event).then_nothing()
    assert sent(line.ok("b")) == ["a"]


@pytest.mark.parametrize("late", [succeeded("a", late=True), failed("a", late=True)], ids=["success", "failure"])
def test_what_comes_late_of_a_cancelled_run_leaves_its_todo_cancelled(late: Event) -> None:
    story = given(DISPATCHER, SAID, planned(todo("a")))
    story.when(approved())
    story.fold(recorded(RunControlRequested(control=RunControl.CANCEL)))
    happened = story.when(late)
    (result,) = happened.only(ExecutionOutput).results
    assert result.status is TodoStatus.CANCELLED
