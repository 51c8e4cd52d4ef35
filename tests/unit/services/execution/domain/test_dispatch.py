"""What the dispatcher owes a run, message by message."""

from datetime import timedelta

import pytest

from contracts.errors import Code, ErrorInfo
from contracts.execution import (
    ExecutionOutput,
    ExecutionStarted,
    ExecutionStatus,
    ExecutionStrategy,
    TodoDispatched,
    TodoStatus,
)
from contracts.gateway import MessageReceived
from contracts.planning import PlanRejected
from contracts.response import RunCancelled, RunFailed
from contracts.shape import Event
from contracts.timers import TimerFired
from services.execution.domain.retry import PURPOSE, retry
from services.execution.domain.run import Session
from tests.unit.services.execution.dispatching import DISPATCHER
from tests.unit.services.execution.runs import dispatched, running, skipped
from tests.unit.services.given import NOW, OTHER_RUN, RUN, In, given, recorded
from tests.unit.services.plans import SAID, approved, failed, file, planned, succeeded, todo


def retried(todo_id: str, attempt: int = 1, retries: int = 2) -> tuple[Event, TimerFired]:
    """A failure that will be repeated, and the timer that repeats it."""
    error = ErrorInfo(code=Code.EXTERNAL_UNAVAILABLE, message="나중에", retryable=True)
    timer = retry(RUN, todo(todo_id, retries=retries), attempt, error, NOW)
    assert timer is not None
    assert isinstance(timer.event, TimerFired)
    return failed(todo_id, attempt, retryable=True, will_retry_at=timer.due_at), timer.event


def test_an_approved_plan_starts_and_its_first_todos_are_dispatched_to_their_executors():
    story = given(DISPATCHER, SAID, planned(todo("a"), todo("b", executor="insight"), todo("c", "a", "b")))
    happened = story.when(approved()).then_types(ExecutionStarted, TodoDispatched, TodoDispatched)
    assert dispatched(happened) == [("a", 1), ("b", 1)]
    assert [emitted.route for emitted in happened.outcome.emits] == ["", "data", "insight"]


def test_a_plan_that_nobody_approved_is_not_run():
    given(DISPATCHER, SAID).when(planned(todo("a"))).then_nothing()


def test_an_approval_of_another_version_of_the_plan_starts_nothing():
    given(DISPATCHER, SAID, planned(todo("a"), version=2)).when(approved(version=1)).then_nothing()


@pytest.mark.parametrize(
    ("todos", "strategy"),
    [
        ([todo("a")], ExecutionStrategy.SINGLE),
        ([todo("a"), todo("b", "a"), todo("c", "b")], ExecutionStrategy.SEQUENTIAL),
        ([todo("a"), todo("b"), todo("c", "a", "b")], ExecutionStrategy.PARALLEL),
        ([todo("a"), todo("b", "a"), todo("c", "a")], ExecutionStrategy.PARALLEL),
    ],
    ids=["one", "chain", "two roots", "fork"],
)
def test_the_start_names_the_strategy(todos, strategy):
    started = given(DISPATCHER, SAID, planned(*todos)).when(approved()).only(ExecutionStarted)
    assert (started.strategy, started.todo_count) == (strategy, len(todos))


def test_a_todo_is_dispatched_the_moment_its_last_dependency_succeeded():
    story = running(todo("a"), todo("b"), todo("c", "a", "b"))
    story.when(succeeded("a")).then_nothing()
    assert dispatched(story.when(succeeded("b"))) == [("c", 1)]


def test_there_is_no_barrier_between_levels():
    story = running(todo("quick"), todo("slow"), todo("next", "quick"), todo("last", "next"))
    assert dispatched(story.when(succeeded("quick"))) == [("next", 1)]
    assert dispatched(story.when(succeeded("next"))) == [("last", 1)]


def test_results_that_come_in_one_drain_dispatch_what_waits_for_both_once():
    story = running(todo("a"), todo("b"), todo("c", "a", "b"))
    story.when(succeeded("a"), succeeded("b"))
    assert [(r.event.todo.id, r.event.attempt) for r in story.story if isinstance(r.event, TodoDispatched)] == [
        ("a", 1), ("b", 1), ("c", 1),
    ]  # fmt: skip


def test_a_todo_gets_the_files_of_its_types_from_the_person_and_from_its_dependencies():
    brought, ignored, made = file("file.table"), file("file.image", digest="b"), file("reviews.raw", digest="c")
    story = running(
        todo("a", consumes=("file.table",)), todo("b", "a", consumes=("reviews.raw", "file.table")),
        attachments=(brought, ignored),
    )  # fmt: skip
    event = story.when(succeeded("a", attachments=(made,))).only(TodoDispatched)
    assert event.inputs == (brought, made)
    assert (event.requested_at, event.language) == (NOW, "ko")


