"""A paused plan is edited: what has begun stays as it is, the rest is as the new version says."""

import pytest

from contracts.decisions import DecisionKind
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoStatus
from tests.unit.services.execution.timeline import PAUSE, RESUME, busy, sent, timeline
from tests.unit.services.plans import failed, todo


def test_an_edit_keeps_what_is_over_or_begun_and_drops_what_is_removed():
    line = timeline(todo("a"), todo("b"), todo("c", "b"), todo("d", "c"))
    line.ok("a", result={"rows": 1})
    line.when(PAUSE)
    line.edit(todo("a"), todo("b"), todo("c", "b"), todo("e", "a"), todo("f", "b", "e")).then_nothing()
    run = line.state.runs[line.run_id]
    assert (run.open, run.in_flight) == (4, 1)
    assert sent(line.when(RESUME)) == ["e"]
    assert sent(line.ok("b")) == ["c"]
    assert sent(line.ok("e")) == ["f"]
    line.ok("c", "f")
    assert [one.todo_id for one in line.output.results] == ["a", "b", "c", "e", "f"]
    assert (line.output.plan_version, line.output.status) == (2, ExecutionStatus.SUCCEEDED)
    assert line.output.results[0].result == {"rows": 1}


def test_an_edit_may_take_away_what_a_todo_would_have_been_skipped_for():
    line = timeline(todo("a"), todo("b", "a"))
    line.when(PAUSE)
    line.fails("a")
    line.edit(todo("a"), todo("b"))
    assert sent(line.when(RESUME)) == ["b"]


def test_an_edit_does_not_take_back_what_a_person_has_decided():
    line = timeline(todo("first"), todo("a"))
    asked = line.ask(DecisionKind.TOOL, "a")
    line.when(PAUSE)
    line.answer(asked, "reject")
    line.edit(todo("first"), todo("a"), todo("new"))
    line.when(RESUME)
    line.ok("first", "new")
    assert line.statuses["a"] is TodoStatus.SKIPPED


def test_a_retry_that_waits_for_a_new_todo_after_an_edit_waits_for_it():
    line = timeline(todo("first"), todo("a"))
    line.fails("a", retryable=True)
    line.when(PAUSE)
    line.edit(todo("first"), todo("new"), todo("a", "new"))
    assert sent(line.when(RESUME)) == ["new"]
    assert line.wait(60) == []
    assert sent(line.ok("new")) == ["a"]
    assert line.attempt("a").attempt == 2


@pytest.mark.parametrize("doing", ["running", "retrying", "asking", "in line"])
def test_whatever_a_todo_was_doing_nothing_waits_for_it_when_it_is_removed(doing):
    line = timeline(todo("first"), todo("a"))
    if doing == "retrying":
        line.fails("a", retryable=True)
    elif doing == "asking":
        line.ask(DecisionKind.TOOL, "a")
    elif doing == "in line":
        line.when(busy("a"))
    line.when(PAUSE)
    line.edit(todo("first"))
    line.when(RESUME).then_nothing()
    line.when(failed("a")).then_nothing()
    assert line.wait(200_000) == []
    line.ok("first").then_types(ExecutionOutput)


def test_a_failure_that_was_to_be_asked_about_is_forgotten_with_its_todo():
    line = timeline(todo("first"), todo("a", on_error="ask"))
    line.when(PAUSE)
    line.fails("a")
    line.edit(todo("first"))
    line.when(RESUME).then_nothing()


def test_an_edit_that_is_not_newer_changes_nothing():
    line = timeline(todo("a"), todo("b", "a"))
    line.edit(todo("x"), version=1)
    assert sent(line.ok("a")) == ["b"]
