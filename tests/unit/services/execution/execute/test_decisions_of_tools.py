"""Approval of a tool, and a busy tool: questions that executors ask, and the line in front of a tool."""

import itertools

import pytest

from contracts.decisions import DecisionKind
from contracts.errors import Code
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoSkipped, TodoStatus
from contracts.shape import Event
from services.execution.domain.todo import Stage
from tests.unit.services.execution.timeline import PAUSE, RESUME, Timeline, busy, leased, sent, timeline
from tests.unit.services.plans import todo


def stage(line: Timeline, todo_id: str = "a") -> Stage:
    return line.state.runs[line.run_id].todos[todo_id].stage


def test_an_approved_tool_is_dispatched_again():
    line = timeline(todo("a"))
    asked = line.ask(DecisionKind.TOOL, "a")
    assert stage(line) is Stage.ASKING
    assert line.state.in_flight == 0
    assert sent(line.answer(asked, "approve")) == ["a"]
    assert (line.attempt("a").attempt, line.attempt("a").failures) == (2, 0)
    line.ok("a").then_types(ExecutionOutput)


@pytest.mark.parametrize("kind", [DecisionKind.TOOL, DecisionKind.LOCK])
def test_a_tool_that_a_person_decides_against_is_skipped_in_words(kind):
    line = timeline(todo("a"), todo("b", "a"))
    happened = line.answer(line.ask(kind, "a"), "reject" if kind is DecisionKind.TOOL else "cancel")
    assert [(one.todo_id, one.reason) for one in happened.events if isinstance(one, TodoSkipped)] == [
        ("a", "person"), ("b", "dependency_failed"),
    ]  # fmt: skip
    assert line.output.status is ExecutionStatus.FAILED
    assert line.output.error is not None
    assert line.output.error.code is Code.APPROVAL_MISSING
    assert line.output.error.message
    assert line.statuses == {"a": TodoStatus.SKIPPED, "b": TodoStatus.SKIPPED}


@pytest.mark.parametrize("kind", [DecisionKind.TOOL, DecisionKind.LOCK])
def test_a_tool_that_nobody_approves_in_time_is_skipped_as_expired_not_as_rejected(kind):
    line = timeline(todo("a"))
    line.ask(kind, "a")
    skip, _ = line.wait(90_000)
    assert skip == TodoSkipped(todo_id="a", reason="policy")
    assert line.output.error is not None
    assert line.output.error.code is Code.DECISION_EXPIRED


def test_a_person_may_wait_for_a_busy_tool_and_is_not_asked_again():
    line = timeline(todo("a"))
    assert sent(line.answer(line.ask(DecisionKind.LOCK, "a"), "wait")) == ["a"]
    assert line.attempt("a").waits_for_tool
    line.when(busy("a")).then_nothing()
    assert stage(line) is Stage.IN_LINE
    assert sent(line.when(leased("a"))) == ["a"]
    assert line.attempt("a").waits_for_tool


def test_a_todo_in_line_gives_its_slot_to_another():
    line = timeline(todo("a"), todo("b"), most_in_flight=1)
    assert sent(line.when(busy("a"))) == ["b"]
    line.when(leased("a")).then_nothing()
    assert sent(line.ok("b")) == ["a"]


def test_a_tool_that_is_granted_before_its_being_busy_is_recorded_is_granted():
    line = timeline(todo("a"))
    line.when(leased("a")).then_nothing()
    assert sent(line.when(busy("a"))) == ["a"]
    assert line.attempt("a").waits_for_tool


@pytest.mark.parametrize("order", [*itertools.permutations(["busy", "leased", "pause", "resume"])])
def test_a_todo_never_stays_in_line_when_its_tool_was_granted_in_whatever_order(order):
    if order.index("resume") < order.index("pause"):
        order = (*order, "resume")
    line = timeline(todo("a"))
    said: dict[str, Event] = {"busy": busy("a"), "leased": leased("a"), "pause": PAUSE, "resume": RESUME}
    dispatches = [one for word in order for one in sent(line.when(said[word]))]
    assert dispatches == ["a"]
    assert line.attempt("a").attempt == 2


def test_grant_and_busy_in_one_drain_dispatch_once():
    line = timeline(todo("a"))
    assert sent(line.when(leased("a"), busy("a"))) == ["a"]


def test_the_lease_of_an_attempt_that_ran_does_not_count_for_the_next_one():
    line = timeline(todo("a", on_error="retry"))
    line.when(leased("a"))  # as the executor says when the tool begins to run
    line.fails("a")
    assert sent(line.wait(60)) == ["a"]
    line.when(busy("a")).then_nothing()
    assert stage(line) is Stage.IN_LINE
    assert sent(line.when(leased("a"))) == ["a"]


def test_a_lease_that_is_said_twice_is_one():
    line = timeline(todo("a"))
    line.when(busy("a"))
    line.when(leased("a"))
    line.when(leased("a")).then_nothing()
    line.ok("a").then_types(ExecutionOutput)


def test_a_late_word_of_being_busy_changes_nothing_after_the_end():
    line = timeline(todo("a"), todo("b"))
    line.ok("a")
    line.when(busy("a")).then_nothing()
    line.when(leased("a")).then_nothing()
    line.ok("b").then_types(ExecutionOutput)


def test_a_question_about_a_todo_that_is_over_changes_nothing():
    line = timeline(todo("a"), todo("b"))
    line.ok("a")
    asked = line.ask(DecisionKind.TOOL, "a")
    line.answer(asked, "reject").then_nothing()
    line.ok("b")
    assert line.output.status is ExecutionStatus.SUCCEEDED
