"""Cycles: a result that is not good enough sends the work back, some rounds at most."""

import pytest

from contracts.errors import Code
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoSkipped, TodoStatus
from contracts.planning import JoinKind, TodoItem
from services.execution.domain.cycle import Cycle, cycles
from tests.unit.services.execution.timeline import PAUSE, RESUME, Timeline, sent, timeline
from tests.unit.services.plans import file, todo

UNTIL = {"properties": {"score": {"minimum": 8}}, "required": ["score"]}
BAD, GOOD = {"score": 1}, {"score": 9}


def loop(*, rounds: int = 3, **fields: object) -> list[TodoItem]:
    """draft -> polish -> judge, back to draft; `out` waits for the draft, `end` for the judge."""
    judge = todo("judge", "polish", until=UNTIL, repeat_from="draft", rounds=rounds, **fields)
    return [todo("draft"), todo("polish", "draft"), judge, todo("out", "draft"), todo("end", "judge")]


def test_a_result_that_is_not_good_enough_begins_another_round_of_everything_in_between():
    line = timeline(*loop())
    line.ok("draft")
    line.ok("polish")
    assert sent(line.ok("judge", result=BAD)) == ["draft"]
    assert (line.attempt("draft").attempt, line.attempt("draft").round) == (2, 2)
    assert sent(line.ok("draft")) == ["polish"]
    assert sent(line.ok("polish")) == ["judge"]
    assert line.attempt("judge").round == 2
    assert sent(line.ok("judge", result=GOOD)) == ["out", "end"]


def test_who_waits_outside_waits_for_the_end_of_the_cycle():
    line = timeline(*loop())
    assert sent(line.ok("draft")) == ["polish"]
    line.ok("polish")
    assert sent(line.ok("judge", result=GOOD)) == ["out", "end"]
    line.ok("out", "end")
    assert line.output.status is ExecutionStatus.SUCCEEDED


def test_who_waits_outside_for_the_last_of_a_cycle_and_for_another_waits_for_both():
    # the end of a cycle is told once, not as two good results
    line = timeline(todo("judge", until=UNTIL), todo("slow"), todo("both", "judge", "slow"))
    assert sent(line.ok("judge", result=GOOD)) == []
    assert sent(line.ok("slow")) == ["both"]


def test_the_last_round_is_taken_as_it_is_and_the_run_says_so():
    line = timeline(todo("judge", until=UNTIL, rounds=2, produces=("document.text",)), todo("end", "judge"))
    line.ok("judge", result={"score": 2})
    assert sent(line.ok("judge", result={"score": 3})) == ["end"]
    line.ok("end")
    judge = line.output.results[0]
    assert (judge.status, judge.result, judge.attempts) == (TodoStatus.SUCCEEDED, {"score": 3}, 2)
    assert judge.error is not None
    assert (judge.error.code, judge.error.detail) == (Code.QUALITY_NOT_REACHED, {"rounds": 2})
    assert "2" in judge.error.message
    assert line.output.status is ExecutionStatus.PARTIAL
    assert line.output.error == judge.error


def test_three_rounds_are_the_most_by_default():
    line = timeline(todo("judge", until=UNTIL))
    for _ in range(2):
        assert sent(line.ok("judge", result=BAD)) == ["judge"]
    line.ok("judge", result=BAD).then_types(ExecutionOutput)


@pytest.mark.parametrize("until", [{"type": 7}, {"$ref": "http://nowhere/x"}, {"$ref": "#"}, {"pattern": "("}])
def test_a_test_that_makes_no_sense_is_passed_by_nothing_and_still_ends(until):
    line = timeline(todo("judge", until=until, rounds=2))
    line.ok("judge", result={"a": "x"})
    line.ok("judge", result={"a": "x"})
    assert line.output.error is not None
    assert line.output.error.code is Code.QUALITY_NOT_REACHED


def test_a_failure_inside_a_cycle_ends_it_and_whoever_waits_for_it():
    line = timeline(*loop())
    line.ok("draft")
    line.ok("polish")
    line.ok("judge", result=BAD)
    line.ok("draft")
    happened = line.fails("polish")
    line.when(*[event for event in happened.events if isinstance(event, TodoSkipped)])
    line.ok("out")  # what it waited for has succeeded, whatever became of the rest
    assert line.statuses == {
        "draft": TodoStatus.SUCCEEDED, "polish": TodoStatus.FAILED, "judge": TodoStatus.SKIPPED,
        "out": TodoStatus.SUCCEEDED, "end": TodoStatus.SKIPPED,
    }  # fmt: skip


def test_what_the_last_round_has_made_is_not_taken_for_the_work_of_this_one():
    files = file("reviews.raw")
    line = timeline(*loop())
    line.ok("draft", attachments=(files,))
    line.ok("polish", result={"a": 1}, attachments=(files,))
    line.ok("judge", result=BAD)
    line.ok("draft")
    line.when(line.failure("polish"))
    polish = line.state.runs[line.run_id].todos["polish"]
    assert (polish.status, polish.result, polish.attachments) == (TodoStatus.FAILED, {}, ())


