"""The first good result wins: who runs only for the same todo need not go on."""

from typing import Any

from contracts.execution import ExecutionOutput, ExecutionStatus, TodoDispatched, TodoSkipped, TodoStatus
from contracts.planning import JoinKind
from tests.unit.services.execution.timeline import PAUSE, RESUME, Timeline, sent, timeline
from tests.unit.services.given import Happened
from tests.unit.services.plans import todo


def race(*more: Any, **rules: Any) -> Timeline:
    return timeline(
        todo("a"), todo("b"), todo("c"), todo("use", "a", "b", "c", join=JoinKind.FIRST_GOOD), *more, **rules
    )


def skips(happened: Happened) -> list[tuple[str, str, str]]:
    return [(one.todo_id, one.reason, one.cause) for one in happened.events if isinstance(one, TodoSkipped)]


def test_the_first_good_result_goes_on_and_the_others_are_stopped():
    line = race()
    line.fails("a").then_nothing()
    happened = line.ok("b").then_types(TodoDispatched, TodoSkipped)
    assert skips(happened) == [("c", "policy", "b")]
    assert line.state.in_flight == 1


def test_a_run_in_which_the_losers_were_stopped_has_succeeded():
    line = race()
    line.ok("b")
    line.ok("use")
    assert line.output.status is ExecutionStatus.SUCCEEDED
    assert line.output.error is None
    assert line.statuses["a"] is TodoStatus.SKIPPED
    assert [one.error for one in line.output.results] == [None] * 4


def test_who_is_needed_by_others_too_goes_on():
    line = race(todo("other", "c"))
    assert skips(line.ok("a")) == [("b", "policy", "a")]
    assert sent(line.ok("c")) == ["other"]


def test_a_late_result_of_a_loser_changes_nothing():
    line = race()
    line.ok("a")
    line.ok("b").then_nothing()
    line.ok("use").then_types(ExecutionOutput)


def test_a_loser_that_waits_for_a_slot_is_skipped_and_never_dispatched():
    line = race(most_in_flight=1)
    happened = line.ok("a")
    assert sent(happened) == ["use"]
    assert [one for one, _, _ in skips(happened)] == ["b", "c"]


def test_a_loser_whose_retry_comes_in_a_pause_is_not_dispatched_after_it():
    line = race()
    line.fails("c", retryable=True)
    _, timer = line.timers.popitem()
    line.when(PAUSE)
    line.ok("a").then_nothing()
    line.when(timer.event).then_nothing()  # it was due just before the pause
    happened = line.when(RESUME)
    assert sent(happened) == ["use"]
    assert [one for one, _, _ in skips(happened)] == ["b", "c"]
    assert line.wait(3600) == []


def test_losers_stay_losers_in_a_plan_that_was_edited_unless_somebody_needs_them_now():
    line = race(most_in_flight=2)
    line.when(PAUSE)
    line.ok("a")
    todos = [todo("a"), todo("b"), todo("c"), todo("use", "a", "b", "c", join=JoinKind.FIRST_GOOD), todo("new", "c")]
    line.edit(*todos)
    happened = line.when(RESUME)
    assert skips(happened) == [("b", "policy", "a")]
    assert sent(happened) == ["c"]


def test_a_loser_that_was_to_be_tried_again_is_not_and_leaves_no_timer():
    line = timeline(todo("a", retries=2, on_error="retry"), todo("b"), todo("use", "a", "b", join=JoinKind.FIRST_GOOD))
    line.fails("a", retryable=True).then_nothing()
    assert len(line.timers) == 1
    line.ok("b")
    line.ok("use")
    assert line.output.status is ExecutionStatus.SUCCEEDED
    assert line.timers == {}
