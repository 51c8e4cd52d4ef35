"""What happens when an attempt fails: again, without it, an end of everything, or a question."""

from datetime import timedelta

import pytest

from contracts.decisions import DecisionExpired, DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoFailed, TodoSkipped, TodoStatus
from contracts.shape import JsonObject
from services.execution.domain.retry import retry
from tests.unit.services.execution.timeline import PAUSE, RESUME, Timeline, busy, leased, sent, timeline
from tests.unit.services.given import NOW, RUN, Happened
from tests.unit.services.plans import todo


def test_the_policy_retry_repeats_what_is_not_retryable_too():
    line = timeline(todo("a", on_error="retry", retries=1))
    line.fails("a", retryable=False).then_nothing()
    assert sent(line.wait(60)) == ["a"]
    line.fails("a", retryable=False).then_types(ExecutionOutput)
    assert line.output.status is ExecutionStatus.FAILED


@pytest.mark.parametrize("code", [Code.TOOL_OUTCOME_UNKNOWN, Code.TOOL_CANCELLED, Code.APPROVAL_MISSING])
def test_no_policy_repeats_what_must_not_be_repeated_without_a_person(code):
    error = ErrorInfo(code=code, message="x", retryable=True)
    assert retry(RUN, todo("a", on_error="retry"), 1, error, NOW) is None


def test_attempts_that_only_waited_are_no_failures():
    line = timeline(todo("a", on_error="retry", retries=1))
    line.when(busy("a"))
    assert sent(line.when(leased("a"))) == ["a"]
    assert (line.attempt("a").attempt, line.attempt("a").failures) == (2, 0)
    line.fails("a")
    assert sent(line.wait(60)) == ["a"]
    assert (line.attempt("a").attempt, line.attempt("a").failures) == (3, 1)
    line.fails("a").then_types(ExecutionOutput)


def test_an_attempt_that_is_said_twice_to_have_failed_has_failed_once():
    line = timeline(todo("a", retries=1))
    failure = line.failure("a", retryable=True)
    line.when(failure)
    line.when(failure).then_nothing()
    assert sent(line.wait(60)) == ["a"]
    assert line.attempt("a").failures == 1


def test_the_policy_skip_leaves_out_what_builds_on_it_and_goes_on():
    line = timeline(todo("a", on_error="skip"), todo("b", "a"), todo("c"))
    assert [one.todo_id for one in line.fails("a").events if isinstance(one, TodoSkipped)] == ["b"]
    line.ok("c")
    assert line.output.status is ExecutionStatus.PARTIAL


def test_the_policy_fail_ends_the_run_and_tells_executors_at_once_to_stop_what_is_in_flight():
    line = timeline(todo("a", on_error="fail"), todo("b"), todo("c"), todo("d", "c"), most_in_flight=2)
    happened = line.fails("a", message="토큰이 없어요")
    happened.then(TodoSkipped(todo_id="b", reason="cancelled", cause="a"), line.output)
    assert line.output.status is ExecutionStatus.FAILED
    assert line.output.error is not None
    assert line.output.error.message == "토큰이 없어요"
    cancelled = TodoStatus.CANCELLED
    assert line.statuses == {"a": TodoStatus.FAILED, "b": cancelled, "c": cancelled, "d": cancelled}
    assert line.state.runs == {}


def test_nothing_is_done_about_the_last_words_of_what_was_stopped():
    line = timeline(todo("a", on_error="fail"), todo("b"))
    last = line.failure("b", stopped_by="skip")
    skip = line.fails("a").only(TodoSkipped)
    line.when(skip, last).then_nothing()


def test_the_policy_fail_waits_until_the_retries_are_used_up():
    line = timeline(todo("a", on_error="fail", retries=1))
    line.fails("a", retryable=True).then_nothing()
    assert sent(line.wait(60)) == ["a"]
    line.fails("a", retryable=True).then_types(ExecutionOutput)


def asking(*more: object) -> tuple[Timeline, DecisionRequested]:
    line = timeline(todo("a", on_error="ask", title="읽기"), todo("b", "a"), *more, patience=timedelta(hours=2))  # type: ignore[arg-type]
    return line, line.fails("a", message="열이 없어요").only(DecisionRequested)


def test_the_policy_ask_puts_the_failure_to_a_person_with_a_deadline():
    line, asked = asking()
    assert (asked.kind, asked.default) == (DecisionKind.ERROR, {"action": "skip"})
    assert [option.value for option in asked.options] == ["retry", "skip", "abort"]
    assert asked.answer_schema["properties"] == {"action": {"enum": ["retry", "skip", "abort"]}}
    assert asked.answer_schema["additionalProperties"] is False
    assert asked.subject == {"todo_id": "a", "attempt": 1, "tool": "test.work"}
    assert "읽기" in asked.question
    assert "열이 없어요" in asked.question
    timer = line.timers[asked.decision_id]
    assert timer.due_at == asked.deadline == NOW + timedelta(hours=2)
    assert timer.event == DecisionExpired(
        decision_id=asked.decision_id, kind=DecisionKind.ERROR, default={"action": "skip"}
    )


