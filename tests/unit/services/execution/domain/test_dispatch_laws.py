"""Laws of the dispatcher, over random plans, joins, failures and orders of results."""

import sys
from copy import deepcopy
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from contracts.execution import ExecutionOutput, TodoDispatched, TodoSkipped, TodoSucceeded
from contracts.planning import JoinKind, TodoItem
from contracts.shape import Event
from services.execution.domain.budget import Spent
from services.execution.domain.dispatch import DispatchContext, pending
from services.execution.domain.fold import Rules
from services.execution.domain.retry import retry
from tests.unit.services.catalogues import catalogue
from tests.unit.services.execution.dispatching import DISPATCHER
from tests.unit.services.given import NOW, RUN, Given, given
from tests.unit.services.plans import SAID, approved, failed, planned, succeeded, todo


@st.composite
def plans(draw: st.DrawFn) -> list[TodoItem]:
    todos: list[TodoItem] = []
    for number in range(draw(st.integers(1, 9))):
        after = draw(st.lists(st.sampled_from([one.id for one in todos]), unique=True)) if todos else []
        join = draw(st.sampled_from([JoinKind.ALL, JoinKind.ALL, *JoinKind]))
        count = draw(st.integers(1, len(after))) if after and join is JoinKind.K_OF_N else None
        retries = draw(st.integers(0, 2))
        wants = tuple(draw(st.lists(st.sampled_from(after), unique=True))) if after else ()
        todos.append(todo(f"t{number}", *after, join=join, join_count=count, retries=retries, wants=wants))
    return todos


class Floor:
    """Executors and timers that do what Hypothesis says: any order, several at once, late and doubled results."""

    def __init__(self, todos: list[TodoItem], data: st.DataObject) -> None:
        self.data = data
        self.story = given(DISPATCHER, SAID, planned(*todos))
        self.waiting: list[Event] = []
        """Timers that will fire."""
        self.past: list[Event] = []
        self.skips: list[Event] = []
        """What the dispatcher has skipped, on its way back to it as a message."""
        self.dispatched: dict[str, list[int]] = {}
        self.ended: dict[str, bool] = {}
        self.skipped: set[str] = set()

    def run(self) -> ExecutionOutput:
        self._take([approved()])
        while RUN in self.story.state.runs:
            over = self.ended.keys() | self.skipped
            flying = [(one, attempts[-1]) for one, attempts in self.dispatched.items() if one not in over]
            flying = [one for one in flying if one not in self.failing]
            assert flying or self.waiting or self.skips, "nobody owes anything, and the run has not ended"
            drain = [self._result(*one) for one in self._some(flying)]
            drain += [*self._some(self.waiting), *self._some(self.skips)]
            self.waiting = [timer for timer in self.waiting if timer not in drain]
            self.skips = [skip for skip in self.skips if skip not in drain]
            late = self._some(self.past, most=1)
            self.past += drain
            self._take([*late, *drain])
        (output,) = [one.event for one in self.story.story if isinstance(one.event, ExecutionOutput)]
        assert isinstance(output, ExecutionOutput)
        return output

    @property
    def failing(self) -> set[tuple[str, int]]:
        return {(timer.data["todo_id"], timer.data["attempt"]) for timer in self.waiting}  # type: ignore[attr-defined]

    def _some(self, choices: list[Any], most: int = 3) -> list[Any]:
        if not choices:
            return []
        least = 0 if most == 1 else 1
        places = self.data.draw(st.lists(st.integers(0, len(choices) - 1), unique=True, min_size=least, max_size=most))
        return [choices[place] for place in places]

    def _result(self, todo_id: str, attempt: int) -> Event:
        if self.data.draw(st.integers(0, 2)):
            self.ended[todo_id] = True
            return succeeded(todo_id, attempt)
        item = next(one for one in self.plan if one.id == todo_id)
        error = failed(todo_id, retryable=self.data.draw(st.booleans())).error
        timer = retry(RUN, item, attempt, error, NOW)
        if timer is None:
            self.ended[todo_id] = False
            return failed(todo_id, attempt)
        self.waiting.append(timer.event)
        return failed(todo_id, attempt, retryable=True, will_retry_at=timer.due_at)

    @property
    def plan(self) -> tuple[TodoItem, ...]:
        return self.story.story[1].event.plan.todos  # type: ignore[attr-defined,no-any-return]

    def _take(self, drain: list[Event]) -> None:
        if not drain:
            return
        before = len(self.story.story)
        self.story.when(*drain)
        for one in self.story.story[before:]:
            if isinstance(one.event, TodoSkipped) and one.event not in drain:
                self.skips.append(one.event)
                self.skipped.add(one.event.todo_id)
            if isinstance(one.event, TodoDispatched):
                self._check(one.event)
                self.dispatched.setdefault(one.event.todo.id, []).append(one.event.attempt)

    def _check(self, event: TodoDispatched) -> None:
        item = event.todo
        required = [one for one in item.depends_on if one not in item.wants]
        needs = {JoinKind.ALL: len(required), JoinKind.K_OF_N: min(item.join_count or 9, len(required))}
        good = [one for one in item.depends_on if self.ended.get(one)]
        assert len(set(good) & set(required)) >= needs.get(item.join, min(1, len(required))), "before its dependencies"
        assert set(item.wants) <= self.ended.keys() | self.skipped, "before the end of what it wants"
        assert good or not item.depends_on, "without anything to work on"
        assert item.id not in self.ended.keys() | self.skipped, "dispatched after its end"
        assert event.attempt <= item.retries + 1, "more attempts than allowed"


