"""One session has so many todos in flight, and its runs share them."""

import pytest

from contracts.execution import ExecutionOutput, TodoDispatched
from contracts.planning import TodoItem
from tests.unit.services.execution.timeline import CANCEL, PAUSE, RESUME, busy, sent, timeline
from tests.unit.services.given import OTHER_RUN, RUN
from tests.unit.services.plans import todo


def wide(name: str, many: int) -> list[TodoItem]:
    return [todo(f"{name}{number}") for number in range(many)]


def test_no_more_of_a_session_is_in_flight_than_allowed():
    line = timeline(*wide("a", 5), most_in_flight=2)
    assert line.state.in_flight == 2
    assert sent(line.about(OTHER_RUN).begin(*wide("b", 2))) == []
    assert line.state.in_flight == 2


def test_a_slot_that_is_freed_goes_to_the_run_that_has_the_fewest():
    line = timeline(*wide("a", 9), most_in_flight=4)
    line.about(OTHER_RUN).begin(*wide("b", 9))
    assert [sent(line.about(RUN).ok(f"a{number}")) for number in range(3)] == [["b0"], ["b1"], ["a4"]]
    assert [run.in_flight for run in line.state.runs.values()] == [2, 2]


def test_what_is_dispatched_for_another_run_is_recorded_in_that_run():
    line = timeline(todo("a"), most_in_flight=1)
    line.about(OTHER_RUN).begin(todo("b"))
    happened = line.about(RUN).ok("a")
    assert {type(one.event): one.run_id for one in happened.outcome.emits} == {
        TodoDispatched: OTHER_RUN, ExecutionOutput: None,
    }  # fmt: skip


def test_a_long_plan_and_another_one_take_turns():
    line = timeline(todo("a"), todo("a2", "a"), most_in_flight=1)
    line.about(OTHER_RUN).begin(todo("b"), todo("b2"))
    assert sent(line.about(RUN).ok("a")) == ["b"]
    assert sent(line.about(OTHER_RUN).ok("b")) == ["a2"]
    assert sent(line.about(RUN).ok("a2")) == ["b2"]


@pytest.mark.parametrize("how", ["is cancelled", "fails", "is done", "waits in line"])
def test_a_run_that_waits_gets_the_slots_of_one_that(how):
    line = timeline(todo("a", on_error="fail"), most_in_flight=1)
    line.about(OTHER_RUN).begin(todo("b"))
    line.about(RUN)
    message = {
        "is cancelled": CANCEL, "fails": line.failure("a"), "is done": line.success("a"), "waits in line": busy("a"),
    }[how]  # fmt: skip
    assert sent(line.when(message)) == ["b"]
    assert (RUN in line.state.runs) is (how == "waits in line")
    assert line.state.in_flight == 1


def test_the_late_word_of_a_run_that_has_ended_gives_its_slot_away_once():
    line = timeline(todo("a"), most_in_flight=1)
    line.about(OTHER_RUN).begin(todo("b"), todo("c"))
    last = line.about(RUN).failure("a", stopped_by="cancel")
    assert sent(line.when(CANCEL)) == ["b"]
    line.when(last).then_nothing()
    assert line.state.in_flight == 1


def test_a_paused_run_gets_no_slot_until_it_is_resumed():
    line = timeline(todo("a"), todo("a2"), most_in_flight=1)
    line.about(OTHER_RUN).begin(todo("b"))
    line.when(PAUSE)
    assert sent(line.about(RUN).ok("a")) == ["a2"]
    line.ok("a2")
    assert sent(line.about(OTHER_RUN).when(RESUME)) == ["b"]


def test_all_of_a_wide_plan_is_run_in_the_order_of_the_plan():
    line = timeline(*wide("a", 20), most_in_flight=3)
    order = [f"a{number}" for number in range(3)]
    for number in range(20):
        order += sent(line.ok(f"a{number}"))
    assert order == [f"a{number}" for number in range(20)]