def ends_without(line: Timeline, happened: Happened) -> None:
    assert happened.only(TodoSkipped) == TodoSkipped(todo_id="b", reason="dependency_failed", cause="a")
    assert line.statuses == {"a": TodoStatus.FAILED, "b": TodoStatus.SKIPPED}
    assert line.output.status is ExecutionStatus.FAILED


def test_a_person_may_go_on_without_what_failed():
    line, asked = asking()
    ends_without(line, line.answer(asked, "skip"))


def test_nobodys_answer_goes_on_without_what_failed():
    line, _ = asking()
    assert line.wait(7199) == []
    assert [type(event) for event in line.wait(2)] == [TodoSkipped, ExecutionOutput]
    assert line.statuses == {"a": TodoStatus.FAILED, "b": TodoStatus.SKIPPED}


def test_a_person_may_try_again_and_is_asked_again_with_another_question():
    line, asked = asking()
    assert sent(line.answer(asked, "retry")) == ["a"]
    assert (line.attempt("a").attempt, line.attempt("a").failures) == (2, 1)
    again = line.fails("a").only(DecisionRequested)
    assert again.decision_id != asked.decision_id
    assert sent(line.answer(again, "retry")) == ["a"]
    assert sent(line.ok("a")) == ["b"]


def test_a_person_may_stop_everything():
    line, asked = asking(todo("c"))
    happened = line.answer(asked, "abort").then_types(TodoSkipped, ExecutionOutput)
    assert happened.only(TodoSkipped) == TodoSkipped(todo_id="c", reason="cancelled", cause="a")
    assert line.output.error is not None
    assert line.output.error.message == "열이 없어요"
    assert set(line.timers) == set()


def test_a_second_answer_and_a_late_expiry_change_nothing():
    line, asked = asking()
    line.answer(asked, "retry")
    line.answer(asked, "abort").then_nothing()
    line.when(DecisionExpired(decision_id=asked.decision_id, kind=asked.kind)).then_nothing()


def test_others_go_on_while_a_person_thinks():
    line, _ = asking(todo("c"), todo("d", "c"))
    assert sent(line.ok("c")) == ["d"]


def test_nobody_is_asked_while_the_run_is_paused_but_after_it():
    line = timeline(todo("a", on_error="ask"))
    line.when(PAUSE)
    line.fails("a").then_nothing()
    asked = line.when(RESUME).only(DecisionRequested)
    assert asked.subject["todo_id"] == "a"


def test_a_failure_that_comes_twice_is_asked_about_once():
    line, _ = asking()
    line.when(line.failure("a")).then_nothing()


def test_a_run_that_ends_leaves_no_timers_behind():
    line = timeline(todo("a"), todo("b", on_error="fail"))
    line.fails("a", retryable=True)
    assert len(line.timers) == 1
    assert isinstance(line.fails("b").events[-1], ExecutionOutput)
    assert line.timers == {}
    assert not any(isinstance(event, TodoFailed) for event in line.wait(3600))


COLUMNS: tuple[JsonObject, ...] = (
    {"label": "메모를 글로", "params": {"mapping": {"메모": "text"}}},
    {"label": "비고를 글로", "params": {"mapping": {"비고": "text"}}},
)


def without_a_column(**more: object) -> tuple[Timeline, Happened]:
    line = timeline(todo("a", on_error="ask", params={"period": "2026"}), todo("b", "a"), patience=timedelta(hours=2))
    return line, line.fails("a", code=Code.TEXT_COLUMN_MISSING, **more)


def test_what_other_arguments_mend_the_person_chooses_and_it_is_done_with_them():
    line, happened = without_a_column(mends=COLUMNS)
    asked = happened.only(DecisionRequested)
    labels = {option.value: option.label for option in asked.options}
    assert list(labels) == ["use:1", "use:2", "skip", "abort"], "to try the same again would be in vain"
    assert labels["use:2"] == "비고를 글로"
    assert sent(line.answer(asked, "use:2")) == ["a"]
    assert line.attempt("a").todo.params == {"period": "2026", "mapping": {"비고": "text"}}
    assert sent(line.ok("a")) == ["b"]


def test_what_nothing_mends_is_told_and_not_asked():
    _, happened = without_a_column()
    assert not [event for event in happened.events if isinstance(event, DecisionRequested)]


@pytest.mark.parametrize("said", ["use:3", "use:0", "use:x", "use:"])
def test_an_answer_that_was_not_offered_takes_no_arguments_on(said: str):
    line, happened = without_a_column(mends=COLUMNS)
    line.answer(happened.only(DecisionRequested), said)
    assert line.statuses["a"] is TodoStatus.FAILED


def test_where_nobody_approved_the_plan_nobody_is_asked_for_a_column():
    line = timeline(todo("a", on_error="ask"), approved_by="policy")
    happened = line.fails("a", code=Code.TEXT_COLUMN_MISSING, mends=COLUMNS)
    assert not [event for event in happened.events if isinstance(event, DecisionRequested)]
