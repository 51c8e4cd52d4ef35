"""When a call with effects outside may have happened although nobody knows: it must not be made again."""

import pytest

from contracts.decisions import DecisionAnswered, DecisionKind
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoFailed, TodoStarted
from services.execution.domain.effects import in_doubt, is_over
from services.execution.domain.question import DecisionRequests
from tests.unit.services.catalogues import catalogue
from tests.unit.services.given import NOW, RUN
from tests.unit.services.plans import succeeded, todo


def started(todo_id: str = "a", attempt: int = 1) -> TodoStarted:
    return TodoStarted(todo_id=todo_id, attempt=attempt, worker="data", started_at=NOW)


def ended(code: Code, attempt: int = 1) -> TodoFailed:
    return TodoFailed(todo_id="a", attempt=attempt, error=ErrorInfo(code=code, message="x"))


def test_what_was_never_begun_is_certain():
    assert not in_doubt([], "a")
    assert not in_doubt([started("b")], "a")


def test_a_start_without_an_end_is_in_doubt():
    assert in_doubt([started()], "a")


@pytest.mark.parametrize("end", [succeeded("a"), ended(Code.TOOL_FAILED), ended(Code.TOOL_CANCELLED)])
def test_an_end_that_the_tool_or_its_reconciliation_gave_is_certain(end):
    assert not in_doubt([started(), end], "a")


@pytest.mark.parametrize("code", [Code.TOOL_OUTCOME_UNKNOWN, Code.LEASE_LOST, Code.INTERNAL])
def test_an_end_that_nobody_vouches_for_leaves_the_doubt_to_later_attempts(code):
    assert in_doubt([started(), ended(code)], "a")


def test_an_interrupt_between_the_death_and_the_redelivery_does_not_take_the_doubt_away():
    assert in_doubt([started(), ended(Code.TOOL_CANCELLED, attempt=2), started(attempt=3)], "a")


def test_a_person_who_was_told_and_says_retry_takes_the_doubt_away():
    asked = DecisionRequests(RUN, "ko", catalogue().say, NOW).after_error(todo("a"), 1, "?")
    story = [started(), ended(Code.TOOL_OUTCOME_UNKNOWN), asked]

    def answered(action: str) -> DecisionAnswered:
        answer = {"action": action}
        return DecisionAnswered(decision_id=asked.decision_id, kind=DecisionKind.ERROR, answer=answer, answered_by="me")

    assert not in_doubt([*story, answered("retry")], "a")
    assert in_doubt([*story, answered("skip")], "a")
    assert in_doubt([*story, answered("retry"), started(attempt=2)], "a")


@pytest.mark.parametrize("end", [succeeded("a"), ended(Code.TOOL_FAILED), ended(Code.TOOL_OUTCOME_UNKNOWN)])
def test_an_attempt_is_over_with_whatever_end_was_recorded_of_it(end):
    assert is_over([started(), end], "a", 1)


def test_an_attempt_is_not_over_with_its_start_or_with_the_end_of_another():
    assert not is_over([], "a", 1)
    assert not is_over([started()], "a", 1)
    assert not is_over([started("b"), succeeded("b")], "a", 1)
    assert not is_over([started(), ended(Code.TOOL_FAILED), started(attempt=2)], "a", 2)
