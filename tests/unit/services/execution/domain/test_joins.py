"""How many dependencies a todo waits for: all, any, some, or merely their end."""

import pytest

from contracts.execution import ExecutionOutput, TodoSkipped
from contracts.planning import JoinKind
from tests.unit.services.execution.runs import dispatched, running, skipped
from tests.unit.services.given import Given
from tests.unit.services.plans import failed, succeeded, todo


@pytest.mark.parametrize("join", [JoinKind.ANY, JoinKind.FIRST_GOOD])
def test_a_todo_that_needs_any_result_goes_on_with_the_first_good_one(join):
    story = running(todo("a"), todo("b"), todo("c", "a", "b", join=join))
    story.when(failed("a")).then_nothing()
    assert dispatched(story.when(succeeded("b"))) == [("c", 1)]


def test_a_todo_that_needs_any_result_is_skipped_when_none_can_come():
    story = running(todo("a"), todo("b"), todo("c", "a", "b", join=JoinKind.ANY))
    story.when(failed("a"))
    assert skipped(story.when(failed("b"))) == [("c", "b")]


def test_a_todo_that_needs_two_of_three_goes_on_with_two_and_is_dispatched_once():
    story = running(todo("a"), todo("b"), todo("c"), todo("d", "a", "b", "c", join=JoinKind.K_OF_N, join_count=2))
    story.when(succeeded("a")).then_nothing()
    assert dispatched(story.when(succeeded("b"))) == [("d", 1)]
    story.when(succeeded("c")).then_nothing()


def wanting(*wants: str) -> Given:
    return running(todo("a"), todo("b"), todo("c", "a", "b", wants=wants))


def test_a_todo_goes_on_without_what_it_merely_wants_but_waits_for_its_end():
    story = wanting("b")
    story.when(succeeded("a")).then_nothing()
    assert dispatched(story.when(failed("b"))) == [("c", 1)]


def test_a_todo_that_wants_a_skipped_one_goes_on_when_that_is_said():
    story = running(todo("a"), todo("b", "a"), todo("c"), todo("d", "c", "b", wants=("b",)))
    story.when(succeeded("c")).then_nothing()
    happened = story.when(failed("a"))
    assert (skipped(happened), dispatched(happened)) == ([("b", "a")], [])
    assert dispatched(story.when(happened.only(TodoSkipped))) == [("d", 1)]


def test_a_todo_that_only_wants_and_gets_something_goes_on():
    story = wanting("a", "b")
    story.when(failed("a")).then_nothing()
    assert dispatched(story.when(succeeded("b"))) == [("c", 1)]


def test_a_todo_that_only_wants_and_gets_nothing_is_skipped():
    story = wanting("a", "b")
    story.when(failed("a")).then_nothing()
    assert skipped(story.when(failed("b"))) == [("c", "b")]


def test_what_a_todo_requires_is_not_replaced_by_what_it_wants():
    story = wanting("b")
    assert skipped(story.when(failed("a"))) == [("c", "a")]
    story.when(succeeded("b")).then_types(ExecutionOutput)


def test_a_dependency_that_is_named_twice_is_one():
    story = running(todo("a"), todo("b"), todo("c", "a", "a", "b", "b", wants=("b",)))
    story.when(failed("b")).then_nothing()
    assert dispatched(story.when(succeeded("a"))) == [("c", 1)]