def test_when_all_todos_succeeded_the_run_ends_with_their_results_in_plan_order():
    story = running(todo("a"), todo("b"))
    story.when(succeeded("b", result={"rows": 2}))
    output = story.when(succeeded("a", result={"rows": 1})).only(ExecutionOutput)
    assert output.status is ExecutionStatus.SUCCEEDED
    assert [(one.todo_id, one.result["rows"], one.attempts) for one in output.results] == [("a", 1, 1), ("b", 2, 1)]
    assert output.error is None


def test_a_run_that_ended_is_let_go_of():
    story = running(todo("a"))
    story.when(succeeded("a"))
    assert story.state.runs == {}


@pytest.mark.parametrize("end", [RunCancelled(reason="expired"), RunFailed(error=failed("x").error)])
def test_a_run_that_others_ended_is_let_go_of_and_dispatches_nothing_more(end):
    story = running(todo("a"), todo("b", "a"))
    story.fold(given(DISPATCHER, end).story[0])
    assert story.state.runs == {}
    story.when(succeeded("a")).then_nothing()


def test_a_retryable_failure_waits_for_its_timer_and_is_then_dispatched_again():
    story = running(todo("a"))
    failure, fired = retried("a")
    story.when(failure).then_nothing()
    assert dispatched(story.when(fired)) == [("a", 2)]
    assert story.when(succeeded("a", 2)).only(ExecutionOutput).results[0].attempts == 2


def test_a_success_after_a_failure_carries_no_error():
    story = running(todo("a"))
    story.when(*retried("a"))
    output = story.when(succeeded("a", 2)).only(ExecutionOutput)
    assert output.results[0].error is None


def test_the_executor_decides_whether_there_is_another_attempt_and_the_fold_takes_its_word():
    failure, _ = retried("a", retries=1)
    running(todo("a", retries=0)).when(failure).then_nothing()


def test_no_attempt_is_made_beyond_the_retries():
    error = ErrorInfo(code=Code.TOOL_TIMEOUT, message="x", retryable=True)
    assert [retry(RUN, todo("a", retries=1), n, error, NOW) is not None for n in (1, 2)] == [True, False]
    assert retry(RUN, todo("a", retries=1), 7, error, NOW, failures=0) is not None  # attempts that only waited


def test_a_failure_without_a_next_attempt_is_the_last_one():
    output = running(todo("a")).when(failed("a", retryable=True)).only(ExecutionOutput)
    assert output.error is not None
    assert output.results[0].status is TodoStatus.FAILED


def test_backoff_grows_up_to_a_minute_and_is_the_same_on_every_replay():
    error = ErrorInfo(code=Code.TOOL_TIMEOUT, message="x", retryable=True)
    item = todo("a", retries=10)
    waits = []
    for attempt in range(1, 11):
        timer = retry(RUN, item, attempt, error, NOW)
        assert timer is not None
        assert timer == retry(RUN, item, attempt, error, NOW)
        waits.append((timer.due_at - NOW) / timedelta(seconds=1))
    for attempt, wait in enumerate(waits):
        assert min(2**attempt, 60) / 2 <= wait <= min(2**attempt, 60)


@pytest.mark.parametrize(("attempt", "retryable"), [(3, True), (1, False)], ids=["used up", "not retryable"])
def test_no_timer_is_set_for_a_last_attempt(attempt, retryable):
    error = ErrorInfo(code=Code.TOOL_FAILED, message="x", retryable=retryable)
    assert retry(RUN, todo("a", retries=2), attempt, error, NOW) is None


def test_a_timer_of_another_purpose_or_attempt_changes_nothing():
    story = running(todo("a"))
    failure, fired = retried("a")
    story.when(failure)
    for other in (
        fired.model_copy(update={"purpose": "lease"}),
        fired.model_copy(update={"data": {"todo_id": "a", "attempt": 7}}),
        fired.model_copy(update={"data": {"todo_id": "nobody", "attempt": 1}}),
        TimerFired(timer_id=fired.timer_id, purpose=PURPOSE, due_at=NOW),
    ):
        story.when(other).then_nothing()
    assert dispatched(story.when(fired)) == [("a", 2)]


