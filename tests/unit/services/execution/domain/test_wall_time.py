"""The wall time of a budget: a durable timer that pauses stop and raises replace."""

from datetime import timedelta
from typing import Any

from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.execution import ExecutionOutput, ExecutionStatus
from contracts.gateway import Budget, MessageReceived
from tests.unit.services.execution.dispatching import under
from tests.unit.services.execution.timeline import PAUSE, RESUME, Timeline, sent, timeline
from tests.unit.services.given import NOW, RUN, Happened, named
from tests.unit.services.plans import approved, planned, todo


def question(happened: Happened) -> DecisionRequested:
    asked: DecisionRequested = happened.only(DecisionRequested)
    assert asked.kind is DecisionKind.BUDGET
    return asked


def timed(seconds: float = 60, **more: Any) -> Timeline:
    return timeline(todo("a"), todo("b", "a"), todo("c", "b"), budget=Budget(seconds=seconds, **more))


def test_when_the_time_is_up_what_is_in_flight_ends_and_nothing_more_begins():
    line = timed()
    assert line.wait(61) == []
    asked = question(line.ok("a"))
    assert asked.subject["limits"] == {"seconds": 60.0}
    line.answer(asked, "stop")
    assert line.output.status is ExecutionStatus.FAILED


def test_a_run_that_is_done_when_its_time_is_up_is_asked_nothing():
    line = timeline(todo("a"), budget=Budget(seconds=60))
    line.wait(61)
    line.ok("a").then_types(ExecutionOutput)
    assert line.output.status is ExecutionStatus.SUCCEEDED


def test_a_run_that_ends_in_time_leaves_no_clock():
    line = timeline(todo("a"), budget=Budget(seconds=60))
    assert [timer.due_at for timer in line.timers.values()] == [NOW + timedelta(seconds=60)]
    line.ok("a")
    assert line.timers == {}


def test_a_pause_stops_the_clock():
    line = timed()
    line.wait(50)
    line.when(PAUSE)
    line.wait(1000)
    line.when(RESUME)
    assert [timer.due_at for timer in line.timers.values()] == [line.now + timedelta(seconds=10)]
    line.wait(9)
    assert sent(line.ok("a")) == ["b"]
    line.wait(2)
    question(line.ok("b"))


def test_a_raise_sets_a_new_clock():
    line = timed()
    line.wait(61)
    asked = question(line.ok("a"))
    assert sent(line.answer(asked, "raise")) == ["b"]
    assert [timer.due_at for timer in line.timers.values()] == [line.now + timedelta(seconds=120)]
    line.wait(121)
    again = question(line.ok("b"))
    assert again.decision_id != asked.decision_id
    assert sent(line.answer(again, "raise", budget={"seconds": 300})) == ["c"]
    assert [timer.due_at for timer in line.timers.values()] == [line.now + timedelta(seconds=300)]


def test_a_raise_before_the_time_is_up_replaces_the_clock():
    line = timed(tool_calls=1)
    asked = question(line.ok("a"))
    line.wait(30)
    line.answer(asked, "raise")
    assert [timer.due_at for timer in line.timers.values()] == [line.now + timedelta(seconds=120)]


def test_the_clock_of_a_budget_that_was_raised_since_is_moot():
    line = timed(tool_calls=1)
    _, old = line.timers.popitem()
    asked = question(line.ok("a"))
    line.answer(asked, "raise")
    line.when(old.event).then_nothing()
    assert sent(line.ok("b")) == []  # of two calls
    assert line.state.runs[RUN].clock_due is not None


def test_a_raise_in_a_pause_gives_the_whole_time_after_it():
    line = timed()
    line.wait(61)
    asked = question(line.ok("a"))
    line.when(PAUSE)
    line.wait(100)
    line.answer(asked, "raise")
    assert line.timers == {}
    line.wait(100)
    assert sent(line.when(RESUME)) == ["b"]
    assert [timer.due_at for timer in line.timers.values()] == [line.now + timedelta(seconds=120)]


def test_a_plan_whose_approval_was_decided_with_another_message_has_its_clock():
    line = Timeline(under())
    line.fold(MessageReceived(text="해줘", budget=Budget(seconds=60)))
    line.fold(planned(todo("a")))
    # the answer is still to be decided when the approval that it led to is folded already
    yes = DecisionAnswered(
        decision_id=named("q"), kind=DecisionKind.PLAN, answer={"action": "approve"}, answered_by="x"
    )
    line.when(yes, approved())
    assert [timer.due_at for timer in line.timers.values()] == [NOW + timedelta(seconds=60)]