@settings(max_examples=60)
@generated(plans(), st.data())
def test_every_run_ends_and_every_todo_runs_once_per_attempt_after_its_dependencies(todos, data):
    floor = Floor(todos, data)
    output = floor.run()
    assert [one.todo_id for one in output.results] == [one.id for one in todos]
    for attempts in floor.dispatched.values():
        assert attempts == list(range(1, len(attempts) + 1))
    for result in output.results:
        ended = floor.ended.get(result.todo_id)
        assert result.status.value == {True: "succeeded", False: "failed", None: "skipped"}[ended]
        assert ended is None or result.todo_id in floor.dispatched


@settings(max_examples=50)
@generated(plans(), st.data())
def test_a_result_takes_its_command_off_the_list_and_a_repeated_message_yields_nothing_new(todos, data):
    floor = Floor(todos, data)
    take = floor._take

    def watched(drain: list[Event]) -> None:
        take(drain)
        if run := floor.story.state.runs.get(RUN):
            if floor.skips:
                return  # what follows from a skip is owed when its message comes
            desk = DispatchContext(Rules(catalogue().say), NOW, floor.story.state, Spent(), 64)
            assert pending(RUN, run, desk) == [], "what was recorded is still owed"
        for message in drain:
            floor.story.again(message).then_nothing()

    floor._take = watched  # type: ignore[method-assign]
    floor.run()


@settings(max_examples=50)
@generated(plans(), st.data())
def test_folding_all_at_once_equals_folding_step_by_step(todos, data):
    floor = Floor(todos, data)
    steps: list[tuple[int, Any]] = []
    take = floor._take

    def watched(drain: list[Event]) -> None:
        take(drain)
        steps.append((len(floor.story.story), deepcopy(floor.story.state)))

    floor._take = watched  # type: ignore[method-assign]
    floor.run()
    for length, state in steps:
        again = Given(DISPATCHER)
        for one in floor.story.story[:length]:
            again.fold(one)
        assert again.state == state


@settings(max_examples=30)
@generated(plans(), st.data())
def test_deciding_changes_no_state(todos, data):
    floor = Floor(todos, data)
    take = floor._take

    def watched(drain: list[Event]) -> None:
        for message in drain:
            before = deepcopy(floor.story.state)
            floor.story.again(message)
            assert floor.story.state == before
        take(drain)

    floor._take = watched  # type: ignore[method-assign]
    floor.run()


@settings(max_examples=30)
@generated(plans(), st.data())
def test_a_skipped_todo_never_runs_and_names_a_todo_that_failed_or_was_good_first(todos, data):
    floor = Floor(todos, data)
    floor.run()
    for one in floor.story.story:
        if isinstance(one.event, TodoSkipped) and one.event.reason == "policy":
            assert floor.ended[one.event.cause] is True
        elif isinstance(one.event, TodoSkipped):
            assert one.event.todo_id not in floor.dispatched
            assert floor.ended.get(one.event.cause) is not True


def steps_of(story: Given, *messages: Event) -> int:
    """Lines of the dispatcher's code that run for the messages: operations, not time."""
    domain = str(Path(sys.modules["services.execution.domain.dispatch"].__file__ or "").parent)
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(domain):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        story.when(*messages)
    finally:
        sys.settrace(before)
    return count


def wide(size: int) -> list[TodoItem]:
    return [todo(f"t{number}") for number in range(size)]


def chain(size: int) -> list[TodoItem]:
    return [todo(f"t{number}", *([f"t{number - 1}"] if number else [])) for number in range(size)]


def star(size: int) -> list[TodoItem]:
    return [*wide(size), todo("last", *(f"t{number}" for number in range(size)))]


@pytest.mark.parametrize("shape", [wide, chain, star])
def test_the_cost_of_a_message_does_not_grow_with_the_plan(shape):
    costs = []
    for size in (100, 1000):
        story = given(DISPATCHER, SAID, planned(*shape(size)))
        story.when(approved())
        costs.append([steps_of(story, succeeded("t0")), steps_of(story, succeeded("t1"))])
    assert costs[0] == costs[1]


def test_a_failure_costs_as_much_as_it_skips():
    costs = []
    for size in (100, 200, 400):
        story = given(DISPATCHER, SAID, planned(*chain(size), todo("other")))
        story.when(approved())
        costs.append(steps_of(story, failed("t0")))
    assert costs[2] - costs[1] == pytest.approx(2 * (costs[1] - costs[0]), rel=0.01)


def test_a_thousand_todos_are_dispatched_and_ended_one_by_one():
    story = given(DISPATCHER, SAID, planned(*wide(1000)))
    happened = story.when(approved())
    running = [event.todo.id for event in happened.events if isinstance(event, TodoDispatched)]
    for done in range(999):  # in the order of their dispatch, 64 in flight
        happened = story.when(succeeded(running[done]))
        running += [event.todo.id for event in happened.events if isinstance(event, TodoDispatched)]
        assert len(running) == min(64 + done + 1, 1000)
    output = story.when(succeeded(running[999])).only(ExecutionOutput)
    assert len(output.results) == 1000
    assert sum(isinstance(one.event, TodoSucceeded) for one in story.story) == 1000