def test_a_failed_attempt_of_an_earlier_round_leaves_all_retries_to_this_one():
    line = timeline(todo("judge", until=UNTIL, retries=1))
    line.fails("judge", retryable=True)
    assert sent(line.wait(60)) == ["judge"]
    line.ok("judge", result=BAD)
    assert (line.attempt("judge").round, line.attempt("judge").failures) == (2, 0)
    line.fails("judge", retryable=True)
    assert sent(line.wait(60)) == ["judge"]


def several(join: JoinKind, count: int | None = None) -> Timeline:
    judge = todo("judge", "a", "b", "c", join=join, join_count=count, until=UNTIL, repeat_from="start")
    return timeline(todo("start"), *(todo(one, "start") for one in "abc"), judge)


def test_what_is_still_in_flight_when_a_round_begins_goes_on_and_counts_for_it():
    line = several(JoinKind.K_OF_N, 2)
    line.ok("start")
    line.ok("a")
    assert sent(line.ok("b")) == ["judge"]
    assert sent(line.ok("judge", result=BAD)) == ["start"]
    assert line.state.in_flight == 2
    line.ok("c")
    assert sent(line.ok("start")) == ["a", "b"]
    assert sent(line.ok("a")) == ["judge"]
    line.ok("judge", result=GOOD)
    line.ok("b").then_types(ExecutionOutput)
    assert line.output.status is ExecutionStatus.SUCCEEDED


def test_the_losers_of_one_round_run_again_in_the_next():
    line = several(JoinKind.FIRST_GOOD)
    line.ok("start")
    happened = line.ok("a")
    skips = [event for event in happened.events if isinstance(event, TodoSkipped)]
    assert (sent(happened), [one.todo_id for one in skips]) == (["judge"], ["b", "c"])
    line.when(*skips)
    line.ok("judge", result=BAD)
    assert sent(line.ok("start")) == ["a", "b", "c"]


def test_results_of_the_losers_that_come_in_the_same_drain_do_not_skip_them_in_the_next_round():
    line = several(JoinKind.FIRST_GOOD)
    line.ok("start")
    line.ok("a", "b", "c")
    line.ok("judge", result=BAD)
    assert sent(line.ok("start")) == ["a", "b", "c"]


def test_a_cycle_goes_on_counting_its_rounds_when_the_plan_is_edited():
    line = timeline(*loop(rounds=2))
    line.ok("draft")
    line.ok("polish")
    line.when(PAUSE)
    line.ok("judge", result=BAD)
    fresh = todo("fresh", "draft")
    line.edit(*loop(rounds=2)[:3], fresh, *loop()[3:]).then_nothing()
    assert sent(line.when(RESUME)) == ["draft"]
    line.ok("draft")
    line.ok("polish")
    assert sent(line.ok("judge", result=BAD)) == ["fresh", "out", "end"]
    assert line.state.runs[line.run_id].todos["judge"].round == 2


def test_a_cycle_is_what_lies_between_its_ends():
    todos = [
        todo("a"), todo("b", "a"), todo("beside", "a"), todo("c", "b"), todo("before"),
        todo("d", "c", "before", until=UNTIL, repeat_from="b"), todo("e", "d"),
    ]  # fmt: skip
    found = cycles(todos, {})
    assert {one: cycle.members for one, cycle in found.items()} == dict.fromkeys("bcd", ("b", "c", "d"))


def test_a_cycle_whose_beginning_does_not_lead_to_its_end_is_its_end_alone():
    found = cycles([todo("a"), todo("b", until=UNTIL, repeat_from="a")], {})
    assert list(found) == ["b"]


def finish(line: Timeline) -> None:
    """Every attempt succeeds, every test is passed at once."""
    for _ in range(20):
        flying = [one for one, todo in line.state.runs[line.run_id].todos.items() if todo.stage.name == "IN_FLIGHT"]
        line.ok(*flying, result=GOOD)
        if line.run_id not in line.state.runs:
            return
    raise AssertionError("the run does not end")


def test_a_cycle_around_a_cycle_repeats_its_last_todo_alone_and_nobody_waits_for_ever():
    line = timeline(
        todo("p"), todo("m", "p"), todo("x", "m", until=UNTIL, repeat_from="m"),
        todo("y", "x", until=UNTIL, repeat_from="p"),
    )  # fmt: skip
    assert {one: cycle.members for one, cycle in line.state.runs[line.run_id].cycles.items()} == {
        "m": ("m", "x"), "x": ("m", "x"), "y": ("y",),
    }  # fmt: skip
    finish(line)


def test_two_cycles_that_would_wait_for_each_other_do_not():
    line = timeline(
        todo("a1"), todo("b1"), todo("a2", "a1", "b1", until=UNTIL, repeat_from="a1"),
        todo("b2", "b1", "a1", until=UNTIL, repeat_from="b1"),
    )  # fmt: skip
    finish(line)


def test_a_round_is_known_for_the_todo_that_closes_it_only():
    closing = todo("b", "a", until=UNTIL, repeat_from="a")
    before = {"b": Cycle(closing, ("a", "b"), round=2)}
    assert cycles([todo("a"), closing], before)["a"].round == 2
    assert cycles([todo("a"), todo("c", "a", until=UNTIL)], before)["c"].round == 1