def test_a_success_that_comes_while_the_retry_waits_ends_the_todo_and_the_timer_is_moot():
    story = running(todo("a"), todo("b"))
    failure, fired = retried("a")
    story.when(failure)
    story.when(succeeded("a")).then_nothing()
    story.when(fired).then_nothing()


def test_a_failure_skips_its_dependants_all_the_way_with_the_cause_and_others_go_on():
    story = running(todo("a"), todo("b"), todo("c", "a"), todo("d", "c", "b"), todo("e", "b"))
    assert skipped(story.when(failed("a"))) == [("c", "a"), ("d", "a")]
    assert dispatched(story.when(succeeded("b"))) == [("e", 1)]
    output = story.when(succeeded("e")).only(ExecutionOutput)
    assert output.status is ExecutionStatus.PARTIAL
    assert {one.todo_id: one.status.value for one in output.results} == {
        "a": "failed", "b": "succeeded", "c": "skipped", "d": "skipped", "e": "succeeded",
    }  # fmt: skip


def test_a_skipped_todo_says_whose_failure_it_suffers_from():
    story = running(todo("a"), todo("b", "a"), todo("c", "b"))
    output = story.when(failed("a", message="열이 없어요")).only(ExecutionOutput)
    for result in output.results[1:]:
        assert result.error is not None
        assert (result.error.code, result.error.message) == (Code.DEPENDENCY_FAILED, "열이 없어요")
        assert result.error.detail == {"cause": "a"}


def test_a_run_with_nothing_useful_failed():
    story = running(todo("a"), todo("b", "a"))
    story.when(succeeded("a"))
    output = story.when(failed("b")).only(ExecutionOutput)
    assert output.status is ExecutionStatus.FAILED
    assert output.error == failed("b").error


def test_an_insight_is_useful_even_when_the_report_on_it_failed():
    story = running(todo("a", produces=("insight.sentiment",)), todo("b", "a"))
    story.when(succeeded("a"))
    assert story.when(failed("b")).only(ExecutionOutput).status is ExecutionStatus.PARTIAL


def test_a_late_word_of_an_earlier_attempt_changes_nothing():
    story = running(todo("a"), todo("b", "a"))
    story.when(*retried("a"))
    story.when(failed("a", 1)).then_nothing()
    story.when(succeeded("a", 1)).then_nothing()
    assert dispatched(story.when(succeeded("a", 2))) == [("b", 1)]


def test_a_second_result_of_a_todo_changes_nothing():
    story = running(todo("a"), todo("b"), todo("c", "a"))
    story.when(succeeded("a"))
    story.when(failed("a")).then_nothing()
    story.when(succeeded("a")).then_nothing()


def test_results_after_the_end_of_the_run_change_nothing():
    story = running(todo("a"))
    story.when(succeeded("a"))
    story.when(succeeded("a")).then_nothing()
    story.when(retried("a")[1]).then_nothing()


def test_results_of_todos_that_are_not_in_the_plan_change_nothing():
    running(todo("a")).when(succeeded("stranger")).then_nothing()


def test_a_plan_proposed_after_the_approval_does_not_replace_what_runs():
    story = running(todo("a"), todo("b", "a"))
    story.fold(given(DISPATCHER, planned(todo("x"), version=2)).story[0])
    assert dispatched(story.when(succeeded("a"))) == [("b", 1)]


def test_two_runs_of_one_session_do_not_mix():
    story = running(todo("a"), todo("b", "a"))
    for event in (MessageReceived(text="또"), planned(todo("a"), todo("z", "a"))):
        story.fold(given(DISPATCHER, In(OTHER_RUN, event)).story[0])
    story.when(In(OTHER_RUN, approved()))
    assert dispatched(story.when(In(OTHER_RUN, succeeded("a")))) == [("z", 1)]
    assert dispatched(story.when(succeeded("a"))) == [("b", 1)]
    story.when(In(OTHER_RUN, succeeded("z"))).then_types(ExecutionOutput)
    assert list(story.state.runs) == [RUN]


def test_an_event_without_a_run_changes_nothing():
    given(DISPATCHER, In(None, SAID)).when(In(None, approved())).then_nothing()


def test_an_event_that_the_dispatcher_does_not_fold_is_an_error():
    rejected = recorded(PlanRejected(plan_id=RUN, plan_version=1, final=True))
    with pytest.raises(TypeError, match="PlanRejected"):
        DISPATCHER.evolve(Session(), rejected)


def test_a_todo_is_dispatched_as_the_plan_has_it():
    item = todo("b", "a", params={"n": 1}, retries=0)
    assert running(todo("a"), item).when(succeeded("a")).only(TodoDispatched).todo == item
